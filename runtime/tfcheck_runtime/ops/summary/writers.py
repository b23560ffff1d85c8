"""Writers of event files, and which of them is the default.

https://www.tensorflow.org/api_docs/python/tf/summary
"""

from __future__ import annotations

import itertools
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from tfcheck_runtime.ops.files import gfile
from tfcheck_runtime.ops.files.records import framed
from tfcheck_runtime.ops.summary import messages

_numbers: Final = itertools.count()


class SummaryWriter:
    """Writes one event file, which it makes when the first event comes; None writes nothing."""

    def __init__(self, folder: str | None, suffix: str = "") -> None:
        self.folder = folder
        self.suffix = suffix
        self.path: str | None = None
        self.closed = False

    def write(self, event: bytes) -> None:
        """Append an event.

        Raises:
            RuntimeError: the writer is closed.
        """
        if self.folder is None:
            return
        if self.closed:
            raise RuntimeError(f"SummaryWriter of {self.folder} is already closed")
        if self.path is None:
            self.path = self._start(self.folder)
        with open(self.path, "ab") as file:
            file.write(framed(event))

    def _start(self, folder: str) -> str:
        gfile.makedirs(folder)
        now = time.time()
        name = f"events.out.tfevents.{int(now)}.{socket.gethostname()}.{os.getpid()}"
        path = os.path.join(folder, f"{name}.{next(_numbers)}.v2{self.suffix}")
        with open(path, "wb") as file:
            file.write(framed(messages.first_event(now)))
        return path

    @contextmanager
    def as_default(self, step: Any = None) -> Iterator[SummaryWriter]:
        """Let summaries go here while the context is open, at `step` if it is given."""
        before = state.writer, state.step
        self.set_as_default(step)
        try:
            yield self
        finally:
            state.writer, state.step = before

    def set_as_default(self, step: Any = None) -> None:
        """Let summaries go here from now on."""
        state.writer = self
        if step is not None:
            state.step = step

    def init(self) -> None:
        """Nothing: the file is made when the first event comes."""

    def flush(self) -> None:
        """Nothing: events are written at once."""

    def close(self) -> None:
        """Refuse further events."""
        self.closed = True


class State(threading.local):
    """Where the summaries of a thread go."""

    writer: SummaryWriter | None = None
    step: Any = None
    recording: Any = True


state: Final = State()


def create_file_writer(
    logdir: object,
    max_queue: int | None = None,
    flush_millis: int | None = None,
    filename_suffix: str | None = None,
    name: str | None = None,
    experimental_trackable: bool = False,
    experimental_mesh: None = None,
) -> SummaryWriter:
    """A writer of event files in a folder.

    https://www.tensorflow.org/api_docs/python/tf/summary/create_file_writer
    """
    del max_queue, flush_millis, name, experimental_trackable, experimental_mesh
    return SummaryWriter(gfile.local(logdir), filename_suffix or "")


def create_noop_writer() -> SummaryWriter:
    """A writer that writes nothing."""
    return SummaryWriter(None)


def flush(writer: SummaryWriter | None = None, name: str | None = None) -> None:
    """Nothing: events are written at once."""
    del writer, name


def set_step(step: Any) -> None:
    """Set the step of summaries that name none."""
    state.step = step


def get_step() -> Any:
    """The step of summaries that name none, or None."""
    return state.step


def should_record_summaries() -> Any:
    """Whether summaries are written now."""
    return state.recording if state.writer is not None else False


@contextmanager
def record_if(condition: Any) -> Iterator[None]:
    """Write summaries while the context is open only where `condition` (or its result) is true."""
    before = state.recording
    state.recording = condition() if callable(condition) else condition
    try:
        yield
    finally:
        state.recording = before
