"""Inverses and determinants."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tfcheck_runtime.op import Array, Aval, Call, Op, case, define
from tfcheck_runtime.ops.array.examples import f32
from tfcheck_runtime.ops.array.reduction import reduce_sum
from tfcheck_runtime.ops.array.squeezing import expand_dims
from tfcheck_runtime.ops.linalg.decomposing import cholesky
from tfcheck_runtime.ops.linalg.diagonals import diag_part
from tfcheck_runtime.ops.linalg.matmul import matmul
from tfcheck_runtime.ops.linalg.square import (
    MATRICES,
    MATRIX,
    adjoint,
    check_matrix,
    invertible,
    wide,
)
from tfcheck_runtime.ops.linalg.transposing import adjoint as matrix_adjoint
from tfcheck_runtime.ops.math.arithmetic import multiply, negative
from tfcheck_runtime.ops.math.complexes import conj, real
from tfcheck_runtime.ops.math.exponential import log
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply, apply_n


class _Inverse(Op):
    """The inverses of square matrices, or of their adjoints."""

    type = "MatrixInverse"

    def infer(self, x: Aval, *, adjoint: bool) -> Aval:
        del adjoint
        check_matrix(self.type, x)
        return Aval(x.dtype, x.shape)

    def eager(self, x: Array, *, adjoint: bool) -> Array:
        found = invertible(np.linalg.inv, wide(x), op_type=self.type)
        return _flipped(found, adjoint).astype(x.dtype)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor]:
        inverse, flip = call.outputs[0], bool(call.attrs["adjoint"])
        right = matmul(grad, inverse, adjoint_b=True)
        spread = negative(matmul(inverse, right, adjoint_a=True))
        return [matrix_adjoint(spread) if flip else spread]

    cases = (
        case(MATRIX, adjoint=False),
        case(MATRICES, adjoint=True, unknown=((0, 0),)),
        case(np.zeros((0, 2, 2), np.float32), adjoint=False),
    )


def _flipped(x: Array, flip: bool) -> Array:
    return adjoint(x) if flip else x


class _Determinant(Op):
    """The determinants of square matrices."""

    type = "MatrixDeterminant"
    kernelless = frozenset({"float16"})

    def infer(self, x: Aval) -> Aval:
        check_matrix(self.type, x)
        return Aval(x.dtype, None if x.shape is None else x.shape[:-2])

    def eager(self, x: Array) -> Array:
        return np.asarray(np.linalg.det(wide(x))).astype(x.dtype)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor]:
        (x,), (determinant,) = call.inputs, call.outputs
        factor = multiply(grad, conj(determinant) if x.dtype.is_complex else determinant)
        return [multiply(_as_matrix(factor), inv(x, adjoint=True))]

    cases = (
        case(MATRIX),
        case(MATRICES, unknown=((0, 0),)),
        case(f32([[1, 2], [2, 4]]), differentiable=False),
        case(np.zeros((0, 0), np.float32)),
    )


def _as_matrix(x: Tensor) -> Tensor:
    return expand_dims(expand_dims(x, -1), -1)


class _LogDeterminant(Op):
    """Sign and logarithm of the absolute value of determinants."""

    type = "LogMatrixDeterminant"
    kernelless = frozenset({"float16"})

    def infer(self, x: Aval) -> tuple[Aval, Aval]:
        check_matrix(self.type, x)
        shape = None if x.shape is None else x.shape[:-2]
        return Aval(x.dtype, shape), Aval(x.dtype, shape)

    def eager(self, x: Array) -> tuple[Array, Array]:
        sign, logarithm = np.linalg.slogdet(wide(x))
        return np.asarray(sign).astype(x.dtype), np.asarray(logarithm).astype(x.dtype)

    def gradient(
        self, call: Call[Tensor], sign: Tensor | None, logarithm: Tensor | None
    ) -> list[Tensor | None]:
        del sign  # constant wherever it is differentiable
        if logarithm is None:
            return [None]
        return [multiply(_as_matrix(logarithm), inv(call.inputs[0], adjoint=True))]

    cases = (case(MATRIX), case(MATRICES, unknown=((0, 0),)))


inverse_op = define(_Inverse())
determinant_op = define(_Determinant())
log_determinant_op = define(_LogDeterminant())


def inv(input: object, adjoint: bool = False, name: str | None = None) -> Tensor:
    """The inverses of the square matrices in the last two axes, or of their adjoints.

    https://www.tensorflow.org/api_docs/python/tf/linalg/inv

    Raises:
        InvalidArgumentError: a matrix is not square (ValueError in a graph) or has no inverse.
    """
    tensor = convert_to_tensor(input)
    return apply(inverse_op, tensor, adjoint=bool(adjoint), name=name or "MatrixInverse")


def det(input: object, name: str | None = None) -> Tensor:
    """The determinants of the square matrices in the last two axes.

    https://www.tensorflow.org/api_docs/python/tf/linalg/det

    Raises:
        InvalidArgumentError: a matrix is not square (ValueError in a graph).
    """
    return apply(determinant_op, convert_to_tensor(input), name=name or "MatrixDeterminant")


class SignedLogDeterminant(NamedTuple):
    """Sign and logarithm of the absolute value of determinants."""

    sign: Tensor
    log_abs_determinant: Tensor


def slogdet(input: object, name: str | None = None) -> SignedLogDeterminant:
    """Sign and logarithm of the absolute value of determinants; for errors see `det`.

    https://www.tensorflow.org/api_docs/python/tf/linalg/slogdet
    """
    label = name or "LogMatrixDeterminant"
    return SignedLogDeterminant(*apply_n(log_determinant_op, convert_to_tensor(input), name=label))


def logdet(matrix: object, name: str | None = None) -> Tensor:
    """The logarithms of the determinants of Hermitian positive definite matrices.

    https://www.tensorflow.org/api_docs/python/tf/linalg/logdet
    """
    factor = cholesky(matrix)
    logarithms = log(real(diag_part(factor)))
    return multiply(reduce_sum(logarithms, [-1]), 2.0, name=name)
