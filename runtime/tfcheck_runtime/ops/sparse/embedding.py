"""Rows of a table looked up for each example of a sparse tensor of ids, and combined."""

from __future__ import annotations

from typing import Any, Final

from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.filling import zeros_like
from tfcheck_runtime.ops.array.gathering import gather
from tfcheck_runtime.ops.array.joining import concat
from tfcheck_runtime.ops.array.products import reduce_prod
from tfcheck_runtime.ops.array.selection import where
from tfcheck_runtime.ops.array.shaping import reshape, shape as shape_of
from tfcheck_runtime.ops.array.unique import unique
from tfcheck_runtime.ops.math.arithmetic import multiply, square
from tfcheck_runtime.ops.math.comparison import greater, greater_equal
from tfcheck_runtime.ops.math.division import divide_no_nan
from tfcheck_runtime.ops.math.exponential import sqrt
from tfcheck_runtime.ops.math.logic import logical_and
from tfcheck_runtime.ops.math.segments import segment_sum
from tfcheck_runtime.ops.nn.layers import embedding_lookup
from tfcheck_runtime.ops.sparse import segments
from tfcheck_runtime.ops.sparse.rows import fill_empty_rows, retain
from tfcheck_runtime.ops.sparse.shaping import reshape as sparse_reshape
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.shapes import TensorShape
from tfcheck_runtime.values.sparse_tensor import SparseTensor
from tfcheck_runtime.values.tensor import Tensor

_COMBINERS: Final = {
    "sum": segments.segment_sum,
    "mean": segments.segment_mean,
    "sqrtn": segments.segment_sqrt_n,
}


def embedding_lookup_sparse(
    params: object,
    sp_ids: object,
    sp_weights: object,
    combiner: str | None = None,
    max_norm: object = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """The rows of `params` that the ids of each example name, combined to one row.

    https://www.tensorflow.org/api_docs/python/tf/nn/embedding_lookup_sparse

    Args:
        params: the table.
        sp_ids: ids, one example a row; each has at least one up to the last.
        sp_weights: how much each counts, as a sparse tensor of the same places; None for 1.
        combiner: `mean` (default), `sum` or `sqrtn`.
        max_norm: rows of `params` are clipped to it.
        name: of the node.
        allow_fast_lookup: a hint of TensorFlow's, without effect here.

    Raises:
        TypeError: ids or weights are not sparse.
        ValueError: the combiner is unknown, or weights do not fit.
    """
    if not isinstance(sp_ids, SparseTensor):
        raise TypeError(f"sp_ids must be SparseTensor, got {type(sp_ids)}")
    weights = _weights(sp_ids, sp_weights)
    rows: Any = sp_ids.indices
    ids, places = unique(sp_ids.values)
    table = embedding_lookup(params, ids, max_norm=max_norm)
    return combined(table, places, cast(rows[:, 0], dtypes.int32), weights, combiner, name=name)


def combined(
    table: Tensor, places: Tensor, examples: Tensor, weights: Tensor | None,
    combiner: str | None, *, name: str | None,
) -> Tensor:  # fmt: skip
    """The rows of a table at some places, combined by example, weighted if there are weights.

    Raises:
        ValueError: the combiner is unknown.
    """
    how = combiner or "mean"
    if how not in _COMBINERS:
        raise ValueError(f"combiner must be one of 'mean', 'sqrtn' or 'sum', got {combiner}")
    if weights is None:
        return _COMBINERS[how](table, places, examples, name=name)
    picked = gather(table, places)
    inner = [1] * ((picked.ndim or 2) - 1)
    amounts = reshape(cast(weights, picked.dtype), [-1, *inner])
    total = segment_sum(multiply(picked, amounts), examples, name=name)
    if how == "sum":
        return total
    if how == "mean":
        return divide_no_nan(total, segment_sum(amounts, examples))
    return divide_no_nan(total, sqrt(segment_sum(square(amounts), examples)))


def _weights(ids: SparseTensor, weights: object) -> Tensor | None:
    if weights is None:
        return None
    if not isinstance(weights, SparseTensor):
        raise TypeError(f"sp_weights must be either None or SparseTensor, got {type(weights)}")
    for own, other in (
        (ids.values.shape, weights.values.shape),
        (ids.indices.shape, weights.indices.shape),
    ):
        own.assert_is_compatible_with(other)
    return weights.values


def safe_embedding_lookup_sparse(
    embedding_weights: object,
    sparse_ids: SparseTensor,
    sparse_weights: SparseTensor | None = None,
    combiner: str | None = "mean",
    default_id: int | None = None,
    max_norm: object = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """The same for ids of any rank, negative ones left out; examples without ids are allowed.

    https://www.tensorflow.org/api_docs/python/tf/nn/safe_embedding_lookup_sparse

    Args:
        embedding_weights: the table.
        sparse_ids: ids; an example is what the last axis holds.
        sparse_weights: how much each counts.
        combiner: as in `embedding_lookup_sparse`; all but `sum` leave out weights that are not
            positive.
        default_id: what examples without ids look up; their rows are zeros by default.
        max_norm: rows of the table are clipped to it.
        name: of the node.
        allow_fast_lookup: a hint of TensorFlow's, without effect here.
    """
    whole: Any = sparse_ids.dense_shape
    outer = whole[:-1]
    flat = [reduce_prod(outer), whole[-1]]
    ids = sparse_reshape(sparse_ids, flat)
    kept = greater_equal(ids.values, 0)
    weights: SparseTensor | None = None
    if sparse_weights is not None:
        weights = SparseTensor(ids.indices, sparse_weights.values, ids.dense_shape)
        if combiner != "sum":
            kept = logical_and(kept, greater(weights.values, 0))
        weights, _ = fill_empty_rows(retain(weights, kept), 1.0)
    ids, empty = fill_empty_rows(retain(ids, kept), default_id or 0)
    found = embedding_lookup_sparse(
        embedding_weights, ids, weights, combiner=combiner, max_norm=max_norm, name=name
    )
    sizes: Any = shape_of(found)
    if default_id is None:
        inner = [1] * ((found.ndim or 2) - 1)
        found = where(reshape(empty, [-1, *inner]), zeros_like(found), found)
    made = reshape(found, concat([cast(outer, dtypes.int32), sizes[1:]], 0))
    known = sparse_ids.shape
    if known.rank is not None and found.ndim is not None:
        made.set_shape(TensorShape([*known[:-1].as_list(), *found.shape[1:].as_list()]))  # type: ignore[attr-defined]
    return made
