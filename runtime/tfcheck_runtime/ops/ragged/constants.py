"""`tf.ragged.constant`: nested lists whose rows differ in length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfcheck_runtime.ops.ragged.tensor import RaggedTensor
from tfcheck_runtime.specs.dtypes import as_dtype
from tfcheck_runtime.values.convert import constant as dense_constant
from tfcheck_runtime.values.tensor import Tensor


def constant(
    pylist: Any,
    dtype: object = None,
    ragged_rank: int | None = None,
    inner_shape: Sequence[int] | None = None,
    name: str | None = None,
    row_splits_dtype: object = "int64",
) -> Any:
    """A ragged tensor of nested lists (https://www.tensorflow.org/api_docs/python/tf/ragged/constant).

    Args:
        pylist: nested lists, tuples or arrays; numbers or strings all stand at one depth.
        dtype: element type; by default follows from the values.
        ragged_rank: how many axes are partitioned; all but the first less those of `inner_shape`.
        inner_shape: of each innermost value.
        name: without effect.
        row_splits_dtype: int32 or int64.

    Raises:
        ValueError: depths differ, or do not fit `ragged_rank` and `inner_shape`.
    """
    depth, most = _depths(pylist)
    if depth == 0:
        if ragged_rank:
            raise ValueError(
                f"Invalid pylist={pylist}: incompatible with ragged_rank={ragged_rank}"
            )
        return dense_constant(pylist, dtype)
    if most is not None and depth > most:
        raise ValueError(
            f"Invalid pylist={pylist}: empty list nesting is greater than scalar value nesting"
        )
    if ragged_rank is None:
        ragged_rank = max(0, depth - 1 - len(inner_shape or ()))
    if ragged_rank >= depth and most is not None:
        raise ValueError(f"Invalid pylist={pylist}: incompatible with ragged_rank={ragged_rank}")
    levels: list[list[int]] = []
    values: Any = pylist
    for _ in range(ragged_rank):
        levels.append([len(row) for row in values])
        values = [part for row in values for part in row]
    made: Any = _flat(values, dtype, _inner(depth, ragged_rank, inner_shape))
    for lengths in reversed(levels):
        splits = np.concatenate([[0], np.cumsum(lengths)]).astype(as_dtype(row_splits_dtype).numpy)
        made = RaggedTensor.from_row_splits(made, splits, validate=False)
    return made


def _inner(depth: int, ragged_rank: int, inner_shape: Sequence[int] | None) -> Any:
    if inner_shape is not None:
        return tuple(inner_shape)
    return None if depth > ragged_rank + 1 else ()


def _flat(values: Any, dtype: object, inner: tuple[int, ...] | None) -> Tensor:
    if len(values) == 0:
        kind = "float32" if dtype is None else dtype
        return dense_constant(np.zeros((0, *(inner or ())), as_dtype(kind).numpy), kind)
    shape = None if inner is None else (len(values), *inner)
    return dense_constant(list(values), dtype, shape=shape)


def _depths(value: Any) -> tuple[int, int | None]:
    """How deep lists nest, and how deep the first value stands (None without one)."""
    if isinstance(value, np.ndarray) and value.dtype != object:
        return value.ndim, value.ndim
    if not isinstance(value, list | tuple | np.ndarray):
        return 0, 0
    deepest, scalar = 0, None
    for part in value:
        depth, found = _depths(part)
        deepest = max(deepest, depth)
        if found is not None:
            if scalar is not None and found != scalar:
                raise ValueError("all scalar values must have the same nesting depth")
            scalar = found
    return deepest + 1, None if scalar is None else scalar + 1
