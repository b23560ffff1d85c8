"""Norms of vectors and matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.extremes import reduce_max
from tfcheck_runtime.ops.array.permuting import transpose
from tfcheck_runtime.ops.array.reduction import reduce_sum
from tfcheck_runtime.ops.array.squeezing import expand_dims, squeeze
from tfcheck_runtime.ops.linalg.spectral import svd
from tfcheck_runtime.ops.math.arithmetic import abs, multiply
from tfcheck_runtime.ops.math.complexes import conj
from tfcheck_runtime.ops.math.division import truediv
from tfcheck_runtime.ops.math.exponential import pow, sqrt
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor


def norm(
    tensor: object,
    ord: object = "euclidean",
    axis: int | Sequence[int] | None = None,
    keepdims: bool | None = None,
    name: str | None = None,
) -> Tensor:
    """A norm of vectors, matrices, or of all elements as one vector.

    https://www.tensorflow.org/api_docs/python/tf/norm

    Args:
        tensor: floats or complex numbers.
        ord: `euclidean`, a positive number or `np.inf`; for matrices `fro`, `euclidean`, 1, 2 or
            `np.inf`.
        axis: an axis for vectors, two for matrices, None for all elements.
        keepdims: whether reduced axes stay, with size 1.
        name: of the node.

    Raises:
        ValueError: there is no such norm.
    """
    del name
    axes = _axes(axis)
    pair = axes is not None and len(axes) == 2
    if ord not in ("fro", "euclidean", 1, 2, np.inf) and (pair or not _is_positive(ord)):
        kind = "matrix" if pair else "vector"
        raise ValueError(
            f"'ord' must be a supported {kind} norm in ['euclidean', 'fro', 1, 2, inf], got {ord}"
        )
    if ord == "fro" and not pair:
        raise ValueError("'ord' = 'fro' is a matrix norm: `axis` must have two axes")
    value = convert_to_tensor(tensor)
    found = _norm(value, ord, axes if axes is None or pair else axes[:1], matrix=pair)
    return found if keepdims else squeeze(found, axes)


def _axes(axis: int | Sequence[int] | None) -> list[int] | None:
    if axis is None:
        return None
    axes = [int(a) for a in np.atleast_1d(np.asarray(axis))]
    if len(axes) not in (1, 2):
        raise ValueError(f"'axis' must be None, an integer, or a tuple of 2, got {axis}")
    return axes


def _is_positive(ord: object) -> bool:
    return isinstance(ord, int | float | np.number) and float(ord) > 0


def _norm(value: Tensor, ord: Any, axes: list[int] | None, *, matrix: bool) -> Tensor:
    """The norm with reduced axes kept."""
    if ord in ("fro", "euclidean") or (ord == 2 and not matrix):
        squares = multiply(value, conj(value) if value.dtype.is_complex else value)
        return sqrt(reduce_sum(squares, axes, keepdims=True))
    if matrix and ord == 2:
        return _spectral(value, axes or [])
    sizes = abs(value)
    if ord == 1:
        total = reduce_sum(sizes, axes if axes is None else axes[:1], keepdims=True)
        return reduce_max(total, axes[-1:], keepdims=True) if matrix and axes else total
    if ord == np.inf:
        total = reduce_sum(sizes, axes[1:], keepdims=True) if matrix and axes else sizes
        return reduce_max(total, axes[:1] if matrix and axes else axes, keepdims=True)
    powers = reduce_sum(pow(sizes, ord), axes, keepdims=True)
    return pow(powers, 1.0 / ord)


def _spectral(value: Tensor, axes: list[int]) -> Tensor:
    """The largest singular value."""
    if value.ndim is None:
        raise ValueError("norm: ord=2 of matrices needs a tensor of known rank")
    pair = [a % value.ndim for a in axes]
    order = [a for a in range(value.ndim) if a not in pair] + pair
    largest = reduce_max(svd(transpose(value, order), compute_uv=False), [-1])
    for axis in sorted(pair):
        largest = expand_dims(largest, axis)
    return largest


def normalize(
    tensor: object,
    ord: object = "euclidean",
    axis: int | Sequence[int] | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """`tensor` divided by its norm, and the norm with reduced axes kept; see `norm`.

    https://www.tensorflow.org/api_docs/python/tf/linalg/normalize
    """
    value = convert_to_tensor(tensor)
    length = cast(norm(value, ord, axis, keepdims=True), value.dtype)
    return truediv(value, length, name=name), length
