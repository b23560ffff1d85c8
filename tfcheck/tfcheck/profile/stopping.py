"""Ends a program that takes too long, is told to end or ends itself, without losing its report."""

from __future__ import annotations

import _thread
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType
from typing import NoReturn

from tfcheck.profile.script_traceback import flush_streams

GRACE = 5.0
"""Seconds that a program has to unwind after a time-out."""
TIMED_OUT = 124
"""The status that `timeout` of coreutils ends with."""

LastResort = Callable[[str, int], int]
"""Reports from why and with what status the process is about to end; returns the status."""


class StoppedError(BaseException):
    """Raised in the program to end it; no `except Exception` of the program's catches it."""

    def __init__(self, reason: str, status: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.status = status


@contextmanager
def stoppable(*, timeout: float | None, last_resort: LastResort) -> Iterator[None]:
    """Let time-outs and SIGTERM raise `StoppedError`, and `os._exit` report before it ends.

    `last_resort` reports in place of a program that does not unwind.
    """
    with ExitStack() as stack:
        stack.enter_context(_exit_reported(last_resort))
        if threading.current_thread() is not threading.main_thread():
            # Python runs signal handlers in the main thread, which is somebody else's here.
            yield
            return
        stack.enter_context(sigterm_raises())
        if timeout is not None:
            stack.enter_context(_time_limited(timeout, last_resort))
        yield


@contextmanager
def _exit_reported(last_resort: LastResort) -> Iterator[None]:
    process, leave = os.getpid(), os._exit

    def reported(status: int) -> NoReturn:
        # Forked processes end in this way, too: the report is their parent's.
        if os.getpid() == process:
            status = last_resort(f"it called os._exit({status})", status)
        leave(status)

    os._exit = reported
    try:
        yield
    finally:
        os._exit = leave


@contextmanager
def sigterm_raises() -> Iterator[None]:
    """Let SIGTERM raise `StoppedError` in the main thread, where this must be called."""
    process = os.getpid()

    def handle(_signal: int, _frame: FrameType | None) -> None:
        if os.getpid() == process:
            raise StoppedError("it was told to end (SIGTERM)", 128 + signal.SIGTERM)
        # A forked process has no report to save: it ends as it would have.
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTERM)

    before = signal.signal(signal.SIGTERM, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before or signal.SIG_DFL)


@contextmanager
def _time_limited(seconds: float, last_resort: LastResort) -> Iterator[None]:
    over = threading.Event()
    reason = f"it ran for more than {seconds:g} s (--timeout)"
    outer = signal.getsignal(signal.SIGTERM)

    def handle(number: int, frame: FrameType | None) -> None:
        if watch.fired:
            raise StoppedError(reason, TIMED_OUT)
        if callable(outer):
            outer(number, frame)

    watch = _Watch(seconds, over=over, last_resort=lambda: last_resort(reason, TIMED_OUT))
    signal.signal(signal.SIGTERM, handle)
    watch.start()
    try:
        yield
    finally:
        try:
            over.set()
            # Should it fire right now, the signal must find its handler.
            watch.join()
        finally:
            signal.signal(signal.SIGTERM, outer)


class _Watch(threading.Thread):
    """Interrupts the main thread after a time, and ends the process when that does not help."""

    def __init__(
        self, seconds: float, *, over: threading.Event, last_resort: Callable[[], int]
    ) -> None:
        super().__init__(name="tfcheck-timeout", daemon=True)
        self._seconds = seconds
        self._over = over
        self._last_resort = last_resort
        self.fired = False

    def run(self) -> None:
        if self._over.wait(self._seconds):
            return
        self.fired = True
        _interrupt_main()
        if not self._over.wait(GRACE):
            _leave(self._last_resort())


def _interrupt_main() -> None:
    main = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main is not None:
        # A signal, so that what waits in the operating system wakes up.
        signal.pthread_kill(main, signal.SIGTERM)
    else:
        _thread.interrupt_main(signal.SIGTERM)


def end(status: int) -> int:
    """The status to end with; ends here and now if a program that was stopped left threads.

    Python would wait for them.
    """
    here = threading.current_thread()
    if any(each is not here and not each.daemon for each in threading.enumerate()):
        flush_streams()
        _leave(status)
    return status


_leave = os._exit
"""The real one, whatever a program makes of it."""
