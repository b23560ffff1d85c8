"""Runs a program on the runtime, listens to its events and analyses them."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from tfcheck.profile.retracing import RetraceError, RetraceWarning, on_retrace

if TYPE_CHECKING:
    from tfcheck.profile.watching import Session

__all__ = ["RetraceError", "RetraceWarning", "on_retrace", "session"]


def session() -> AbstractContextManager[Session]:
    """Watch what Functions do inside a `with` block.

        with tfcheck.profile.session() as watched:
            train()
        assert watched.traces_of("train_step") == 1

    Works on the embedded runtime and on TensorFlow, whichever `tensorflow` means here.
    """
    # The runtime and numpy are loaded by those who profile only, not by every verb.
    from tfcheck.profile.watching import watch

    return watch()
