"""Cholesky and QR decompositions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tfcheck_runtime.op import Array, Aval, Call, Op, case, define
from tfcheck_runtime.ops.array.examples import counting
from tfcheck_runtime.ops.array.filling import present
from tfcheck_runtime.ops.array.hot import eye
from tfcheck_runtime.ops.array.shaping import shape as shape_of
from tfcheck_runtime.ops.linalg.diagonals import band_part, diag_part, set_diag
from tfcheck_runtime.ops.linalg.matmul import matmul
from tfcheck_runtime.ops.linalg.square import MATRICES, MATRIX, check_matrix, wide
from tfcheck_runtime.ops.linalg.transposing import adjoint
from tfcheck_runtime.ops.linalg.triangular import triangular_solve
from tfcheck_runtime.ops.math.arithmetic import add, multiply, subtract
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply, apply_n


class _Cholesky(Op):
    """Lower triangular matrices whose products with their adjoints are the inputs."""

    type = "Cholesky"
    kernelless = frozenset({"float16"})

    def infer(self, x: Aval) -> Aval:
        check_matrix(self.type, x)
        return Aval(x.dtype, x.shape)

    def eager(self, x: Array) -> Array:
        flat = wide(x).reshape((-1, *x.shape[-2:])) if x.size else wide(x)
        factors = [_factor(matrix) for matrix in flat] if x.size else flat
        return np.asarray(factors).reshape(x.shape).astype(x.dtype)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor]:
        factor = call.outputs[0]
        unit = eye(shape_of(factor)[-1], batch_shape=shape_of(factor)[:-2], dtype=factor.dtype)
        inverse = triangular_solve(factor, unit)
        middle = matmul(factor, grad, adjoint_a=True)
        half = convert_to_tensor(0.5, factor.dtype)
        middle = band_part(set_diag(middle, multiply(half, diag_part(middle))), -1, 0)
        whole = matmul(matmul(inverse, middle, adjoint_a=True), inverse)
        return [multiply(half, add(whole, adjoint(whole)))]

    cases = (
        # Not differentiated numerically: only symmetric changes keep the input valid.
        case(MATRIX, differentiable=False),
        case(MATRICES, unknown=((0, 0),), differentiable=False),
        case(np.zeros((0, 2, 2), np.float32)),
    )


def _factor(matrix: Array) -> Array:
    """TensorFlow fills the triangle with NaN where there is no decomposition."""
    try:
        return np.linalg.cholesky(np.tril(matrix) + np.conj(np.tril(matrix, -1).T))
    except np.linalg.LinAlgError:
        return np.tril(np.full_like(matrix, np.nan))


class _Qr(Op):
    """Orthonormal columns and upper triangular matrices whose products are the inputs."""

    type = "Qr"

    def infer(self, x: Aval, *, full_matrices: bool) -> tuple[Aval, Aval]:
        check_matrix(self.type, x, square=False)
        if x.shape is None:
            return Aval(x.dtype, None), Aval(x.dtype, None)
        *lead, rows, columns = x.shape
        inner = None if rows is None or columns is None else min(rows, columns)
        if full_matrices:
            return Aval(x.dtype, (*lead, rows, rows)), Aval(x.dtype, x.shape)
        return Aval(x.dtype, (*lead, rows, inner)), Aval(x.dtype, (*lead, inner, columns))

    def eager(self, x: Array, *, full_matrices: bool) -> tuple[Array, Array]:
        q, r = np.linalg.qr(wide(x), "complete" if full_matrices else "reduced")
        return q.astype(x.dtype), r.astype(x.dtype)

    def gradient(self, call: Call[Tensor], *grads: Tensor | None) -> list[Tensor]:
        q, r = call.outputs
        rows, columns = call.inputs[0].shape[-2:]
        full = call.attrs["full_matrices"] and rows != columns
        if rows is None or columns is None or rows < columns or full:
            raise NotImplementedError(
                "the gradient of qr needs at least as many rows as columns, known while tracing,"
                f" and full_matrices=False, got shape {call.inputs[0].shape}"
            )
        grad_q, grad_r = present(call, grads)
        along = matmul(q, grad_q, adjoint_a=True)
        cross = matmul(r, grad_r, adjoint_b=True)
        turn = add(subtract(along, adjoint(along)), subtract(cross, adjoint(cross)))
        inside = matmul(q, add(grad_r, _divided(band_part(turn, -1, 0), r)))
        outside = _divided(subtract(grad_q, matmul(q, along)), r)
        return [add(inside, outside)]

    cases = (
        case(counting(3, 2) + np.eye(3, 2, dtype=np.float32), full_matrices=False),
        case(MATRICES, full_matrices=False, unknown=((0, 0),)),
        case(counting(3, 2), full_matrices=True, differentiable=False),
        case(counting(2, 3), full_matrices=False, differentiable=False),
    )


def _divided(x: Tensor, r: Tensor) -> Tensor:
    """`x` times the inverse of the adjoint of `r`."""
    return adjoint(triangular_solve(r, adjoint(x), lower=False))


cholesky_op = define(_Cholesky())
qr_op = define(_Qr())


def cholesky(input: object, name: str | None = None) -> Tensor:
    """The lower Cholesky factors of Hermitian positive definite matrices; else NaN.

    https://www.tensorflow.org/api_docs/python/tf/linalg/cholesky

    Raises:
        InvalidArgumentError: a matrix is not square (ValueError in a graph).
    """
    return apply(cholesky_op, convert_to_tensor(input), name=name or "Cholesky")


class Qr(NamedTuple):
    """Orthonormal columns `q` and an upper triangular matrix `r`."""

    q: Tensor
    r: Tensor


def qr(input: object, full_matrices: bool = False, name: str | None = None) -> Qr:
    """The QR decompositions of the matrices in the last two axes.

    https://www.tensorflow.org/api_docs/python/tf/linalg/qr

    Raises:
        InvalidArgumentError: the rank is less than 2 (ValueError in a graph).
    """
    full = bool(full_matrices)
    return Qr(*apply_n(qr_op, convert_to_tensor(input), full_matrices=full, name=name or "Qr"))
