"""Pseudo-inverses and ranks, from singular values."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.extremes import reduce_max
from tfcheck_runtime.ops.array.reduction import reduce_sum
from tfcheck_runtime.ops.array.selection import where
from tfcheck_runtime.ops.array.shaping import shape as shape_of
from tfcheck_runtime.ops.array.squeezing import expand_dims
from tfcheck_runtime.ops.linalg.matmul import matmul
from tfcheck_runtime.ops.linalg.spectral import svd
from tfcheck_runtime.ops.math.arithmetic import multiply
from tfcheck_runtime.ops.math.comparison import greater
from tfcheck_runtime.ops.math.exponential import reciprocal
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor


def pinv(
    a: object, rcond: object = None, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The Moore-Penrose pseudo-inverses of matrices.

    https://www.tensorflow.org/api_docs/python/tf/linalg/pinv

    Args:
        a: floats, of rank 2 or more.
        rcond: singular values up to `rcond` times the largest count as 0.
        validate_args: has no effect: what can be checked always is.
        name: of the node.

    Raises:
        TypeError: `a` is not of floats.
        ValueError: the rank is less than 2.
    """
    del validate_args
    matrix = convert_to_tensor(a)
    if not matrix.dtype.is_floating:
        raise TypeError(f"Input `a` must have `float`-like `dtype` (saw {matrix.dtype.name}).")
    small = _default(matrix, 10.0) if rcond is None else rcond
    s, u, v = _decomposed(matrix)
    cutoff = multiply(convert_to_tensor(small, matrix.dtype), reduce_max(s, [-1], keepdims=True))
    inverse = where(greater(s, cutoff), reciprocal(where(greater(s, cutoff), s, 1)), 0)
    return matmul(multiply(v, expand_dims(inverse, -2)), u, adjoint_b=True, name=name)


def _decomposed(matrix: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    found: Any = svd(matrix)
    return found[0], found[1], found[2]


def _default(matrix: Tensor, factor: float) -> Tensor:
    precision = factor * float(np.finfo(matrix.dtype.as_numpy_dtype).eps)
    if matrix.ndim is None or matrix.ndim < 2:
        raise ValueError(f"expected matrices, got shape {matrix.shape}")
    largest = reduce_max(shape_of(matrix)[-2:])
    return multiply(cast(largest, matrix.dtype.real_dtype), precision)


def matrix_rank(
    a: object, tol: object = None, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The ranks of matrices: how many singular values exceed `tol`.

    https://www.tensorflow.org/api_docs/python/tf/linalg/matrix_rank

    Raises:
        ValueError: the rank is less than 2.
    """
    del validate_args
    matrix = convert_to_tensor(a)
    s = svd(matrix, compute_uv=False)
    if tol is None:
        tol = multiply(reduce_max(s, [-1], keepdims=True), _default(matrix, 1.0))
    return reduce_sum(cast(greater(s, tol), dtypes.int32), [-1], name=name)
