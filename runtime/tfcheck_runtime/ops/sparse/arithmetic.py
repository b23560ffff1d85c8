"""Sums and extremes of two sparse tensors, sums with dense ones, functions of the values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Aval, Call, Op, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.agreement import REALS, check_kind, check_same_dtypes
from tfcheck_runtime.ops.array.examples import f32, i64
from tfcheck_runtime.ops.array.gathering_nd import gather_nd
from tfcheck_runtime.ops.control.debugging import assert_equal
from tfcheck_runtime.ops.math.operands import check_alike
from tfcheck_runtime.ops.sparse.parts import checked, in_order, parts_of, rank_of
from tfcheck_runtime.specs import nest
from tfcheck_runtime.values.convert import convert_to_tensor, fitted
from tfcheck_runtime.values.sparse_tensor import SparseTensor
from tfcheck_runtime.values.tensor import Tensor, apply, apply_n

_PAIR = (i64([[0, 0], [1, 1]]), f32([1, 2]), i64([2, 3]), i64([[0, 2], [1, 1]]), f32([3, -1.5]))


def _check_shapes(a: Array, b: Array, op_type: str) -> None:
    if len(a) != len(b):
        raise invalid_argument(
            f"Operands do not have the same ranks; got shapes: {a.tolist()} and {b.tolist()}",
            op_type,
        )
    for axis, (size, other) in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
        if size != other:
            raise invalid_argument(
                f"Operands' shapes do not match: got {size} and {other} for dimension {axis}",
                op_type,
            )


def _together(a: Array, b: Array) -> tuple[Array, Array, Array]:
    """The places of both in order, and which of them each element of `a` and `b` stands at."""
    places = np.concatenate([a, b])
    if not len(places):
        return places, np.zeros(0, np.int64), np.zeros(0, np.int64)
    order = in_order(places)
    new = np.ones(len(places), bool)
    new[1:] = (np.diff(places[order], axis=0) != 0).any(1)
    numbers = np.empty(len(places), np.int64)
    numbers[order] = np.cumsum(new) - 1
    return places[order][new], numbers[: len(a)], numbers[len(a) :]


class _Add(Op):
    """The sum of two sparse tensors; small elements vanish where a threshold says so."""

    type = "SparseAdd"
    cases = (case(*_PAIR, i64([2, 3]), f32(0)), case(*_PAIR, i64([2, 3]), f32(0.6)))

    def infer(
        self, a_indices: Aval, a_values: Aval, a_shape: Aval, b_indices: Aval, b_values: Aval,
        b_shape: Aval, threshold: Aval,
    ) -> tuple[Aval, Aval, Aval]:  # fmt: skip
        rank = rank_of(a_indices, a_shape)
        places, values, _ = parts_of(a_values.dtype, rank)
        whole = known.integers(a_shape.dtype, (rank,), known.elements(a_shape))
        return places, values, whole

    def eager(
        self, a_indices: Array, a_values: Array, a_shape: Array, b_indices: Array, b_values: Array,
        b_shape: Array, threshold: Array,
    ) -> tuple[Array, Array, Array]:  # fmt: skip
        _check_shapes(a_shape, b_shape, self.type)
        places, of_a, of_b = _together(a_indices, b_indices)
        sums = np.zeros(len(places), a_values.dtype)
        np.add.at(sums, of_a, a_values)
        np.add.at(sums, of_b, b_values)
        # TensorFlow compares where both have an element, and keeps what only one has.
        shared = np.isin(np.arange(len(places)), of_a) & np.isin(np.arange(len(places)), of_b)
        kept = ~shared | (np.abs(sums) >= threshold)
        return places[kept], sums[kept], a_shape

    def gradient(self, call: Call[Tensor], *grads: Tensor | None) -> list[Tensor | None]:
        a_indices, b_indices = call.inputs[0], call.inputs[3]
        if grads[1] is None:
            return [None] * 7
        of_a, of_b = (
            apply(picked_op, call.outputs[0], grads[1], own) for own in (a_indices, b_indices)
        )
        return [None, of_a, None, None, of_b, None, None]


class _Picked(Op):
    """What stands at some of the places of a sparse tensor in order, zero where nothing does."""

    type = "SparseAddGrad"
    cases = (case(i64([[0, 1], [2, 0]]), f32([1, 2]), i64([[0, 0], [2, 0]])),)

    def infer(self, indices: Aval, values: Aval, wanted: Aval) -> Aval:
        return Aval(values.dtype, (wanted.shape[0] if wanted.shape else None,))

    def eager(self, indices: Array, values: Array, wanted: Array) -> Array:
        places, own, asked = _together(indices, wanted)
        spread = np.zeros(len(places), values.dtype)
        spread[own] = values
        return spread[asked]

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        indices, _, wanted = call.inputs
        return [None, apply(picked_op, wanted, grad, indices), None]


class _DenseAdd(Op):
    """The sum of a sparse and a dense tensor of one shape."""

    type = "SparseTensorDenseAdd"
    cases = (case(i64([[0, 1], [1, 0]]), f32([2, 3]), i64([2, 2]), f32([[4, 5], [6, 7]])),)

    def infer(self, indices: Aval, values: Aval, shape: Aval, dense: Aval) -> Aval:
        check_same_dtypes(self.type, [values, dense])
        return Aval(dense.dtype, dense.shape)

    def eager(self, indices: Array, values: Array, shape: Array, dense: Array) -> Array:
        if len(shape) != dense.ndim:
            raise invalid_argument(
                f"Two operands have different ranks; received: {len(shape)} and {dense.ndim}",
                self.type,
            )
        for axis, (size, other) in enumerate(zip(shape.tolist(), dense.shape, strict=True)):
            if size != other:
                raise invalid_argument(
                    f"Dimension {axis} does not equal (no broadcasting is supported): sparse side"
                    f" {size} vs dense side {other}",
                    self.type,
                )
        total = dense.copy()
        np.add.at(total, tuple(indices.T), values)
        return total

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        return [None, gather_nd(grad, call.inputs[0]), None, grad]


class _Extreme(Op):
    """The larger or smaller of two sparse tensors, what is not there being zero."""

    cases = (case(*_PAIR, i64([2, 3])),)

    def __init__(self, op_type: str, kernel: Callable[[Array, Array], Array]) -> None:
        self.type = op_type
        self._kernel = kernel

    def infer(
        self, a_indices: Aval, a_values: Aval, a_shape: Aval, b_indices: Aval, b_values: Aval,
        b_shape: Aval,
    ) -> tuple[Aval, Aval]:  # fmt: skip
        check_kind(self.type, a_values, REALS, "a_values")
        return parts_of(a_values.dtype, None)[:2]

    def eager(
        self, a_indices: Array, a_values: Array, a_shape: Array, b_indices: Array, b_values: Array,
        b_shape: Array,
    ) -> tuple[Array, Array]:  # fmt: skip
        _check_shapes(a_shape, b_shape, self.type)
        places, of_a, of_b = _together(a_indices, b_indices)
        a, b = (np.zeros(len(places), a_values.dtype) for _ in range(2))
        a[of_a], b[of_b] = a_values, b_values
        return places, self._kernel(a, b)


add_op = define(_Add())
picked_op = define(_Picked())
dense_add_op = define(_DenseAdd())
maximum_op = define(_Extreme("SparseSparseMaximum", np.maximum))
minimum_op = define(_Extreme("SparseSparseMinimum", np.minimum))


def add(a: object, b: object, threshold: object = 0) -> SparseTensor | Tensor:
    """The sum of two tensors of which at least one is sparse; sparse if both are.

    https://www.tensorflow.org/api_docs/python/tf/sparse/add

    Args:
        a: sparse or dense.
        b: sparse or dense, of the same shape.
        threshold: sums of two sparse tensors are left out where they are smaller in magnitude.

    Raises:
        TypeError: both are dense.
        InvalidArgumentError: shapes or dtypes differ.
    """
    if isinstance(a, SparseTensor) and isinstance(b, SparseTensor):
        check_alike("SparseAdd", [a.values, b.values])
        limit = convert_to_tensor(threshold, a.dtype.real_dtype)
        made = apply_n(
            add_op, *a.__tf_components__(), *b.__tf_components__(), limit, name="SparseAdd"
        )
        return SparseTensor(*made)
    if isinstance(b, SparseTensor):
        a, b = b, a
    if not isinstance(a, SparseTensor):
        raise TypeError("At least one input should be SparseTensor; do you mean to use tf.add()?")
    dense = fitted(b, a.dtype)
    return apply(dense_add_op, *a.__tf_components__(), dense, name="SparseTensorDenseAdd")


def maximum(sp_a: object, sp_b: object, name: str | None = None) -> SparseTensor:
    """The larger elements of two sparse tensors, what is not there being zero.

    https://www.tensorflow.org/api_docs/python/tf/sparse/maximum
    """
    return _extreme(maximum_op, checked(sp_a), checked(sp_b), name)


def minimum(sp_a: object, sp_b: object, name: str | None = None) -> SparseTensor:
    """The smaller elements of two sparse tensors, what is not there being zero.

    https://www.tensorflow.org/api_docs/python/tf/sparse/minimum
    """
    return _extreme(minimum_op, checked(sp_a), checked(sp_b), name)


def _extreme(op: Op, a: SparseTensor, b: SparseTensor, name: str | None) -> SparseTensor:
    check_alike(op.type, [a.values, b.values])
    parts = (*a.__tf_components__(), *b.__tf_components__())
    indices, values = apply_n(op, *parts, name=name or op.type)
    return SparseTensor(indices, values, a.dense_shape)


def map_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """`op` with the values of sparse tensors in their place among its arguments.

    https://www.tensorflow.org/api_docs/python/tf/sparse/map_values

    Raises:
        ValueError: there is no sparse tensor, or `op` does not keep the number of values.
        InvalidArgumentError: the sparse tensors differ in indices or shape.
    """
    found: list[SparseTensor] = []

    def values_of(value: Any) -> Any:
        if isinstance(value, SparseTensor):
            found.append(value)
            return value.values
        return value

    inner_args = nest.map_structure(values_of, args)
    inner_kwargs = nest.map_structure(values_of, kwargs)
    if not found:
        raise ValueError("No SparseTensor in argument list of map_values")
    first = found[0]
    for other in found[1:]:
        assert_equal(first.indices, other.indices, message="Mismatched indices!")
        assert_equal(first.dense_shape, other.dense_shape, message="Mismatched shapes!")
    return SparseTensor(first.indices, op(*inner_args, **inner_kwargs), first.dense_shape)
