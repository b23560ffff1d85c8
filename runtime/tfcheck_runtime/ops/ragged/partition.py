"""Where the rows of a ragged tensor lie in its values: splits, lengths, row numbers, positions."""

from __future__ import annotations

from typing import Any, NamedTuple

from tfcheck_runtime.ops.array.accumulating import cumsum
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.gathering import gather
from tfcheck_runtime.ops.array.joining import concat
from tfcheck_runtime.ops.array.ranges import range_
from tfcheck_runtime.ops.array.searching import upper_bound_op
from tfcheck_runtime.ops.array.shaping import shape as shape_of
from tfcheck_runtime.ops.array.squeezing import expand_dims
from tfcheck_runtime.ops.math.counting import bincount
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply


class Places(NamedTuple):
    """Per element of some rows laid end to end: its row and its position in the row."""

    rows: Tensor
    positions: Tensor


def splits_of_lengths(lengths: Tensor) -> Tensor:
    """Where rows of these lengths start, and where the last one ends."""
    zero = convert_to_tensor([0], lengths.dtype)
    return concat([zero, cumsum(lengths)], 0)


def splits_of_rows(rows: Tensor, count: object) -> Tensor:
    """The splits of `count` rows from the row of each element, rows in order."""
    numbers = cast(rows, dtypes.int32)
    size = cast(convert_to_tensor(count), dtypes.int32)
    counts = bincount(numbers, minlength=size, maxlength=size)
    return splits_of_lengths(cast(counts, rows.dtype))


def row_count(splits: Tensor, dtype: object = None) -> Any:
    """How many rows there are, as a tensor."""
    count: Any = shape_of(splits, out_type=dtype or splits.dtype)[0]
    return count - 1


def places_of(splits: Tensor) -> Places:
    """The row and the position in it of each element."""
    ends: Any = splits
    numbers: Any = range_(ends[-1], dtype=splits.dtype)
    rows = rows_of(splits, numbers)
    return Places(rows, numbers - gather(splits, rows))


def rows_of(splits: Tensor, numbers: Any) -> Tensor:
    """The rows in which the elements with these numbers lie."""
    # Not `searchsorted`, which cannot reshape no numbers at all.
    found: Any = apply(
        upper_bound_op, expand_dims(splits, 0), expand_dims(numbers, 0), out_type=splits.dtype
    )
    rows: Tensor = found[0] - 1
    return rows
