"""What ops on square matrices share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Aval
from tfcheck_runtime.ops.array.agreement import COMPLEXES, FLOATS, check_kind
from tfcheck_runtime.ops.array.examples import f32

MATRIX: Final = f32([[4, 1, 0.5], [1, 3, 0.25], [0.5, 0.25, 2]])
"""A symmetric, positive definite example."""

MATRICES: Final = np.stack([MATRIX, 2 * MATRIX + np.eye(3, dtype=np.float32)])
"""Two of them."""


def check_matrix(op_type: str, x: Aval, *, square: bool = True) -> None:
    """Check that an input is a float matrix, or a stack of them.

    Raises:
        ValueError: its rank is less than 2, or it should be square and is not.
        InvalidArgumentError: it is not of floats (TypeError in a graph).
    """
    check_kind(op_type, x, (FLOATS | COMPLEXES) - {"bfloat16"})
    if x.shape is None:
        return
    if len(x.shape) < 2:
        raise ValueError(f"Input tensor must have rank >= 2, got shape {x.shape}")
    rows, columns = x.shape[-2:]
    if square and rows is not None and columns is not None and rows != columns:
        raise ValueError(f"Input matrix must be square, got shape {x.shape}")


def wide(x: Array) -> Array:
    """The array in a type LAPACK has."""
    return x.astype(np.float32) if x.dtype == np.float16 else x


def adjoint(x: Array) -> Array:
    """The last two axes swapped, elements conjugated."""
    return np.conj(np.swapaxes(x, -1, -2))


def invertible(compute: Callable[..., Any], *arrays: Array, op_type: str) -> Any:  # as computed
    """The result of a LAPACK routine.

    Raises:
        InvalidArgumentError: a matrix has no inverse.
    """
    try:
        return compute(*arrays)
    except np.linalg.LinAlgError:
        raise invalid_argument("Input is not invertible.", op_type) from None
