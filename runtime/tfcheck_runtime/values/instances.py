"""State that every iterator over a dataset has for itself.

A seeded random op inside a dataset's function draws the same numbers in each iteration: TensorFlow
makes its kernels anew for every iterator.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol


@dataclass(frozen=True, slots=True)
class Epoch:
    """One pass through a dataset whose random order differs each time, as checkpoints keep it."""

    number: int
    """Of this one."""
    seeds: tuple[int, int]
    """Of the stream that decides all epochs."""
    begun: int
    """Number of epochs at the time of the checkpoint, those of other iterators included."""


class Counter(Protocol):
    """Counts the epochs of a dataset."""

    seeds: tuple[int, int]
    begun: int


class Memory:
    """What one iteration remembers.

    Args:
        again: the epochs to go through, of an iteration that is repeated.
    """

    def __init__(self, again: Sequence[Epoch] = ()) -> None:
        self.states: dict[Any, Any] = {}
        """Of ops, each under a key of its own."""
        self._again = deque(again)
        self._begun: list[tuple[Counter, Epoch]] = []

    def begin(self, counter: Counter) -> Epoch | None:
        """Note that an epoch begins; the one that it must be, if any."""
        again = self._again.popleft() if self._again else None
        own = Epoch(counter.begun, counter.seeds, counter.begun)
        self._begun.append((counter, own if again is None else again))
        return again

    @property
    def epochs(self) -> list[Epoch]:
        """The epochs begun, in order."""
        return [replace(epoch, begun=counter.begun) for counter, epoch in self._begun]

    def recount(self, epochs: Iterable[Epoch]) -> None:
        """Let the counters go on as they did when `epochs` were kept."""
        for (counter, _), kept in zip(self._begun, epochs, strict=False):
            counter.begun = kept.begun


class _Current(threading.local):
    memory: Memory | None = None


_current: Final = _Current()


def current_memory() -> Memory | None:
    """The memory of the iterator that is asked for an element now, if any."""
    return _current.memory


@contextmanager
def remembering(memory: Memory) -> Iterator[None]:
    """Let ops use `memory` while the context is open."""
    before, _current.memory = _current.memory, memory
    try:
        yield
    finally:
        _current.memory = before
