"""Axes put in another order, and permutations inverted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Attributes, Aval, Call, Emitter, Op, Term, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.casting import moves
from tfcheck_runtime.ops.array.examples import counting, f32, i32, i64
from tfcheck_runtime.ops.array.ranges import range_
from tfcheck_runtime.ops.array.shaping import rank
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values import operators
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply


class _Transpose(Op):
    """The axes of the input in the order of a permutation."""

    type = "Transpose"

    def infer(self, x: Aval, perm: Aval) -> Aval:
        order = known.complete(perm)
        length = known.elements(perm)
        if x.shape is None or length is None:
            return Aval(x.dtype, None if length is None else (None,) * len(length))
        if len(length) != len(x.shape):
            raise ValueError(
                f"transpose expects a vector of size {len(x.shape)}. But input(1) is a vector of"
                f" size {len(length)}"
            )
        if order is None:
            return Aval(x.dtype, (None,) * len(x.shape))
        axes = known.axes_in(order, len(x.shape), "transpose: axis")
        if len(set(axes)) < len(axes):
            message = f"permutation {list(order)} names an axis twice"
            raise invalid_argument(message, self.type)
        return Aval(x.dtype, tuple(x.shape[a] for a in axes))

    def eager(self, x: Array, perm: Array) -> Array:
        return np.transpose(x, perm)

    def lower(self, onnx: Emitter, x: Term, perm: Term) -> object:
        order = known.complete(perm.aval) or ()
        return onnx.op("Transpose", x, perm=[p % max(len(order), 1) for p in order])

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        # The order of axes is part of an ONNX model.
        del attrs
        return known.complete(inputs[1]) is not None and moves(inputs, outputs)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        return [transpose(grad, inverse(call.inputs[1])), None]

    cases = (
        case(counting(2, 3), i32([1, 0])),
        case(np.ones((2, 3, 4), np.float32), i32([2, 0, 1]), unknown=((0, 1),)),
        case(np.zeros((0, 2), np.bool_), i64([1, 0])),
        case(f32(3.0), i32([])),
    )


class _InvertPermutation(Op):
    """The permutation that undoes another."""

    type = "InvertPermutation"

    def infer(self, x: Aval) -> Aval:
        known.check_rank(x, 1, "invert_permutation: the permutation")
        return Aval(x.dtype, x.shape)

    def eager(self, x: Array) -> Array:
        if sorted(x.tolist()) != list(range(x.size)):
            raise invalid_argument(f"{x.tolist()} is no permutation", self.type)
        return np.argsort(x).astype(x.dtype)

    def lower(self, onnx: Emitter, x: Term) -> object:
        size = onnx.op("Size", x)
        places = onnx.op("Range", np.int64(0), size, np.int64(1))
        wanted = onnx.cast(x, dtypes.int64)
        return onnx.cast(onnx.op("ScatterElements", places, wanted, places), x.dtype)

    cases = (
        case(i32([2, 0, 1]), unknown=((0, 0),)),
        case(i64([]), differentiable=False),
    )


transpose_op = define(_Transpose())
invert_permutation_op = define(_InvertPermutation())


def transpose(
    a: object, perm: object = None, conjugate: bool = False, name: str = "transpose"
) -> Tensor:
    """The axes of `a` in the order `perm`; reversed if it is None.

    https://www.tensorflow.org/api_docs/python/tf/transpose

    Args:
        a: any tensor.
        perm: where each axis of the result comes from.
        conjugate: whether to conjugate complex elements too.
        name: of the node.

    Raises:
        InvalidArgumentError: `perm` is no permutation of the axes (ValueError in a graph).
    """
    tensor = convert_to_tensor(a, name="a")
    order = known.integer_tensor(
        _reversed_axes(tensor) if perm is None else perm, name=f"{name}/perm", what="perm"
    )
    result = apply(transpose_op, tensor, order, name=name)
    if conjugate and tensor.dtype.is_complex:
        conjugated: Tensor = operators.implementation("conj")(result)
        return conjugated
    return result


def _reversed_axes(tensor: Tensor) -> object:
    if tensor.ndim is not None:
        return list(range(tensor.ndim))[::-1]
    return range_(rank(tensor) - 1, -1, -1)


def inverse(perm: Tensor) -> object:
    """The permutation that undoes `perm`, static where that is known."""
    order = known.static_ints(perm)
    if order is None:
        return invert_permutation(perm)
    positive = [axis % len(order) for axis in order]
    return [positive.index(axis) for axis in range(len(order))]


def invert_permutation(x: object, name: str | None = None) -> Tensor:
    """The permutation `y` with `y[x[i]] == i`.

    https://www.tensorflow.org/api_docs/python/tf/math/invert_permutation

    Raises:
        InvalidArgumentError: `x` is no permutation of 0, 1, 2…
    """
    tensor = known.integer_tensor(x, what="x")
    return apply(invert_permutation_op, tensor, name=name or "InvertPermutation")
