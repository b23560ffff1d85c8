"""Elements picked by masks, and masks of lengths."""

from __future__ import annotations

from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.extremes import reduce_max
from tfcheck_runtime.ops.array.gathering import gather
from tfcheck_runtime.ops.array.joining import concat
from tfcheck_runtime.ops.array.locating import indices_where
from tfcheck_runtime.ops.array.products import reduce_prod
from tfcheck_runtime.ops.array.ranges import range_
from tfcheck_runtime.ops.array.shaping import reshape, shape as shape_of
from tfcheck_runtime.ops.array.squeezing import expand_dims, squeeze
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import as_dtype
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor


def boolean_mask(
    tensor: object, mask: object, axis: int | None = None, name: str = "boolean_mask"
) -> Tensor:
    """The slices of `tensor` where `mask` is true, along one axis.

    https://www.tensorflow.org/api_docs/python/tf/boolean_mask

    Args:
        tensor: what to pick from.
        mask: booleans, of the sizes of the axes of `tensor` from `axis` on.
        axis: the first of the axes that the mask covers.
        name: of the node.

    Raises:
        ValueError: the mask is a scalar, of unknown rank, or does not fit the tensor.
    """
    values = convert_to_tensor(tensor, name="tensor")
    held = convert_to_tensor(mask, name="mask")
    first = axis or 0
    if held.ndim is None:
        raise ValueError(
            "Number of mask dimensions must be specified, even if some dimensions are None."
        )
    if held.ndim == 0:
        raise ValueError("mask cannot be scalar.")
    covered = values.shape[first : first + held.ndim]
    if not covered.is_compatible_with(held.shape):
        raise ValueError(f"Shapes {covered} and {held.shape} are incompatible")
    # Merged even where one axis is: the gradient becomes a tensor on the way, as in TensorFlow.
    values, held = _merged(values, first, held.ndim), reshape(held, [-1])
    picks = squeeze(indices_where(held), [1])
    return gather(values, picks, axis=first, name=name)


def _merged(values: Tensor, first: int, count: int) -> Tensor:
    """The tensor with `count` axes from `first` on taken as one."""
    sizes = shape_of(values)
    whole = reduce_prod(sizes[first : first + count])
    return reshape(values, concat([sizes[:first], [whole], sizes[first + count :]], 0))


def sequence_mask(
    lengths: object, maxlen: object = None, dtype: object = dtypes.bool, name: str | None = None
) -> Tensor:
    """For each length a row that is true up to it.

    https://www.tensorflow.org/api_docs/python/tf/sequence_mask

    Args:
        lengths: integers of any shape.
        maxlen: the size of the new last axis; by default the largest length.
        dtype: of the result.
        name: of the node.

    Raises:
        ValueError: `maxlen` is no scalar.
    """
    del name
    counts = convert_to_tensor(lengths, name="lengths")
    limit = reduce_max(counts) if maxlen is None else convert_to_tensor(maxlen, name="maxlen")
    if limit.ndim not in (0, None):
        raise ValueError(f"Argument `maxlen` must be scalar for sequence_mask. Received {maxlen}")
    places = range_(0, cast(limit, counts.dtype), 1, dtype=counts.dtype)
    mask = places < expand_dims(counts, -1)
    return cast(mask, as_dtype(dtype))
