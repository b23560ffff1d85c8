"""Elements repeated along an axis."""

from __future__ import annotations

from typing import Any

from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.accumulating import cumsum
from tfcheck_runtime.ops.array.broadcasting import broadcast_to
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.gathering import gather
from tfcheck_runtime.ops.array.joining import concat
from tfcheck_runtime.ops.array.ranges import range_
from tfcheck_runtime.ops.array.reduction import reduce_sum
from tfcheck_runtime.ops.array.shaping import reshape, shape as shape_of
from tfcheck_runtime.ops.array.squeezing import expand_dims
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.shapes import are_compatible
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor


def repeat(
    input: object, repeats: object, axis: int | None = None, name: str | None = None
) -> Tensor:
    """Each element of `input` several times in a row, along an axis or flattened.

    https://www.tensorflow.org/api_docs/python/tf/repeat

    Args:
        input: any tensor.
        repeats: how often: a number for all elements or one for each.
        axis: which axis; None flattens first.
        name: of the node.

    Raises:
        ValueError: there is no such axis, or `repeats` does not fit it.
    """
    del name
    tensor = convert_to_tensor(input)
    if axis is None:
        tensor, axis = reshape(tensor, [-1]), 0
    if tensor.ndim is None:
        raise ValueError("repeat: expected a tensor of known rank when `axis` is given")
    place = known.axis_in(axis, max(tensor.ndim, 1))
    counts = known.integer_tensor(repeats, what="repeats")
    if not tensor.ndim:
        tensor = reshape(tensor, [1])
    if counts.ndim == 0 or counts.static_shape == (1,):
        return _evenly(tensor, reshape(counts, []), place)
    size = tensor.static_shape[place] if tensor.static_shape else None
    if not are_compatible(counts.static_shape, (size,)):
        raise ValueError(
            f"Dimensions must be equal: `repeats` has shape {counts.shape}, axis {axis} of `input`"
            f" has size {size}"
        )
    return gather(tensor, _sources(counts), axis=place)


def _evenly(tensor: Tensor, count: Tensor, axis: int) -> Tensor:
    """A new axis behind, filled by repeating, and merged."""
    sizes: Any = shape_of(tensor)
    static = known.static_ints(count)
    times = count if static is None else static[0]
    wide = concat([sizes[: axis + 1], [times], sizes[axis + 1 :]], 0)
    repeated = broadcast_to(expand_dims(tensor, axis + 1), wide)
    merged = [sizes[axis] * cast(count, dtypes.int32)]
    return reshape(repeated, concat([sizes[:axis], merged, sizes[axis + 1 :]], 0))


def _sources(counts: Tensor) -> Tensor:
    """For each element of the result, which element of the input it repeats."""
    ends: Any = expand_dims(cumsum(counts), 0)
    places = expand_dims(range_(reduce_sum(counts)), 1)
    return reduce_sum(cast(places >= ends, dtypes.int32), 1)
