"""Sparse tensors in other shapes: reshaped, with a new axis, transposed, sliced."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Aval, Call, Op, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.agreement import refuse_value
from tfcheck_runtime.ops.array.examples import f32, i64
from tfcheck_runtime.ops.array.filling import zeros_like
from tfcheck_runtime.ops.array.gathering import gather
from tfcheck_runtime.ops.array.joining import concat
from tfcheck_runtime.ops.array.locating import indices_where
from tfcheck_runtime.ops.array.quantifiers import reduce_all
from tfcheck_runtime.ops.array.ranges import range_
from tfcheck_runtime.ops.array.scattering import scatter_nd
from tfcheck_runtime.ops.array.shaping import reshape as dense_reshape, shape as shape_of
from tfcheck_runtime.ops.math.comparison import greater_equal, less
from tfcheck_runtime.ops.math.logic import logical_and
from tfcheck_runtime.ops.sparse.conversion import reorder
from tfcheck_runtime.ops.sparse.parts import checked, counted, listed, parts_of, rank_of
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.sparse_tensor import SparseTensor
from tfcheck_runtime.values.tensor import Tensor, apply_n


class _Reshape(Op):
    """Indices and shape of the same elements in another shape."""

    type = "SparseReshape"
    cases = (
        case(i64([[0, 1], [2, 3]]), i64([3, 4]), i64([2, -1])),
        case(i64([[0, 1], [2, 3]]), i64([3, 4]), i64([12]), unknown=((0, 0),)),
    )

    def infer(self, indices: Aval, shape: Aval, new_shape: Aval) -> tuple[Aval, Aval]:
        old, new = known.complete(shape), known.elements(new_shape)
        rank = len(new) if new is not None else None
        sizes: tuple[int | None, ...] | None = known.as_shape(new_shape)
        if old is not None and new is not None and None not in new:
            sizes = tuple(_completed(np.array(old), np.array(new), self.type).tolist())
        return (
            Aval(dtypes.int64, (counted(indices), rank)),
            known.integers(dtypes.int64, (rank,), sizes),
        )

    def eager(self, indices: Array, shape: Array, new_shape: Array) -> tuple[Array, Array]:
        sizes = _completed(shape, new_shape, self.type)
        if not len(indices):
            return np.zeros((0, len(sizes)), np.int64), sizes
        flat = indices @ _strides(shape)
        if not len(sizes):
            return np.zeros((len(flat), 0), np.int64), sizes
        places = np.unravel_index(flat, sizes.tolist())
        return np.stack(places, axis=1).astype(np.int64), sizes


def _strides(shape: Array) -> Array:
    return np.append(np.cumprod(shape[:0:-1])[::-1], 1)[: len(shape)].astype(np.int64)


def _completed(shape: Array, wanted: Array, op_type: str) -> Array:
    """The wanted sizes with the one that is -1 replaced by what the elements leave.

    Raises:
        InvalidArgumentError: there are two of these, or the elements do not fit.
        ValueError: the same, while tracing.
    """
    total, sizes = int(np.prod(shape)), wanted.astype(np.int64)
    open_axes = np.flatnonzero(sizes == -1).tolist()
    if len(open_axes) > 1:
        refuse_value(
            f"only one output dimension may be -1, not both {open_axes[0]} and {open_axes[1]}",
            op_type,
        )
    if open_axes:
        rest = int(np.prod(np.delete(sizes, open_axes[0])))
        sizes[open_axes[0]] = total // rest if rest else 0
        if not rest or total % rest:
            refuse_value(
                f"Input to reshape is a SparseTensor with {total} dense values, but the requested"
                f" shape requires a multiple of {rest}. input_shape={listed(shape)}"
                f" output_shape={listed(sizes)}",
                op_type,
            )
    elif int(np.prod(sizes)) != total:
        refuse_value(
            f"Input to reshape is a tensor with {total} dense values, but the requested shape has"
            f" {int(np.prod(sizes))}. input_shape={listed(shape)} output_shape={listed(sizes)}",
            op_type,
        )
    return sizes


class _Slice(Op):
    """The elements inside a box, and the shape of the box."""

    type = "SparseSlice"
    cases = (
        case(i64([[0, 1], [2, 3]]), f32([1, 2]), i64([3, 4]), i64([1, 1]), i64([5, 3])),
        case(i64([[0], [2]]), f32([1, 2]), i64([3]), i64([0]), i64([1]), unknown=((0, 0),)),
    )

    def infer(
        self, indices: Aval, values: Aval, shape: Aval, start: Aval, size: Aval
    ) -> tuple[Aval, Aval, Aval]:
        rank = rank_of(indices, shape)
        places, found, whole = parts_of(values.dtype, rank)
        old, begin, wanted = (known.complete(a) for a in (shape, start, size))
        if old is not None and begin is not None and wanted is not None:
            sizes = _box(*(np.array(v) for v in (old, begin, wanted)))
            whole = known.integers(dtypes.int64, (rank,), sizes.tolist())
        return places, found, whole

    def eager(
        self, indices: Array, values: Array, shape: Array, start: Array, size: Array
    ) -> tuple[Array, Array, Array]:
        for what, vector in (("start", start), ("size", size)):
            if len(vector) != len(shape):
                raise invalid_argument(
                    f"Expected {what} to be a vector of length {len(shape)} but got length"
                    f" {len(vector)}",
                    self.type,
                )
        if (size < 0).any():
            raise invalid_argument(f"Expected a non-negative size, got {size.min()}", self.type)
        sizes = _box(shape, start, size)
        moved = indices - start
        inside = ((moved >= 0) & (moved < sizes)).all(1)
        return moved[inside], values[inside], sizes

    def gradient(self, call: Call[Tensor], *grads: Tensor | None) -> list[Tensor | None]:
        indices, values, _, start, size = call.inputs
        if grads[1] is None:
            return [None] * 5
        end: Any = start + size
        inside = reduce_all(logical_and(greater_equal(indices, start), less(indices, end)), 1)
        rows = indices_where(inside)
        return [None, scatter_nd(rows, grads[1], shape_of(values, dtypes.int64)), None, None, None]


def _box(shape: Array, start: Array, size: Array) -> Array:
    """The sizes of what of a box lies inside the shape."""
    sizes: Array = np.maximum(np.minimum(size, shape - start), 0)
    return sizes


reshape_op = define(_Reshape())
slice_op = define(_Slice())


def reshape(sp_input: object, shape: object, name: str | None = None) -> SparseTensor:
    """The same elements in another shape; one size may be -1.

    https://www.tensorflow.org/api_docs/python/tf/sparse/reshape

    Raises:
        InvalidArgumentError: the elements do not fit.
    """
    sparse = checked(sp_input)
    wanted = convert_to_tensor(shape, dtypes.int64)
    indices, sizes = apply_n(
        reshape_op, sparse.indices, sparse.dense_shape, wanted, name=name or "SparseReshape"
    )
    return SparseTensor(indices, sparse.values, sizes)


def expand_dims(sp_input: object, axis: object = None, name: str | None = None) -> SparseTensor:
    """A new axis of size 1 at `axis`, at the end by default.

    https://www.tensorflow.org/api_docs/python/tf/sparse/expand_dims

    Raises:
        InvalidArgumentError: there is no such place.
    """
    sparse = checked(sp_input)
    rank: Any = sparse.shape.rank
    place: Any = -1 if axis is None else axis
    if isinstance(place, int) and rank is not None:
        if not -rank - 1 <= place <= rank:
            raise invalid_argument(f"axis {place} is not in [{-rank - 1}, {rank}]", "ExpandDims")
        place %= rank + 1
    else:
        ranks: Any = shape_of(sparse.dense_shape)[0]
        place = convert_to_tensor(place, dtypes.int32) % (ranks + 1)
    indices: Any = sparse.indices
    whole: Any = sparse.dense_shape
    column = zeros_like(indices[:, :1])
    made = SparseTensor(
        concat([indices[:, :place], column, indices[:, place:]], 1),
        sparse.values,
        concat([whole[:place], [1], whole[place:]], 0),
    )
    if isinstance(place, int) and rank is not None:
        sizes = sparse.shape.as_list()
        made.set_shape([*sizes[:place], 1, *sizes[place:]])
    return made


def transpose(sp_input: object, perm: object = None, name: str | None = None) -> SparseTensor:
    """The axes in the order of `perm`, reversed by default; the elements in their new order.

    https://www.tensorflow.org/api_docs/python/tf/sparse/transpose
    """
    sparse = checked(sp_input)
    if perm is None:
        rank: Any = shape_of(sparse.dense_shape)[0]
        order: Any = range_(rank - 1, -1, -1)
    else:
        order = convert_to_tensor(perm)
        wanted, known_rank = (order.static_shape or (None,))[0], sparse.shape.rank
        if None not in (wanted, known_rank) and wanted != known_rank:
            raise ValueError(f"Dimensions {wanted} and {known_rank} are not compatible")
    indices = gather(sparse.indices, order, axis=1)
    whole = gather(sparse.dense_shape, dense_reshape(order, [-1]))
    return reorder(SparseTensor(indices, sparse.values, whole), name=name)


def slice_(sp_input: object, start: object, size: object, name: str | None = None) -> SparseTensor:
    """The elements inside a box, cut off where it leaves the shape.

    https://www.tensorflow.org/api_docs/python/tf/sparse/slice

    Raises:
        InvalidArgumentError: `start` or `size` has not one element per axis.
    """
    sparse = checked(sp_input)
    begin = convert_to_tensor(start, dtypes.int64)
    sizes = convert_to_tensor(size, dtypes.int64)
    made = apply_n(
        slice_op, sparse.indices, sparse.values, sparse.dense_shape, begin, sizes,
        name=name or "SparseSlice",
    )  # fmt: skip
    return SparseTensor(*made)
