"""Ragged tensors with axes added, taken away, turned round and repeated."""

from __future__ import annotations

from typing import Any

from tfcheck_runtime.ops.array.broadcasting import tile as dense_tile
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.joining import concat
from tfcheck_runtime.ops.array.known import static_ints
from tfcheck_runtime.ops.array.ranges import range_ as dense_range
from tfcheck_runtime.ops.array.reversing import reverse as dense_reverse
from tfcheck_runtime.ops.array.shaping import size as dense_size
from tfcheck_runtime.ops.array.squeezing import (
    expand_dims as dense_expand_dims,
    squeeze as dense_squeeze,
)
from tfcheck_runtime.ops.control.debugging import assert_equal
from tfcheck_runtime.ops.ragged import partition
from tfcheck_runtime.ops.ragged.indexing import one_row, rows_of_one
from tfcheck_runtime.ops.ragged.ranges import rows_of
from tfcheck_runtime.ops.ragged.tensor import RaggedTensor
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import as_dtype
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor

Values = Any  # a tensor, or a ragged tensor


def _place(axis: Any, rank: int | None) -> int:
    """An axis counted from the front.

    Raises:
        ValueError: there is no such axis.
    """
    number = int(axis)
    if rank is None:
        if number < 0:
            raise ValueError(f"axis={axis} may only be negative if ndims is statically known.")
        return number
    if not -rank <= number < rank:
        raise ValueError(f"axis={axis} out of bounds: expected {-rank}<=axis<{rank}")
    return number % rank


def expand_dims(input: Values, axis: Any, name: str | None = None) -> Values:
    """A new axis of size 1; see `tf.expand_dims`.

    Raises:
        ValueError: there is no such place.
    """
    if not isinstance(input, RaggedTensor):
        return dense_expand_dims(input, axis)
    rank = input.shape.rank
    place = _place(axis, None if rank is None else rank + 1)
    if place == 0:
        return one_row(input)
    if place == 1:
        return rows_of_one(input)
    inner = expand_dims(input.values, place - 1)
    return RaggedTensor(inner, input.row_splits, input.static_row_length)


def squeeze(input: RaggedTensor, axis: Any = None, name: str | None = None) -> Values:
    """Axes of size 1 taken away; see `tf.squeeze`.

    Raises:
        ValueError: no axis is given.
        InvalidArgumentError: an axis has another size.
    """
    if axis is None:
        raise ValueError("Ragged.squeeze must have an axis argument.")
    rank = input.shape.rank
    given = axis if isinstance(axis, list | tuple) else [axis]
    made: Values = input
    for place in sorted({_place(a, rank) for a in given}, reverse=True):
        made = _squeezed(made, place)
    return made


def _squeezed(value: Values, axis: int) -> Values:
    if not isinstance(value, RaggedTensor):
        return dense_squeeze(value, axis=[axis])
    message = f"the given axis (axis = {axis}) is not squeezable!"
    if axis == 0:
        assert_equal(value.nrows(), convert_to_tensor(1, value.row_splits.dtype), message=message)
        return value.values
    if axis == 1:
        lengths: Any = value.row_lengths()
        assert_equal(lengths, lengths * 0 + 1, message=message)
        return value.values
    inner = _squeezed(value.values, axis - 1)
    return RaggedTensor(inner, value.row_splits, value.static_row_length)


def reverse(tensor: RaggedTensor, axis: Any, name: str | None = None) -> RaggedTensor:
    """The elements turned round along axes; see `tf.reverse`.

    Raises:
        TypeError: `axis` is no list of numbers.
        ValueError: there is no such axis.
    """
    listed: Any = static_ints(axis) if isinstance(axis, Tensor) else axis
    if not isinstance(listed, list | tuple):
        raise TypeError("`axis` must be a list of int or a constant tensor when reversing axes in")
    rank = tensor.shape.rank
    made: RaggedTensor = tensor
    for place in {_place(a, rank) for a in listed}:
        made = _reversed(made, place)
    return made


def _reversed(value: Values, axis: int) -> Values:
    if not isinstance(value, RaggedTensor):
        return dense_reverse(value, [axis])
    if axis == 0:
        count: Any = value.nrows()
        return rows_of(value, dense_range(count - 1, -1, -1))
    if axis == 1:
        places = partition.places_of(value.row_splits)
        limits: Any = rows_of(value.row_limits(), places.rows)
        turned = rows_of(value.values, limits - 1 - places.positions)
        return RaggedTensor(turned, value.row_splits, value.static_row_length)
    inner = _reversed(value.values, axis - 1)
    return RaggedTensor(inner, value.row_splits, value.static_row_length)


def tile(input: RaggedTensor, multiples: Any, name: str | None = None) -> RaggedTensor:
    """The tensor repeated along each axis; see `tf.tile`."""
    counts: Any = convert_to_tensor(multiples, dtype_hint=dtypes.int64)
    made = _tiled_rows(input, cast(counts, input.row_splits.dtype), 1)
    count: Any = made.nrows()
    order = dense_tile(dense_range(count), counts[:1])
    return rows_of(made, order) if static_ints(counts[:1]) != (1,) else made


def _tiled_rows(value: RaggedTensor, counts: Any, axis: int) -> RaggedTensor:
    """Rows repeated in themselves, from the innermost axis out."""
    inner = value.values
    if isinstance(inner, RaggedTensor):
        inner = _tiled_rows(inner, counts, axis + 1)
    elif (inner.ndim or 1) > 1:
        times = counts[axis:]
        inner = dense_tile(inner, _inner_times(times))
    known = static_ints(counts[axis : axis + 1])
    if known == (1,):
        return RaggedTensor(inner, value.row_splits, value.static_row_length)
    times = counts[axis]
    lengths: Any = value.row_lengths()
    splits = partition.splits_of_lengths(lengths * times)
    places = partition.places_of(splits)
    starts: Any = rows_of(value.row_starts(), places.rows)
    own: Any = rows_of(lengths, places.rows)
    return RaggedTensor(rows_of(inner, starts + places.positions % own), splits)


def _inner_times(times: Any) -> Any:
    """How often the values of rows are repeated, not counting the rows' own axis."""
    return concat([times[:1] * 0 + 1, times[1:]], 0)


def size(input: RaggedTensor, out_type: object = dtypes.int32, name: str | None = None) -> Tensor:
    """How many values there are; see `tf.size`."""
    return dense_size(input.flat_values, out_type=as_dtype(out_type), name=name)


def rank(input: RaggedTensor, name: str | None = None) -> Tensor:
    """How many axes there are; see `tf.rank`."""
    return convert_to_tensor(input.ragged_rank + (input.flat_values.ndim or 1), dtypes.int32)
