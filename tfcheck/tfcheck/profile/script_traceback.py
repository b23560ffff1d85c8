"""Shows a program's exception as Python does, without the frames that are ours."""

from __future__ import annotations

import os
import sys
from types import TracebackType

_OURS = ("tfcheck", "tfcheck_runtime")


def show_exception(error: BaseException) -> None:
    """Hand an uncaught exception to `sys.excepthook`, which the program may have replaced."""
    folders = _own_folders()
    _strip_chain(error, folders, seen=set())
    sys.excepthook(type(error), error, error.__traceback__)
    flush_streams()


def flush_streams() -> None:
    """Write out what is buffered in standard output and error, where they are open."""
    for stream in (sys.stdout, sys.stderr):
        # The program may have closed its streams, or set them to None.
        if stream is not None and not stream.closed:
            stream.flush()


def _own_folders() -> tuple[str, ...]:
    files = (getattr(sys.modules.get(name), "__file__", None) for name in _OURS)
    return tuple(os.path.dirname(file) + os.sep for file in files if file)


def _strip_chain(error: BaseException | None, folders: tuple[str, ...], *, seen: set[int]) -> None:
    if error is None or id(error) in seen:
        return
    seen.add(id(error))
    error.__traceback__ = _without_own(error.__traceback__, folders)
    _strip_chain(error.__cause__, folders, seen=seen)
    _strip_chain(error.__context__, folders, seen=seen)


def _without_own(traceback: TracebackType | None, folders: tuple[str, ...]) -> TracebackType | None:
    kept = []
    while traceback is not None:
        if not traceback.tb_frame.f_code.co_filename.startswith(folders):
            kept.append(traceback)
        traceback = traceback.tb_next
    rebuilt: TracebackType | None = None
    for each in reversed(kept):
        rebuilt = TracebackType(rebuilt, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return rebuilt
