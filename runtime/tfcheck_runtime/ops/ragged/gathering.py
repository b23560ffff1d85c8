"""Rows and elements of ragged tensors picked by index, by coordinates, by mask."""

from __future__ import annotations

from typing import Any

from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.gathering import gather as dense_gather
from tfcheck_runtime.ops.array.gathering_nd import gather_nd as dense_gather_nd
from tfcheck_runtime.ops.array.joining import concat
from tfcheck_runtime.ops.array.locating import indices_where
from tfcheck_runtime.ops.array.masking import boolean_mask as dense_mask
from tfcheck_runtime.ops.array.shaping import reshape, shape as shape_of
from tfcheck_runtime.ops.control.debugging import assert_equal, assert_less
from tfcheck_runtime.ops.math.segments import unsorted_segment_sum
from tfcheck_runtime.ops.ragged import partition
from tfcheck_runtime.ops.ragged.joining import as_values
from tfcheck_runtime.ops.ragged.ranges import rows_of
from tfcheck_runtime.ops.ragged.tensor import RaggedTensor
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor

Values = Any  # a tensor, or a ragged tensor


def gather(
    params: object,
    indices: object,
    validate_indices: bool | None = None,
    axis: Any = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Values:
    """`tf.gather` of which `params` or `indices` are ragged.

    Raises:
        ValueError: the axis lies inside the axes of the batch.
        InvalidArgumentError: there is no such row.
    """
    values, picks = as_values(params), as_values(indices)
    batch = batch_dims
    if batch < 0:
        batch += picks.shape.rank or 0
    place = batch if axis is None else int(axis)
    if place < 0:
        place += values.shape.rank or 0
    return _gather(values, picks, place, batch)


def _gather(values: Values, picks: Values, axis: int, batch: int) -> Values:
    if not isinstance(values, RaggedTensor) and not isinstance(picks, RaggedTensor):
        return dense_gather(values, picks, axis=axis, batch_dims=batch)
    if batch > 0:
        return _in_batch(values, picks, axis, batch)
    if axis > 0:
        return _on_axis(values, picks, axis)
    if isinstance(picks, RaggedTensor):
        return _around(picks, _gather(values, picks.values, 0, 0))
    if picks.ndim == 0:
        return values[picks]
    if picks.ndim == 1:
        return rows_of(values, picks)
    whole: RaggedTensor = RaggedTensor.from_tensor(picks, ragged_rank=(picks.ndim or 2) - 1)
    nested = whole.with_flat_values(reshape(picks, [-1]))
    made = _gather(values, nested.flat_values, 0, 0)
    return _nested_around(whole, made)


def _around(rows: RaggedTensor, values: Values) -> RaggedTensor:
    return RaggedTensor(values, rows.row_splits, rows.static_row_length)


def _nested_around(rows: Values, values: Values) -> Values:
    """The rows of all levels around other innermost values, not known to be uniform."""
    inner = rows.values
    if isinstance(inner, RaggedTensor):
        values = _nested_around(inner, values)
    return RaggedTensor(values, rows.row_splits)


def _on_axis(values: RaggedTensor, picks: Values, axis: int) -> Values:
    """The same places of every row."""
    if axis > 1:
        made = _gather(values.values, picks, axis - 1, 0)
        return _around(values, made)
    if isinstance(picks, RaggedTensor):
        raise NotImplementedError("tf.gather with ragged indices on an inner axis: use batch_dims")
    count: Any = values.nrows()
    sizes: Any = shape_of(picks, out_type=count.dtype)
    flat: Any = reshape(cast(picks, count.dtype), [1, -1])
    starts: Any = values.row_starts()
    wanted: Any = starts[:, None] + flat
    limits: Any = values.row_limits()
    assert_less(wanted, limits[:, None], message="indices must be inside the rows")
    found = rows_of(values.values, reshape(wanted, [-1]))
    if isinstance(found, RaggedTensor):
        width: Any = shape_of(flat)[1]
        return RaggedTensor.from_uniform_row_length(found, width, count)
    inner: Any = shape_of(found, out_type=count.dtype)
    result = reshape(found, concat([[count], sizes, inner[1:]], 0))
    known = found.static_shape
    if known is not None and picks.static_shape is not None:
        rows = values.static_shape
        result.set_shape([rows[0] if rows else None, *picks.static_shape, *known[1:]])  # type: ignore[attr-defined]
    return result


def _in_batch(values: Values, picks: Values, axis: int, batch: int) -> Values:
    """Row by row: the places that each row of the indices names in its row of the values."""
    if not isinstance(values, RaggedTensor):
        levels = min(max(picks.ragged_rank, batch), values.ndim - 1)
        values = RaggedTensor.from_tensor(values, ragged_rank=max(levels, 1))
    flat = not isinstance(picks, RaggedTensor) and picks.ndim == batch
    if flat:
        picks = picks[..., None]
    if not isinstance(picks, RaggedTensor):
        picks = RaggedTensor.from_tensor(picks, ragged_rank=max((picks.ndim or 2) - 1, 1))
        uniform = True
    else:
        uniform = False
    assert_equal(
        values.nrows(picks.row_splits.dtype), picks.nrows(),
        message="params and indices must have the same outer sizes",
    )  # fmt: skip
    if batch > 1:
        made: Values = _around(picks, _in_batch(values.values, picks.values, axis - 1, batch - 1))
    elif axis > 1:
        raise NotImplementedError(
            f"tf.gather of ragged tensors with axis={axis} beyond batch_dims={batch}"
        )
    else:
        made = _moved(values, picks)
    if flat:
        return made.to_tensor()[..., 0] if not isinstance(made.values, RaggedTensor) else made
    return made.to_tensor() if uniform and not isinstance(made.flat_values, RaggedTensor) and (
        made.flat_values.ndim == 1) else made  # fmt: skip


def _moved(values: RaggedTensor, picks: RaggedTensor) -> RaggedTensor:
    """Places in rows as places among all values, and what stands there."""
    kind = values.row_splits.dtype
    own = picks.with_row_splits_dtype(kind)
    flat = cast(own.flat_values, kind)
    rows: Any = None
    level: Any = own
    while isinstance(level, RaggedTensor):
        inner = partition.places_of(level.row_splits).rows
        rows = inner if rows is None else dense_gather(rows, inner)
        level = level.values
    starts: Any = dense_gather(values.row_starts(), rows)
    limits: Any = dense_gather(values.row_limits(), rows)
    wanted: Any = starts + flat
    assert_less(wanted, limits, message="indices must be inside the rows")
    return (
        own.with_flat_values(wanted).with_flat_values(rows_of(values.values, wanted))
        if not isinstance(values.values, RaggedTensor)
        else _nested_around(own, rows_of(values.values, wanted))
    )


def gather_nd(
    params: object,
    indices: object,
    batch_dims: int = 0,
    name: str | None = None,
    bad_indices_policy: str = "",
) -> Values:
    """`tf.gather_nd` of which `params` or `indices` are ragged.

    Raises:
        NotImplementedError: with axes of a batch, as in TensorFlow.
    """
    if batch_dims:
        raise ValueError("batch_dims != 0 is not supported for ragged gather yet.")
    values, picks = as_values(params), as_values(indices)
    if isinstance(picks, RaggedTensor):
        return _around(picks, gather_nd(values, picks.values))
    if not isinstance(values, RaggedTensor):
        return dense_gather_nd(values, picks)
    depth = picks.shape[-1]
    if depth is None:
        raise ValueError("the size of the last axis of indices must be known")
    flat: Any = reshape(picks, [-1, depth])
    made = _at(values, [flat[:, i] for i in range(depth)])
    outer = picks.static_shape[:-1]
    if len(outer) == 1:
        return made
    if not outer:
        return made[0]
    if isinstance(made, RaggedTensor):
        whole = RaggedTensor.from_tensor(picks, ragged_rank=len(outer) - 1)
        return _nested_around(whole, made)
    sizes: Any = shape_of(picks)
    inner: Any = shape_of(made)
    return reshape(made, concat([sizes[:-1], inner[1:]], 0))


def _at(values: Values, coordinates: list[Any]) -> Values:
    first, *rest = coordinates
    if not isinstance(values, RaggedTensor):
        return dense_gather_nd(values, _columns(coordinates))
    if not rest:
        return rows_of(values, first)
    kind = values.row_splits.dtype
    starts: Any = dense_gather(values.row_starts(), first)
    limits: Any = dense_gather(values.row_limits(), first)
    wanted: Any = starts + cast(rest[0], kind)
    assert_less(wanted, limits, message="indices must be inside the rows")
    return _at(values.values, [wanted, *(cast(c, kind) for c in rest[1:])])


def _columns(coordinates: list[Any]) -> Tensor:
    return concat([c[:, None] for c in coordinates], 1)


def boolean_mask(data: object, mask: object, name: str | None = None) -> Values:
    """What stands where a mask is true; the rows of the mask stay rows.

    https://www.tensorflow.org/api_docs/python/tf/ragged/boolean_mask

    Raises:
        ValueError: the mask is a scalar.
        InvalidArgumentError: mask and data differ in their rows.
    """
    values = as_values(data)
    truths = mask if isinstance(mask, RaggedTensor) else convert_to_tensor(mask, dtypes.bool)
    if truths.shape.rank is None:
        raise ValueError("mask.shape.ndims must be known statically.")
    if truths.shape.rank == 0:
        raise ValueError("mask cannot be scalar.")
    return _masked(values, truths)


def _masked(values: Values, mask: Values) -> Values:
    if isinstance(mask, RaggedTensor) or (mask.ndim or 1) > 1:
        values = _with_rows(values, 1)
        mask = _with_rows(mask, 1)
        assert_equal(
            values.row_splits, cast(mask.row_splits, values.row_splits.dtype),
            message="Inputs must have identical ragged splits",
        )  # fmt: skip
        inner = _masked(values.values, mask.values)
        if isinstance(mask.values, RaggedTensor) or (mask.values.ndim or 1) > 1:
            return _around(values, inner)
        lengths = _kept_lengths(mask, values.row_splits.dtype)
        return RaggedTensor.from_row_lengths(inner, lengths, validate=False)
    if isinstance(values, RaggedTensor):
        rows = reshape(indices_where(mask), [-1])
        return rows_of(values, cast(rows, values.row_splits.dtype))
    return dense_mask(values, mask)


def _with_rows(value: Values, levels: int) -> RaggedTensor:
    if isinstance(value, RaggedTensor):
        return value
    made: RaggedTensor = RaggedTensor.from_tensor(value, ragged_rank=levels)
    return made


def _kept_lengths(mask: RaggedTensor, kind: Any) -> Tensor:
    rows = partition.places_of(mask.row_splits).rows
    return unsorted_segment_sum(cast(mask.values, kind), rows, mask.nrows())
