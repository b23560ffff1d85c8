"""Products of sparse and dense matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Aval, Call, Op, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.examples import f32, i64
from tfcheck_runtime.ops.array.gathering import gather
from tfcheck_runtime.ops.array.permuting import transpose
from tfcheck_runtime.ops.array.reduction import reduce_sum
from tfcheck_runtime.ops.linalg.transposing import adjoint
from tfcheck_runtime.ops.math.arithmetic import multiply
from tfcheck_runtime.ops.math.complexes import conj
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.sparse_tensor import SparseTensor
from tfcheck_runtime.values.tensor import Tensor, apply

_A = (i64([[0, 0], [0, 2], [1, 1]]), f32([1, -2, 3]), i64([2, 3]))


class _Matmul(Op):
    """A sparse matrix times a dense one."""

    type = "SparseTensorDenseMatMul"
    cases = (
        case(*_A, f32([[1, 2], [3, 4], [5, 6]]), adjoint_a=False, adjoint_b=False),
        case(*_A, f32([[1, 2], [3, 4]]), adjoint_a=True, adjoint_b=False, unknown=((0, 0),)),
        case(*_A, f32([[1, 2, 3]]), adjoint_a=False, adjoint_b=True, unknown=((3, 0),)),
    )

    def infer(
        self, indices: Aval, values: Aval, shape: Aval, b: Aval, *, adjoint_a: bool, adjoint_b: bool
    ) -> Aval:
        if b.shape is not None and len(b.shape) != 2:
            return Aval(values.dtype, None)  # refused when it runs
        own = known.elements(shape)
        rows = None if own is None else own[-1 if adjoint_a else 0]
        inner = None if own is None else own[0 if adjoint_a else -1]
        columns, other = None, None
        if b.shape is not None:
            other, columns = b.shape[::-1] if adjoint_b else b.shape
        if None not in (inner, other) and inner != other:
            raise ValueError(f"Dimensions must be equal, but are {inner} and {other}")
        return Aval(values.dtype, (rows, columns))

    def eager(
        self, indices: Array, values: Array, shape: Array, b: Array, *, adjoint_a: bool,
        adjoint_b: bool,
    ) -> Array:  # fmt: skip
        if b.ndim != 2:
            raise invalid_argument("Tensor 'b' is not a matrix", self.type)
        rows, columns = indices[:, 0], indices[:, 1]
        sizes = shape.tolist()
        if adjoint_a:
            rows, columns, sizes, values = columns, rows, sizes[::-1], np.conj(values)
        dense = np.conj(b.T) if adjoint_b else b
        if sizes[1] != len(dense):
            raise invalid_argument(
                "Cannot multiply A and B because inner dimension does not match:"
                f" {sizes[1]} vs. {len(dense)}.  Did you forget a transpose?  Dimensions of A:"
                f" [{sizes[0]}, {sizes[1]}).  Dimensions of B: [{dense.shape[0]},{dense.shape[1]}]",
                self.type,
            )
        made = np.zeros((sizes[0], dense.shape[1]), b.dtype)
        np.add.at(made, rows, values[:, None] * dense[columns])
        return made

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        indices, values, shape, b = call.inputs
        flipped, turned = call.attrs["adjoint_a"], call.attrs["adjoint_b"]
        of_b = apply(
            matmul_op, indices, values, shape, grad, adjoint_a=not flipped, adjoint_b=False
        )
        # TensorFlow's own rule leaves out conjugates of the values' gradients.
        rows, columns = gather(indices, 0, axis=1), gather(indices, 1, axis=1)
        if flipped:
            rows, columns = columns, rows
        dense = transpose(b) if turned else b
        own = conj(gather(dense, columns)) if not turned else gather(dense, columns)
        of_values = reduce_sum(multiply(gather(grad, rows), own), axis=1)
        if flipped:
            of_values = conj(of_values)
        return [None, of_values, None, adjoint(of_b) if turned else of_b]


matmul_op = define(_Matmul())


def sparse_dense_matmul(
    sp_a: Any,
    b: Any,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    name: str | None = None,
) -> Tensor:
    """The product of two matrices of which one is sparse.

    https://www.tensorflow.org/api_docs/python/tf/sparse/sparse_dense_matmul

    Args:
        sp_a: the left matrix.
        b: the right matrix.
        adjoint_a: take the adjoint of the left one.
        adjoint_b: take the adjoint of the right one.
        name: of the node.

    Raises:
        TypeError: both are sparse, or none is.
        InvalidArgumentError: the sizes do not fit.
    """
    if isinstance(b, SparseTensor):
        if isinstance(sp_a, SparseTensor):
            raise TypeError("sparse_dense_matmul: one of both matrices must be dense")
        # (A B)* is B* A*, in which the sparse one comes first.
        turned = sparse_dense_matmul(
            b, sp_a, adjoint_a=not adjoint_b, adjoint_b=not adjoint_a, name=name
        )
        return adjoint(turned)
    if not isinstance(sp_a, SparseTensor):
        raise TypeError("Input must be a SparseTensor.")
    return apply(
        matmul_op, *sp_a.__tf_components__(), convert_to_tensor(b, sp_a.dtype),
        name=name or "SparseTensorDenseMatMul", adjoint_a=adjoint_a, adjoint_b=adjoint_b,
    )  # fmt: skip
