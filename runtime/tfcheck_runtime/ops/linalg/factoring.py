"""LU decompositions, and what follows from them."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Aval, Call, Op, case, define
from tfcheck_runtime.ops.array.broadcasting import broadcast_to
from tfcheck_runtime.ops.array.filling import ones_like, present, zeros_like
from tfcheck_runtime.ops.array.gathering import gather
from tfcheck_runtime.ops.array.hot import eye
from tfcheck_runtime.ops.array.joining import concat
from tfcheck_runtime.ops.array.shaping import shape as shape_of
from tfcheck_runtime.ops.array.sorting import argsort
from tfcheck_runtime.ops.linalg.diagonals import band_part, diag_part, set_diag
from tfcheck_runtime.ops.linalg.matmul import matmul
from tfcheck_runtime.ops.linalg.square import MATRICES, check_matrix
from tfcheck_runtime.ops.linalg.transposing import adjoint
from tfcheck_runtime.ops.linalg.triangular import triangular_solve
from tfcheck_runtime.ops.math.arithmetic import add
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import DType, as_dtype
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply_n


class _Lu(Op):
    """Both triangles packed into one matrix, and the rows that were taken, best first."""

    type = "Lu"

    def infer(self, x: Aval, *, output_idx_type: DType) -> tuple[Aval, Aval]:
        check_matrix(self.type, x)
        return Aval(x.dtype, x.shape), Aval(output_idx_type, x.shape[:-1] if x.shape else None)

    def eager(self, x: Array, *, output_idx_type: DType) -> tuple[Array, Array]:
        flat = x.reshape(math.prod(x.shape[:-2]), *x.shape[-2:])
        pairs = [self._factored(matrix) for matrix in flat]
        packed = np.array([p[0] for p in pairs], x.dtype).reshape(x.shape)
        rows = np.array([p[1] for p in pairs], output_idx_type.numpy)
        return packed, rows.reshape(x.shape[:-1])

    def _factored(self, matrix: Array) -> tuple[Array, Array]:
        packed, rows = matrix.copy(), np.arange(len(matrix))
        for i in range(len(packed)):
            best = i + int(np.argmax(np.abs(packed[i:, i])))
            if packed[best, i] == 0:
                raise invalid_argument("Input is not invertible.", self.type)
            if best != i:
                packed[[i, best]], rows[[i, best]] = packed[[best, i]], rows[[best, i]]
            packed[i + 1 :, i] /= packed[i, i]
            packed[i + 1 :, i + 1 :] -= np.outer(packed[i + 1 :, i], packed[i, i + 1 :])
        return packed, rows

    def gradient(self, call: Call[Tensor], *grads: Tensor | None) -> list[Tensor]:
        packed, rows = call.outputs
        (grad, _) = present(call, grads)
        lower, upper = _triangles(packed)
        below = _strictly_lower(matmul(lower, _strictly_lower(grad), adjoint_a=True))
        above = band_part(matmul(band_part(grad, 0, -1), upper, adjoint_b=True), 0, -1)
        left = triangular_solve(lower, add(below, above), lower=True, adjoint=True)
        whole = _right_divided(left, upper)
        return [_gathered(whole, argsort(rows))]

    cases = (
        case(MATRICES[0, ::-1], output_idx_type=dtypes.int32),
        case(MATRICES, output_idx_type=dtypes.int64, unknown=((0, 0),)),
    )


def _triangles(packed: Tensor) -> tuple[Tensor, Tensor]:
    lower = set_diag(_strictly_lower(packed), ones_like(diag_part(packed)))
    return lower, band_part(packed, 0, -1)


def _strictly_lower(x: Tensor) -> Tensor:
    lower = band_part(x, -1, 0)
    return set_diag(lower, zeros_like(diag_part(lower)))


def _right_divided(x: Tensor, upper: Tensor) -> Tensor:
    """`x` times the inverse of the adjoint of `upper`."""
    # X U* = Y is U X* = Y*, whose matrix is upper triangular.
    flipped = triangular_solve(upper, adjoint(x), lower=False)
    return adjoint(flipped)


def _gathered(x: Tensor, rows: Tensor) -> Tensor:
    """The rows of each matrix in the order of its list."""
    return gather(x, rows, axis=-2, batch_dims=rows.ndim - 1 if rows.ndim else 0)


lu_op = define(_Lu())


class Lu(NamedTuple):
    """Packed triangles, and the permutation of rows."""

    lu: Tensor
    p: Tensor


def lu(input: object, output_idx_type: object = dtypes.int32, name: str | None = None) -> Lu:
    """The LU decompositions of square matrices, with rows exchanged.

    https://www.tensorflow.org/api_docs/python/tf/linalg/lu

    Raises:
        InvalidArgumentError: a matrix is not square (ValueError in a graph) or not invertible.
    """
    kind = as_dtype(output_idx_type)
    return Lu(*apply_n(lu_op, convert_to_tensor(input), output_idx_type=kind, name=name or "Lu"))


def lu_reconstruct(
    lower_upper: object, perm: object, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The matrices whose decompositions are given.

    https://www.tensorflow.org/api_docs/python/tf/linalg/lu_reconstruct

    Args:
        lower_upper: packed triangles.
        perm: which rows were taken.
        validate_args: has no effect: what can be checked always is.
        name: of the node.
    """
    del validate_args, name
    lower, upper = _triangles(convert_to_tensor(lower_upper))
    return _gathered(matmul(lower, upper), argsort(convert_to_tensor(perm)))


def lu_solve(
    lower_upper: object,
    perm: object,
    rhs: object,
    validate_args: bool = False,
    name: str | None = None,
) -> Tensor:
    """The solutions of systems of which the decomposition is given.

    https://www.tensorflow.org/api_docs/python/tf/linalg/lu_solve. For arguments see
    `lu_reconstruct`; `rhs` has as many rows as the matrices.
    """
    del validate_args
    packed, right, rows = (convert_to_tensor(v) for v in (lower_upper, rhs, perm))
    lower, upper = _triangles(packed)
    lead: Any = shape_of(packed)[:-2]
    wide = broadcast_to(right, concat([lead, shape_of(right)[-2:]], 0))
    if right.ndim is not None and packed.ndim is not None and right.ndim > packed.ndim:
        wide, rows = right, broadcast_to(rows, shape_of(right)[:-1])
    inner = triangular_solve(lower, _gathered(wide, rows), lower=True)
    return triangular_solve(upper, inner, lower=False, name=name)


def lu_matrix_inverse(
    lower_upper: object, perm: object, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The inverses of matrices of which the decomposition is given; see `lu_reconstruct`.

    https://www.tensorflow.org/api_docs/python/tf/linalg/lu_matrix_inverse
    """
    packed = convert_to_tensor(lower_upper)
    unit = eye(shape_of(packed)[-1], batch_shape=shape_of(packed)[:-2], dtype=packed.dtype)
    return lu_solve(packed, perm, unit, validate_args, name)
