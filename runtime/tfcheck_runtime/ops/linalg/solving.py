"""Linear equations."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcheck_runtime.op import Array, Aval, Call, Op, case, define
from tfcheck_runtime.ops.array.agreement import check_same_dtypes
from tfcheck_runtime.ops.array.examples import counting
from tfcheck_runtime.ops.array.hot import eye
from tfcheck_runtime.ops.array.identity import identity
from tfcheck_runtime.ops.array.selection import where
from tfcheck_runtime.ops.array.shaping import shape as shape_of
from tfcheck_runtime.ops.linalg.decomposing import cholesky
from tfcheck_runtime.ops.linalg.matmul import matmul
from tfcheck_runtime.ops.linalg.square import (
    MATRICES,
    MATRIX,
    adjoint,
    check_matrix,
    invertible,
    wide,
)
from tfcheck_runtime.ops.linalg.triangular import triangular_solve
from tfcheck_runtime.ops.math.arithmetic import add, multiply, negative
from tfcheck_runtime.ops.math.logic import logical_not
from tfcheck_runtime.specs.shapes import are_compatible
from tfcheck_runtime.values.convert import convert_pair, convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply


class _Solve(Op):
    """The solutions of square systems of equations."""

    type = "MatrixSolve"
    kernelless = frozenset({"float16"})

    def infer(self, matrix: Aval, rhs: Aval, *, adjoint: bool) -> Aval:
        del adjoint
        check_same_dtypes(self.type, (matrix, rhs))
        check_matrix(self.type, matrix)
        check_matrix(self.type, rhs, square=False)
        check_rows(matrix, rhs)
        check_leading(matrix, rhs)
        return Aval(matrix.dtype, rhs.shape)

    def eager(self, matrix: Array, rhs: Array, *, adjoint: bool) -> Array:
        coefficients = _adjoint(wide(matrix)) if adjoint else wide(matrix)
        found = invertible(np.linalg.solve, coefficients, wide(rhs), op_type=self.type)
        return np.asarray(found).astype(matrix.dtype)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor]:
        matrix, _ = call.inputs
        flip, solution = bool(call.attrs["adjoint"]), call.outputs[0]
        for_rhs = solve(matrix, grad, adjoint=not flip)
        first, second = (solution, for_rhs) if flip else (for_rhs, solution)
        return [negative(matmul(first, second, adjoint_b=True)), for_rhs]

    cases = (
        case(MATRIX, counting(3, 2), adjoint=False),
        case(MATRICES, counting(2, 3, 1), adjoint=True, unknown=((0, 0), (1, 0))),
    )


_adjoint = adjoint


class _LeastSquares(Op):
    """The least-squares solutions by singular values, the smallest of many."""

    type = "MatrixSolveLs"

    def infer(self, matrix: Aval, rhs: Aval) -> Aval:
        check_same_dtypes(self.type, (matrix, rhs))
        check_matrix(self.type, matrix, square=False)
        check_matrix(self.type, rhs, square=False)
        check_rows(matrix, rhs)
        check_leading(matrix, rhs)
        if matrix.shape is None or rhs.shape is None:
            return Aval(matrix.dtype, None)
        return Aval(matrix.dtype, (*matrix.shape[:-2], matrix.shape[-1], rhs.shape[-1]))

    def eager(self, matrix: Array, rhs: Array) -> Array:
        small = np.finfo(matrix.dtype).eps * max(matrix.shape[-2:], default=1)
        return np.asarray(np.linalg.pinv(wide(matrix), small) @ wide(rhs)).astype(matrix.dtype)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor]:
        raise NotImplementedError("lstsq with fast=False has no gradient, as in TensorFlow")

    cases = (case(MATRIX[:, :2], counting(3, 2), differentiable=False),)


def check_rows(matrix: Aval, rhs: Aval) -> None:
    """Check that both sides of equations have the same number of rows.

    Raises:
        ValueError: they have not.
    """
    rows, others = ((a.shape or (None, None))[-2] for a in (matrix, rhs))
    if rows is not None and others is not None and rows != others:
        raise ValueError(
            f"Input matrix and rhs are incompatible: shapes {matrix.shape} and {rhs.shape}"
        )


def check_leading(matrix: Aval, rhs: Aval) -> None:
    """Check that there are as many systems as right sides.

    Raises:
        ValueError: there are not.
    """
    lead, others = (None if a.shape is None else a.shape[:-2] for a in (matrix, rhs))
    if not are_compatible(lead, others):
        raise ValueError(
            f"All input tensors must have the same outer dimensions, got shapes {matrix.shape} and"
            f" {rhs.shape}"
        )


solve_op = define(_Solve())
least_squares_op = define(_LeastSquares())


def solve(matrix: object, rhs: object, adjoint: bool = False, name: str | None = None) -> Tensor:
    """The solutions of `matrix @ x = rhs`, for matrices in the last two axes.

    https://www.tensorflow.org/api_docs/python/tf/linalg/solve

    Args:
        matrix: square.
        rhs: as many rows.
        adjoint: whether to solve with the adjoint of `matrix`.
        name: of the node.

    Raises:
        InvalidArgumentError: a matrix has no inverse, or shapes do not fit (ValueError in a graph).
    """
    left, right = convert_pair(matrix, rhs)
    return apply(solve_op, left, right, adjoint=bool(adjoint), name=name or "MatrixSolve")


def cholesky_solve(chol: object, rhs: object, name: str | None = None) -> Tensor:
    """The solutions of `(chol @ adjoint(chol)) @ x = rhs`.

    https://www.tensorflow.org/api_docs/python/tf/linalg/cholesky_solve. For errors see `solve`.
    """
    factor, right = convert_pair(chol, rhs)
    inner = triangular_solve(factor, right, lower=True)
    return triangular_solve(factor, inner, lower=True, adjoint=True, name=name)


def lstsq(
    matrix: object,
    rhs: object,
    l2_regularizer: float = 0.0,
    fast: bool = True,
    name: str | None = None,
) -> Tensor:
    """The least-squares solutions of `matrix @ x = rhs`; of many, the smallest.

    https://www.tensorflow.org/api_docs/python/tf/linalg/lstsq

    Args:
        matrix: in the last two axes.
        rhs: as many rows.
        l2_regularizer: a multiple of the squared solution that is kept small, too.
        fast: by Cholesky decomposition of the normal equations, which needs full rank; else by
            singular values, without `l2_regularizer`.
        name: of the node.

    Raises:
        InvalidArgumentError: shapes do not fit (ValueError in a graph).
        ValueError: the rank of the matrix is unknown.
    """
    left, right = convert_pair(matrix, rhs)
    if not fast:
        return apply(least_squares_op, left, right, name=name or "MatrixSolveLs")
    if left.ndim is None or left.ndim < 2:
        raise ValueError(f"lstsq: expected a matrix, got shape {left.shape}")
    rows, columns = left.shape[-2], left.shape[-1]
    if rows is None or columns is None:
        sizes: Any = shape_of(left)
        tall: Any = sizes[-2] >= sizes[-1]
        first = _tall(left, right, l2_regularizer, tall)
        return where(tall, first, _wide(left, right, l2_regularizer, tall), name=name)
    solved = _tall if rows >= columns else _wide
    return identity(solved(left, right, l2_regularizer, None), name=name)


def _tall(left: Tensor, right: Tensor, amount: float, used: Tensor | None) -> Tensor:
    """The solution where there are no more unknowns than equations."""
    factor = cholesky(_regularized(matmul(left, left, adjoint_a=True), amount, used))
    return cholesky_solve(factor, matmul(left, right, adjoint_a=True))


def _wide(left: Tensor, right: Tensor, amount: float, used: Tensor | None) -> Tensor:
    """The solution where there are more unknowns than equations."""
    unused = None if used is None else logical_not(used)
    factor = cholesky(_regularized(matmul(left, left, adjoint_b=True), amount, unused))
    return matmul(left, cholesky_solve(factor, right), adjoint_a=True)


def _regularized(matrix: Tensor, amount: float, used: Tensor | None) -> Tensor:
    """The normal matrix; one that is not `used` in the end, so that it can be decomposed."""
    if not amount and used is None:
        return matrix
    unit = eye(shape_of(matrix)[-1], dtype=matrix.dtype)
    shift = convert_to_tensor(amount, matrix.dtype)
    if used is not None:
        return where(used, add(matrix, multiply(shift, unit)), unit)
    return add(matrix, multiply(shift, unit))
