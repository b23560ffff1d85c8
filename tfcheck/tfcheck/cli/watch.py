"""`tfcheck lint --watch`: checks again whenever a file changes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from tfcheck.cli.output import talk
from tfcheck.config import Settings
from tfcheck.lint.files import discover

_PAUSE = 0.5
"""Seconds between two looks at the files."""

_Seen = dict[Path, tuple[int, int]]


def watch(
    paths: Sequence[Path],
    settings: Settings,
    *,
    check: Callable[[], int],
    pause: Callable[[float], None] = time.sleep,
) -> NoReturn:
    """Check now and after each change, a new or a removed file included, until interrupted."""
    seen: _Seen | None = None
    while True:
        now = _look(paths, settings)
        if now != seen:
            seen = now
            check()
            talk("watching for changes; Ctrl-C ends")
        pause(_PAUSE)


def _look(paths: Sequence[Path], settings: Settings) -> _Seen:
    """Size and time of each file; what vanishes meanwhile is left out."""
    seen: _Seen = {}
    for path in discover([path for path in paths if path.exists()], settings).files:
        try:
            status = path.stat()
        except OSError:
            continue
        seen[path] = status.st_size, status.st_mtime_ns
    return seen
