"""Whether any or all elements over axes are true."""

from __future__ import annotations

import numpy as np

from tfcheck_runtime.op import Array, Emitter, Term, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.examples import i32
from tfcheck_runtime.ops.array.reduction import Reduction, axes_of, reduce
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values.convert import convert_to_tensor, is_typed
from tfcheck_runtime.values.tensor import Tensor


class _Quantifier(Reduction):
    """Whether any or all elements are true."""

    accepted = frozenset({"bool"})

    cases = (
        case(np.array([[True, False], [True, True]]), i32(1), keep_dims=False),
        case(np.array([[True, False]]), i32([0, 1]), keep_dims=True, unknown=((0, 0),)),
        case(np.zeros((0, 2), np.bool_), i32(0), keep_dims=False),
    )


class _Any(_Quantifier):
    """Whether any element is true."""

    type = "Any"

    def eager(self, x: Array, axis: Array, *, keep_dims: bool) -> Array:
        return np.asarray(np.any(x, axes_of(axis), keepdims=keep_dims))

    def lower(self, onnx: Emitter, x: Term, axis: Term, *, keep_dims: bool) -> object:
        return _any(onnx, x, _axes(onnx, x, axis), keep_dims)


class _All(_Quantifier):
    """Whether all elements are true."""

    type = "All"

    def eager(self, x: Array, axis: Array, *, keep_dims: bool) -> Array:
        return np.asarray(np.all(x, axes_of(axis), keepdims=keep_dims))

    def lower(self, onnx: Emitter, x: Term, axis: Term, *, keep_dims: bool) -> object:
        return onnx.op("Not", _any(onnx, onnx.op("Not", x), _axes(onnx, x, axis), keep_dims))


def _axes(onnx: Emitter, x: Term, axis: Term) -> object:
    return known.onnx_axes(onnx, axis, known.rank_of(x.aval))


def _any(onnx: Emitter, x: object, axes: object, keep_dims: bool) -> object:
    counts = onnx.op(
        "ReduceSum",
        onnx.cast(x, dtypes.int64),
        axes,
        keepdims=int(keep_dims),
        noop_with_empty_axes=1,
    )
    return onnx.op("Greater", counts, np.int64(0))


any_op = define(_Any())
all_op = define(_All())


def reduce_any(
    input_tensor: object, axis: object = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Whether any element over `axis` is true; False of none.

    https://www.tensorflow.org/api_docs/python/tf/math/reduce_any. For arguments and errors see
    `reduce_sum`; the input must be boolean.
    """
    return reduce(any_op, _truths(input_tensor), axis, keepdims=keepdims, name=name)


def _truths(value: object) -> object:
    # Of an empty list nothing says that it holds floats.
    return value if is_typed(value) else convert_to_tensor(value, dtype_hint=dtypes.bool)


def reduce_all(
    input_tensor: object, axis: object = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Whether all elements over `axis` are true; True of none.

    https://www.tensorflow.org/api_docs/python/tf/math/reduce_all. For arguments and errors see
    `reduce_sum`; the input must be boolean.
    """
    return reduce(all_op, _truths(input_tensor), axis, keepdims=keepdims, name=name)
