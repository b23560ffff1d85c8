"""Arrays for the examples of ops, short to write."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tfcheck_runtime.op import Array


def i32(values: npt.ArrayLike) -> Array:
    """An int32 array."""
    return np.asarray(values, np.int32)


def i64(values: npt.ArrayLike) -> Array:
    """An int64 array."""
    return np.asarray(values, np.int64)


def f32(values: npt.ArrayLike) -> Array:
    """A float32 array."""
    return np.asarray(values, np.float32)


def f64(values: npt.ArrayLike) -> Array:
    """A float64 array."""
    return np.asarray(values, np.float64)


def counting(*shape: int) -> Array:
    """The float32 numbers 0, 1, 2… in a shape."""
    return np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape)
