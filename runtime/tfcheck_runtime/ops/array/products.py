"""The product over axes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfcheck_runtime.op import Array, Call, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.accumulating import cumprod
from tfcheck_runtime.ops.array.examples import f32, f64, i32, i64
from tfcheck_runtime.ops.array.permuting import transpose
from tfcheck_runtime.ops.array.reduction import Reduction, axes_of, reduce, spread, wide
from tfcheck_runtime.ops.array.shaping import reshape, shape
from tfcheck_runtime.values import operators
from tfcheck_runtime.values.tensor import Tensor


class _Prod(Reduction):
    """The product; 1 over nothing."""

    type = "Prod"
    onnx_type = "ReduceProd"

    def eager(self, x: Array, axis: Array, *, keep_dims: bool) -> Array:
        factors = wide(x)
        product = np.prod(factors, axes_of(axis), dtype=factors.dtype, keepdims=keep_dims)
        return np.asarray(product).astype(x.dtype)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        return [_gradient(call, grad), None]

    cases = (
        case(f32([[1, 2, 3], [4, 5, 6]]), i32(1), keep_dims=False),
        # The second derivative divides by the zero, as in TensorFlow.
        case(f32([[1, 0, 3], [4, 5, 6]]), i32([0, 1]), keep_dims=True, differentiable=False),
        case(f64([[2, 3]]), i32([1]), keep_dims=True, unknown=((0, 0),)),
        case(i64([2, 3]), i32([0]), keep_dims=False),
        case(np.zeros((0, 2), np.float32), i32(0), keep_dims=False),
    )


def _gradient(call: Call[Tensor], grad: Tensor) -> Tensor:
    """The product of all other elements, without dividing: elements may be zero."""
    x, axis = call.inputs
    axes = known.static_ints(axis)
    if axes is None or x.ndim is None:
        raise ValueError(
            f"the gradient of reduce_prod needs the rank and the axes while tracing, got {x!r}"
        )
    reduced = [a % x.ndim for a in axes]
    order = reduced + [a for a in range(x.ndim) if a not in reduced]
    # The reduced axes become one, in front; cumulative products from both ends meet there.
    moved = transpose(x, order)
    sizes = [_size(x, a) for a in order]
    lines = reshape(moved, [math.prod(sizes[: len(reduced)]), *sizes[len(reduced) :]])
    others = cumprod(lines, 0, exclusive=True) * cumprod(lines, 0, exclusive=True, reverse=True)
    back = [order.index(a) for a in range(x.ndim)]
    product: Tensor = spread(call, grad) * transpose(reshape(others, shape(moved)), back)
    return product


def _size(x: Tensor, axis: int) -> Any:  # an int, or a tensor where it is not known
    static = x.shape[axis]
    return shape(x)[axis] if static is None else static


prod_op = define(_Prod())


@operators.implements("prod")
def reduce_prod(
    input_tensor: object, axis: object = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The product over `axis`, or of all elements; 1 of none.

    https://www.tensorflow.org/api_docs/python/tf/math/reduce_prod. For arguments and errors see
    `reduce_sum`.
    """
    return reduce(prod_op, input_tensor, axis, keepdims=keepdims, name=name)
