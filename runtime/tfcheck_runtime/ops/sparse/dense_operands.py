"""Sparse tensors times and divided by dense ones, which broadcast to their shape."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Aval, Call, Op, case, define
from tfcheck_runtime.ops.array.agreement import check_same_dtypes
from tfcheck_runtime.ops.array.broadcasting import broadcast_to, sum_to
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.examples import f32, i64
from tfcheck_runtime.ops.array.gathering_nd import gather_nd
from tfcheck_runtime.ops.array.scattering import scatter_nd
from tfcheck_runtime.ops.math.arithmetic import multiply, negative
from tfcheck_runtime.ops.math.division import divide
from tfcheck_runtime.ops.sparse.parts import counted, listed
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values import operators, versions
from tfcheck_runtime.values.convert import convert_to_tensor, fitted
from tfcheck_runtime.values.sparse_tensor import SparseTensor
from tfcheck_runtime.values.tensor import Tensor, apply

Gradient = Callable[[Tensor, Tensor, Tensor], tuple[Tensor, Tensor]]


class _Elementwise(Op):
    """The values of a sparse tensor with the elements of a dense one at their places."""

    cases = (
        case(i64([[0, 1], [1, 0]]), f32([2, 3]), i64([2, 2]), f32([4, 5])),
        case(i64([[0, 1], [1, 0]]), f32([2, 3]), i64([2, 2]), f32([[4], [5]]), unknown=((0, 0),)),
        case(i64([[0, 1], [1, 0]]), f32([2, 3]), i64([2, 2]), f32(3)),
    )

    def __init__(self, op_type: str, kernel: Callable[..., Array], gradients: Gradient) -> None:
        self.type = op_type
        self._kernel = kernel
        self._gradients = gradients

    def infer(self, indices: Aval, values: Aval, shape: Aval, dense: Aval) -> Aval:
        check_same_dtypes(self.type, [values, dense])
        return Aval(values.dtype, (counted(indices),))

    def eager(self, indices: Array, values: Array, shape: Array, dense: Array) -> Array:
        try:
            spread = np.broadcast_to(dense, shape.tolist())
        except ValueError:
            raise invalid_argument(
                "SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible"
                f" shapes: {listed(shape)} vs. {listed(dense.shape)}",
                self.type,
            ) from None
        if self.type == "SparseDenseCwiseDiv" and not dense.all():
            raise invalid_argument(
                "SparseDenseCwiseDiv cannot divide by zero, but the dense tensor holds a zero",
                self.type,
            )
        return np.asarray(self._kernel(values, spread[tuple(indices.T)]), values.dtype)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        indices, values, shape, dense = call.inputs
        there = gather_nd(broadcast_to(dense, shape), indices)
        of_values, of_dense = self._gradients(grad, values, there)
        whole = scatter_nd(indices, of_dense, shape)
        return [None, of_values, None, sum_to(whole, dense)]


def _of_product(grad: Tensor, values: Tensor, dense: Tensor) -> tuple[Tensor, Tensor]:
    return multiply(grad, dense), multiply(grad, values)


def _of_quotient(grad: Tensor, values: Tensor, dense: Tensor) -> tuple[Tensor, Tensor]:
    of_values = divide(grad, dense)
    return of_values, negative(multiply(of_values, divide(values, dense)))


multiply_op = define(_Elementwise("SparseDenseCwiseMul", np.multiply, _of_product))
divide_op = define(_Elementwise("SparseDenseCwiseDiv", np.true_divide, _of_quotient))


def multiplied(x: SparseTensor, y: object, name: str | None = None) -> SparseTensor:
    """The elements times those of a dense tensor at their places."""
    return _apply(multiply_op, x, convert_to_tensor(y, x.dtype), name=name)


def divided(x: SparseTensor, y: object, name: str | None = None) -> SparseTensor:
    """The elements divided by those of a dense tensor at their places; integers as floats."""
    dense = convert_to_tensor(y, x.dtype)
    if x.dtype.is_integer:
        kind = dtypes.float32 if x.dtype.size <= 2 else dtypes.float64
        x, dense = x.with_values(cast(x.values, kind)), cast(dense, kind)
    return _apply(divide_op, x, dense, name=name)


def _apply(op: Op, x: SparseTensor, dense: Tensor, *, name: str | None) -> SparseTensor:
    made = apply(op, *x.__tf_components__(), dense, name=name)
    return SparseTensor(x.indices, made, x.dense_shape)


def _times(left: object, right: object) -> SparseTensor:
    if isinstance(left, SparseTensor):
        return multiplied(left, right)
    assert isinstance(right, SparseTensor)
    return _apply(multiply_op, right, fitted(left, right.dtype), name=None)


operators.implements("sparse.multiply")(multiplied)
operators.implements("sparse.divide")(divided)


versions.register_operator("multiply", SparseTensor, _times)
