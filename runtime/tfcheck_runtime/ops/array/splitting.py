"""Tensors cut into parts along an axis."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tfcheck_runtime.op import Array, Attributes, Aval, Call, Emitter, Op, Term, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.casting import moves
from tfcheck_runtime.ops.array.examples import counting, i32, i64
from tfcheck_runtime.ops.array.filling import present
from tfcheck_runtime.ops.array.packing import stack
from tfcheck_runtime.ops.array.shaping import shape as shape_of
from tfcheck_runtime.specs.shapes import Shape
from tfcheck_runtime.values import operators
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply_n


class _Split(Op):
    """Equal parts along an axis."""

    type = "Split"

    def infer(self, split_dim: Aval, value: Aval, *, num_split: int) -> tuple[Aval, ...]:
        axis = known.scalar(split_dim)
        if value.shape is None or axis is None:
            return _alike(value, _of_rank(value), num_split)
        place = known.axis_in(axis, len(value.shape), "split_dim")
        size = value.shape[place]
        if num_split < 1:
            raise ValueError(f"split: the number of parts must be at least 1, got {num_split}")
        if size is not None and size % num_split:
            raise ValueError(
                "Number of ways to split should evenly divide the split dimension, but got"
                f" split_dim {place} (size = {size}) and num_split {num_split}"
            )
        part = None if size is None else size // num_split
        return _alike(value, _with_size(value.shape, place, part), num_split)

    def eager(self, split_dim: Array, value: Array, *, num_split: int) -> tuple[Array, ...]:
        return tuple(np.split(value, num_split, int(split_dim)))

    def lower(
        self, onnx: Emitter, split_dim: Term, value: Term, *, num_split: int
    ) -> tuple[object, ...]:
        axis = known.scalar(split_dim.aval) or 0
        if value.shape is not None and value.shape[axis] is not None:
            parts = onnx.op_n("Split", num_split, value, axis=axis, num_outputs=num_split)
            return tuple(parts)
        # Given their sizes, parts that do not come out even are an error, as in TensorFlow.
        whole = onnx.op("Gather", onnx.op("Shape", value), known.int64([axis]), axis=0)
        size = onnx.op("Div", whole, known.int64([num_split]))
        sizes = onnx.op("Expand", size, known.int64([num_split]))
        return tuple(onnx.op_n("Split", num_split, value, sizes, axis=axis))

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        del attrs
        return known.scalar(inputs[0]) is not None and moves(inputs, outputs)

    def gradient(self, call: Call[Tensor], *grads: Tensor | None) -> list[Tensor | None]:
        return [None, operators.implementation("concat")(present(call, grads), call.inputs[0])]

    cases = (
        case(i32(1), counting(2, 4), num_split=2),
        case(i32(-2), np.ones((2, 4), np.float32), num_split=2, unknown=((1, 0), (1, 1))),
        case(i32(0), np.zeros((0, 2), np.int32), num_split=3),
    )


class _SplitV(Op):
    """Parts of given sizes along an axis; -1 stands for what is left."""

    type = "SplitV"

    def infer(
        self, value: Aval, sizes: Aval, split_dim: Aval, *, num_split: int
    ) -> tuple[Aval, ...]:
        axis, parts = known.scalar(split_dim), known.elements(sizes)
        if value.shape is None or axis is None or parts is None:
            return _alike(value, _of_rank(value), num_split)
        if len(parts) != num_split:
            raise ValueError(f"SplitV: expected {num_split} sizes, got {len(parts)}")
        place = known.axis_in(axis, len(value.shape), "split_dim")
        filled = _complete_sizes(parts, value.shape[place])
        return tuple(Aval(value.dtype, _with_size(value.shape, place, s)) for s in filled)

    def eager(
        self, value: Array, sizes: Array, split_dim: Array, *, num_split: int
    ) -> tuple[Array, ...]:
        del num_split
        axis = int(split_dim)
        parts = _complete_sizes(tuple(sizes.tolist()), value.shape[axis])
        ends = np.cumsum([p or 0 for p in parts])
        return tuple(np.split(value, ends[:-1], axis))

    def lower(
        self, onnx: Emitter, value: Term, sizes: Term, split_dim: Term, *, num_split: int
    ) -> tuple[object, ...]:
        axis = known.scalar(split_dim.aval) or 0
        if num_split == 1:
            return (onnx.op("Identity", value),)
        parts = known.complete(sizes.aval)
        size = None if value.shape is None else value.shape[axis]
        if parts is not None and size is not None:
            parts = tuple(p or 0 for p in _complete_sizes(parts, size))
        if parts is not None and -1 not in parts:
            lengths: object = known.int64(parts)
        else:
            lengths = _lengths(onnx, value, known.onnx_integers(onnx, sizes), axis)
        return tuple(onnx.op_n("Split", num_split, value, lengths, axis=axis))

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        del attrs
        return known.scalar(inputs[2]) is not None and moves(inputs, outputs)

    def gradient(self, call: Call[Tensor], *grads: Tensor | None) -> list[Tensor | None]:
        joined = operators.implementation("concat")(present(call, grads), call.inputs[2])
        return [joined, None, None]

    cases = (
        case(counting(6), i32([1, 2, 3]), i32(0), num_split=3),
        case(
            np.ones((2, 4), np.float32),
            i32([1, -1]),
            i32(-1),
            num_split=2,
            unknown=((0, 1),),
        ),
        case(np.arange(3, dtype=np.int32), i32([0, 3]), i32(0), num_split=2),
    )


def _lengths(onnx: Emitter, value: Term, sizes: object, axis: int) -> object:
    """The sizes with -1 replaced by what is left of the axis."""
    whole = onnx.op("Gather", onnx.op("Shape", value), known.int64([axis]), axis=0)
    open_ = onnx.op("Less", sizes, i64(0))
    given = onnx.op("Where", open_, i64(0), sizes)
    left = onnx.op("Sub", whole, onnx.op("ReduceSum", given))
    return onnx.op("Where", open_, left, given)


def _alike(value: Aval, shape: Shape, count: int) -> tuple[Aval, ...]:
    return tuple(Aval(value.dtype, shape) for _ in range(count))


def _of_rank(value: Aval) -> Shape:
    return None if value.shape is None else (None,) * len(value.shape)


def _with_size(shape: tuple[int | None, ...], place: int, size: int | None) -> Shape:
    return (*shape[:place], size, *shape[place + 1 :])


def _complete_sizes(parts: known.Elements, size: int | None) -> known.Elements:
    if any(p is None for p in parts):
        return tuple(None if p == -1 else p for p in parts)
    fixed = sum(p for p in parts if p is not None and p != -1)
    fits = size is None or (fixed <= size if -1 in parts else fixed == size)
    if parts.count(-1) > 1 or not fits:
        raise ValueError(f"can't split axis of size {size} into pieces of size {list(parts)}")
    left = None if size is None else size - fixed
    return tuple(left if p == -1 else p for p in parts)


split_op = define(_Split())
split_v_op = define(_SplitV())


def split(
    value: object,
    num_or_size_splits: object,
    axis: object = 0,
    num: int | None = None,
    name: str = "split",
) -> list[Tensor]:
    """Cut `value` along `axis` into parts.

    https://www.tensorflow.org/api_docs/python/tf/split

    Args:
        value: the tensor to cut.
        num_or_size_splits: how many equal parts, or their sizes, one of which may be -1.
        axis: which axis.
        num: the number of parts, where the sizes are a tensor of unknown length.
        name: of the node.

    Raises:
        ValueError: the number of parts is unknown, or (in a graph) the sizes do not fit.
        InvalidArgumentError: the sizes do not fit.
    """
    tensor = convert_to_tensor(value)
    place = known.integer_tensor(axis, name=f"{name}/split_dim", what="axis")
    if isinstance(num_or_size_splits, int | np.integer):
        count = int(num_or_size_splits)
        return list(apply_n(split_op, place, tensor, num_split=count, name=name))
    sizes = known.integer_tensor(num_or_size_splits, name=f"{name}/sizes", what="sizes")
    if sizes.ndim == 0:
        raise ValueError(
            "Rank-0 tensors are not supported as the num_or_size_splits argument to split."
            f" Argument provided: {num_or_size_splits!r}"
        )
    return list(apply_n(split_v_op, tensor, sizes, place, num_split=_number(sizes, num), name=name))


def _number(sizes: Tensor, num: int | None) -> int:
    found = num if num is not None else (sizes.static_shape or (None,))[0]
    if found is None:
        raise ValueError(f"Cannot infer argument `num` from shape {sizes.shape}; pass `num`")
    return found


def split_like(value: Tensor, parts: Sequence[Tensor], axis: Tensor) -> list[Tensor]:
    """Cut `value` along `axis` into parts of the sizes that `parts` have there."""
    if len(parts) == 1:
        return [value]
    place = known.static_ints(axis)
    sizes = [_size(p, place) for p in parts]
    if all(s is not None for s in sizes):
        return split(value, sizes, axis)
    index = axis if place is None else place[0]
    return split(value, stack([shape_of(p)[index] for p in parts]), axis, num=len(parts))


def _size(part: Tensor, place: tuple[int, ...] | None) -> int | None:
    shape = part.static_shape
    return None if shape is None or place is None else shape[place[0]]
