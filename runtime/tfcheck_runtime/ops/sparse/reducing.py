"""Sums and maxima of sparse tensors over axes, and softmax over the last one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Aval, Call, Op, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.agreement import FLOATS, NUMBERS, REALS, check_kind
from tfcheck_runtime.ops.array.broadcasting import broadcast_to
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.examples import f32, i32, i64
from tfcheck_runtime.ops.array.filling import ones_like
from tfcheck_runtime.ops.array.gathering_nd import gather_nd
from tfcheck_runtime.ops.array.ranges import range_
from tfcheck_runtime.ops.array.scattering import tensor_scatter_nd_update
from tfcheck_runtime.ops.array.shaping import reshape, size
from tfcheck_runtime.ops.array.squeezing import expand_dims
from tfcheck_runtime.ops.math.arithmetic import multiply, subtract
from tfcheck_runtime.ops.sparse.parts import checked, counted, in_order, listed
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.shapes import Shape
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.sparse_tensor import SparseTensor
from tfcheck_runtime.values.tensor import Tensor, apply, apply_n

_EXAMPLE = (i64([[0, 0], [0, 2], [1, 1]]), f32([1, -2, 3]), i64([3, 3]))


def _axes(axes: Array, rank: int, op_type: str) -> list[int]:
    """The axes counted from the front.

    Raises:
        InvalidArgumentError: there is no such axis.
    """
    for axis in axes.reshape(-1).tolist():
        if not -rank <= axis < rank:
            raise invalid_argument(
                f"Invalid reduction dimension {axis}, for input with {rank} dimensions.", op_type
            )
    return sorted({axis % rank for axis in axes.reshape(-1).tolist()})


class _Groups:
    """The elements of a sparse tensor by their place on the axes that stay."""

    def __init__(self, indices: Array, shape: Array, axes: Array, op_type: str) -> None:
        self.axes = _axes(axes, len(shape), op_type)
        self.kept = [a for a in range(len(shape)) if a not in self.axes]
        self.sizes = shape[self.kept]
        self.places = indices[:, self.kept]
        self._shape = shape

    def folded(self, values: Array, *, largest: bool) -> tuple[Array, Array]:
        """The places where there is something, and the sum or maximum there."""
        order = in_order(self.places)
        places = self.places[order]
        new = np.ones(len(places), bool)
        new[1:] = (np.diff(places, axis=0) != 0).any(1)
        if not len(places):
            return places, values
        starts = np.flatnonzero(new)
        ufunc = np.fmax if largest else np.add
        made = ufunc.reduceat(values[order], starts, dtype=values.dtype)
        return places[starts], made

    def kept_shape(self, *, keep_dims: bool) -> list[int]:
        """The shape of the result."""
        if not keep_dims:
            return [int(n) for n in self.sizes]
        return [1 if a in self.axes else int(n) for a, n in enumerate(self._shape)]


class _Reduce(Op):
    """Sums or maxima over axes, as a dense tensor; zero where there is nothing."""

    cases = (
        case(*_EXAMPLE, i32([1]), keep_dims=False),
        case(*_EXAMPLE, i32([0, 1]), keep_dims=True),
        case(*_EXAMPLE, i32([-2]), keep_dims=False, unknown=((0, 0),)),
    )

    def __init__(self, op_type: str, *, largest: bool) -> None:
        self.type = op_type
        self._largest = largest

    def infer(
        self, indices: Aval, values: Aval, shape: Aval, axes: Aval, *, keep_dims: bool
    ) -> Aval:
        check_kind(self.type, values, REALS if self._largest else NUMBERS, "input_values")
        return Aval(values.dtype, _reduced(shape, axes, keep_dims, self.type))

    def eager(
        self, indices: Array, values: Array, shape: Array, axes: Array, *, keep_dims: bool
    ) -> Array:
        groups = _Groups(indices, shape, axes, self.type)
        places, made = groups.folded(values, largest=self._largest)
        dense = np.zeros([int(n) for n in groups.sizes], values.dtype)
        dense[tuple(places.T)] = made if places.shape[1] else made.sum() if len(made) else 0
        return dense.reshape(groups.kept_shape(keep_dims=keep_dims))


class _ReduceSum(_Reduce):
    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        indices, _, shape, axes = call.inputs
        ones = ones_like(axes)
        kept = tensor_scatter_nd_update(
            shape,
            expand_dims(axes % size(shape), -1),
            cast(ones, dtypes.int64),
        )
        spread = broadcast_to(reshape(grad, kept), shape)
        return [None, gather_nd(spread, indices), None, None]


class _ReduceSparse(Op):
    """The same as a sparse tensor."""

    cases = (
        case(*_EXAMPLE, i32([1]), keep_dims=False),
        case(*_EXAMPLE, i32([1]), keep_dims=True),
    )

    def __init__(self, op_type: str, *, largest: bool) -> None:
        self.type = op_type
        self._largest = largest

    def infer(
        self, indices: Aval, values: Aval, shape: Aval, axes: Aval, *, keep_dims: bool
    ) -> tuple[Aval, Aval, Aval]:
        check_kind(self.type, values, REALS if self._largest else NUMBERS, "input_values")
        # TensorFlow says nothing of the shapes, and so must we: programs ask.
        return Aval(dtypes.int64, None), Aval(values.dtype, None), Aval(dtypes.int64, None)

    def eager(
        self, indices: Array, values: Array, shape: Array, axes: Array, *, keep_dims: bool
    ) -> tuple[Array, Array, Array]:
        groups = _Groups(indices, shape, axes, self.type)
        places, made = groups.folded(values, largest=self._largest)
        if keep_dims:
            whole = np.zeros((len(places), len(shape)), np.int64)
            whole[:, groups.kept] = places
            places = whole
        return places, made, np.array(groups.kept_shape(keep_dims=keep_dims), np.int64)


def _reduced(shape: Aval, axes: Aval, keep_dims: bool, op_type: str) -> Shape:
    over, sizes = known.complete(axes), known.complete(shape)
    if sizes is None or over is None:
        return None
    gone = _axes(np.array(over, np.int64), len(sizes), op_type)
    return tuple(1 if a in gone else n for a, n in enumerate(sizes) if keep_dims or a not in gone)


class _Softmax(Op):
    """Softmax over the elements that are there, along the last axis."""

    type = "SparseSoftmax"
    cases = (case(*_EXAMPLE), case(*_EXAMPLE, unknown=((0, 0),)))

    def infer(self, indices: Aval, values: Aval, shape: Aval) -> Aval:
        check_kind(self.type, values, FLOATS, "sp_values")
        return Aval(values.dtype, (counted(indices),))

    def eager(self, indices: Array, values: Array, shape: Array) -> Array:
        if len(shape) < 2:
            raise invalid_argument(
                f"Input should have rank >= 2, but received shape: {listed(shape)[1:-1]}",
                self.type,
            )
        if not len(values):
            return values
        # In order, whatever the order of the elements: TensorFlow does so, and puts the results
        # in order, too.
        order = in_order(indices)
        rows, values = indices[order][:, :-1], values[order]
        new = np.ones(len(rows), bool)
        new[1:] = (np.diff(rows, axis=0) != 0).any(1)
        starts, row = np.flatnonzero(new), np.cumsum(new) - 1
        powers = np.exp(values - np.maximum.reduceat(values, starts)[row])
        made: Array = powers / np.add.reduceat(powers, starts)[row]
        return made.astype(values.dtype)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        indices, _, shape = call.inputs
        made = call.outputs[0]
        last = convert_to_tensor([-1], dtypes.int32)
        sums = apply(reduce_sum_op, indices, multiply(made, grad), shape, last, keep_dims=True)
        rows = gather_nd(broadcast_to(sums, shape), indices)
        return [None, multiply(subtract(grad, rows), made), None]


reduce_sum_op = define(_ReduceSum("SparseReduceSum", largest=False))
reduce_max_op = define(_Reduce("SparseReduceMax", largest=True))
reduce_sum_sparse_op = define(_ReduceSparse("SparseReduceSumSparse", largest=False))
reduce_max_sparse_op = define(_ReduceSparse("SparseReduceMaxSparse", largest=True))
softmax_op = define(_Softmax())


def reduce_sum(
    sp_input: object,
    axis: int | Sequence[int] | None = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor | SparseTensor:
    """Sums over `axis`, all axes by default (https://www.tensorflow.org/api_docs/python/tf/sparse/reduce_sum).

    Raises:
        InvalidArgumentError: there is no such axis.
    """
    ops = reduce_sum_op, reduce_sum_sparse_op
    return _reduce(ops[output_is_sparse], sp_input, axis, keepdims=bool(keepdims), name=name)


def reduce_max(
    sp_input: object,
    axis: int | Sequence[int] | None = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor | SparseTensor:
    """Maxima over `axis` of what is there; see `reduce_sum`.

    https://www.tensorflow.org/api_docs/python/tf/sparse/reduce_max
    """
    ops = reduce_max_op, reduce_max_sparse_op
    return _reduce(ops[output_is_sparse], sp_input, axis, keepdims=bool(keepdims), name=name)


def _reduce(
    op: Op, sp_input: object, axis: Any, *, keepdims: bool, name: str | None
) -> Tensor | SparseTensor:
    sparse = checked(sp_input)
    if axis is None:
        axes = range_(size(sparse.dense_shape))
    else:
        axes = reshape(convert_to_tensor(axis, dtypes.int32), [-1])
    parts = sparse.__tf_components__()
    made = apply_n(op, *parts, axes, name=name or op.type, keep_dims=keepdims)
    return made[0] if len(made) == 1 else SparseTensor(*made)


def softmax(sp_input: object, name: str | None = None) -> SparseTensor:
    """Softmax over the elements that are there, along the last axis.

    https://www.tensorflow.org/api_docs/python/tf/sparse/softmax

    Raises:
        InvalidArgumentError: the tensor is a vector.
    """
    sparse = checked(sp_input)
    made = apply(softmax_op, *sparse.__tf_components__(), name=name or "SparseSoftmax")
    return SparseTensor(sparse.indices, made, sparse.dense_shape)
