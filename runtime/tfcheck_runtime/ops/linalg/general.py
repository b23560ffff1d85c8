"""Eigenvalues of square matrices of any kind."""

from __future__ import annotations

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Aval, Call, Op, case, define
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.filling import zeros_like
from tfcheck_runtime.ops.array.selection import where
from tfcheck_runtime.ops.array.squeezing import expand_dims
from tfcheck_runtime.ops.linalg.diagonals import diag, diag_part
from tfcheck_runtime.ops.linalg.matmul import matmul
from tfcheck_runtime.ops.linalg.solving import solve
from tfcheck_runtime.ops.linalg.square import MATRIX, check_matrix
from tfcheck_runtime.ops.linalg.transposing import adjoint
from tfcheck_runtime.ops.math.arithmetic import add, multiply, subtract
from tfcheck_runtime.ops.math.comparison import equal
from tfcheck_runtime.ops.math.complexes import conj
from tfcheck_runtime.ops.math.exponential import reciprocal
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import DType
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply_n


class _Eig(Op):
    """Eigenvalues, in no order, and eigenvectors, always complex."""

    type = "Eig"

    def infer(self, x: Aval, *, compute_v: bool, dtype: DType) -> tuple[Aval, Aval]:
        check_matrix(self.type, x)
        values = None if x.shape is None else x.shape[:-1]
        return Aval(dtype, values), Aval(dtype, x.shape if compute_v else (0,))

    def eager(self, x: Array, *, compute_v: bool, dtype: DType) -> tuple[Array, Array]:
        if not np.isfinite(x).all():
            raise invalid_argument("Input matrix must not hold inf or nan", self.type)
        kind = dtype.numpy
        if not compute_v:
            return np.linalg.eigvals(x).astype(kind), np.zeros(0, kind)
        values, vectors = np.linalg.eig(x)
        return values.astype(kind), vectors.astype(kind)

    def gradient(
        self, call: Call[Tensor], grad_values: Tensor | None, grad_vectors: Tensor | None
    ) -> list[Tensor]:
        (x,), (values, vectors) = call.inputs, call.outputs
        if not call.attrs["compute_v"]:
            grad_vectors, (values, vectors) = None, eig(x)
        inner = diag(zeros_like(values) if grad_values is None else grad_values)
        raised = adjoint(vectors)
        if grad_vectors is not None:
            gaps = subtract(expand_dims(values, -2), expand_dims(values, -1))
            level = equal(gaps, 0)
            inverse = where(level, zeros_like(gaps), reciprocal(where(level, 1, gaps)))
            turn = matmul(raised, grad_vectors)
            scale = diag(cast(diag_part(turn), turn.dtype))
            fixed = subtract(turn, matmul(matmul(raised, vectors), scale))
            inner = add(inner, multiply(conj(inverse), fixed))
        whole = solve(raised, matmul(inner, raised))
        return [whole if x.dtype.is_complex else cast(whole, x.dtype)]

    cases = (
        case(MATRIX, compute_v=False, dtype=dtypes.complex64, differentiable=False),
        case(np.stack([MATRIX, MATRIX.T @ MATRIX]), compute_v=True, dtype=dtypes.complex64,
             unknown=((0, 0),), differentiable=False),
    )  # fmt: skip


eig_op = define(_Eig())


def eig(tensor: object, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Complex eigenvalues, in no order, and eigenvectors of square matrices.

    https://www.tensorflow.org/api_docs/python/tf/linalg/eig

    Raises:
        InvalidArgumentError: a matrix is not square (ValueError in a graph), or holds nan.
    """
    values, vectors = _decomposed(tensor, compute_v=True, name=name)
    return values, vectors


def eigvals(tensor: object, name: str | None = None) -> Tensor:
    """Complex eigenvalues of square matrices, in no order; for errors see `eig`.

    https://www.tensorflow.org/api_docs/python/tf/linalg/eigvals
    """
    return _decomposed(tensor, compute_v=False, name=name)[0]


def _decomposed(tensor: object, *, compute_v: bool, name: str | None) -> tuple[Tensor, ...]:
    matrix = convert_to_tensor(tensor)
    wide = matrix.dtype in (dtypes.float64, dtypes.complex128)
    dtype = dtypes.complex128 if wide else dtypes.complex64
    return tuple(apply_n(eig_op, matrix, compute_v=compute_v, dtype=dtype, name=name or "Eig"))
