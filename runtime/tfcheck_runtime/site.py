"""Finds the line of user code that is running, leaving out the frames of this package."""

from __future__ import annotations

import functools
import os
import sys
from types import FrameType
from typing import Final

from tfcheck_runtime.events import Site

_PACKAGE: Final = os.path.dirname(os.path.abspath(__file__)) + os.sep
# `from tensorflow import name` stands in the import system when a name is missing.
_hidden: tuple[str, ...] = (_PACKAGE, "<frozen importlib")


def hide_frames_of(directory: str) -> None:
    """Leave out the frames of a program that runs user code, as those of this package are."""
    hide_files(os.path.join(os.path.abspath(directory), ""))


def hide_files(prefix: str) -> None:
    """Leave out the frames of files whose names begin so."""
    global _hidden  # set once, by the program that embeds or watches a runtime
    if prefix not in _hidden:  # each name is compared with all of them
        _hidden = (*_hidden, prefix)


def user_frame() -> FrameType | None:
    """The innermost frame of user code, or None when there is none."""
    frame: FrameType | None = sys._getframe(1)
    # Written out, as it runs in each call that somebody watches.
    while frame is not None and frame.f_code.co_filename.startswith(_hidden):
        frame = frame.f_back
    return frame


def is_hidden(frame: FrameType) -> bool:
    """Whether a frame is not one of user code."""
    return is_hidden_file(frame.f_code.co_filename)


def is_hidden_file(name: str) -> bool:
    """Whether a file is not one of user code."""
    return name.startswith(_hidden)


def user_site() -> Site:
    """Where the user's code stands now."""
    frame = user_frame()
    if frame is None:
        return Site("<unknown>", 0, "<unknown>")
    return _site(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)


# Calls come from few lines, and to find a record is ten times as fast as to make one.
_site = functools.lru_cache(maxsize=4096)(Site)
