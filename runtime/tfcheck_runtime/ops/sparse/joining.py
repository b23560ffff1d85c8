"""Sparse tensors side by side, and one in pieces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Aval, Op, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.examples import f32, i64
from tfcheck_runtime.ops.array.extremes import reduce_max
from tfcheck_runtime.ops.array.joining import concat as dense_concat
from tfcheck_runtime.ops.array.packing import stack
from tfcheck_runtime.ops.math.operands import check_alike
from tfcheck_runtime.ops.sparse.parts import checked, in_order, parts_of, rank_of
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.shapes import Shape
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.sparse_tensor import SparseTensor
from tfcheck_runtime.values.tensor import Tensor, apply_n

Triple = tuple[Aval, Aval, Aval]


class _Concat(Op):
    """Elements of tensors side by side along an axis, in order."""

    type = "SparseConcat"
    cases = (
        case(
            *(i64([[0, 1]]), i64([[1, 0], [0, 0]])),
            *(f32([1]), f32([2, 3])),
            *(i64([2, 2]), i64([2, 1])),
            concat_dim=1,
        ),
    )

    def infer(self, *inputs: Aval, concat_dim: int) -> Triple:
        count = len(inputs) // 3
        indices, values, shapes = inputs[:count], inputs[count:-count], inputs[-count:]
        counts = [i.shape[0] if i.shape else None for i in indices]
        total = None if None in counts else sum(n for n in counts if n is not None)
        rank = rank_of(indices[0], shapes[0])
        places, found, whole = parts_of(values[0].dtype, rank, total)
        sizes = [known.complete(s) for s in shapes]
        if all(s is not None and len(s) == rank for s in sizes):
            joined = _joined([np.array(s) for s in sizes], concat_dim, self.type)
            whole = known.integers(dtypes.int64, (rank,), joined.tolist())
        return places, found, whole

    def eager(self, *inputs: Array, concat_dim: int) -> tuple[Array, Array, Array]:
        count = len(inputs) // 3
        indices, values, shapes = inputs[:count], inputs[count:-count], inputs[-count:]
        whole = _joined(shapes, concat_dim, self.type)
        axis = concat_dim % len(whole)
        offset, moved = np.zeros_like(whole), []
        for places, sizes in zip(indices, shapes, strict=True):
            moved.append(places + offset)
            offset[axis] += sizes[axis]
        together = np.concatenate(moved)
        order = in_order(together)
        return together[order], np.concatenate(values)[order], whole


def _joined(shapes: Sequence[Array], axis: int, op_type: str) -> Array:
    """The shape of all side by side.

    Raises:
        InvalidArgumentError: the other axes differ, or there is no such axis.
    """
    first = shapes[0]
    rank = len(first)
    if not -rank <= axis < rank:
        raise invalid_argument(
            f"Concat dimension must be in range [{-rank}, {rank}), got {axis}", op_type
        )
    for i, sizes in enumerate(shapes):
        for place, (wanted, size) in enumerate(zip(first, sizes, strict=True)):
            if wanted != size and place != axis % rank:
                raise invalid_argument(
                    f"Input shapes must match: expected {wanted} for dimension {place} but got"
                    f" {size} at position {i}",
                    op_type,
                )
    whole = np.array(first)
    whole[axis] = sum(sizes[axis] for sizes in shapes)
    return whole


class _Split(Op):
    """The elements in pieces of nearly the same size along an axis."""

    type = "SparseSplit"
    cases = (case(i64(1), i64([[0, 0], [0, 2], [1, 1]]), f32([1, 2, 3]), i64([2, 3]), num_split=2),)

    def infer(
        self, axis: Aval, indices: Aval, values: Aval, shape: Aval, *, num_split: int
    ) -> tuple[Aval, ...]:
        rank, place, sizes = rank_of(indices, shape), known.scalar(axis), known.complete(shape)
        pieces: list[Shape] = [None] * num_split
        if place is not None and sizes is not None and -len(sizes) <= place < len(sizes):
            lengths = _lengths(sizes[place], num_split, self.type)
            place %= len(sizes)
            pieces = [(*sizes[:place], n, *sizes[place + 1 :]) for n in lengths]
        made = [parts_of(values.dtype, rank) for _ in pieces]
        wholes = [known.integers(dtypes.int64, (rank,), p) for p in pieces]
        return (*(m[0] for m in made), *(m[1] for m in made), *wholes)

    def eager(
        self, axis: Array, indices: Array, values: Array, shape: Array, *, num_split: int
    ) -> tuple[Array, ...]:
        rank, place = len(shape), int(axis)
        if not -rank <= place < rank:
            raise invalid_argument(
                f"Input split_dim should be between 0 and rank ({rank}), got {place}", self.type
            )
        lengths = _lengths(int(shape[place]), num_split, self.type)
        starts = np.concatenate([[0], np.cumsum(lengths)])
        pieces = []
        for i, length in enumerate(lengths):
            inside = (indices[:, place] >= starts[i]) & (indices[:, place] < starts[i + 1])
            places, whole = indices[inside], np.array(shape)
            places[:, place] -= starts[i]
            whole[place] = length
            pieces.append((places, values[inside], whole))
        return tuple(piece[part] for part in range(3) for piece in pieces)


def _lengths(size: int, count: int, op_type: str) -> list[int]:
    """Sizes of the pieces: those that come first take what is left over.

    Raises:
        InvalidArgumentError: there are more pieces than elements.
    """
    if not 1 <= count <= size:
        raise invalid_argument(
            f"Input num_split should be between 1 and the splitting dimension size ({size}), got"
            f" {count}",
            op_type,
        )
    length, left = divmod(size, count)
    return [length + 1] * left + [length] * (count - left)


concat_op = define(_Concat())
split_op = define(_Split())


def concat(
    axis: int,
    sp_inputs: Sequence[object],
    expand_nonconcat_dims: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """Sparse tensors side by side along `axis`.

    https://www.tensorflow.org/api_docs/python/tf/sparse/concat

    Args:
        axis: along which they stand.
        sp_inputs: sparse tensors of one dtype and rank.
        expand_nonconcat_dims: whether their other sizes may differ; the largest count then.
        name: of the node.

    Raises:
        TypeError: they are no list of sparse tensors.
        InvalidArgumentError: their other sizes differ, or there are none.
    """
    if not isinstance(sp_inputs, list | tuple):
        raise TypeError("Inputs must be a list or tuple.")
    inputs = [checked(s) for s in sp_inputs]
    if not inputs:
        raise invalid_argument("there is nothing to join: `sp_inputs` is empty", "SparseConcat")
    check_alike("SparseConcat", [s.values for s in inputs])
    shapes = [s.dense_shape for s in inputs]
    if expand_nonconcat_dims:
        shapes = _stretched(shapes, axis, inputs[0].shape.rank)
    made = apply_n(
        concat_op, *(s.indices for s in inputs), *(s.values for s in inputs), *shapes,
        name=name or "SparseConcat", concat_dim=axis,
    )  # fmt: skip
    return SparseTensor(*made)


def _stretched(shapes: Sequence[Tensor], axis: int, rank: int | None) -> list[Tensor]:
    most: Any = reduce_max(stack(list(shapes)), axis=0)
    if rank is not None:
        axis %= rank
    end = axis + 1 or None
    made: list[Tensor] = []
    for shape in shapes:
        own: Any = shape
        after = [] if end is None else [most[end:]]
        made.append(dense_concat([most[:axis], own[axis:end], *after], 0))
    return made


def split(
    sp_input: object = None,
    num_split: int | None = None,
    axis: object = None,
    name: str | None = None,
) -> list[SparseTensor]:
    """The tensor in `num_split` pieces along `axis`; the first ones are longer if need be.

    https://www.tensorflow.org/api_docs/python/tf/sparse/split

    Raises:
        ValueError: an argument is missing.
        InvalidArgumentError: there are more pieces than the axis is long.
    """
    for what, value in (("sp_input", sp_input), ("num_split", num_split), ("axis", axis)):
        if value is None:
            raise ValueError(f"{what} is required")
    assert num_split is not None  # checked with the others
    if num_split < 1:
        raise invalid_argument(
            f"Value for attr 'num_split' of {num_split} must be at least minimum 1", "SparseSplit"
        )
    sparse = checked(sp_input)
    made = apply_n(
        split_op, convert_to_tensor(axis, dtypes.int64), sparse.indices, sparse.values,
        sparse.dense_shape, name=name or "SparseSplit", num_split=num_split,
    )  # fmt: skip
    return [SparseTensor(*made[i::num_split]) for i in range(num_split)]
