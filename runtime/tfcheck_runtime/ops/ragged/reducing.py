"""Sums, means and extremes of ragged tensors over axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from tfcheck_runtime.ops.array import extremes, products, quantifiers, reduction
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.extremes import reduce_max as dense_max
from tfcheck_runtime.ops.array.filling import ones_like
from tfcheck_runtime.ops.array.gathering import gather
from tfcheck_runtime.ops.array.joining import concat
from tfcheck_runtime.ops.linalg import moments
from tfcheck_runtime.ops.math import segments
from tfcheck_runtime.ops.math.arithmetic import maximum, square
from tfcheck_runtime.ops.math.division import realdiv
from tfcheck_runtime.ops.math.exponential import sqrt
from tfcheck_runtime.ops.ragged import partition
from tfcheck_runtime.ops.ragged.arranging import expand_dims
from tfcheck_runtime.ops.ragged.tensor import RaggedTensor
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor

Values = Any  # a tensor, or a ragged tensor


class Reduction(NamedTuple):
    """How tensors, and groups of rows, are reduced."""

    dense: Callable[..., Tensor]
    grouped: Callable[..., Tensor]


_SUM: Final = Reduction(reduction.reduce_sum, segments.unsorted_segment_sum)
_PRODUCT: Final = Reduction(products.reduce_prod, segments.unsorted_segment_prod)
_MAX: Final = Reduction(extremes.reduce_max, segments.unsorted_segment_max)
_MIN: Final = Reduction(extremes.reduce_min, segments.unsorted_segment_min)


def _axes(axis: Any, rank: int | None) -> list[int] | None:
    """The axes counted from the front, in order; None for all.

    Raises:
        ValueError: there is no such axis.
    """
    if axis is None:
        return None
    if isinstance(axis, Tensor):
        content = convert_to_tensor(axis)
        raise TypeError(f"axis must be an int or a list of ints for ragged tensors, got {content}")
    listed = list(axis) if isinstance(axis, list | tuple) else [int(axis)]
    if rank is None:
        if any(a < 0 for a in listed):
            raise ValueError(f"axis={axis} may only be negative if ndims is statically known.")
        return sorted(set(listed))
    for a in listed:
        if not -rank <= a < rank:
            raise ValueError(f"axis={a} out of bounds: expected {-rank}<=axis<{rank}")
    return sorted({a % rank for a in listed})


def _reduce(how: Reduction, value: Values, axis: Any, keepdims: Any) -> Values:
    if not isinstance(value, RaggedTensor):
        return how.dense(value, axis, keepdims=bool(keepdims))
    axes = _axes(axis, value.shape.rank)
    if axes is None:
        made: Values = how.dense(value.flat_values)
        for _ in range((value.shape.rank or 0) if keepdims else 0):
            made = expand_dims(made, 0)
        return made
    made = value
    # From the innermost out: the numbers of the axes further out stay as they are.
    for a in reversed(axes):
        made = _on_axis(how, made, a)
        if keepdims:
            made = _without_lengths(expand_dims(made, a), a)
    return made


def _without_lengths(value: Values, axis: int) -> Values:
    """The rows of an axis as TensorFlow has them: not known to be of one length."""
    if not isinstance(value, RaggedTensor) or axis < 1:
        return value
    if axis == 1:
        return RaggedTensor(value.values, value.row_splits)
    return value.with_values(_without_lengths(value.values, axis - 1))


def _on_axis(how: Reduction, value: Values, axis: int) -> Values:
    if not isinstance(value, RaggedTensor):
        return how.dense(value, axis)
    if axis == 0:
        places = partition.places_of(value.row_splits)
        lengths = value.row_lengths()
        longest = dense_max(concat([convert_to_tensor([0], lengths.dtype), lengths], 0))
        return grouped(how.grouped, value.values, places.positions, longest)
    if axis == 1:
        rows = partition.places_of(value.row_splits).rows
        made = grouped(how.grouped, value.values, rows, value.nrows())
        size = value.static_shape
        if isinstance(made, Tensor) and size is not None and value.values.static_shape is not None:
            made.set_shape([size[0], *value.values.static_shape[1:]])  # type: ignore[attr-defined]
        return made
    return value.with_values(_on_axis(how, value.values, axis - 1))


def grouped(reduce: Callable[..., Tensor], data: Values, ids: Any, count: Any) -> Values:
    """The rows of each segment reduced; of ragged rows, what stands at the same place."""
    if not isinstance(data, RaggedTensor):
        return reduce(data, ids, count)
    lengths: Any = data.row_lengths()
    numbers: Any = cast(ids, lengths.dtype)
    longest: Any = segments.unsorted_segment_max(lengths, numbers, count)
    # Segments without rows have no longest one, but the lowest number.
    splits = partition.splits_of_lengths(maximum(longest, longest * 0))
    places = partition.places_of(data.row_splits)
    starts: Any = gather(splits, gather(numbers, places.rows))
    ends: Any = splits
    values = grouped(reduce, data.values, starts + places.positions, ends[-1])
    return RaggedTensor(values, splits)


def reduce_sum(
    input_tensor: Any, axis: Any = None, keepdims: Any = False, name: str | None = None
) -> Values:
    """Sums; see `tf.reduce_sum`."""
    return _reduce(_SUM, input_tensor, axis, keepdims)


def reduce_prod(
    input_tensor: Any, axis: Any = None, keepdims: Any = False, name: str | None = None
) -> Values:
    """Products; see `tf.reduce_prod`."""
    return _reduce(_PRODUCT, input_tensor, axis, keepdims)


def reduce_max(
    input_tensor: Any, axis: Any = None, keepdims: Any = False, name: str | None = None
) -> Values:
    """Maxima; the lowest number for empty rows; see `tf.reduce_max`."""
    return _reduce(_MAX, input_tensor, axis, keepdims)


def reduce_min(
    input_tensor: Any, axis: Any = None, keepdims: Any = False, name: str | None = None
) -> Values:
    """Minima; the highest number for empty rows; see `tf.reduce_min`."""
    return _reduce(_MIN, input_tensor, axis, keepdims)


def reduce_mean(
    input_tensor: Any, axis: Any = None, keepdims: Any = False, name: str | None = None
) -> Values:
    """Means; nan for empty rows; see `tf.reduce_mean`."""
    value: RaggedTensor = input_tensor
    if value.dtype.is_integer:
        # Unlike the mean of a tensor, that of ragged rows is no integer.
        value = value.with_flat_values(cast(value.flat_values, dtypes.float64))
    total = reduce_sum(value, axis, keepdims)
    ones = value.with_flat_values(ones_like(value.flat_values))
    count = reduce_sum(ones, axis, keepdims)
    if isinstance(total, RaggedTensor):
        return total.with_flat_values(realdiv(total.flat_values, count.flat_values))
    return realdiv(total, count)


def reduce_all(
    input_tensor: Any, axis: Any = None, keepdims: Any = False, name: str | None = None
) -> Values:
    """Whether all are true; see `tf.reduce_all`."""
    return _truths(_MIN, input_tensor, axis, keepdims)


def reduce_any(
    input_tensor: Any, axis: Any = None, keepdims: Any = False, name: str | None = None
) -> Values:
    """Whether one is true; see `tf.reduce_any`."""
    return _truths(_MAX, input_tensor, axis, keepdims)


def _truths(how: Reduction, value: RaggedTensor, axis: Any, keepdims: Any) -> Values:
    numbers = value.with_flat_values(cast(value.flat_values, dtypes.int32))
    made = _reduce(how, numbers, axis, keepdims)
    if not isinstance(made, RaggedTensor):
        return _truth(made)
    return made.with_flat_values(_truth(made.flat_values))


def _truth(number: Any) -> Any:
    return number > 0


def reduce_variance(
    input_tensor: Any, axis: Any = None, keepdims: Any = False, name: str | None = None
) -> Values:
    """Mean squares less squared means; see `tf.math.reduce_variance`."""
    value: RaggedTensor = input_tensor
    if value.dtype.is_integer:
        value = value.with_flat_values(cast(value.flat_values, dtypes.float64))
    squares = value.with_flat_values(square(value.flat_values))
    mean = reduce_mean(value, axis, keepdims)
    of_squares = reduce_mean(squares, axis, keepdims)
    if isinstance(mean, RaggedTensor):
        return mean.with_flat_values(of_squares.flat_values - square(mean.flat_values))
    return of_squares - square(mean)


def reduce_std(
    input_tensor: Any, axis: Any = None, keepdims: Any = False, name: str | None = None
) -> Values:
    """The root of the variance; see `tf.math.reduce_std`."""
    variance = reduce_variance(input_tensor, axis, keepdims)
    if isinstance(variance, RaggedTensor):
        return variance.with_flat_values(sqrt(variance.flat_values))
    return sqrt(variance)


VERSIONS: Final[Sequence[tuple[Callable[..., Any], Callable[..., Any]]]] = (
    (reduction.reduce_sum, reduce_sum),
    (reduction.reduce_mean, reduce_mean),
    (products.reduce_prod, reduce_prod),
    (extremes.reduce_max, reduce_max),
    (extremes.reduce_min, reduce_min),
    (quantifiers.reduce_all, reduce_all),
    (quantifiers.reduce_any, reduce_any),
    (moments.reduce_variance, reduce_variance),
    (moments.reduce_std, reduce_std),
)
"""Public functions and what they do with ragged tensors."""
