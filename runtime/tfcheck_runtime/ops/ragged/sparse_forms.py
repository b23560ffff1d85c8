"""Ragged tensors from and to sparse ones; counts, crosses and look-ups they share."""

from __future__ import annotations

from typing import Any

from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.filling import ones
from tfcheck_runtime.ops.array.gathering import gather
from tfcheck_runtime.ops.array.joining import concat
from tfcheck_runtime.ops.array.locating import indices_where
from tfcheck_runtime.ops.array.quantifiers import reduce_all
from tfcheck_runtime.ops.array.shaping import reshape, shape as shape_of
from tfcheck_runtime.ops.array.squeezing import expand_dims
from tfcheck_runtime.ops.control.asserting import assert_
from tfcheck_runtime.ops.math.comparison import equal, greater
from tfcheck_runtime.ops.math.counting import bincount as dense_bincount
from tfcheck_runtime.ops.math.logic import logical_and, logical_or
from tfcheck_runtime.ops.ragged import partition
from tfcheck_runtime.ops.ragged.tensor import RaggedTensor
from tfcheck_runtime.ops.sparse import counting, embedding
from tfcheck_runtime.ops.sparse.conversion import to_dense
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import as_dtype
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.operators import implements
from tfcheck_runtime.values.sparse_tensor import SparseTensor
from tfcheck_runtime.values.tensor import Tensor, apply_n


@implements("ragged.to_sparse")
def to_sparse(ragged: RaggedTensor) -> SparseTensor:
    """The values at the places where they stand in the smallest tensor that holds them."""
    flat: Any = ragged.flat_values
    inner = ones(shape_of(flat), dtypes.bool)
    found: Any = indices_where(inner)
    columns: list[Any] = [found[:, 1:]]
    at: Any = found[:, 0]
    for splits in reversed(ragged.nested_row_splits):
        places = partition.places_of(splits)
        columns.insert(0, expand_dims(cast(gather(places.positions, at), dtypes.int64), 1))
        at = gather(places.rows, at)
    indices = concat([expand_dims(cast(at, dtypes.int64), 1), *columns], 1)
    return SparseTensor(indices, reshape(flat, [-1]), ragged.bounding_shape(out_type=dtypes.int64))


@implements("ragged.from_sparse")
def from_sparse(sparse: object, row_splits_dtype: object) -> RaggedTensor:
    """The rows of a sparse matrix, whose elements stand at the start of each.

    Raises:
        TypeError: it is not sparse.
        ValueError: it is no matrix.
        InvalidArgumentError: there are gaps.
    """
    if not isinstance(sparse, SparseTensor):
        raise TypeError(
            "Argument `st_input` must be of type SparseTensor, but is of type"
            f" {type(sparse).__name__}."
        )
    rank = sparse.shape.rank
    if rank is not None and rank != 2:
        raise ValueError(f"rank(st_input) must be 2; got {rank}.")
    kind = as_dtype(row_splits_dtype)
    indices: Any = sparse.indices
    rows, columns = indices[:, 0], indices[:, 1]
    _check_starts(rows, columns)
    shape: Any = sparse.dense_shape
    return RaggedTensor.from_value_rowids(
        sparse.values, cast(rows, kind), cast(shape[0], kind), validate=False
    )


def _check_starts(rows: Any, columns: Any) -> None:
    """Check that each element stands first in its row or right after the one before."""
    same = equal(rows[1:], rows[:-1])
    follows = logical_and(same, equal(columns[1:], columns[:-1] + 1))
    starts = logical_and(greater(rows[1:], rows[:-1]), equal(columns[1:], 0))
    first = reduce_all(equal(columns[:1], 0))
    holds = logical_and(first, reduce_all(logical_or(follows, starts)))
    assert_(holds, ["SparseTensor is not right-ragged"])


def bincount(
    arr: RaggedTensor,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: object = dtypes.int32,
    name: str | None = None,
    axis: int | None = None,
    binary_output: bool = False,
) -> Tensor:
    """`tf.math.bincount` of a ragged tensor."""
    counting.check_options(axis, weights, binary_output=binary_output)
    amounts = weights.flat_values if isinstance(weights, RaggedTensor) else weights
    if axis != -1:
        return dense_bincount(
            arr.flat_values, amounts, minlength, maxlength, dtype, name, axis, binary_output
        )
    counts = sparse_bincount(arr, weights, axis, minlength, maxlength, binary_output, name)
    kind = counts.dtype if weights is not None else as_dtype(dtype)
    return to_dense(counts.with_values(cast(counts.values, kind)))


def sparse_bincount(
    values: RaggedTensor,
    weights: Any = None,
    axis: int | None = 0,
    minlength: int | None = None,
    maxlength: int | None = None,
    binary_output: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """`tf.sparse.bincount` of a ragged tensor."""
    counting.check_options(axis, weights, binary_output=binary_output)
    amounts = convert_to_tensor([], values.dtype)
    if weights is not None:
        amounts = weights.flat_values if isinstance(weights, RaggedTensor) else weights
    options = counting.counting_options(minlength, maxlength, binary_output=binary_output)
    if axis != -1:
        made = apply_n(counting.dense_count_op, values.flat_values, amounts, **options)
    else:
        splits = cast(values.row_splits, dtypes.int64)
        made = apply_n(counting.ragged_count_op, splits, values.values, amounts, **options)
    return SparseTensor(*made)


def embedding_lookup_sparse(
    params: Any,
    sp_ids: RaggedTensor,
    sp_weights: Any,
    combiner: str | None = None,
    max_norm: Any = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """`tf.nn.embedding_lookup_sparse` of ragged ids."""
    weights = sp_weights
    if isinstance(sp_weights, RaggedTensor):
        weights = to_sparse(sp_weights)
    return embedding.embedding_lookup_sparse(
        params, to_sparse(sp_ids), weights, combiner, max_norm, name, allow_fast_lookup
    )
