"""Rows of sparse tensors: those without elements filled, some elements kept; rows of slices."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Aval, Call, Op, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.examples import f32, i64
from tfcheck_runtime.ops.array.gathering import gather
from tfcheck_runtime.ops.array.locating import indices_where
from tfcheck_runtime.ops.array.masking import boolean_mask
from tfcheck_runtime.ops.array.quantifiers import reduce_any
from tfcheck_runtime.ops.array.reduction import reduce_sum
from tfcheck_runtime.ops.array.shaping import reshape
from tfcheck_runtime.ops.array.squeezing import expand_dims
from tfcheck_runtime.ops.math.arithmetic import subtract
from tfcheck_runtime.ops.math.comparison import equal
from tfcheck_runtime.ops.math.logic import logical_not
from tfcheck_runtime.ops.sparse.parts import checked, rank_of
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.indexed_slices import IndexedSlices
from tfcheck_runtime.values.sparse_tensor import SparseTensor
from tfcheck_runtime.values.tensor import Tensor, apply_n


class _FillEmptyRows(Op):
    """The elements with one more in each row that has none, and which rows these are."""

    type = "SparseFillEmptyRows"
    cases = (
        case(i64([[0, 1], [2, 3]]), f32([1, 2]), i64([3, 4]), f32(9)),
        case(i64([[0, 1], [2, 3]]), f32([1, 2]), i64([3, 4]), f32(9), unknown=((0, 0), (2, 0))),
    )

    def infer(
        self, indices: Aval, values: Aval, shape: Aval, default: Aval
    ) -> tuple[Aval, Aval, Aval, Aval]:
        sizes = known.elements(shape)
        rows = sizes[0] if sizes else None
        count = indices.shape[0] if indices.shape else None
        return (
            Aval(dtypes.int64, (None, rank_of(indices, shape))),
            Aval(values.dtype, (None,)),
            Aval(dtypes.bool, (rows,)),
            Aval(dtypes.int64, (count,)),
        )

    def eager(
        self, indices: Array, values: Array, shape: Array, default: Array
    ) -> tuple[Array, Array, Array, Array]:
        count = int(shape[0])
        rows = indices[:, 0]
        outside = np.flatnonzero((rows < 0) | (rows >= count))
        if len(outside):
            i = int(outside[0])
            raise invalid_argument(f"indices({i}, 0) is invalid: {rows[i]} >= {count}", self.type)
        empty = np.ones(count, bool)
        empty[rows] = False
        more = np.zeros((int(empty.sum()), len(shape)), np.int64)
        more[:, 0] = np.flatnonzero(empty)
        places = np.concatenate([indices, more])
        filled = np.concatenate([values, np.full(len(more), default[()], values.dtype)])
        order = np.argsort(places[:, 0], kind="stable")
        where_to = np.empty(len(order), np.int64)
        where_to[order] = np.arange(len(order))
        return places[order], filled[order], empty, where_to[: len(indices)]

    def gradient(self, call: Call[Tensor], *grads: Tensor | None) -> list[Tensor | None]:
        if grads[1] is None:
            return [None] * 4
        of_values = gather(grads[1], call.outputs[3])
        rest = subtract(reduce_sum(grads[1]), reduce_sum(of_values))
        return [None, of_values, None, rest]


fill_empty_rows_op = define(_FillEmptyRows())


def fill_empty_rows(
    sp_input: object, default_value: object, name: str | None = None
) -> tuple[SparseTensor, Tensor]:
    """`default_value` put at the start of each row without elements, and which rows these are.

    https://www.tensorflow.org/api_docs/python/tf/sparse/fill_empty_rows

    Raises:
        InvalidArgumentError: an element stands in no row.
    """
    sparse = checked(sp_input)
    default = convert_to_tensor(default_value, sparse.dtype)
    indices, values, empty, _ = apply_n(
        fill_empty_rows_op, *sparse.__tf_components__(), default,
        name=name or "SparseFillEmptyRows",
    )  # fmt: skip
    return SparseTensor(indices, values, sparse.dense_shape), empty


def retain(sp_input: object, to_retain: object) -> SparseTensor:
    """The elements for which `to_retain` is true.

    https://www.tensorflow.org/api_docs/python/tf/sparse/retain

    Raises:
        ValueError: there is not one truth per element.
    """
    sparse = checked(sp_input)
    kept = convert_to_tensor(to_retain)
    count, own = kept.shape.with_rank(1)[0], sparse.values.shape[0]
    if None not in (count, own) and count != own:
        raise ValueError(f"Dimensions {own} and {count} are not compatible")
    rows = reshape(indices_where(kept), [-1])
    return SparseTensor(
        gather(sparse.indices, rows), gather(sparse.values, rows), sparse.dense_shape
    )


def mask(a: IndexedSlices, mask_indices: object, name: str | None = None) -> IndexedSlices:
    """The slices without those at `mask_indices`.

    https://www.tensorflow.org/api_docs/python/tf/sparse/mask
    """
    masked: Any = convert_to_tensor(mask_indices, a.indices.dtype)
    hits = equal(expand_dims(a.indices, 1), expand_dims(masked, 0))
    kept = logical_not(reduce_any(hits, axis=1))
    indices = boolean_mask(a.indices, kept)
    return IndexedSlices(boolean_mask(a.values, kept), indices, a.dense_shape)
