"""Products along given axes: contractions and cross products."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.packing import stack, unstack
from tfcheck_runtime.ops.array.permuting import transpose
from tfcheck_runtime.ops.array.shaping import reshape, shape as shape_of
from tfcheck_runtime.ops.linalg.matmul import matmul
from tfcheck_runtime.ops.math.arithmetic import multiply, subtract
from tfcheck_runtime.values.convert import convert_pair, convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor


def tensordot(a: object, b: object, axes: object, name: str | None = None) -> Tensor:
    """The sum over pairs of axes of the products of `a` and `b`.

    https://www.tensorflow.org/api_docs/python/tf/tensordot

    Args:
        a: a tensor of known rank.
        b: another, of the same dtype.
        axes: how many axes (the last of `a`, the first of `b`), or their numbers: two lists, or
            two integers.
        name: of the node.

    Raises:
        ValueError: a rank is unknown, or the axes do not pair; in a graph, sizes differ.
        InvalidArgumentError: sizes differ.
    """
    left, right = convert_pair(a, b)
    if left.ndim is None or right.ndim is None:
        raise ValueError(f"tensordot: expected tensors of known rank, got {left!r} and {right!r}")
    summed_left, summed_right = _axes(axes, left.ndim, right.ndim)
    free_left = [i for i in range(left.ndim) if i not in summed_left]
    free_right = [i for i in range(right.ndim) if i not in summed_right]
    rows, outer = _flat(left, [*free_left, *summed_left], len(free_left))
    columns, inner = _flat(right, [*summed_right, *free_right], len(summed_right))
    product = matmul(rows, columns)
    lead, tail = outer[: len(free_left)], inner[len(summed_right) :]
    return reshape(product, [*lead, *tail], name=name or "Tensordot")


def _axes(axes: object, left: int, right: int) -> tuple[list[int], list[int]]:
    if isinstance(axes, int):
        if axes < 0 or axes > min(left, right):
            raise ValueError(f"`axes` must be within [0, {min(left, right)}], got {axes}")
        return list(range(left - axes, left)), list(range(axes))
    pair = axes if isinstance(axes, Sequence) else _listed(axes)
    if len(pair) != 2:
        raise ValueError(f"`axes` must be an integer or have length 2, got {axes!r}")
    first, second = (np.atleast_1d(np.asarray(p)).tolist() for p in pair)
    if len(first) != len(second):
        raise ValueError(
            f"Different number of contraction axes `a` and `b`, {len(first)} != {len(second)}"
        )
    return list(known.axes_in(first, left)), list(known.axes_in(second, right))


def _listed(axes: object) -> list[Any]:
    found: list[Any] = np.asarray(convert_to_tensor(axes)).tolist()
    return found


def _flat(tensor: Tensor, order: Sequence[int], split: int) -> tuple[Tensor, list[Any]]:
    """The tensor as a matrix of the first `split` axes of `order` by the others, and all sizes."""
    moved = tensor if list(order) == sorted(order) else transpose(tensor, order)
    dynamic = shape_of(moved)
    sizes = [dynamic[i] if d is None else d for i, d in enumerate(moved.shape)]
    return reshape(moved, [math.prod(sizes[:split]), math.prod(sizes[split:])]), sizes


def cross(a: object, b: object, name: str | None = None) -> Tensor:
    """The cross product of vectors of 3 along the last axis.

    https://www.tensorflow.org/api_docs/python/tf/linalg/cross

    Raises:
        ValueError: the last axis has another size.
    """
    del name
    left, right = convert_pair(a, b)
    x, y, z = unstack(left, 3, axis=-1)
    u, v, w = unstack(right, 3, axis=-1)
    parts = [(y, w, z, v), (z, u, x, w), (x, v, y, u)]
    return stack([subtract(multiply(p, q), multiply(r, s)) for p, q, r, s in parts], axis=-1)
