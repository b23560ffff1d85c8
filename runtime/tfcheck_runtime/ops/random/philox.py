"""Philox 4x32-10: random bits that depend on a key and a counter only.

After Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (SC 2011), with TensorFlow's
layout: the counter counts blocks of four 32-bit words.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

_MASK32: Final = np.uint64(0xFFFFFFFF)
_SHIFT: Final = np.uint64(32)
_MULTIPLIERS: Final = (np.uint64(0xD2511F53), np.uint64(0xCD9E8D57))
_WEYL: Final = (0x9E3779B9, 0xBB67AE85)
_ROUNDS: Final = 10
_WORD: Final = 0xFFFFFFFF
_COUNTER_LIMIT: Final = 1 << 128

WORDS_PER_BLOCK: Final = 4
BLOCKS_PER_OUTPUT: Final = 256
"""How far each output moves the counter, whatever it used: a distribution may reject samples."""


@dataclass(frozen=True, slots=True)
class Philox:
    """A position in a stream of random words: 64-bit key, 128-bit counter."""

    key: int
    counter: int

    @classmethod
    def from_seeds(cls, seed: int, seed2: int) -> Philox:
        """Where a stateful op of these two seeds starts."""
        return cls(seed % (1 << 64), (seed2 % (1 << 64)) << 64)

    @classmethod
    def from_entropy(cls) -> Philox:
        """A start that differs each time."""
        return cls.from_seeds(secrets.randbits(64), secrets.randbits(64))

    def skip(self, blocks: int) -> Philox:
        """The position `blocks` further on."""
        return Philox(self.key, (self.counter + blocks) % _COUNTER_LIMIT)

    def blocks(self, count: int) -> npt.NDArray[np.uint32]:
        """The next `count` blocks: an array of shape (count, 4)."""
        return self.blocks_at(np.arange(count, dtype=np.uint64))

    def words(self, count: int) -> npt.NDArray[np.uint32]:
        """The next `count` words."""
        return self.blocks(-(-count // WORDS_PER_BLOCK)).reshape(-1)[:count]

    def blocks_at(self, offsets: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint32]:
        """The blocks at `offsets` from here: an array of shape (len(offsets), 4)."""
        low = np.uint64(self.counter & 0xFFFFFFFFFFFFFFFF)
        with np.errstate(over="ignore"):
            lower = offsets + low
            upper = np.uint64(self.counter >> 64) + (lower < low).astype(np.uint64)
        state = [lower & _MASK32, lower >> _SHIFT, upper & _MASK32, upper >> _SHIFT]
        keys = self.key & _WORD, self.key >> 32
        return np.stack(_rounds(state, keys), axis=-1).astype(np.uint32)


def _rounds(
    state: list[npt.NDArray[np.uint64]], keys: tuple[int, int]
) -> list[npt.NDArray[np.uint64]]:
    a, b, c, d = state
    first, second = keys
    for _ in range(_ROUNDS):
        left, right = _MULTIPLIERS[0] * a, _MULTIPLIERS[1] * c
        a = (right >> _SHIFT) ^ b ^ np.uint64(first)
        b = right & _MASK32
        c = (left >> _SHIFT) ^ d ^ np.uint64(second)
        d = left & _MASK32
        first, second = (first + _WEYL[0]) & _WORD, (second + _WEYL[1]) & _WORD
    return [a, b, c, d]


_SCRAMBLE_KEY: Final = 0x02461E293EC8F720


def scramble(seed: npt.NDArray[np.signedinteger]) -> Philox:
    """Where the stateless op of a two-element seed starts: the seed's bits are mixed first."""
    low, high = (int(s) % (1 << 64) for s in seed)
    mixed = Philox(_SCRAMBLE_KEY, low | high << 64).blocks(1)[0].tolist()
    return Philox(mixed[0] | mixed[1] << 32, (mixed[2] | mixed[3] << 32) << 64)
