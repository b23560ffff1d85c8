"""Copies a project to a place where its code can be changed and run."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

LARGEST = 2**20
"""Bytes of a file that is copied; larger ones, such as data, are linked."""
MOST_FILES = 20_000
"""Files that are copied; what comes after them is linked."""

_OMITTED = frozenset({"__pycache__"})
_LINKED = frozenset({"node_modules", "site-packages"})


def scratch_copy(folder: Path, target: Path) -> None:
    """Make `target` a copy of `folder` that can be written without changing the original.

    Python files are copied, and so is all else that is small. Large files, hidden folders and
    virtual environments are linked: they look the same, and are the originals.

    Raises:
        OSError: something cannot be read or written.
    """
    target.mkdir(parents=True)
    room = MOST_FILES
    folders = [(folder.resolve(), target)]
    for source, copy in folders:
        for entry in _entries(source):
            place = copy / entry.name
            if entry.is_dir() and not _is_linked(entry):
                place.mkdir()
                folders.append((Path(entry.path), place))
            elif room and entry.is_file() and _is_copied(entry):
                shutil.copy2(entry.path, place)
                room -= 1
            else:
                place.symlink_to(os.path.realpath(entry.path))


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        yield from sorted((each for each in entries if each.name not in _OMITTED), key=_name)


def _name(entry: os.DirEntry[str]) -> str:
    return entry.name


def _is_linked(entry: os.DirEntry[str]) -> bool:
    hidden = entry.name.startswith(".") or entry.name in _LINKED or entry.is_symlink()
    return hidden or os.path.exists(os.path.join(entry.path, "pyvenv.cfg"))


def _is_copied(entry: os.DirEntry[str]) -> bool:
    return entry.name.endswith(".py") or entry.stat().st_size <= LARGEST
