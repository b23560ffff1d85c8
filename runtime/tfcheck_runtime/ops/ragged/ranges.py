"""Ranges of numbers row by row, what they pick, and segment numbers of rows."""

from __future__ import annotations

from typing import Any

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.ops.array.broadcasting import broadcast_to
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.gathering import gather
from tfcheck_runtime.ops.array.selection import where
from tfcheck_runtime.ops.array.shaping import shape as shape_of
from tfcheck_runtime.ops.math.rounding import ceil
from tfcheck_runtime.ops.ragged import partition
from tfcheck_runtime.ops.ragged.tensor import RaggedTensor
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import as_dtype
from tfcheck_runtime.values.convert import convert_to_tensor, is_typed
from tfcheck_runtime.values.tensor import EagerTensor, Tensor

Values = Any  # a tensor, or a ragged tensor


def rows_of(values: Values, indices: Any) -> Values:
    """The rows of a dense or ragged tensor at a vector of indices.

    Raises:
        InvalidArgumentError: there is no such row.
    """
    if not isinstance(values, RaggedTensor):
        return gather(values, indices)
    starts: Any = gather(values.row_starts(), indices)
    limits: Any = gather(values.row_limits(), indices)
    return picked(values.values, starts, limits - starts)


def picked(values: Values, starts: Any, lengths: Any, step: Any = 1) -> RaggedTensor:
    """Rows of `lengths` values, taken every `step` from where each starts."""
    splits = partition.splits_of_lengths(lengths)
    places = partition.places_of(splits)
    positions: Any = places.positions
    indices = gather(starts, places.rows) + positions * step
    return RaggedTensor(rows_of(values, indices), splits)


def range_(
    starts: object,
    limits: object = None,
    deltas: object = 1,
    dtype: object = None,
    name: str | None = None,
    row_splits_dtype: object = dtypes.int64,
) -> RaggedTensor:
    """Rows of numbers from each of `starts` up to each of `limits`.

    https://www.tensorflow.org/api_docs/python/tf/ragged/range

    Args:
        starts: a number or a vector; the limits, if no `limits` are given.
        limits: a number or a vector.
        deltas: the steps, a number or a vector; 1 by default.
        dtype: element type.
        name: without effect.
        row_splits_dtype: int32 or int64.

    Raises:
        InvalidArgumentError: a step is 0.
    """
    if limits is None:
        starts, limits = 0, starts
    kind = as_dtype(dtype) if dtype is not None else _common(starts, limits, deltas)
    bounds: list[Any] = [cast(convert_to_tensor(v), kind) for v in (starts, limits, deltas)]
    sizes = next((shape_of(b) for b in bounds if b.ndim == 1), None)
    if sizes is None:
        sizes = convert_to_tensor([1])
    first, last, step = (broadcast_to(b, sizes) if b.ndim == 0 else b for b in bounds)
    if isinstance(step, EagerTensor) and not step.array.all():
        raise invalid_argument("Requires delta != 0", "RaggedRange")
    splits_kind = as_dtype(row_splits_dtype)
    span: Any = last - first
    if kind.is_integer:
        steps = where(step > 0, (span + step - 1) // step, (span + step + 1) // step)
    else:
        steps = ceil(span / step)
    lengths: Any = cast(steps, splits_kind)
    lengths = where(lengths < 0, 0, lengths)
    splits = partition.splits_of_lengths(lengths)
    places = partition.places_of(splits)
    positions: Any = cast(places.positions, kind)
    values = gather(first, places.rows) + positions * gather(step, places.rows)
    return RaggedTensor(values, splits)


def _common(*values: Any) -> Any:
    """The widest type of numbers among int32, int64, float32, float64."""
    order = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64)
    kinds = [convert_to_tensor(v).dtype for v in values]
    typed = [k for v, k in zip(values, kinds, strict=True) if is_typed(v)]
    return max(typed or kinds, key=lambda k: order.index(k) if k in order else 0)


def row_splits_to_segment_ids(
    splits: object, name: str | None = None, out_type: object = None
) -> Tensor:
    """The row of each element (https://www.tensorflow.org/api_docs/python/tf/ragged/row_splits_to_segment_ids).

    Raises:
        ValueError: the splits are no int32 or int64.
    """
    tensor = _row_numbers(splits, "splits")
    return cast(partition.places_of(tensor).rows, as_dtype(out_type) if out_type else tensor.dtype)


def segment_ids_to_row_splits(
    segment_ids: object,
    num_segments: object = None,
    out_type: object = None,
    name: str | None = None,
) -> Tensor:
    """Where rows start, from the row of each element, in order.

    https://www.tensorflow.org/api_docs/python/tf/ragged/segment_ids_to_row_splits
    """
    rows = _row_numbers(segment_ids, "segment_ids")
    kind = as_dtype(out_type) if out_type else rows.dtype
    return cast(RaggedTensor.from_value_rowids(rows, rows, num_segments).row_splits, kind)


def _row_numbers(value: object, what: str) -> Tensor:
    tensor = convert_to_tensor(value) if is_typed(value) else convert_to_tensor(value, dtypes.int64)
    if tensor.dtype.name not in ("int32", "int64"):
        raise ValueError(f"Argument `{what}` must have dtype int32 or int64. Received {value}")
    return tensor
