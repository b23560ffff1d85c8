"""Makes inputs that show how a graph treats the usual, the empty and the extreme."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tfcheck_runtime.op import Array
from tfcheck_runtime.specs.dtypes import DType
from tfcheck_runtime.specs.shapes import Shape


@dataclass(frozen=True, slots=True)
class Wanted:
    """An input to be made: its static type, and a value seen in use if there is one."""

    dtype: DType
    shape: Shape
    seen: Array | None = None


@dataclass(frozen=True, slots=True)
class Inputs:
    """One array per input, and what kind of inputs they are."""

    kind: str
    arrays: tuple[Array, ...]


_SIZE = 3
"""For dimensions that nothing tells the size of."""


def generate(wanted: Sequence[Wanted], *, seed: int) -> Iterator[Inputs]:
    """Inputs of all kinds that fit: recorded, random, singleton, empty, zeros, NaN, extremes.

    Integers are drawn from the range of those seen, as they may be indices. Texts are never made
    up, so a graph that takes some is tried with what was seen only.
    """
    if wanted and all(each.seen is not None for each in wanted):
        yield Inputs("recorded", tuple(each.seen for each in wanted if each.seen is not None))
    if any(each.dtype.name == "string" for each in wanted):
        return
    random = np.random.default_rng(seed)
    usual = tuple(_random(each, _shape(each, None), random) for each in wanted)
    yield Inputs("random", usual)
    if any(each.shape is None or None in each.shape for each in wanted):
        for kind, size in (("singleton", 1), ("empty", 0)):
            arrays = tuple(_random(each, _shape(each, size), random) for each in wanted)
            yield Inputs(kind, arrays)
    if not any(each.dtype.is_floating for each in wanted):
        return
    yield Inputs("zeros", tuple(_floats(a, np.zeros(1)) for a in usual))
    yield Inputs("NaN", _with_one(usual, np.nan))
    yield Inputs("infinite", _with_one(usual, np.inf))
    yield Inputs("extremes", tuple(_extremes(array) for array in usual))


def _shape(wanted: Wanted, size: int | None) -> tuple[int, ...]:
    """The static shape with unknown sizes filled in: alike for all, so that inputs fit together."""
    if wanted.shape is None:
        seen = wanted.seen.shape if wanted.seen is not None else (_SIZE,)
        return seen if size is None else (size,) * len(seen)
    known = wanted.seen.shape if wanted.seen is not None else (_SIZE,) * len(wanted.shape)
    return tuple(
        (known[axis] if size is None else size) if length is None else length
        for axis, length in enumerate(wanted.shape)
    )


def _random(wanted: Wanted, shape: tuple[int, ...], random: np.random.Generator) -> Array:
    kind = wanted.dtype.numpy
    if wanted.dtype.is_bool:
        return np.asarray(random.integers(0, 2, shape), kind)
    if wanted.dtype.is_integer:
        low, high = (0, 1) if wanted.seen is None or not wanted.seen.size else _range(wanted.seen)
        return np.asarray(random.integers(low, high, shape, endpoint=True), kind)
    values = random.normal(size=shape)
    if wanted.dtype.is_complex:
        return np.asarray(values + 1j * random.normal(size=shape), kind)
    return np.asarray(values, kind)


def _range(seen: Array) -> tuple[int, int]:
    return int(seen.min()), int(seen.max())


def _is_float(array: Array) -> bool:
    return array.dtype.kind == "f" or array.dtype.name == "bfloat16"


def _floats(array: Array, values: Array) -> Array:
    """`values` over and over in the shape of `array`, if that holds floats."""
    return np.resize(values, array.shape).astype(array.dtype) if _is_float(array) else array


def _with_one(arrays: Sequence[Array], value: float) -> tuple[Array, ...]:
    """The arrays with one element replaced in each; in scalars only if there is nothing else."""
    big = any(_is_float(array) and array.size > 1 for array in arrays)
    return tuple(_replaced(array, value) if array.size > big else array for array in arrays)


def _replaced(array: Array, value: float) -> Array:
    if not _is_float(array):
        return array
    changed = array.copy()
    changed.reshape(-1)[array.size // 2] = value
    return changed


def _extremes(array: Array) -> Array:
    if not _is_float(array):
        return array
    # bfloat16 has float32's range, and NumPy's finfo does not know it.
    limits = np.finfo(np.float32 if array.dtype.name == "bfloat16" else array.dtype)
    values = [limits.max, limits.min, limits.tiny, -limits.tiny, limits.eps, 1.0, -1.0]
    return _floats(array, np.array([float(value) for value in values]))
