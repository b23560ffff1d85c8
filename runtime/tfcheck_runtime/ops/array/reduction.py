"""Reductions over axes: what they share, sum and mean."""

from __future__ import annotations

import math
from collections.abc import Collection

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Aval, Call, Emitter, Op, Term, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.agreement import NUMBERS, check_kind
from tfcheck_runtime.ops.array.broadcasting import broadcast_to
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.examples import counting, i32
from tfcheck_runtime.ops.array.ranges import range_
from tfcheck_runtime.ops.array.shaping import rank, reshape, shape, size
from tfcheck_runtime.ops.array.squeezing import expand_dims
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.shapes import Shape, num_elements
from tfcheck_runtime.values import operators
from tfcheck_runtime.values.convert import constant, convert_to_tensor
from tfcheck_runtime.values.tensor import SymbolicTensor, Tensor, apply


class Reduction(Op):
    """A reduction over the axes that an integer input names."""

    onnx_type: str
    accepted: Collection[str] = NUMBERS

    def infer(self, x: Aval, axis: Aval, *, keep_dims: bool) -> Aval:
        """The input type, without the reduced axes."""
        check_kind(self.type, x, self.accepted)
        return Aval(x.dtype, _reduced(x, axis, keep_dims))

    def lower(self, onnx: Emitter, x: Term, axis: Term, *, keep_dims: bool) -> object:
        """ONNX's reduction of the same axes."""
        axes = known.onnx_axes(onnx, axis, known.rank_of(x.aval))
        return onnx.op(self.onnx_type, x, axes, keepdims=int(keep_dims), noop_with_empty_axes=1)


def _reduced(x: Aval, axis: Aval, keep_dims: bool) -> Shape:
    if x.shape is None:
        return None
    axes = known.complete(axis)
    if axes is None:
        return (None,) * len(x.shape) if keep_dims else None
    chosen = known.axes_in(axes, len(x.shape), "Invalid reduction dimension: axis")
    if len(set(chosen)) < len(chosen):
        message = f"Invalid reduction arguments: axes {list(axes)} name a dimension twice"
        raise invalid_argument(message)
    if keep_dims:
        return tuple(1 if i in chosen else d for i, d in enumerate(x.shape))
    return tuple(d for i, d in enumerate(x.shape) if i not in chosen)


def axes_of(axis: Array) -> tuple[int, ...]:
    """The axes as NumPy takes them."""
    return tuple(int(a) for a in axis.reshape(-1))


def wide(x: Array) -> Array:
    """The array in a type wide enough to accumulate in."""
    return x.astype(np.float32) if x.dtype.itemsize <= 2 and x.dtype.kind in "fV" else x


class _Sum(Reduction):
    """The sum; 0 over nothing."""

    type = "Sum"
    onnx_type = "ReduceSum"

    def eager(self, x: Array, axis: Array, *, keep_dims: bool) -> Array:
        summed = wide(x)
        total = np.sum(summed, axes_of(axis), dtype=summed.dtype, keepdims=keep_dims)
        return np.asarray(total).astype(x.dtype)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        return [spread(call, grad), None]

    cases = (
        case(counting(2, 3), i32(1), keep_dims=False),
        case(np.ones((2, 3), np.float64), i32([0, -1]), keep_dims=True, unknown=((0, 0),)),
        case(np.ones((2, 3), np.int32), i32([]), keep_dims=False),
        case(np.zeros((0, 3), np.float32), i32([0]), keep_dims=False),
    )


class _Mean(Reduction):
    """The mean; NaN over nothing; integers lose their fraction towards zero."""

    type = "Mean"

    def eager(self, x: Array, axis: Array, *, keep_dims: bool) -> Array:
        summed, axes = wide(x), axes_of(axis)
        count = math.prod(x.shape[a] for a in axes)
        if x.dtype.kind in "iu" and x.itemsize < 8:
            summed = x.astype(np.int64)
        total = np.asarray(np.sum(summed, axes, dtype=summed.dtype, keepdims=keep_dims))
        if x.dtype == np.float16:
            with np.errstate(over="ignore"):
                total = total.astype(x.dtype)  # sums of it overflow in TensorFlow
        if x.dtype.kind in "iu":
            signs = np.sign(total).astype(total.dtype)
            return np.asarray(np.abs(total) // max(count, 1) * signs, x.dtype)
        with np.errstate(all="ignore"):
            return np.asarray(total.astype(summed.dtype) / summed.dtype.type(count)).astype(x.dtype)

    def lower(self, onnx: Emitter, x: Term, axis: Term, *, keep_dims: bool) -> object:
        # ReduceMean has no kernel for int64, and gives 0 over nothing.
        narrow = x.dtype is dtypes.int32
        axes = known.onnx_axes(onnx, axis, known.rank_of(x.aval))
        source, dtype = (onnx.cast(x, dtypes.int64), dtypes.int64) if narrow else (x, x.dtype)
        total = onnx.op("ReduceSum", source, axes, keepdims=int(keep_dims), noop_with_empty_axes=1)
        sizes = onnx.op("Gather", known.onnx_shape(onnx, x), axes, axis=0)
        count = onnx.op("ReduceProd", sizes, keepdims=0)
        if x.dtype.is_integer:
            count = onnx.op("Max", count, np.int64(1))
        mean = onnx.op("Div", total, onnx.cast(count, dtype))
        return onnx.cast(mean, x.dtype) if narrow else mean

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        return [spread(call, grad) / _group_size(call), None]

    cases = (
        case(counting(2, 3), i32(1), keep_dims=False),
        case(np.ones((2, 3), np.float32), i32([0, -1]), keep_dims=True, unknown=((0, 0),)),
        case(i32([-3, -4]), i32([0]), keep_dims=False),
        case(np.zeros((0, 3), np.float32), i32([0]), keep_dims=False, differentiable=False),
    )


def _group_size(call: Call[Tensor]) -> Tensor:
    x, y = call.inputs[0], call.outputs[0]
    axes = known.static_ints(call.inputs[1])
    if x.static_shape is not None and axes is not None:
        count = num_elements(tuple(x.static_shape[a] for a in axes))
        if count is not None:
            return constant(float(count), x.dtype)
    whole, parts = size(x, dtypes.int64), size(y, dtypes.int64)
    ratio: Tensor = cast(whole, x.dtype) / cast(parts, x.dtype)
    return ratio


sum_op = define(_Sum())
mean_op = define(_Mean())


@operators.implements("sum")
def reduce_sum(
    input_tensor: object, axis: object = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The sum over `axis`, or of all elements.

    https://www.tensorflow.org/api_docs/python/tf/math/reduce_sum

    Args:
        input_tensor: numbers.
        axis: an axis, several, or None for all; an empty list reduces nothing.
        keepdims: whether reduced axes stay, with size 1.
        name: of the node.

    Raises:
        InvalidArgumentError: there is no such axis (ValueError in a graph), or the input is not
            numeric (TypeError in a graph).
    """
    return reduce(sum_op, input_tensor, axis, keepdims=keepdims, name=name)


def reduce_mean(
    input_tensor: object, axis: object = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The mean over `axis`, or of all elements; of integers an integer.

    https://www.tensorflow.org/api_docs/python/tf/math/reduce_mean. For arguments and errors see
    `reduce_sum`.
    """
    return reduce(mean_op, input_tensor, axis, keepdims=keepdims, name=name)


def reduce(op: Op, value: object, axis: object, *, keepdims: bool, name: str | None) -> Tensor:
    """Apply a reduction; an axis of None stands for all."""
    tensor = convert_to_tensor(value, name="input_tensor")
    label = name or op.type
    axes = _axes_tensor(tensor, axis, label)
    result = apply(op, tensor, axes, keep_dims=bool(keepdims), name=label)
    if axis is None and not keepdims and isinstance(result, SymbolicTensor):
        result.set_shape(())  # all axes, even where how many is not known
    return result


def _axes_tensor(tensor: Tensor, axis: object, label: str) -> Tensor:
    if axis is not None:
        return known.integer_tensor(axis, name=f"{label}/reduction_indices", what="axis")
    if tensor.ndim is None:
        return range_(0, rank(tensor), 1)
    return constant(np.arange(tensor.ndim, dtype=np.int32), name="Const")


def spread(call: Call[Tensor], value: Tensor) -> Tensor:
    """A value of the shape of a reduction's result, repeated over what was reduced."""
    x, axis = call.inputs
    axes = known.static_ints(axis)
    if not call.attrs["keep_dims"]:
        if axes is not None and x.ndim is not None:
            for place in sorted(a % max(x.ndim, 1) for a in axes):
                value = expand_dims(value, place)
        else:
            kept = apply(call.op, x, axis, keep_dims=True)
            value = reshape(value, shape(kept))
    return broadcast_to(value, shape(x))
