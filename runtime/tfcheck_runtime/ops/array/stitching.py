"""Rows dealt out to several tensors, and put together from several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.extremes import reduce_max
from tfcheck_runtime.ops.array.filling import fill
from tfcheck_runtime.ops.array.joining import concat
from tfcheck_runtime.ops.array.masking import boolean_mask
from tfcheck_runtime.ops.array.scattering import tensor_scatter_nd_update
from tfcheck_runtime.ops.array.shaping import reshape, shape as shape_of, size
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values.convert import constant, convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor


def dynamic_partition(
    data: object, partitions: object, num_partitions: int, name: str | None = None
) -> list[Tensor]:
    """The rows of `data` dealt out to `num_partitions` tensors, as `partitions` numbers them.

    https://www.tensorflow.org/api_docs/python/tf/dynamic_partition

    Raises:
        ValueError: the shape of `data` does not start with that of `partitions`.
        InvalidArgumentError: a number, known now, is of no partition.
    """
    rows = convert_to_tensor(data)
    numbers: Any = known.integer_tensor(partitions, what="partitions")
    for i, number in enumerate(known.static_ints(numbers) or ()):
        if not 0 <= number < num_partitions:
            raise invalid_argument(
                f"partitions[{i}] = {number} is not in [0, {num_partitions})", "DynamicPartition"
            )
    label = name or "DynamicPartition"
    return [boolean_mask(rows, numbers == i, name=label) for i in range(num_partitions)]


def dynamic_stitch(
    indices: Sequence[object], data: Sequence[object], name: str | None = None
) -> Tensor:
    """The rows of all `data` at the places that `indices` give; later ones win.

    https://www.tensorflow.org/api_docs/python/tf/dynamic_stitch

    Raises:
        InvalidArgumentError: the shapes of data and indices do not fit.
    """
    places = [known.integer_tensor(i, what="indices") for i in indices]
    rows = [convert_to_tensor(d) for d in data]
    depth = places[0].ndim or 0
    inner = shape_of(rows[0])[depth:]
    flat = concat([reshape(p, [-1]) for p in places], 0)
    lines = concat(
        [reshape(r, concat([[size(p)], inner], 0)) for r, p in zip(rows, places, strict=True)], 0
    )
    highest: Any = reduce_max(concat([flat, [-1]], 0))
    start = fill(
        concat([[highest + 1], inner], 0),
        constant("" if lines.dtype is dtypes.string else 0, lines.dtype),
    )
    return tensor_scatter_nd_update(start, reshape(flat, [-1, 1]), lines, name=name)
