"""Stops Python code that takes too long."""

from __future__ import annotations

import _thread
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class TooSlowError(Exception):
    """The code still ran when its time was up."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Interrupt the main thread, where this must be called, once `seconds` are over.

    Raises:
        TooSlowError: the limit was hit.
    """
    fired = threading.Event()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(seconds, _fire, args=(fired,))
    timer.daemon = True
    timer.start()
    try:
        yield
        timer.cancel()
        # Should it fire right now, the interrupt must arrive in here.
        timer.join()
    except KeyboardInterrupt:
        if fired.is_set():
            raise TooSlowError(f"more than {seconds:g} s") from None
        raise
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)


def _fire(fired: threading.Event) -> None:
    fired.set()
    _thread.interrupt_main()
