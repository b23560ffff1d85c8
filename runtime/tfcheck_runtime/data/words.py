"""Random words one at a time, as TensorFlow's datasets draw them."""

from __future__ import annotations

from collections.abc import Iterator

from tfcheck_runtime.ops.random.philox import Philox

_BLOCKS = 64


class Words:
    """A stream of 32-bit words from a position on."""

    def __init__(self, start: Philox) -> None:
        self._position = start
        self._ready: list[int] = []

    def __iter__(self) -> Iterator[int]:
        return self

    def __next__(self) -> int:
        if not self._ready:
            self._ready = self._position.words(4 * _BLOCKS)[::-1].tolist()
            self._position = self._position.skip(_BLOCKS)
        return self._ready.pop()

    def fork(self) -> Philox:
        """The start of another stream: two words of this one are its seeds."""
        seed, seed2 = next(self), next(self)
        return Philox.from_seeds(seed, seed2)
