"""Functions of square matrices: exponential, logarithm and square root."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from tfcheck_runtime.op import Array, Aval, Call, Op, case, define
from tfcheck_runtime.ops.array.agreement import check_kind
from tfcheck_runtime.ops.array.filling import zeros_like
from tfcheck_runtime.ops.array.hot import eye
from tfcheck_runtime.ops.array.joining import concat
from tfcheck_runtime.ops.array.shaping import reshape, shape as shape_of
from tfcheck_runtime.ops.linalg.einsum import einsum
from tfcheck_runtime.ops.linalg.solving import solve
from tfcheck_runtime.ops.linalg.square import MATRICES, MATRIX, check_matrix
from tfcheck_runtime.ops.linalg.transposing import adjoint
from tfcheck_runtime.ops.math.arithmetic import add
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply

_PADE: Final = (
    64764752532480000.0, 32382376266240000.0, 7771770303897600.0, 1187353796428800.0,
    129060195264000.0, 10559470521600.0, 670442572800.0, 33522128640.0, 1323241920.0,
    40840800.0, 960960.0, 16380.0, 182.0, 1.0,
)  # fmt: skip
_PADE_NORM: Final = 5.371920351148152
"""Up to this norm the approximation of degree 13 is exact to rounding (N. J. Higham, "The scaling
and squaring method for the matrix exponential revisited", 2005)."""


class _OfMatrices(Op):
    """A function of the square matrices in the last two axes."""

    def infer(self, x: Aval) -> Aval:
        check_matrix(self.type, x)
        return Aval(x.dtype, x.shape)

    def eager(self, x: Array) -> Array:
        flat = x.reshape(math.prod(x.shape[:-2]), *x.shape[-2:])
        wider = np.complex128 if x.dtype.kind == "c" else np.float64
        found = [self.of_matrix(matrix.astype(wider)) for matrix in flat]
        return np.array(found, wider).astype(x.dtype).reshape(x.shape)

    def of_matrix(self, matrix: Array) -> Array:
        """The function of one matrix of doubles."""
        raise NotImplementedError


class _Exponential(_OfMatrices):
    """The matrix exponential, by a rational approximation of a part and squaring."""

    type = "MatrixExponential"
    kernelless = frozenset({"float16"})

    def of_matrix(self, matrix: Array) -> Array:
        norm = np.abs(matrix).sum(0).max(initial=0.0)
        if not np.isfinite(norm):
            return np.full_like(matrix, np.nan)
        halvings = max(0, math.ceil(math.log2(norm / _PADE_NORM))) if norm else 0
        part = matrix / 2.0**halvings
        odd, even = _pade(part)
        found = np.linalg.solve(even - odd, even + odd)
        for _ in range(halvings):
            found = found @ found
        return np.asarray(found)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor]:
        # The derivative in a direction stands beside the exponential of a block matrix.
        turned = adjoint(call.inputs[0])
        above = concat([turned, grad], -1)
        below = concat([zeros_like(turned), turned], -1)
        whole = expm(concat([above, below], -2))
        size = shape_of(turned)[-1]
        return [reshape(whole[..., :size, size:], shape_of(turned))]

    cases = (case(0.5 * MATRIX), case(MATRICES, unknown=((0, 0),)))


def _pade(x: Array) -> tuple[Array, Array]:
    """The odd and the even half of the numerator."""
    unit, square = np.eye(len(x), dtype=x.dtype), x @ x
    odd, even = np.zeros_like(x), np.zeros_like(x)
    power = unit
    for i in range(0, len(_PADE), 2):
        even, odd = even + _PADE[i] * power, odd + _PADE[i + 1] * power
        power = power @ square
    return x @ odd, even


class _Logarithm(_OfMatrices):
    """The principal logarithm of complex matrices."""

    type = "MatrixLogarithm"

    def infer(self, x: Aval) -> Aval:
        check_kind(self.type, x, {"complex64", "complex128"})
        return super().infer(x)

    def of_matrix(self, matrix: Array) -> Array:
        return _by_eigenvalues(matrix, np.log)

    cases = (case(MATRIX.astype(np.complex64), differentiable=False),)


class _SquareRoot(_OfMatrices):
    """The principal square root; NaN where it is not real and the matrix is."""

    type = "MatrixSquareRoot"
    kernelless = frozenset({"float16"})

    def of_matrix(self, matrix: Array) -> Array:
        if not np.isfinite(matrix).all():
            return np.full_like(matrix, np.nan)
        found = _by_eigenvalues(matrix.astype(np.complex128), np.sqrt)
        if matrix.dtype.kind == "c":
            return found
        real = np.abs(found.imag).max(initial=0.0) <= 1e-6 * np.abs(found).max(initial=0.0)
        return found.real if real else np.full_like(matrix, np.nan)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor]:
        # The Sylvester equation X* G + G X* = dX, as linear equations for the elements of G.
        root = adjoint(call.outputs[0])
        size = shape_of(root)[-1]
        unit = eye(size, dtype=root.dtype)
        lead = shape_of(root)[:-2]
        left = einsum("...ik,jl->...ijkl", root, unit)
        right = einsum("...lj,ik->...ijkl", root, unit)
        count = size * size
        system = reshape(add(left, right), concat([lead, [count, count]], 0))
        found = solve(system, reshape(grad, concat([lead, [count, 1]], 0)))
        return [reshape(found, shape_of(root))]

    cases = (case(MATRIX), case(MATRICES, unknown=((0, 0),)))


def _by_eigenvalues(matrix: Array, function: np.ufunc) -> Array:
    values, vectors = np.linalg.eig(matrix)
    with np.errstate(all="ignore"):
        return np.asarray(np.linalg.solve(vectors.T, (vectors * function(values)).T).T)


expm_op = define(_Exponential())
logm_op = define(_Logarithm())
sqrtm_op = define(_SquareRoot())


def expm(input: object, name: str | None = None) -> Tensor:
    """The exponentials of square matrices.

    https://www.tensorflow.org/api_docs/python/tf/linalg/expm

    Raises:
        InvalidArgumentError: a matrix is not square (ValueError in a graph).
    """
    return apply(expm_op, convert_to_tensor(input), name=name or "matrix_exponential")


def logm(input: object, name: str | None = None) -> Tensor:
    """The principal logarithms of complex square matrices.

    https://www.tensorflow.org/api_docs/python/tf/linalg/logm

    Raises:
        InvalidArgumentError: they are not complex (TypeError in a graph) or not square.
    """
    return apply(logm_op, convert_to_tensor(input), name=name or "MatrixLogarithm")


def sqrtm(input: object, name: str | None = None) -> Tensor:
    """The principal square roots of square matrices.

    https://www.tensorflow.org/api_docs/python/tf/linalg/sqrtm

    Raises:
        InvalidArgumentError: a matrix is not square (ValueError in a graph).
    """
    return apply(sqrtm_op, convert_to_tensor(input), name=name or "MatrixSquareRoot")
