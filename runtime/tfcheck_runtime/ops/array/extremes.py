"""The largest and smallest element over axes."""

from __future__ import annotations

import math

import numpy as np

from tfcheck_runtime.op import Array, Call, Emitter, Term, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.agreement import REALS
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.examples import f32, i32
from tfcheck_runtime.ops.array.reduction import (
    Reduction,
    axes_of,
    reduce,
    reduce_sum,
    spread,
    wide,
)
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import as_dtype
from tfcheck_runtime.values.tensor import Tensor


class _Extreme(Reduction):
    """The largest or smallest element; NaN if there is one."""

    accepted = REALS

    def __init__(self, type_: str, onnx_type: str) -> None:
        self.type = type_
        self.onnx_type = onnx_type

    def eager(self, x: Array, axis: Array, *, keep_dims: bool) -> Array:
        find = np.max if self.type == "Max" else np.min
        limit = _worst(x.dtype, largest=self.type == "Max")
        with np.errstate(invalid="ignore"):
            found = find(wide(x), axes_of(axis), keepdims=keep_dims, initial=limit)
        return np.asarray(found).astype(x.dtype)

    def lower(self, onnx: Emitter, x: Term, axis: Term, *, keep_dims: bool) -> object:
        result = super().lower(onnx, x, axis, keep_dims=keep_dims)
        if not x.dtype.is_floating:
            return result
        # onnxruntime's kernels forget a NaN that does not come first.
        axes = known.onnx_axes(onnx, axis, known.rank_of(x.aval))
        marks = onnx.cast(onnx.op("IsNaN", x), dtypes.uint8)
        seen = onnx.op("ReduceMax", marks, axes, keepdims=int(keep_dims), noop_with_empty_axes=1)
        nan = onnx.constant(np.array(np.nan, x.dtype.numpy))
        return onnx.op("Where", onnx.cast(seen, dtypes.bool), nan, result)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        x, axis = call.inputs
        same = cast(x == spread(call, call.outputs[0]), grad.dtype)
        # Elements that tie share the gradient.
        ties = reduce_sum(same, axis, keepdims=call.attrs["keep_dims"])
        return [same * spread(call, grad / ties), None]

    cases = (
        case(f32([[1, 5, 3], [9, 2, 4]]), i32(1), keep_dims=False),
        case(
            f32([[1, 5, 3], [9, 2, 4]]),
            i32([0, 1]),
            keep_dims=True,
            unknown=((0, 0),),
        ),
        case(f32([1, np.nan, 3]), i32(0), keep_dims=False, differentiable=False),
        case(np.zeros((0,), np.int32), i32(0), keep_dims=False),
        case(np.zeros((0, 2), np.float32), i32(0), keep_dims=False, differentiable=False),
    )


def _worst(dtype: np.dtype[np.generic], *, largest: bool) -> float | int:
    if dtype.kind in "iu":
        limits = as_dtype(dtype)
        return int(limits.min if largest else limits.max)
    return -math.inf if largest else math.inf


max_op = define(_Extreme("Max", "ReduceMax"))
min_op = define(_Extreme("Min", "ReduceMin"))


def reduce_max(
    input_tensor: object, axis: object = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The largest element over `axis`, or of all; NaN if there is one, -inf (the least) of none.

    https://www.tensorflow.org/api_docs/python/tf/math/reduce_max. For arguments and errors see
    `reduce_sum`.
    """
    return reduce(max_op, input_tensor, axis, keepdims=keepdims, name=name)


def reduce_min(
    input_tensor: object, axis: object = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The smallest element over `axis`, or of all; NaN if there is one, inf (the most) of none.

    https://www.tensorflow.org/api_docs/python/tf/math/reduce_min. For arguments and errors see
    `reduce_sum`.
    """
    return reduce(min_op, input_tensor, axis, keepdims=keepdims, name=name)
