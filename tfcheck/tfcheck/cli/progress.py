"""One line on a terminal that says how far a long run is, and is gone when that is done."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

_QUIET_SECONDS = 1.0
"""Shorter runs show nothing."""
_SECONDS_BETWEEN = 0.1
_WIDTH = 78


def show_line(line: str) -> None:
    """Replace the line on standard error, if that is a terminal; an empty one ends it."""
    if sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
        sys.stderr.write(f"\r\x1b[K{line[:_WIDTH]}")
        sys.stderr.flush()


class FileCounter:
    """Shows how many files are through, once a run takes long enough for people to wonder."""

    def __init__(self) -> None:
        self._next = time.perf_counter() + _QUIET_SECONDS
        self.shown = False

    def __call__(self, what: str, through: int, total: int) -> None:
        """Show the line, if it is time to."""
        now = time.perf_counter()
        if now >= self._next:
            self._next = now + _SECONDS_BETWEEN
            self.shown = True
            show_line(f"{what} files: {through} of {total}")


@contextmanager
def counting_files() -> Iterator[FileCounter]:
    """A counter whose line goes with the context, whatever ends that."""
    counter = FileCounter()
    try:
        yield counter
    finally:
        if counter.shown:
            show_line("")
