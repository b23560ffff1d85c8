"""Random words one at a time, as TensorFlow's datasets draw them, and where epochs start."""

from __future__ import annotations

from collections.abc import Iterator

from tfcheck_runtime.ops.random.philox import Philox
from tfcheck_runtime.values.instances import current_memory

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


class Epochs:
    """Random numbers that differ in each iteration over one dataset.

    Two words of a stream are the seeds of each epoch.
    """

    def __init__(self, start: Philox) -> None:
        self.seeds = start.key, start.counter >> 64
        """Of the stream."""
        self.begun = 0
        """Number of epochs."""

    def begin(self) -> Philox:
        """Where the stream of the next epoch starts.

        An iteration that a checkpoint sends back goes through the same epochs again.
        """
        memory = current_memory()
        if memory is not None:
            again = memory.begin(self)
            if again is not None:
                return _start(again.seeds, again.number)
        self.begun += 1
        return _start(self.seeds, self.begun - 1)


def _start(seeds: tuple[int, int], number: int) -> Philox:
    words = Philox.from_seeds(*seeds).skip(number // 2).words(4).tolist()
    seed, seed2 = words[number % 2 * 2 :][:2]
    return Philox.from_seeds(seed, seed2)
