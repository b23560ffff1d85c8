"""Triangular systems of equations."""

from __future__ import annotations

import numpy as np

from tfcheck_runtime.op import Array, Aval, Call, Op, case, define
from tfcheck_runtime.ops.array.agreement import check_same_dtypes
from tfcheck_runtime.ops.array.broadcasting import sum_to
from tfcheck_runtime.ops.array.examples import counting
from tfcheck_runtime.ops.linalg.diagonals import band_part
from tfcheck_runtime.ops.linalg.matmul import matmul
from tfcheck_runtime.ops.linalg.square import MATRICES, MATRIX, adjoint, check_matrix, wide
from tfcheck_runtime.ops.math.arithmetic import negative
from tfcheck_runtime.specs.shapes import broadcast
from tfcheck_runtime.values.convert import convert_pair
from tfcheck_runtime.values.tensor import Tensor, apply

_adjoint = adjoint


class _TriangularSolve(Op):
    """The solutions of triangular systems; what lies on the other side is not read."""

    type = "MatrixTriangularSolve"

    def infer(self, matrix: Aval, rhs: Aval, *, lower: bool, adjoint: bool) -> Aval:
        del lower, adjoint
        check_same_dtypes(self.type, (matrix, rhs))
        check_matrix(self.type, matrix)
        check_matrix(self.type, rhs, square=False)
        if matrix.shape is None or rhs.shape is None:
            return Aval(rhs.dtype, None)
        if None not in (matrix.shape[-1], rhs.shape[-2]) and matrix.shape[-1] != rhs.shape[-2]:
            raise ValueError(
                f"Input matrix and rhs are incompatible: shapes {matrix.shape} and {rhs.shape}"
            )
        lead = broadcast(matrix.shape[:-2], rhs.shape[:-2]) or ()
        return Aval(rhs.dtype, (*lead, *rhs.shape[-2:]))

    def eager(self, matrix: Array, rhs: Array, *, lower: bool, adjoint: bool) -> Array:
        kept = np.tril(wide(matrix)) if lower else np.triu(wide(matrix))
        matrix = _adjoint(kept) if adjoint else kept
        if (np.diagonal(matrix, axis1=-2, axis2=-1) == 0).any():
            return _substituted(matrix, wide(rhs), lower != adjoint).astype(rhs.dtype)
        return np.asarray(np.linalg.solve(matrix, wide(rhs))).astype(rhs.dtype)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor]:
        matrix, rhs = call.inputs
        lower, flip = bool(call.attrs["lower"]), bool(call.attrs["adjoint"])
        solution = call.outputs[0]
        for_rhs = triangular_solve(matrix, grad, lower=lower, adjoint=not flip)
        first, second = (solution, for_rhs) if flip else (for_rhs, solution)
        whole = negative(matmul(first, second, adjoint_b=True))
        triangle = band_part(whole, -1, 0) if lower else band_part(whole, 0, -1)
        return [sum_to(triangle, matrix), sum_to(for_rhs, rhs)]

    cases = (
        case(MATRIX, counting(3, 2), lower=True, adjoint=False),
        case(MATRICES, counting(2, 3, 1), lower=False, adjoint=True, unknown=((0, 0), (1, 0))),
        case(MATRIX, counting(2, 3, 1), lower=True, adjoint=True),
    )


def _substituted(matrix: Array, rhs: Array, lower: bool) -> Array:
    """The solutions row by row: where there is none, infinite or NaN."""
    lead = np.broadcast_shapes(matrix.shape[:-2], rhs.shape[:-2])
    found = np.broadcast_to(rhs, (*lead, *rhs.shape[-2:])).copy()
    rows = range(rhs.shape[-2])
    with np.errstate(all="ignore"):
        for i in rows if lower else reversed(rows):
            before = slice(0, i) if lower else slice(i + 1, None)
            sums = matrix[..., i : i + 1, before] @ found[..., before, :]
            found[..., i, :] = (found[..., i, :] - sums[..., 0, :]) / matrix[..., i, i, None]
    return found


triangular_solve_op = define(_TriangularSolve())


def triangular_solve(
    matrix: object,
    rhs: object,
    lower: bool = True,
    adjoint: bool = False,
    name: str | None = None,
) -> Tensor:
    """The solutions of `matrix @ x = rhs` for triangular matrices in the last two axes.

    https://www.tensorflow.org/api_docs/python/tf/linalg/triangular_solve

    Args:
        matrix: square; only one triangle is read.
        rhs: as many rows.
        lower: whether it is the lower triangle.
        adjoint: whether to solve with the adjoint of `matrix`.
        name: of the node.

    Raises:
        InvalidArgumentError: shapes do not fit (ValueError in a graph).
    """
    left, right = convert_pair(matrix, rhs)
    label = name or "MatrixTriangularSolve"
    return apply(
        triangular_solve_op, left, right, lower=bool(lower), adjoint=bool(adjoint), name=label
    )
