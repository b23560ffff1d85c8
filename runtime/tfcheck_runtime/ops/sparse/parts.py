"""The three tensors of a sparse tensor, as functions of sparse tensors share them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcheck_runtime.op import Array, Aval
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import DType
from tfcheck_runtime.values.sparse_tensor import SparseTensor

Parts = tuple[Array, Array, Array]
"""Indices, values and dense shape."""


def checked(value: object) -> SparseTensor:
    """`value`, which must be a sparse tensor.

    Raises:
        TypeError: it is not.
    """
    if isinstance(value, SparseTensor):
        return value
    raise TypeError("Input must be a SparseTensor.")


def parts_of(dtype: DType, rank: int | None, count: int | None = None) -> tuple[Aval, Aval, Aval]:
    """What is known of a sparse tensor of `count` elements."""
    return (
        Aval(dtypes.int64, (count, rank)),
        Aval(dtype, (count,)),
        Aval(dtypes.int64, (rank,)),
    )


def rank_of(indices: Aval, whole: Aval) -> int | None:
    """The rank of a sparse tensor as far as known."""
    if known.complete(whole) is not None:
        return len(known.complete(whole) or ())
    return indices.shape[1] if indices.shape is not None and len(indices.shape) == 2 else None


def counted(indices: Aval) -> int | None:
    """How many elements a sparse tensor has, as far as known."""
    return indices.shape[0] if indices.shape else None


def in_order(indices: Array) -> Array:
    """The numbers of the rows of `indices` in the order of the elements of a dense tensor."""
    if not indices.shape[1]:
        return np.arange(len(indices))
    return np.lexsort(tuple(indices[:, axis] for axis in range(indices.shape[1] - 1, -1, -1)))


def listed(values: Any) -> str:
    """Sizes or an index as messages show them."""
    return f"[{','.join(str(v) for v in np.asarray(values).tolist())}]"
