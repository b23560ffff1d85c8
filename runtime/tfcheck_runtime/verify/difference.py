"""How far two results of the same computation are apart."""

from __future__ import annotations

from typing import Final

import numpy as np

from tfcheck_runtime.op import Array

TOLERANCES: Final = {"float16": 1e-2, "bfloat16": 5e-2, "float32": 1e-4, "float64": 1e-9}
"""The largest difference through the size of the result that rounding explains, by dtype."""


def difference(first: Array, second: Array) -> float:
    """The largest difference of two results through the size of what they hold.

    0 where they are equal, infinite where shapes, dtypes, texts, integers or the places of what
    is not finite differ. The size is that of the largest finite element: what cancels to almost
    nothing has no digits to agree on.
    """
    if first.shape != second.shape or _is_exact(first) or _is_exact(second):
        same = first.shape == second.shape and np.array_equal(first, second)
        return 0.0 if same else float("inf")
    ours, theirs = first.astype(np.float64), second.astype(np.float64)
    same = (ours == theirs) | (np.isnan(ours) & np.isnan(theirs))
    if same.all():
        return 0.0
    finite = np.isfinite(ours) & np.isfinite(theirs)
    if not (finite | same).all():
        return float("inf")
    largest = np.max(np.abs(ours[finite] - theirs[finite]))
    return float(largest / max(np.max(np.abs(ours[finite])), np.finfo(np.float64).tiny))


def tolerance(dtype: np.dtype[np.generic], factor: float) -> float:
    """What `difference` may be for results of a dtype."""
    return TOLERANCES.get(dtype.name, 0.0) * factor


def _is_exact(array: Array) -> bool:
    return array.dtype.name not in TOLERANCES
