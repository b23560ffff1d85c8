"""Tensors to one with a new axis, and back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tfcheck_runtime.op import Array, Attributes, Aval, Call, Emitter, Op, Term, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.agreement import check_same_dtypes
from tfcheck_runtime.ops.array.casting import moves
from tfcheck_runtime.ops.array.examples import counting, f32
from tfcheck_runtime.ops.array.filling import present
from tfcheck_runtime.specs.dtypes import DType
from tfcheck_runtime.specs.shapes import Shape, merge
from tfcheck_runtime.values import operators
from tfcheck_runtime.values.convert import convert_to_tensor, is_tensor_like
from tfcheck_runtime.values.tensor import Tensor, apply, apply_n


class _Pack(Op):
    """Tensors of one shape, side by side along a new axis."""

    type = "Pack"

    def infer(self, *values: Aval, axis: int) -> Aval:
        check_same_dtypes(self.type, values)
        common: Shape = None
        for i, value in enumerate(values):
            common = _merged(common, value.shape, i, values)
        if common is None:
            return Aval(values[0].dtype, None)
        place = known.axis_in(axis, len(common) + 1)
        shape = (*common[:place], len(values), *common[place:])
        contents = [known.scalar(v) for v in values] if _are_scalars(values) else None
        return known.integers(values[0].dtype, shape, contents)

    def eager(self, *values: Array, axis: int) -> Array:
        return np.stack(values, axis)

    def lower(self, onnx: Emitter, *values: Term, axis: int) -> object:
        parts = [onnx.op("Unsqueeze", v, known.int64([axis])) for v in values]
        return onnx.op("Concat", *parts, axis=axis)

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        del attrs
        return moves(inputs, outputs)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor]:
        return unstack(grad, len(call.inputs), call.attrs["axis"])

    cases = (
        case(f32(1.5), f32(2.5), axis=0),
        case(np.ones((2, 3), np.float32), np.zeros((2, 3), np.float32), axis=1),
        case(
            np.ones((2, 3), np.float32),
            np.zeros((2, 3), np.float32),
            axis=-1,
            unknown=((0, 0), (1, 1)),
        ),
        case(np.zeros((0,), np.int32), np.zeros((0,), np.int32), axis=0),
    )


def _merged(common: Shape, shape: Shape, i: int, values: Sequence[Aval]) -> Shape:
    try:
        return merge(common, shape)
    except ValueError:
        raise ValueError(
            "Shapes of all inputs must match:"
            f" values[0].shape = {values[0].shape} != values[{i}].shape = {shape}"
        ) from None


def _are_scalars(values: Sequence[Aval]) -> bool:
    return all(v.shape == () and v.dtype.is_integer for v in values)


class _Unpack(Op):
    """The slices along an axis, without the axis."""

    type = "Unpack"

    def infer(self, value: Aval, *, num: int, axis: int) -> tuple[Aval, ...]:
        if value.shape is None:
            return tuple(Aval(value.dtype, None) for _ in range(num))
        place = known.axis_in(axis, len(value.shape))
        size = value.shape[place]
        if size is not None and size != num:
            raise ValueError(f"Dimension must be {num} but is {size}: axis {axis} of {value.shape}")
        shape = value.shape[:place] + value.shape[place + 1 :]
        contents = known.elements(value) if _is_vector_of_ints(value) else None
        found = contents or (None,) * num
        return tuple(known.integers(value.dtype, shape, _one(c)) for c in found)

    def eager(self, value: Array, *, num: int, axis: int) -> tuple[Array, ...]:
        del num
        return tuple(np.moveaxis(value, axis, 0))

    def lower(self, onnx: Emitter, value: Term, *, num: int, axis: int) -> tuple[object, ...]:
        if num == 1:
            return (onnx.op("Squeeze", value, known.int64([axis])),)
        parts = onnx.op_n("Split", num, value, axis=axis, num_outputs=num)
        return tuple(onnx.op("Squeeze", p, known.int64([axis])) for p in parts)

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        del attrs
        return moves(inputs, outputs) and bool(outputs)

    def gradient(self, call: Call[Tensor], *grads: Tensor | None) -> list[Tensor]:
        return [stack(present(call, grads), call.attrs["axis"])]

    cases = (
        case(counting(2, 3), num=3, axis=1, unknown=((0, 0),)),
        case(np.arange(6, dtype=np.int32).reshape(2, 3), num=2, axis=-2),
        case(np.zeros((1, 0), np.float32), num=1, axis=0),
    )


def _is_vector_of_ints(value: Aval) -> bool:
    return value.dtype.is_integer and value.shape is not None and len(value.shape) == 1


def _one(element: int | None) -> tuple[int] | None:
    return None if element is None else (element,)


pack_op = define(_Pack())
unpack_op = define(_Unpack())


@operators.implements("stack")
def stack(values: Sequence[object] | Tensor, axis: int = 0, name: str | None = None) -> Tensor:
    """Join tensors of one shape along a new axis.

    https://www.tensorflow.org/api_docs/python/tf/stack

    Args:
        values: tensors of one shape and dtype.
        axis: where the new axis goes, within [-(rank + 1), rank].
        name: of the node.

    Raises:
        ValueError: there is no such place for an axis, or (in a graph) the shapes differ.
        InvalidArgumentError: the shapes differ.
    """
    parts = joinable(values)
    if not parts:
        return convert_to_tensor([], name=name or "stack")
    places = None if parts[0].ndim is None else parts[0].ndim + 1
    if places is not None and not -places <= axis < places:
        raise ValueError(f"Argument `axis` = {axis} not in range [{-places}, {places})")
    return apply(pack_op, *parts, axis=axis, name=name or "stack")


def joinable(values: Sequence[object] | Tensor) -> list[Tensor]:
    """The parts of a list of values as tensors; Python data takes the dtype of its siblings."""
    items = unstack(values) if isinstance(values, Tensor) else list(values)
    typed = next((v for v in items if is_tensor_like(v)), None)
    dtype = _common(items) if typed is None else known.dtype_of(typed)
    return [convert_to_tensor(v, None if is_tensor_like(v) else dtype) for v in items]


def _common(items: Sequence[object]) -> DType | None:
    """The type Python data has together: with one float among them all are floats."""
    try:
        return known.dtype_of(list(items))
    except (TypeError, ValueError, NotImplementedError):  # ragged, or with tensors inside
        return None


def unstack(
    value: object, num: int | None = None, axis: int = 0, name: str | None = None
) -> list[Tensor]:
    """The slices of `value` along `axis`, without that axis.

    https://www.tensorflow.org/api_docs/python/tf/unstack

    Args:
        value: a tensor of rank 1 or more.
        num: the size of the axis; needed when it is not known while tracing.
        axis: which axis.
        name: of the node.

    Raises:
        ValueError: the number of slices is unknown, or there is no such axis.
    """
    tensor = convert_to_tensor(value)
    count = _count(tensor, axis) if num is None else int(num)
    return list(apply_n(unpack_op, tensor, num=count, axis=axis, name=name or "unstack"))


def _count(tensor: Tensor, axis: int) -> int:
    shape = tensor.static_shape
    if shape is None:
        raise ValueError("Cannot infer argument `num` from shape <unknown>; pass `num`")
    if not -len(shape) <= axis < len(shape):
        raise ValueError(f"Argument `axis` = {axis} not in range [{-len(shape)}, {len(shape)})")
    count = shape[axis]
    if count is None:
        raise ValueError(f"Cannot infer argument `num` from shape {shape}; pass `num`")
    return count
