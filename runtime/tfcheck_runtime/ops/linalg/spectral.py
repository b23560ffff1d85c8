"""Eigenvalues of Hermitian matrices and singular values."""

from __future__ import annotations

import numpy as np

from tfcheck_runtime.op import Array, Aval, Call, Op, case, define
from tfcheck_runtime.ops.array.examples import counting
from tfcheck_runtime.ops.array.filling import zeros_like
from tfcheck_runtime.ops.array.selection import where
from tfcheck_runtime.ops.array.squeezing import expand_dims
from tfcheck_runtime.ops.linalg.diagonals import band_part, diag, diag_part, set_diag
from tfcheck_runtime.ops.linalg.matmul import matmul
from tfcheck_runtime.ops.linalg.square import MATRICES, MATRIX, check_matrix, wide
from tfcheck_runtime.ops.linalg.transposing import adjoint
from tfcheck_runtime.ops.math.arithmetic import add, multiply, square, subtract
from tfcheck_runtime.ops.math.comparison import equal
from tfcheck_runtime.ops.math.exponential import reciprocal
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply_n


class _Eigh(Op):
    """Eigenvalues, rising, and eigenvectors of Hermitian matrices."""

    type = "SelfAdjointEigV2"
    kernelless = frozenset({"float16"})

    def infer(self, x: Aval, *, compute_v: bool) -> tuple[Aval, Aval]:
        check_matrix(self.type, x)
        values = None if x.shape is None else x.shape[:-1]
        return Aval(x.dtype, values), Aval(x.dtype, x.shape if compute_v else (0,))

    def eager(self, x: Array, *, compute_v: bool) -> tuple[Array, Array]:
        if not compute_v:
            values = np.linalg.eigvalsh(wide(x), "L")
            return values.astype(x.dtype), np.zeros(0, x.dtype)
        values, vectors = np.linalg.eigh(wide(x), "L")
        return values.astype(x.dtype), vectors.astype(x.dtype)

    def gradient(
        self, call: Call[Tensor], grad_values: Tensor | None, grad_vectors: Tensor | None
    ) -> list[Tensor]:
        values, vectors = call.outputs
        if not call.attrs["compute_v"]:
            grad_vectors, vectors = None, eigh(call.inputs[0])[1]
        inner = diag(zeros_like(values) if grad_values is None else grad_values)
        if grad_vectors is not None:
            turn = matmul(vectors, grad_vectors, adjoint_a=True)
            inner = add(inner, multiply(_inverse_gaps(values), turn))
        whole = matmul(vectors, matmul(inner, vectors, adjoint_b=True))
        # Only the lower triangle of the input was read.
        lower = band_part(add(whole, adjoint(whole)), -1, 0)
        half = convert_to_tensor(0.5, whole.dtype)
        return [set_diag(lower, multiply(half, diag_part(lower)))]

    cases = (
        case(MATRIX, compute_v=True),
        case(MATRICES, compute_v=False, unknown=((0, 0),)),
    )


def _inverse_gaps(values: Tensor) -> Tensor:
    """At row i and column j 1 / (value j - value i), and zeros on the diagonal."""
    gaps = subtract(expand_dims(values, -2), expand_dims(values, -1))
    level = equal(gaps, 0)
    return where(level, zeros_like(gaps), reciprocal(where(level, 1, gaps)))


class _Svd(Op):
    """Singular values, falling, and left and right singular vectors."""

    type = "Svd"
    kernelless = frozenset({"float16"})

    def infer(self, x: Aval, *, compute_uv: bool, full_matrices: bool) -> tuple[Aval, Aval, Aval]:
        check_matrix(self.type, x, square=False)
        size = x.dtype.real_dtype
        if x.shape is None:
            return Aval(size, None), Aval(x.dtype, None), Aval(x.dtype, None)
        *lead, rows, columns = x.shape
        inner = None if rows is None or columns is None else min(rows, columns)
        values = Aval(size, (*lead, inner))
        if not compute_uv:
            return values, Aval(x.dtype, (0,)), Aval(x.dtype, (0,))
        left, right = (rows, columns) if full_matrices else (inner, inner)
        return values, Aval(x.dtype, (*lead, rows, left)), Aval(x.dtype, (*lead, columns, right))

    def eager(
        self, x: Array, *, compute_uv: bool, full_matrices: bool
    ) -> tuple[Array, Array, Array]:
        size = x.real.dtype
        if not compute_uv:
            values = np.linalg.svd(wide(x), compute_uv=False)
            return values.astype(size), np.zeros(0, x.dtype), np.zeros(0, x.dtype)
        u, values, vh = np.linalg.svd(wide(x), full_matrices)
        v = np.conj(np.swapaxes(vh, -1, -2))
        return values.astype(size), u.astype(x.dtype), v.astype(x.dtype)

    def gradient(
        self,
        call: Call[Tensor],
        grad_s: Tensor | None,
        grad_u: Tensor | None,
        grad_v: Tensor | None,
    ) -> list[Tensor]:
        x, values = call.inputs[0], call.outputs[0]
        if x.dtype.is_complex or (call.attrs["full_matrices"] and x.shape[-1] != x.shape[-2]):
            raise NotImplementedError(
                "the gradient of svd needs real matrices and full_matrices=False, got"
                f" {x.dtype.name} of shape {x.shape}"
            )
        u, v = call.outputs[1:]
        if not call.attrs["compute_uv"]:
            grad_u = grad_v = None
            _, u, v = _svd(x, False, True, name=None)
        inner = diag(zeros_like(values) if grad_s is None else grad_s)
        for turn, left in ((grad_u, True), (grad_v, False)):
            if turn is not None:
                inner = add(inner, _turned(u if left else v, turn, values, left=left))
        total = matmul(matmul(u, inner), v, transpose_b=True)
        if grad_u is not None:
            total = add(total, matmul(_outside(u, grad_u, values), v, transpose_b=True))
        if grad_v is not None:
            total = add(total, matmul(u, _outside(v, grad_v, values), transpose_b=True))
        return [total]

    cases = (
        case(MATRIX, compute_uv=False, full_matrices=False),
        case(MATRICES, compute_uv=True, full_matrices=False, unknown=((0, 0),)),
        case(counting(3, 2) + np.eye(3, 2, dtype=np.float32), compute_uv=True,
             full_matrices=False),
        case(counting(2, 3), compute_uv=True, full_matrices=True, differentiable=False),
    )  # fmt: skip


def _turned(vectors: Tensor, grad: Tensor, values: Tensor, *, left: bool) -> Tensor:
    """What a turn of singular vectors within their span contributes, between `u` and `v`."""
    along = matmul(vectors, grad, transpose_a=True)
    turn = multiply(_inverse_gaps(square(values)), subtract(along, adjoint(along)))
    scale = diag(values)
    return matmul(turn, scale) if left else matmul(scale, turn)


def _outside(vectors: Tensor, grad: Tensor, values: Tensor) -> Tensor:
    """What a turn of singular vectors out of their span contributes."""
    within = matmul(vectors, matmul(vectors, grad, transpose_a=True))
    scale = expand_dims(reciprocal(values), -2)
    return multiply(subtract(grad, within), scale)


eigh_op = define(_Eigh())
svd_op = define(_Svd())


def eigh(tensor: object, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Eigenvalues, rising, and eigenvectors of Hermitian matrices; the lower triangle is read.

    https://www.tensorflow.org/api_docs/python/tf/linalg/eigh

    Raises:
        InvalidArgumentError: a matrix is not square (ValueError in a graph).
    """
    found = apply_n(
        eigh_op, convert_to_tensor(tensor), compute_v=True, name=name or "SelfAdjointEigV2"
    )
    return found[0], found[1]


def eigvalsh(tensor: object, name: str | None = None) -> Tensor:
    """Eigenvalues of Hermitian matrices, rising; for errors see `eigh`.

    https://www.tensorflow.org/api_docs/python/tf/linalg/eigvalsh
    """
    label = name or "SelfAdjointEigV2"
    return apply_n(eigh_op, convert_to_tensor(tensor), compute_v=False, name=label)[0]


def svd(
    tensor: object, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None
) -> Tensor | tuple[Tensor, Tensor, Tensor]:
    """Singular values, falling, and the vectors: `tensor = u @ diag(s) @ adjoint(v)`.

    https://www.tensorflow.org/api_docs/python/tf/linalg/svd

    Args:
        tensor: matrices in the last two axes.
        full_matrices: whether the vectors fill a whole basis.
        compute_uv: whether to return the vectors.
        name: of the node.

    Returns:
        `(s, u, v)`, or `s` alone.

    Raises:
        InvalidArgumentError: the rank is less than 2 (ValueError in a graph).
    """
    s, u, v = _svd(tensor, full_matrices, compute_uv, name=name)
    return (s, u, v) if compute_uv else s


def _svd(
    tensor: object, full_matrices: bool, compute_uv: bool, *, name: str | None
) -> tuple[Tensor, Tensor, Tensor]:
    s, u, v = apply_n(
        svd_op,
        convert_to_tensor(tensor),
        compute_uv=bool(compute_uv),
        full_matrices=bool(full_matrices),
        name=name or "Svd",
    )
    return s, u, v
