"""Evenly spaced numbers and grids of coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.agreement import check_same_dtypes
from tfcheck_runtime.ops.array.broadcasting import broadcast_to
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.joining import concat
from tfcheck_runtime.ops.array.ranges import range_
from tfcheck_runtime.ops.array.selection import where
from tfcheck_runtime.ops.array.shaping import reshape, shape as shape_of
from tfcheck_runtime.ops.array.squeezing import expand_dims
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor


def linspace(
    start: object, stop: object, num: object, name: str | None = None, axis: int = 0
) -> Tensor:
    """`num` evenly spaced numbers from `start` to `stop`, both included, along a new axis.

    https://www.tensorflow.org/api_docs/python/tf/linspace

    Args:
        start: a float tensor; integers become float64.
        stop: broadcasts with `start`.
        num: how many.
        name: of the node.
        axis: where the new axis goes.

    Raises:
        ValueError: `start` and `stop` are tensors of different dtypes.
        InvalidArgumentError: `num` is negative, or the shapes do not broadcast.
    """
    del name
    first: Any = convert_to_tensor(start)
    last: Any = convert_to_tensor(stop, first.dtype)
    if first.dtype.is_integer:
        first, last = cast(first, dtypes.float64), cast(last, dtypes.float64)
    count: Any = cast(known.integer_tensor(num, what="num"), dtypes.int32)
    zero: Any = expand_dims(first * 0 + last * 0, axis)
    low, high = expand_dims(first, axis) + zero, expand_dims(last, axis) + zero
    places: Any = range_(count)
    gaps = where(count > 1, count - 1, 1)
    along = [1] * zero.ndim
    along[axis] = -1
    offsets = reshape(cast(places, first.dtype), along)
    spaced = low + (high - low) / cast(gaps, first.dtype) * offsets
    # Rounding must not move the last number.
    is_last = reshape((places == count - 1) & (places > 0), along)
    return where(is_last, high, spaced)


def meshgrid(*args: object, **kwargs: object) -> list[Tensor]:
    """Grids of coordinates: one tensor per vector, which varies along one axis of all.

    https://www.tensorflow.org/api_docs/python/tf/meshgrid

    Args:
        *args: vectors (scalars count as vectors of size 1).
        **kwargs: `indexing`: "xy" (the first two axes swapped, the default) or "ij"; `name`.

    Raises:
        TypeError: there is another keyword, or a vector is not of numbers.
        InvalidArgumentError: vectors differ in dtype (TypeError in a graph).
        ValueError: `indexing` is neither.
    """
    indexing = kwargs.pop("indexing", "xy")
    kwargs.pop("name", None)
    if kwargs:
        key = next(iter(kwargs))
        raise TypeError(f"'{key}' is an invalid keyword argument for this function")
    if indexing not in ("xy", "ij"):
        raise ValueError(
            f"Argument `indexing` parameter must be either 'xy' or 'ij', got '{indexing}'"
        )
    vectors = [reshape(convert_to_tensor(a), [-1]) for a in args]
    for vector in vectors:
        if not vector.dtype.is_numeric:
            raise TypeError(f"meshgrid: expected numbers, got {vector.dtype.name}")
    if vectors:
        check_same_dtypes("Mul", [known.aval_of(v) for v in vectors])
    axes = list(range(len(vectors)))
    if indexing == "xy" and len(vectors) > 1:
        axes[0], axes[1] = 1, 0
    sizes = [shape_of(vectors[axes.index(i)]) for i in range(len(vectors))]
    return [_along(v, axes[i], sizes) for i, v in enumerate(vectors)]


def _along(vector: Tensor, axis: int, sizes: Sequence[Tensor]) -> Tensor:
    column = [1] * len(sizes)
    column[axis] = -1
    return broadcast_to(reshape(vector, column), concat(sizes, 0))
