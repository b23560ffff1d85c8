"""Products and equations of tridiagonal matrices, given by their diagonals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfcheck_runtime.ops.array.filling import zeros_like
from tfcheck_runtime.ops.array.joining import concat
from tfcheck_runtime.ops.array.packing import stack
from tfcheck_runtime.ops.array.squeezing import expand_dims, squeeze
from tfcheck_runtime.ops.linalg.diagonals import diag, diag_part
from tfcheck_runtime.ops.linalg.matmul import matmul
from tfcheck_runtime.ops.linalg.solving import solve
from tfcheck_runtime.ops.linalg.transposing import matrix_transpose
from tfcheck_runtime.ops.math.complexes import conj
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor


def tridiagonal_solve(
    diagonals: object,
    rhs: object,
    diagonals_format: str = "compact",
    transpose_rhs: bool = False,
    conjugate_rhs: bool = False,
    name: str | None = None,
    partial_pivoting: bool = True,
    perturb_singular: bool = False,
) -> Tensor:
    """The solutions of tridiagonal systems.

    https://www.tensorflow.org/api_docs/python/tf/linalg/tridiagonal_solve

    Args:
        diagonals: above, on and below the main diagonal: stacked in one tensor (`compact`), in a
            list (`sequence`), or in the matrix itself (`matrix`).
        rhs: a vector or columns for each system.
        diagonals_format: one of these.
        transpose_rhs: whether `rhs` holds rows.
        conjugate_rhs: whether to conjugate `rhs` first.
        name: of the node.
        partial_pivoting: without effect: rows are always exchanged where that is better.
        perturb_singular: must be False.

    Raises:
        ValueError: the format is another.
        NotImplementedError: `perturb_singular` is asked for.
        InvalidArgumentError: a matrix is not invertible.
    """
    del partial_pivoting
    if perturb_singular:
        raise NotImplementedError("tridiagonal_solve: perturb_singular=True is not supported")
    matrix = _dense(diagonals, diagonals_format)
    right = convert_to_tensor(rhs)
    vector = right.ndim is not None and matrix.ndim is not None and right.ndim == matrix.ndim - 1
    if vector:
        right = expand_dims(right, -1)
    elif transpose_rhs:
        right = matrix_transpose(right)
    if conjugate_rhs:
        right = conj(right)
    found = solve(matrix, right, name=name)
    return squeeze(found, [-1]) if vector else found


def tridiagonal_matmul(
    diagonals: object, rhs: object, diagonals_format: str = "compact", name: str | None = None
) -> Tensor:
    """The products of tridiagonal matrices and `rhs`; for arguments see `tridiagonal_solve`.

    https://www.tensorflow.org/api_docs/python/tf/linalg/tridiagonal_matmul

    Raises:
        ValueError: the format is unknown.
    """
    return matmul(_dense(diagonals, diagonals_format), convert_to_tensor(rhs), name=name)


def _dense(diagonals: object, form: str) -> Tensor:
    """The matrices themselves, with zeros off the three diagonals."""
    if form == "compact":
        return diag(convert_to_tensor(diagonals), k=(-1, 1), align="LEFT_RIGHT")
    if form == "matrix":
        found = diag_part(convert_to_tensor(diagonals), k=(-1, 1), align="LEFT_RIGHT")
        return diag(found, k=(-1, 1), align="LEFT_RIGHT")
    if form != "sequence" or not isinstance(diagonals, Sequence):
        raise ValueError(f"Unrecognized diagonals_format: {form}")
    above, main, below = (convert_to_tensor(d) for d in diagonals)
    return diag(
        stack([_filled(above, main, last=True), main, _filled(below, main, last=False)], -2),
        k=(-1, 1),
        align="LEFT_RIGHT",
    )


def _filled(side: Tensor, main: Tensor, *, last: bool) -> Tensor:
    """A diagonal beside the main one, as long as that one."""
    if side.shape[-1] == main.shape[-1]:
        return side
    nothing: Any = zeros_like(main)[..., :1]
    return concat([side, nothing] if last else [nothing, side], -1)
