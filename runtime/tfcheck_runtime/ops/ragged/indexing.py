"""Ragged tensors indexed as in Python: rows, slices with steps, new axes, ellipses."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.joining import concat
from tfcheck_runtime.ops.array.packing import stack
from tfcheck_runtime.ops.array.ranges import range_ as dense_range
from tfcheck_runtime.ops.array.selection import where
from tfcheck_runtime.ops.array.shaping import shape as shape_of
from tfcheck_runtime.ops.control.debugging import assert_less
from tfcheck_runtime.ops.math.arithmetic import maximum, minimum
from tfcheck_runtime.ops.ragged import partition
from tfcheck_runtime.ops.ragged.ranges import picked, rows_of
from tfcheck_runtime.ops.ragged.tensor import RaggedTensor
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.operators import implements
from tfcheck_runtime.values.tensor import Tensor

Values = Any  # a tensor, or a ragged tensor

_ALL: Final = slice(None)


@implements("ragged.getitem")
def getitem(ragged: RaggedTensor, key: Any) -> Values:
    """What a key, or several, one per axis, pick.

    Raises:
        TypeError: a key is no index.
        ValueError: a number is given for an axis of rows that differ in length.
        IndexError, InvalidArgumentError: there is no such row.
    """
    keys = list(key) if isinstance(key, list | tuple) else [key]
    for one in keys:
        _check_key(one)
    return _of_rows(ragged, keys)


def _check_key(key: Any) -> None:
    if isinstance(key, bool):
        raise ValueError("mask cannot be scalar.")
    if key is None or key is Ellipsis or isinstance(key, int | np.integer | slice):
        return
    if isinstance(key, Tensor) and key.dtype.is_integer and key.ndim in (None, 0):
        return
    raise TypeError(
        "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar"
        f" tf.int32/tf.int64 tensors are valid indices, got {key!r}"
    )


def _of_rows(value: Values, keys: list[Any]) -> Values:
    """The keys applied from the first axis on."""
    if not keys:
        return value
    if not isinstance(value, RaggedTensor):
        return value[tuple(keys)]
    key, *rest = keys
    if key is Ellipsis:
        return _of_rows(value, _spelled_out(keys, value))
    if key is None:
        return one_row(_of_rows(value, rest))
    if isinstance(key, slice):
        return _of_columns(_sliced_rows(value, key), rest)
    count = value.row_splits.static_shape
    if isinstance(key, int) and count and count[0] is not None and key >= count[0] - 1:
        raise IndexError(f"Row key {key} out of bounds")
    starts: Any = value.row_starts()
    limits: Any = value.row_limits()
    return _of_rows(value.values[starts[key] : limits[key]], rest)


def _spelled_out(keys: list[Any], value: RaggedTensor) -> list[Any]:
    """The keys with whole axes in place of the ellipsis that comes first."""
    rank = value.shape.rank
    if rank is None:
        raise ValueError("Ellipsis not supported for unknown shape RaggedTensors")
    named = sum(key is not None and key is not Ellipsis for key in keys)
    return [*[_ALL] * (rank - named), *(key for key in keys[1:] if key is not Ellipsis)]


def one_row(value: Values) -> RaggedTensor:
    """A new first axis of size 1."""
    count = _row_count(value)
    size = value.static_shape
    splits = stack([convert_to_tensor(0, count.dtype), count])
    return RaggedTensor(value, splits, size[0] if size else None)


def rows_of_one(value: Values) -> RaggedTensor:
    """A new second axis of size 1."""
    return RaggedTensor(value, dense_range(_row_count(value) + 1), 1)


def _row_count(value: Values) -> Any:
    if isinstance(value, RaggedTensor):
        return value.nrows()
    sizes: Any = shape_of(value, out_type=dtypes.int64)
    return sizes[0]


def _sliced_rows(value: RaggedTensor, key: slice) -> RaggedTensor:
    starts: Any = value.row_starts()
    limits: Any = value.row_limits()
    first, lengths = starts[key], limits[key] - starts[key]
    if key.step not in (None, 1):
        made = picked(value.values, first, lengths)
        return RaggedTensor(made.values, made.row_splits, value.static_row_length)
    splits: Any = partition.splits_of_lengths(lengths)
    begin: Any = concat([first, convert_to_tensor([0], splits.dtype)], 0)[0]
    kept = value.values[begin : begin + splits[-1]]
    return RaggedTensor(kept, splits, value.static_row_length)


def _of_columns(value: Values, keys: list[Any]) -> Values:
    """The keys applied from the second axis on."""
    if not keys:
        return value
    if not isinstance(value, RaggedTensor):
        return value[(_ALL, *keys)]
    key, *rest = keys
    if key is Ellipsis:
        # The first axis is done: it counts among those that are named.
        return _of_columns(value, _spelled_out([*keys, _ALL], value)[:-1])
    if key is None:
        return rows_of_one(_of_columns(value, rest))
    if isinstance(key, slice):
        columns = value if key == _ALL else _sliced_columns(value, key)
        inner = _of_columns(columns.values, rest)
        return RaggedTensor(inner, columns.row_splits, columns.static_row_length)
    return _of_columns(_column(value, key), rest)


def _column(value: RaggedTensor, key: Any) -> Values:
    length = value.static_row_length
    if length is None:
        raise ValueError("Cannot index into an inner ragged dimension.")
    place: Any = cast(convert_to_tensor(key), value.row_splits.dtype)
    size = convert_to_tensor(length, place.dtype)
    message = "Index out of bounds when indexing into a ragged tensor"
    assert_less(place, size, message=message)
    assert_less(-1 - place, size, message=message)
    starts: Any = value.row_starts()
    return rows_of(value.values, starts + where(place < 0, place + size, place))


def _sliced_columns(value: RaggedTensor, key: slice) -> RaggedTensor:
    kind = value.row_splits.dtype
    starts: Any = value.row_starts()
    lengths: Any = value.row_lengths()
    step: Any = 1 if key.step is None else key.step
    if isinstance(step, Tensor):
        step = cast(step, kind)
    forwards = step > 0
    lowest, highest = _chosen(forwards, 0, -1), _chosen(forwards, lengths, lengths - 1)
    begin = _bound(key.start, lengths, lowest, highest, _chosen(forwards, 0, lengths - 1))
    end = _bound(key.stop, lengths, lowest, highest, _chosen(forwards, lengths, -1))
    span: Any = end - begin
    counts = (span + step - _chosen(forwards, 1, -1)) // step
    counts = maximum(cast(counts + lengths * 0, kind), convert_to_tensor(0, kind))
    made = picked(value.values, starts + begin, counts, step)
    return RaggedTensor(made.values, made.row_splits, _static_count(value, key))


def _chosen(forwards: Any, yes: Any, no: Any) -> Any:
    if isinstance(forwards, bool):
        return yes if forwards else no
    return where(forwards, convert_to_tensor(yes, "int64"), convert_to_tensor(no, "int64"))


def _bound(given: Any, lengths: Any, lowest: Any, highest: Any, default: Any) -> Any:
    """A bound of the slice in each row, by Python's rules."""
    if given is None:
        return default + lengths * 0
    place: Any = cast(convert_to_tensor(given), lengths.dtype)
    place = where(place < 0, place + lengths, place + lengths * 0)
    return minimum(maximum(place, lowest + lengths * 0), highest)


def _static_count(value: RaggedTensor, key: slice) -> int | None:
    length = value.static_row_length
    if length is None or any(isinstance(k, Tensor) for k in (key.start, key.stop, key.step)):
        return None
    return len(range(*key.indices(length)))
