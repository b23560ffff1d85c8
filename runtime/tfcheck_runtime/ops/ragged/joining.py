"""Ragged tensors side by side along an axis, and along a new one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfcheck_runtime.ops.array.joining import concat as dense_concat
from tfcheck_runtime.ops.array.packing import stack as dense_stack
from tfcheck_runtime.ops.array.permuting import transpose
from tfcheck_runtime.ops.array.ranges import range_ as dense_range
from tfcheck_runtime.ops.array.shaping import reshape, size as dense_size
from tfcheck_runtime.ops.control.debugging import assert_equal
from tfcheck_runtime.ops.ragged.ranges import rows_of
from tfcheck_runtime.ops.ragged.tensor import RaggedTensor
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values.convert import convert_to_tensor, fitted

Values = Any  # a tensor, or a ragged tensor


def as_values(value: Any, dtype: Any = None) -> Values:
    """A ragged tensor as it is, all else as a tensor."""
    if isinstance(value, RaggedTensor):
        return value
    return convert_to_tensor(value) if dtype is None else fitted(value, dtype)


def concat(values: Any, axis: Any, name: str | None = "concat") -> Values:
    """Tensors of which one is ragged, side by side along an axis; see `tf.concat`.

    Raises:
        ValueError: ranks differ, or there is no such axis.
        InvalidArgumentError: the rows of outer axes differ.
    """
    inputs = [values] if isinstance(values, RaggedTensor) else list(values)
    return _together(inputs, int(axis), stacks=False)


def stack(values: Any, axis: int = 0, name: str | None = "stack") -> Values:
    """Tensors of which one is ragged, along a new axis; see `tf.stack`."""
    inputs = [values] if isinstance(values, RaggedTensor) else list(values)
    return _together(inputs, axis, stacks=True)


def ragged_stack(values: Any, axis: int = 0, name: str | None = None) -> Values:
    """Tensors, whose sizes may differ, along a new axis.

    https://www.tensorflow.org/api_docs/python/tf/ragged/stack

    Raises:
        ValueError: there are none, or ranks differ.
    """
    inputs = list(values) if isinstance(values, list | tuple) else [values]
    if not inputs:
        raise ValueError("rt_inputs may not be empty.")
    return _together(inputs, axis, stacks=True)


def _together(inputs: Sequence[Any], axis: int, *, stacks: bool) -> Values:
    dtype = next((v.dtype for v in inputs if isinstance(v, RaggedTensor)), None)
    tensors = [as_values(v, dtype) for v in inputs]
    rank = next((v.shape.rank for v in tensors if v.shape.rank is not None), None)
    for value in tensors:
        if None not in (rank, value.shape.rank) and value.shape.rank != rank:
            raise ValueError(f"Shape {value.shape} must have rank {rank}")
    place = _place(axis, None if rank is None else rank + stacks)
    if not any(isinstance(v, RaggedTensor) for v in tensors) and not (stacks and place < 1):
        join = dense_stack if stacks else dense_concat
        return join(tensors, place)
    if rank == 0:
        return dense_stack(tensors, place)
    if rank == 1 and stacks and place == 0:
        rows = [dense_size(t) for t in tensors]
        return RaggedTensor.from_row_lengths(dense_concat(tensors, 0), dense_stack(rows),
                                             validate=False)  # fmt: skip
    return _joined(_alike(tensors), place, stacks=stacks)


def _place(axis: int, rank: int | None) -> int:
    if rank is None:
        if axis < 0:
            raise ValueError(f"axis={axis} may only be negative if the rank is known")
        return axis
    if not -rank <= axis < rank:
        raise ValueError(f"axis={axis} out of bounds: expected {-rank}<=axis<{rank}")
    return axis % rank


def _alike(values: Sequence[Values]) -> list[RaggedTensor]:
    """All with the largest number of ragged axes, and one type of splits."""
    most = max((v.ragged_rank for v in values if isinstance(v, RaggedTensor)), default=1)
    wide = any(isinstance(v, RaggedTensor) and v.row_splits.dtype is dtypes.int64 for v in values)
    narrow = not wide and any(isinstance(v, RaggedTensor) for v in values)
    kind = dtypes.int32 if narrow else dtypes.int64
    return [_with_levels(v, most).with_row_splits_dtype(kind) for v in values]


def _with_levels(value: Values, levels: int) -> RaggedTensor:
    if not isinstance(value, RaggedTensor):
        made: RaggedTensor = RaggedTensor.from_tensor(value, ragged_rank=levels)
        return made
    if levels > value.ragged_rank:
        return value.with_values(_with_levels(value.values, levels - 1))
    return value


def _joined(inputs: Sequence[RaggedTensor], axis: int, *, stacks: bool) -> RaggedTensor:
    if axis == 0:
        made = _end_to_end(inputs)
        if not stacks:
            return made
        counts = dense_stack([v.nrows() for v in inputs])
        return RaggedTensor.from_row_lengths(made, counts, validate=False)
    if axis == 1:
        return _row_by_row(inputs, stacks=stacks)
    first = inputs[0]
    for other in inputs[1:]:
        assert_equal(
            first.row_splits, other.row_splits, message="Inputs must have identical ragged splits"
        )
    inner = [v.values for v in inputs]
    if any(isinstance(v, RaggedTensor) for v in inner):
        return RaggedTensor(_joined(inner, axis - 1, stacks=stacks), first.row_splits)
    join = dense_stack if stacks else dense_concat
    return RaggedTensor(join(inner, axis - 1), first.row_splits)


def _end_to_end(inputs: Sequence[RaggedTensor]) -> RaggedTensor:
    inner = [v.values for v in inputs]
    ragged = any(isinstance(v, RaggedTensor) for v in inner)
    values = _end_to_end(inner) if ragged else dense_concat(inner, 0)
    splits: list[Any] = []
    offset: Any = None
    for value in inputs:
        own: Any = value.row_splits
        splits.append(own if offset is None else own[1:] + offset)
        offset = own[-1] if offset is None else offset + own[-1]
    return RaggedTensor(values, dense_concat(splits, 0))


def _row_by_row(inputs: Sequence[RaggedTensor], *, stacks: bool) -> RaggedTensor:
    counts = [v.nrows() for v in inputs]
    for i, count in enumerate(counts[1:], 1):
        assert_equal(
            counts[0], count,
            message=f"Input tensors at index 0 (=x) and {i} (=y) have incompatible shapes.",
        )  # fmt: skip
    number = len(inputs)
    rows: Any = counts[0]
    order = dense_range(rows * number)
    order = reshape(transpose(reshape(order, [number, rows])), [-1])
    mixed = rows_of(_end_to_end(inputs), order)
    if stacks:
        return RaggedTensor(mixed, dense_range(0, rows * number + 1, number))
    splits: Any = mixed.row_splits
    return RaggedTensor(mixed.values, splits[::number])
