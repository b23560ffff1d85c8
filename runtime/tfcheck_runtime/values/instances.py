"""State of ops that every iterator over a dataset has for itself.

A seeded random op inside a dataset's function draws the same numbers in each iteration: TensorFlow
makes its kernels anew for every iterator.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeAlias

Memory: TypeAlias = dict[Any, Any]
"""What ops remember, each under a key of its own."""


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
