"""The files of a run by the names under which they can be imported."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_Place = tuple[str, ...]

EVERYWHERE = -1
"""As the position of the file that asks: the answer is the same for all."""

_OUTER_FOLDERS = 2
"""How many folders above a package may be in front of its name."""


@dataclass(frozen=True, slots=True)
class Found:
    """A name in a file of the run; the empty name is the module itself."""

    file: int
    name: str


class Modules:
    """Knows which file of the run a dotted name leads to, seen from another file."""

    def __init__(self, paths: Sequence[Path], unsaved: Mapping[Path, bytes] | None = None) -> None:
        self.paths = tuple(paths)
        self._unsaved = dict(unsaved or {})
        self._packages: dict[_Place, bool] = {}
        self._folders: list[_Place] = []
        self._by_place: dict[_Place, int] = {}
        self._by_name: dict[str, list[int]] = {}
        candidates = [self._add(position, path) for position, path in enumerate(self.paths)]
        self._names = [self._unique(*pair) for pair in enumerate(candidates)]
        self._roots = frozenset(name.partition(".")[0] for name in self._by_name)

    def _add(self, position: int, path: Path) -> list[str]:
        *folder, name = os.path.abspath(path).split(os.sep)
        self._folders.append(tuple(folder))
        stem, suffix = os.path.splitext(name)
        if suffix != ".py":
            return []
        package = stem == "__init__"
        place = tuple(folder) if package else (*folder, stem)
        # Under one name a package hides a module, as it does for Python.
        if package or place not in self._by_place:
            self._by_place[place] = position
        names = list(self._names_of(tuple(folder), "" if package else stem))
        for each in names:
            self._by_name.setdefault(each, []).append(position)
        return names

    def _names_of(self, folder: _Place, stem: str) -> Iterator[str]:
        """The dotted name inside the package a file belongs to, then with folders above it.

        A script's folder is on the path when it runs, and so is the folder that Python starts
        in: `helpers` and `src.helpers` can be one file.
        """
        name = stem
        while self._is_package(folder):
            name = f"{folder[-1]}.{name}" if name else folder[-1]
            folder = folder[:-1]
        if name:
            yield name
        for _ in range(_OUTER_FOLDERS):
            if not folder or not folder[-1].isidentifier():
                return
            name = f"{folder[-1]}.{name}" if name else folder[-1]
            folder = folder[:-1]
            yield name

    def _is_package(self, folder: _Place) -> bool:
        if folder not in self._packages:
            file = os.sep.join((*folder, "__init__.py"))
            self._packages[folder] = os.path.exists(file)
        return self._packages[folder]

    def _unique(self, position: int, names: list[str]) -> str:
        """The shortest name that no other file has."""
        for name in names:
            if self._by_name[name] == [position]:
                return name
        name = f"{names[0] if names else self.paths[position].stem}@{position}"
        self._by_name[name] = [position]
        return name

    def read(self, position: int) -> bytes:
        """The content of a file: as it is in an editor, or on disk.

        Raises:
            OSError: it cannot be read.
        """
        path = self.paths[position]
        content = self._unsaved.get(path) if self._unsaved else None
        return path.read_bytes() if content is None else content

    def name_of(self, position: int) -> str:
        """A dotted name that leads to the file from everywhere."""
        return self._names[position]

    def at(self, address: str) -> Found | None:
        """The file and the name behind a dotted name that starts with `name_of` a file."""
        return self._absolute(address.split("."))

    def find(self, target: str, position: int) -> Found | None:
        """The file and the name in it that a dotted name stands for, seen from a file."""
        level = len(target) - len(target.lstrip("."))
        parts = target[level:].split(".") if len(target) > level else []
        folder = self._folders[position]
        if level:
            return self._below(folder[: len(folder) - level + 1], parts, at_least=0)
        if not parts or parts[0] not in self._roots:
            return None
        # The folder of a script is on the path when it runs; that of a package is not.
        beside = None if self._is_package(folder) else self._below(folder, parts, at_least=1)
        return beside or self._absolute(parts)

    def _below(self, folder: _Place, parts: Sequence[str], *, at_least: int) -> Found | None:
        for count in range(len(parts), at_least - 1, -1):
            file = self._by_place.get((*folder, *parts[:count]))
            if file is not None:
                return Found(file, ".".join(parts[count:]))
        return None

    def _absolute(self, parts: Sequence[str]) -> Found | None:
        for count in range(len(parts), 0, -1):
            files = self._by_name.get(".".join(parts[:count]), ())
            if len(files) == 1:
                return Found(files[0], ".".join(parts[count:]))
        return None
