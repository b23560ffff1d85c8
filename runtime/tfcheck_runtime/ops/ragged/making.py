"""The `from_…` constructors of ragged tensors: rows from splits, lengths, row numbers and ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Self

import numpy as np

from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.joining import concat
from tfcheck_runtime.ops.array.known import static_ints
from tfcheck_runtime.ops.array.ranges import range_
from tfcheck_runtime.ops.array.shaping import shape as shape_of
from tfcheck_runtime.ops.control.debugging import assert_equal, assert_non_negative
from tfcheck_runtime.ops.ragged import partition
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values import operators
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import EagerTensor, Tensor


class RowConstructors:
    """Class methods of `tf.RaggedTensor`; `validate=False` leaves the checks of contents out."""

    @property
    def row_splits(self) -> Tensor:
        """Where each row starts, and where the last one ends."""
        raise NotImplementedError

    @classmethod
    def _of(cls, values: object, splits: Tensor, uniform_row_length: int | None = None) -> Self:
        raise NotImplementedError

    @classmethod
    def from_row_splits(
        cls, values: object, row_splits: object, name: str | None = None, validate: bool = True
    ) -> Self:
        """Rows from where each starts and the last one ends.

        Raises:
            ValueError: the splits are no integer vector, or an empty one.
            InvalidArgumentError: they do not start at 0, fall, or do not end with the values.
        """
        splits = _integers(row_splits, "row_splits")
        made = cls._of(values, splits)
        if validate:
            _check_splits(splits, made)
        return made

    @classmethod
    def from_row_lengths(
        cls, values: object, row_lengths: object, name: str | None = None, validate: bool = True
    ) -> Self:
        """Rows from the length of each.

        Raises:
            InvalidArgumentError: a length is negative, or they do not sum up to the values.
        """
        lengths = _integers(row_lengths, "row_lengths")
        if validate:
            assert_non_negative(lengths, message=f"{_PREFIX}: row_lengths must not be negative")
        splits = partition.splits_of_lengths(lengths)
        return cls.from_row_splits(values, splits, validate=validate)

    @classmethod
    def from_value_rowids(
        cls,
        values: object,
        value_rowids: object,
        nrows: object = None,
        name: str | None = None,
        validate: bool = True,
    ) -> Self:
        """Rows from the row of each value, in order; `nrows` counts empty ones at the end too.

        Raises:
            ValueError: `nrows` is negative or less than the rows named.
            InvalidArgumentError: row numbers fall.
        """
        rows = _integers(value_rowids, "value_rowids")
        if validate:
            _check_row_numbers(rows)
        if nrows is None:
            last: Any = concat([convert_to_tensor([-1], rows.dtype), rows], 0)
            nrows = last[-1] + 1
        elif isinstance(nrows, int):
            _check_rows(nrows, rows)
        made: Any = cls._of(values, partition.splits_of_rows(rows, nrows))
        count, size = made.values.static_shape, rows.static_shape
        if count and size and None not in (count[0], size[0]) and count[0] != size[0]:
            raise ValueError(f"Shapes ({count[0]},) and ({size[0]},) are incompatible")
        rows_made: Self = made
        return rows_made

    @classmethod
    def from_row_starts(
        cls, values: object, row_starts: object, name: str | None = None, validate: bool = True
    ) -> Self:
        """Rows from where each starts."""
        starts = _integers(row_starts, "row_starts")
        made = cls._of(values, starts)
        splits = concat([starts, [_count(made, starts)]], 0)
        return cls.from_row_splits(values, splits, validate=validate)

    @classmethod
    def from_row_limits(
        cls, values: object, row_limits: object, name: str | None = None, validate: bool = True
    ) -> Self:
        """Rows from where each ends."""
        limits = _integers(row_limits, "row_limits")
        zero = convert_to_tensor([0], limits.dtype)
        return cls.from_row_splits(values, concat([zero, limits], 0), validate=validate)

    @classmethod
    def from_uniform_row_length(
        cls,
        values: object,
        uniform_row_length: object,
        nrows: object = None,
        validate: bool = True,
        name: str | None = None,
    ) -> Self:
        """Rows of one length; `nrows` says how many when it is 0.

        Raises:
            ValueError, InvalidArgumentError: the values do not fill rows of that length.
        """
        made = cls._of(values, convert_to_tensor([0], dtypes.int64))
        dtype = made.row_splits.dtype
        length: Any = cast(convert_to_tensor(uniform_row_length, dtype_hint=dtype), dtype)
        total = _count(made, length)
        known = static_ints(length)
        static = None if known is None else known[0]
        if static is not None and static < 0:
            raise ValueError("uniform_row_length must be >= 0.")
        count: Any
        if nrows is None:
            count = 0 if static == 0 else total // length
        else:
            count = cast(convert_to_tensor(nrows, dtype_hint=dtype), dtype)
        splits: Any = range_(cast(convert_to_tensor(count), dtype) + 1) * length
        if validate:
            _check_uniform(total, splits, static)
        return cls._of(values, cast(splits, dtype), static)

    @classmethod
    def from_nested_row_splits(
        cls,
        flat_values: object,
        nested_row_splits: Sequence[object],
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Rows of rows from the splits of each axis, outermost first."""
        _check_sequence(nested_row_splits, "nested_row_splits")
        return _nested(cls.from_row_splits, flat_values, nested_row_splits, validate=validate)

    @classmethod
    def from_nested_row_lengths(
        cls,
        flat_values: object,
        nested_row_lengths: Sequence[object],
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Rows of rows from the lengths of each axis, outermost first."""
        _check_sequence(nested_row_lengths, "nested_row_lengths")
        return _nested(cls.from_row_lengths, flat_values, nested_row_lengths, validate=validate)

    @classmethod
    def from_nested_value_rowids(
        cls,
        flat_values: object,
        nested_value_rowids: Sequence[object],
        nested_nrows: Sequence[object] | None = None,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Rows of rows from the row numbers of each axis, outermost first."""
        _check_sequence(nested_value_rowids, "nested_value_rowids")
        counts = [None] * len(nested_value_rowids) if nested_nrows is None else list(nested_nrows)
        made = flat_values
        for rows, count in zip(reversed(list(nested_value_rowids)), reversed(counts), strict=True):
            made = cls.from_value_rowids(made, rows, count, validate=validate)
        return made

    @classmethod
    def from_tensor(
        cls,
        tensor: object,
        lengths: object = None,
        padding: object = None,
        ragged_rank: int = 1,
        name: str | None = None,
        row_splits_dtype: object = dtypes.int64,
    ) -> Any:
        """The rows of a tensor, cut to `lengths` or without trailing `padding`.

        https://www.tensorflow.org/api_docs/python/tf/RaggedTensor#from_tensor
        """
        make = operators.implementation("ragged.from_tensor")
        return make(tensor, lengths, padding, ragged_rank, row_splits_dtype)


def _integers(value: object, what: str) -> Tensor:
    """A vector of int32 or int64."""
    hint = None if isinstance(value, np.ndarray) else dtypes.int64
    tensor = convert_to_tensor(value, dtype_hint=hint)
    if tensor.dtype.name not in ("int32", "int64"):
        raise ValueError(f"{what} must have dtype int32 or int64, got {tensor.dtype.name}")
    if tensor.ndim not in (None, 1):
        raise ValueError(f"Shape {tensor.shape} must have rank 1")
    return tensor


def _content(tensor: Tensor) -> np.ndarray[Any, Any] | None:
    return tensor.array if isinstance(tensor, EagerTensor) else None


_PREFIX: Final = "Arguments do not form a valid RaggedTensor"


def _count(made: Any, like: Tensor) -> Any:
    """The number of values."""
    values = made.values
    if hasattr(values, "nrows"):
        return values.nrows(like.dtype)
    sizes: Any = shape_of(values, out_type=like.dtype)
    return sizes[0]


def _check_splits(splits: Any, made: Any) -> None:
    """Check the rows, in graphs when they run.

    Raises:
        ValueError: there are no splits at all.
        InvalidArgumentError: they do not start at 0, fall, or do not end with the values.
    """
    if splits.static_shape == (0,):
        raise ValueError("row_splits tensor may not be empty.")
    zero = convert_to_tensor(0, splits.dtype)
    assert_equal(splits[0], zero, message=f"{_PREFIX}: the first split must be 0")
    assert_non_negative(splits[1:] - splits[:-1], message=f"{_PREFIX}: splits must not fall")
    assert_equal(
        splits[-1], _count(made, splits),
        message=f"{_PREFIX}: the last split must be the number of values",
    )  # fmt: skip


def _check_row_numbers(rows: Any) -> None:
    message = f"{_PREFIX}: value_rowids must be in ascending order"
    assert_non_negative(rows[1:] - rows[:-1], message=message)


def _check_rows(nrows: int, rows: Tensor) -> None:
    if nrows < 0:
        raise ValueError(f"Expected nrows >= 0; got {nrows}")
    content = _content(rows)
    if content is not None and content.size and int(content.max()) >= nrows:
        raise ValueError(
            f"Expected nrows >= value_rowids[-1] + 1; got nrows={nrows},"
            f" value_rowids[-1]={int(content.max())}"
        )


def _check_uniform(total: Any, splits: Any, length: int | None) -> None:
    have, rows = _content(total), _content(splits)
    if have is None or rows is None:
        assert_equal(splits[-1], total, message=f"{_PREFIX}: the values do not fill the rows")
    elif int(rows[-1]) != int(have):
        raise ValueError(
            f"uniform_row_length={length} times nrows={len(rows) - 1} must equal nvals={int(have)}"
        )


def _nested(
    make: Callable[..., Any], flat_values: object, axes: Sequence[object], *, validate: bool
) -> Any:
    """Rows of rows, from what `make` takes for each axis, outermost first."""
    made = flat_values
    for axis in reversed(list(axes)):
        made = make(made, axis, validate=validate)
    return made


def _check_sequence(value: object, what: str) -> None:
    if isinstance(value, Tensor) or not isinstance(value, Sequence):
        raise TypeError(f"Argument `{what}` must be a list of Tensors. Received {value!r}.")
