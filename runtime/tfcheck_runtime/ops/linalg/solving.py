"""Linear equations."""

from __future__ import annotations

import numpy as np

from tfcheck_runtime.op import Array, Aval, Call, Op, case, define
from tfcheck_runtime.ops.array.agreement import check_same_dtypes
from tfcheck_runtime.ops.array.examples import counting
from tfcheck_runtime.ops.array.hot import eye
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
from tfcheck_runtime.values.convert import convert_pair, convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply


class _Solve(Op):
    """The solutions of square systems of equations."""

    type = "MatrixSolve"

    def infer(self, matrix: Aval, rhs: Aval, *, adjoint: bool) -> Aval:
        del adjoint
        check_same_dtypes(self.type, (matrix, rhs))
        check_matrix(self.type, matrix)
        check_matrix(self.type, rhs, square=False)
        check_rows(matrix, rhs)
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


solve_op = define(_Solve())


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

    https://www.tensorflow.org/api_docs/python/tf/linalg/lstsq. Always takes TensorFlow's fast
    path, by Cholesky decomposition of the normal equations, which needs full rank.

    Raises:
        InvalidArgumentError: shapes do not fit (ValueError in a graph).
        ValueError: the sizes of the matrix are unknown.
    """
    del fast
    left, right = convert_pair(matrix, rhs)
    rows, columns = left.shape[-2], left.shape[-1]
    if rows is None or columns is None:
        raise ValueError(f"lstsq: expected a matrix of known size, got shape {left.shape}")
    if rows >= columns:
        normal = matmul(left, left, adjoint_a=True)
        factor = cholesky(_regularized(normal, columns, l2_regularizer))
        return cholesky_solve(factor, matmul(left, right, adjoint_a=True), name=name)
    normal = matmul(left, left, adjoint_b=True)
    factor = cholesky(_regularized(normal, rows, l2_regularizer))
    return matmul(left, cholesky_solve(factor, right), adjoint_a=True, name=name)


def _regularized(matrix: Tensor, size: int, amount: float) -> Tensor:
    if not amount:
        return matrix
    unit = eye(size, dtype=matrix.dtype)
    return add(matrix, multiply(convert_to_tensor(amount, matrix.dtype), unit))
