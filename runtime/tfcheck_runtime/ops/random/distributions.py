"""Random bits to random numbers, in TensorFlow's order and rounding."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import numpy.typing as npt

from tfcheck_runtime.op import Array
from tfcheck_runtime.ops.random.float32_functions import log, sincos
from tfcheck_runtime.ops.random.philox import BLOCKS_PER_OUTPUT, WORDS_PER_BLOCK, Philox
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import DType

Words = npt.NDArray[np.uint32]
Doubles = npt.NDArray[np.float64]

_TINY: Final = 1e-7
"""Box-Muller's first uniform is at least this, so that its logarithm is finite."""
_TRUNCATION: Final = 2.0
_GROUPS_AT_ONCE: Final = 1 << 16


def uniform_numbers(position: Philox, count: int, dtype: DType) -> Array:
    """Numbers in [0, 1): random bits become the mantissa of a number in [1, 2), less one."""
    if dtype is dtypes.float64:
        return doubles(position.words(2 * count).reshape(-1, 2))
    words = position.words(count)
    if dtype is dtypes.float16:
        bits = words.astype(np.uint16) & np.uint16(0x3FF) | np.uint16(0x3C00)
        return bits.view(np.float16) - np.float16(1)
    if dtype is dtypes.bfloat16:
        wide = (words & np.uint32(0x7F) | np.uint32(0x3F80)) << np.uint32(16)
        return (wide.view(np.float32) - np.float32(1)).astype(dtype.numpy)
    return _floats(words)


def _floats(words: Words) -> npt.NDArray[np.float32]:
    bits = words & np.uint32(0x7FFFFF) | np.uint32(0x3F800000)
    floats: npt.NDArray[np.float32] = bits.view(np.float32) - np.float32(1)
    return floats


def doubles(pairs: Words) -> Doubles:
    """Numbers in [0, 1) from pairs of words."""
    high = pairs[..., 0].astype(np.uint64) & np.uint64(0xFFFFF) | np.uint64(0x3FF00000)
    bits = high << np.uint64(32) | pairs[..., 1].astype(np.uint64)
    numbers: Doubles = bits.view(np.float64) - 1.0
    return numbers


def full_integers(position: Philox, count: int, dtype: DType) -> Array:
    """Integers over the whole range of their type."""
    if dtype.size == 8:
        return _wide(position.words(2 * count)).view(dtype.numpy)
    return position.words(count).view(dtype.numpy)


def integers(position: Philox, count: int, bounds: tuple[int, int], *, dtype: DType) -> Array:
    """Integers in [low, high), slightly biased where the range is no power of two."""
    low, high = bounds
    if dtype.size == 8:
        drawn = _wide(position.words(2 * count)) % np.uint64((high - low) % (1 << 64))
        return (drawn + np.uint64(low % (1 << 64))).view(dtype.numpy)
    drawn32 = position.words(count) % np.uint32((high - low) % (1 << 32))
    return (drawn32 + np.uint32(low % (1 << 32))).view(dtype.numpy)


def _wide(words: Words) -> npt.NDArray[np.uint64]:
    pairs = words.reshape(-1, 2).astype(np.uint64)
    wide: npt.NDArray[np.uint64] = pairs[:, 0] | pairs[:, 1] << np.uint64(32)
    return wide


def normal_numbers(position: Philox, count: int, dtype: DType) -> Array:
    """Standard normal numbers by Box and Muller."""
    if dtype is dtypes.float64:
        quads = position.words(4 * -(-count // 2)).reshape(-1, 4)
        return np.stack(_box_muller_double(quads), axis=-1).reshape(-1)[:count]
    pairs = position.words(2 * -(-count // 2)).reshape(-1, 2)
    numbers = np.stack(_box_muller(pairs), axis=-1).reshape(-1)[:count]
    return numbers.astype(dtype.numpy)


def _box_muller(pairs: Words) -> tuple[Array, Array]:
    first = np.maximum(_floats(np.ascontiguousarray(pairs[..., 0])), np.float32(_TINY))
    turn = _floats(np.ascontiguousarray(pairs[..., 1]))
    angle = (2.0 * np.pi * turn.astype(np.float64)).astype(np.float32)
    radius = np.sqrt(np.float32(-2) * log(first))
    sine, cosine = sincos(angle)
    return sine * radius, cosine * radius


def _box_muller_double(quads: Words) -> tuple[Array, Array]:
    first = np.maximum(doubles(quads[..., :2]), _TINY)
    angle = 2.0 * np.pi * doubles(quads[..., 2:])
    # `math.log` is the C library's, which NumPy's vector code does not match in the last bit.
    logarithms = np.array([math.log(u) for u in first.reshape(-1).tolist()]).reshape(first.shape)
    radius = np.sqrt(-2.0 * logarithms)
    return np.sin(angle) * radius, np.cos(angle) * radius


def truncated_normal_numbers(position: Philox, count: int, dtype: DType) -> Array:
    """Standard normal numbers, drawn again while further than two from zero.

    Outputs come in groups (four; two of float64) that each own a stretch of the stream, so that
    rejections in one do not shift the next.
    """
    size = 2 if dtype is dtypes.float64 else 4
    groups = -(-count // size)
    parts = [
        _truncated_groups(position, range(start, min(start + _GROUPS_AT_ONCE, groups)), size)
        for start in range(0, groups, _GROUPS_AT_ONCE)
    ]
    numbers = np.concatenate([np.zeros((0, size)), *parts]) if not parts else np.concatenate(parts)
    return numbers.reshape(-1)[:count].astype(dtype.numpy)


def _truncated_groups(position: Philox, groups: range, size: int) -> Array:
    stretch = size * BLOCKS_PER_OUTPUT // WORDS_PER_BLOCK
    starts = np.arange(groups.start, groups.stop, dtype=np.uint64) * np.uint64(stretch)
    result = np.zeros((len(groups), size), np.float64 if size == 2 else np.float32)
    filled = np.zeros(len(groups), np.int64)
    block = 0
    pending = np.arange(len(groups))
    while pending.size:
        words = position.blocks_at(starts[pending] + np.uint64(block))
        for candidates in _candidates(words, size):
            fits = (np.abs(candidates) < _TRUNCATION) & (filled[pending] < size)
            rows = pending[fits]
            result[rows, filled[rows]] = candidates[fits]
            filled[rows] += 1
        block += 1
        pending = pending[filled[pending] < size]
    return result


def _candidates(words: Words, size: int) -> list[Array]:
    """The normal numbers that one block yields, in order."""
    if size == 2:
        return list(_box_muller_double(words))
    return [*_box_muller(words[:, :2]), *_box_muller(words[:, 2:])]
