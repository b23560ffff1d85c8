"""Sparse tensors from and to dense ones, in order, and in another frame."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Aval, Call, Op, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.agreement import check_same_dtypes
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.examples import f32, i64
from tfcheck_runtime.ops.array.extremes import reduce_max
from tfcheck_runtime.ops.array.filling import ones, ones_like, zeros
from tfcheck_runtime.ops.array.gathering import gather
from tfcheck_runtime.ops.array.gathering_nd import gather_nd
from tfcheck_runtime.ops.array.joining import concat
from tfcheck_runtime.ops.array.locating import indices_where
from tfcheck_runtime.ops.array.packing import stack
from tfcheck_runtime.ops.array.ranges import range_
from tfcheck_runtime.ops.array.reduction import reduce_sum
from tfcheck_runtime.ops.array.selection import where
from tfcheck_runtime.ops.array.shaping import shape as shape_of
from tfcheck_runtime.ops.array.squeezing import expand_dims
from tfcheck_runtime.ops.control.debugging import assert_less_equal
from tfcheck_runtime.ops.math.arithmetic import maximum
from tfcheck_runtime.ops.math.comparison import not_equal
from tfcheck_runtime.ops.sparse.parts import checked, counted, in_order, listed, rank_of
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import as_dtype
from tfcheck_runtime.specs.shapes import TensorShape
from tfcheck_runtime.values.convert import convert_to_tensor, fitted
from tfcheck_runtime.values.sparse_tensor import SparseTensor
from tfcheck_runtime.values.tensor import Tensor, apply, apply_n


class _ToDense(Op):
    """Values put at their places among copies of a default."""

    type = "SparseToDense"
    cases = (
        case(i64([[0, 1], [2, 0]]), i64([3, 2]), f32([1, 2]), f32(-1), validate_indices=True),
        case(
            i64([[2, 0], [0, 1]]), i64([3, 2]), f32([1, 2]), f32(0), validate_indices=False,
            unknown=((0, 0), (2, 0)),
        ),
    )  # fmt: skip

    def infer(
        self, indices: Aval, shape: Aval, values: Aval, default: Aval, *, validate_indices: bool
    ) -> Aval:
        check_same_dtypes(self.type, [values, default])
        return Aval(values.dtype, known.as_shape(shape))

    def eager(
        self, indices: Array, shape: Array, values: Array, default: Array, *, validate_indices: bool
    ) -> Array:
        if default.ndim:
            raise invalid_argument("default_value should be a scalar.", self.type)
        if validate_indices:
            check_order(indices, shape, self.type)
        elif ((indices < 0) | (indices >= shape)).any():
            raise invalid_argument(
                f"Indices are not valid (out of bounds).  Shape: {listed(shape)}", self.type
            )
        dense = np.full(shape.tolist(), default[()], values.dtype)
        if dense.ndim:
            dense[tuple(indices.T)] = values
        elif len(values):
            dense[()] = values[-1]
        return dense

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        indices = call.inputs[0]
        of_values = gather_nd(grad, indices)
        of_default = reduce_sum(grad) - reduce_sum(of_values)
        return [None, None, of_values, of_default]


def check_order(indices: Array, shape: Array, op_type: str) -> None:
    """Check that the elements stand inside the shape, in order and at different places.

    Raises:
        InvalidArgumentError: one does not.
    """
    outside: Array = np.any((indices < 0) | (indices >= shape), axis=1)
    falling = np.zeros(len(indices), bool)
    repeated = np.zeros(len(indices), bool)
    if len(indices) > 1:
        steps = np.diff(indices, axis=0)
        repeated[1:] = ~steps.any(1)
        signs = np.sign(steps)
        falling[1:] = signs[np.arange(len(steps)), (signs != 0).argmax(1)] < 0 if signs.size else 0
    wrong = outside | falling | repeated
    if not wrong.any():
        return
    i = int(wrong.argmax())
    place = f"indices[{i}] = {listed(indices[i])}"
    if outside[i]:
        raise invalid_argument(
            f"{place} is out of bounds: need 0 <= index < {listed(shape)}", op_type
        )
    if falling[i]:
        raise invalid_argument(
            f"{place} is out of order. Many sparse ops require sorted indices.\n    Use"
            " `tf.sparse.reorder` to create a correctly ordered copy.\n\n",
            op_type,
        )
    raise invalid_argument(f"{place} is repeated", op_type)


class _Reorder(Op):
    """The elements in the order in which they stand in a dense tensor."""

    type = "SparseReorder"
    cases = (
        case(i64([[2, 0], [0, 1], [0, 0]]), f32([1, 2, 3]), i64([3, 2])),
        case(i64([[1], [0]]), f32([1, 2]), i64([3]), unknown=((0, 0), (1, 0))),
    )

    def infer(self, indices: Aval, values: Aval, shape: Aval) -> tuple[Aval, Aval]:
        count = counted(indices)
        return (
            Aval(dtypes.int64, (count, rank_of(indices, shape))),
            Aval(values.dtype, (count,)),
        )

    def eager(self, indices: Array, values: Array, shape: Array) -> tuple[Array, Array]:
        order = in_order(indices)
        return indices[order], values[order]

    def gradient(self, call: Call[Tensor], *grads: Tensor | None) -> list[Tensor | None]:
        indices, _, shape = call.inputs
        if grads[1] is None:
            return [None, None, None]
        count: Any = shape_of(indices)[0]
        _, places = apply_n(reorder_op, indices, range_(count), shape)
        _, back = apply_n(reorder_op, expand_dims(cast(places, dtypes.int64), 1), range_(count),
                          expand_dims(cast(count, dtypes.int64), 0))  # fmt: skip
        return [None, gather(grads[1], back), None]


to_dense_op = define(_ToDense())
reorder_op = define(_Reorder())


def from_dense(tensor: object, name: str | None = None) -> SparseTensor:
    """The elements of a tensor that are not zero, empty or False.

    https://www.tensorflow.org/api_docs/python/tf/sparse/from_dense
    """
    dense = convert_to_tensor(tensor)
    zero = convert_to_tensor("" if dense.dtype is dtypes.string else 0, None)
    if dense.dtype is not dtypes.string:
        zero = cast(zero, dense.dtype)
    indices = indices_where(not_equal(dense, zero))
    values = gather_nd(dense, indices)
    return SparseTensor(indices, values, shape_of(dense, out_type=dtypes.int64))


def to_dense(
    sp_input: object,
    default_value: object = None,
    validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:
    """A tensor with the elements at their places and `default_value` (zero) elsewhere.

    https://www.tensorflow.org/api_docs/python/tf/sparse/to_dense

    Raises:
        TypeError: the input is no sparse tensor.
        InvalidArgumentError: an element stands outside the shape or, with `validate_indices`, out
            of order or where another one stands.
    """
    sparse = checked(sp_input)
    if default_value is None:
        default = zeros((), sparse.dtype)
    else:
        default = fitted(default_value, sparse.dtype)
    return apply(
        to_dense_op, sparse.indices, sparse.dense_shape, sparse.values, default,
        name=name or "SparseToDense", validate_indices=validate_indices,
    )  # fmt: skip


def reorder(sp_input: object, name: str | None = None) -> SparseTensor:
    """The elements in the order in which they stand in a dense tensor.

    https://www.tensorflow.org/api_docs/python/tf/sparse/reorder
    """
    sparse = checked(sp_input)
    indices, values = apply_n(
        reorder_op, sparse.indices, sparse.values, sparse.dense_shape,
        name=name or "SparseReorder",
    )  # fmt: skip
    made = SparseTensor(indices, values, sparse.dense_shape)
    made.set_shape(sparse.shape)
    return made


def reset_shape(sp_input: object, new_shape: object = None) -> SparseTensor:
    """The same elements in a bigger frame, or in the smallest one that holds them.

    https://www.tensorflow.org/api_docs/python/tf/sparse/reset_shape

    Raises:
        ValueError: the new shape has another rank, or is smaller.
    """
    sparse = checked(sp_input)
    if new_shape is None:
        bounds = reduce_max(sparse.indices, axis=0) + 1
        whole: Any = maximum(bounds, 0)
        whole.set_shape(sparse.dense_shape.shape)
        return SparseTensor(sparse.indices, sparse.values, whole)
    wanted = convert_to_tensor(new_shape, dtypes.int64)
    _check_frame(sparse, wanted)
    return SparseTensor(sparse.indices, sparse.values, wanted)


def _check_frame(sparse: SparseTensor, wanted: Tensor) -> None:
    """Check that the new frame has the rank and at least the sizes of the old one.

    Raises:
        ValueError: both are known, and it has not.
    """
    rank, new_rank = sparse.shape.rank, (wanted.static_shape or (None,))[0]
    if None not in (rank, new_rank) and rank != new_rank:
        raise ValueError(f"Dimensions {new_rank} and {rank} are not compatible")
    old, new = known.static_ints(sparse.dense_shape), known.static_ints(wanted)
    if old is None or new is None:
        assert_less_equal(sparse.dense_shape, wanted)
    elif any(a > b for a, b in zip(old, new, strict=True)):
        raise ValueError(
            "Requested new_shape should have dimension sizes >= sp_input.shape.  Found new_shape"
            f" ({np.array(old)}), sp_input.shape ({np.array(new)})."
        )


def eye(
    num_rows: object,
    num_columns: object = None,
    dtype: object = dtypes.float32,
    name: str | None = None,
) -> SparseTensor:
    """Ones on the diagonal of a matrix (https://www.tensorflow.org/api_docs/python/tf/sparse/eye)."""
    kind = as_dtype(dtype)
    rows = cast(convert_to_tensor(num_rows), dtypes.int64)
    columns = rows if num_columns is None else cast(convert_to_tensor(num_columns), dtypes.int64)
    count: Any = where(rows < columns, rows, columns)
    diagonal = range_(count, dtype=dtypes.int64)
    values = ones(expand_dims(count, 0), kind)
    return SparseTensor(stack([diagonal, diagonal], 1), values, stack([rows, columns]))


def to_indicator(sp_input: object, vocab_size: int, name: str | None = None) -> Tensor:
    """Which of the numbers below `vocab_size` each row of ids along the last axis holds.

    https://www.tensorflow.org/api_docs/python/tf/sparse/to_indicator

    Raises:
        InvalidArgumentError: an id is not below `vocab_size`.
    """
    sparse = checked(sp_input)
    ids = expand_dims(cast(sparse.values, dtypes.int64), 1)
    outer: Any = sparse.indices
    whole: Any = sparse.dense_shape
    indices = concat([outer[:, :-1], ids], 1)
    size = convert_to_tensor([vocab_size], dtypes.int64)
    flags = SparseTensor(
        indices,
        cast(ones_like(ids[:, 0]), dtypes.bool),
        concat([whole[:-1], size], 0),
    )
    known_sizes = sparse.shape
    if known_sizes.rank is not None:
        flags.set_shape(TensorShape([*known_sizes.as_list()[:-1], vocab_size]))
    return to_dense(flags, default_value=False, validate_indices=False, name=name)
