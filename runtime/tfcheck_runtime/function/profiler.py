"""`tf.profiler.experimental`: accepted, so that programs that profile themselves run.

Follows https://www.tensorflow.org/api_docs/python/tf/profiler/experimental. Nothing is measured,
which `start` says: `tfcheck profile` measures programs on this runtime.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

from tfcheck_runtime.errors import AlreadyExistsError, UnavailableError
from tfcheck_runtime.function.graph_summary import not_profiled


@dataclass(frozen=True, slots=True)
class ProfilerOptions:
    """How closely to measure."""

    host_tracer_level: int = 2
    python_tracer_level: int = 0
    device_tracer_level: int = 1
    delay_ms: int | None = None


class _Session:
    running = False


def start(logdir: str, options: ProfilerOptions | None = None) -> None:
    """Begin a session.

    Raises:
        AlreadyExistsError: one is running.
    """
    del options
    if _Session.running:
        raise AlreadyExistsError(None, None, "Another profiler is running.")
    _Session.running = True
    not_profiled(f"tf.profiler.experimental.start({logdir!r})")


def stop(save: bool = True) -> None:
    """End the session.

    Raises:
        UnavailableError: none is running.
    """
    del save
    if not _Session.running:
        raise UnavailableError(
            None, None, "Cannot export profiling results. No profiler is running."
        )
    _Session.running = False


@contextmanager
def Profile(  # noqa: N802 - TensorFlow's name
    logdir: str, options: ProfilerOptions | None = None
) -> Iterator[None]:
    """A session while the context is open."""
    start(logdir, options)
    try:
        yield
    finally:
        stop()


class Trace(AbstractContextManager["Trace"]):
    """Names a stretch of the program for the session."""

    def __init__(self, name: str, **kwargs: object) -> None:
        self.name = name
        self.metadata = kwargs

    def set_metadata(self, **kwargs: object) -> None:
        """Add what is known of the stretch."""
        self.metadata |= kwargs

    def __exit__(self, *exception: object) -> None:
        """Nothing is recorded."""
