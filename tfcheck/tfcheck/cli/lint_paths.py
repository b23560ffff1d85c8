"""The files and folders that a user names, and a word about those that are not there."""

from __future__ import annotations

import difflib
import os
from collections.abc import Sequence
from pathlib import Path


def existing(paths: Sequence[str]) -> tuple[list[Path], list[str]]:
    """The paths there are, and a message for each that is not."""
    there = [Path(path) for path in paths if os.path.exists(path)]
    missing = [_missing(Path(path)) for path in paths if not os.path.exists(path)]
    return there, missing


def _missing(path: Path) -> str:
    siblings = os.listdir(path.parent) if path.parent.is_dir() else []
    close = difflib.get_close_matches(path.name, siblings, n=1)
    cure = f"; did you mean {path.parent / close[0]}?" if close else f" (looked in {Path.cwd()})"
    return f"no file or folder {path} to lint{cure}"
