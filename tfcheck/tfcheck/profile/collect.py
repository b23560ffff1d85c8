"""Runs a program on the embedded runtime and records what it tells."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
from typing import Protocol, TextIO

from tfcheck.profile.backend import Backend, current
from tfcheck.profile.program import Outcome, Program, failure, run_program, stopped
from tfcheck.profile.recorder import Recorder
from tfcheck.profile.recording import Recording
from tfcheck.profile.retracing import from_environment
from tfcheck.profile.samples import SampleStore
from tfcheck.profile.stopping import StoppedError, stoppable
from tfcheck_runtime.events import Event, Listener


class Sampling(Protocol):
    """What looks at the program while it runs."""

    def running(self) -> AbstractContextManager[None]:
        """Look while the context is open."""


@dataclass(frozen=True, slots=True)
class Collected:
    """A run that is over: how it ended, what it told, and inputs to repeat its calls with."""

    outcome: Outcome
    recording: Recording
    samples: SampleStore


def collect(
    program: Program,
    *,
    backend: Backend | None = None,
    samples: SampleStore | None = None,
    also: Listener | None = None,
    sampler: Sampling | None = None,
    timeout: float | None = None,
    cut_short: Callable[[Collected], int] | None = None,
) -> Collected:
    """Run `program`; whatever ends it, what it told until then is returned.

    `also` hears all that is recorded, `sampler` looks where the program is meanwhile.
    Where that cannot be, as the process ends here and now, it goes to `cut_short`, which answers
    with the status to end with.
    """
    backend = backend or current()
    recorder = Recorder(samples)
    surroundings = _Surroundings()
    backend.prepare()
    start = time.perf_counter()

    def collected(outcome: Outcome) -> Collected:
        wall = time.perf_counter() - start
        return Collected(outcome, recorder.recording(wall, start=start), recorder.samples)

    def last_resort(reason: str, status: int) -> int:
        if cut_short is None:
            return status
        surroundings.restore()
        return cut_short(collected(Outcome(status, None, reason)))

    listener = recorder if also is None else _both(recorder, also)
    try:
        sampling = nullcontext() if sampler is None else sampler.running()
        with backend.listening(listener), from_environment(), sampling:
            outcome = _guarded(program, timeout=timeout, last_resort=last_resort)
        return collected(outcome)
    finally:
        surroundings.restore()


def _both(first: Listener, second: Listener) -> Listener:
    def listener(event: Event) -> None:
        first(event)
        second(event)

    return listener


def _guarded(
    program: Program, *, timeout: float | None, last_resort: Callable[[str, int], int]
) -> Outcome:
    try:
        with stoppable(timeout=timeout, last_resort=last_resort):
            return run_program(program)
    except KeyboardInterrupt as error:
        # Pressed while `run_program` itself was at work, for example showing a traceback.
        return failure(error)
    except StoppedError as stop:
        return stopped(stop)


class _Surroundings:
    """What programs change about their process and reports depend on."""

    def __init__(self) -> None:
        self._folder = os.getcwd()
        self._streams = sys.stdout, sys.stderr
        self._spares: tuple[int | None, ...] = tuple(_spare(stream) for stream in self._streams)
        self._hook = sys.excepthook

    def restore(self) -> None:
        """Put everything back, once."""
        sys.stdout, sys.stderr = map(_usable, self._streams, self._spares)
        self._streams, self._spares = (sys.stdout, sys.stderr), (None, None)
        sys.excepthook = self._hook
        with suppress(OSError):  # the program may have removed the folder
            os.chdir(self._folder)


def _spare(stream: TextIO) -> int | None:
    """A second handle to what a stream writes to; None if that is no file."""
    try:
        return os.dup(stream.fileno())
    except (OSError, ValueError):
        return None


def _usable(stream: TextIO, spare: int | None) -> TextIO:
    """The stream, opened again if the program closed it."""
    if spare is None:
        return stream
    if stream.closed:
        return open(spare, "w", encoding=stream.encoding)
    os.close(spare)
    return stream
