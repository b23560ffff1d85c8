"""Shows a program's exception as Python does, without the frames that are ours."""

from __future__ import annotations

import os
import sys
import traceback
from types import TracebackType

from tfcheck.profile.model import Place

_OURS = ("tfcheck", "tfcheck_runtime")


def show_exception(error: BaseException) -> None:
    """Hand an uncaught exception to `sys.excepthook`, which the program may have replaced."""
    folders = _own_folders()
    _strip_chain(error, folders, seen=set())
    sys.excepthook(type(error), error, error.__traceback__)
    flush_streams()


def places_of(error: BaseException) -> tuple[Place, ...]:
    """The lines of an exception's traceback, outermost first, and of what it came from."""
    chain: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and current not in chain:
        chain.append(current)
        current = current.__cause__ or current.__context__
    frames = (frame for each in chain for frame in traceback.walk_tb(each.__traceback__))
    return tuple(dict.fromkeys(Place(f.f_code.co_filename, line) for f, line in frames))


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


def _without_own(frames: TracebackType | None, folders: tuple[str, ...]) -> TracebackType | None:
    kept = []
    while frames is not None:
        if not frames.tb_frame.f_code.co_filename.startswith(folders):
            kept.append(frames)
        frames = frames.tb_next
    rebuilt: TracebackType | None = None
    for each in reversed(kept):
        rebuilt = TracebackType(rebuilt, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return rebuilt
