"""Finds the files to lint."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tfcheck.config import Settings
from tfcheck.diagnostics import FileProblem
from tfcheck.errors import InputError
from tfcheck.lint.patterns import Patterns

SUFFIXES = frozenset({".py", ".ipynb"})


@dataclass(frozen=True, slots=True)
class StdinSource:
    """What came through standard input, with the name it is to be reported under."""

    content: bytes
    filename: str = "<stdin>"


@dataclass(frozen=True, slots=True)
class Discovery:
    """The files to lint, and the folders that could not be searched."""

    files: tuple[Path, ...]
    problems: tuple[FileProblem, ...] = ()


def discover(paths: Sequence[Path], settings: Settings) -> Discovery:
    """The files behind `paths`, each once, sorted by name within a folder.

    Files that are named are taken whatever their suffix and whatever is excluded, unless
    `force_exclude` is set; folders are searched for modules and notebooks.

    Raises:
        InputError: a path does not exist.
    """
    search = _Search(settings)
    found: dict[Path, None] = {}
    for path in paths:
        if path.is_dir():
            found.update(dict.fromkeys(search.folder(path)))
        elif path.exists():
            if not (settings.force_exclude and search.excludes(path)):
                found[path] = None
        else:
            raise InputError(f"{path}: no such file or folder")
    return Discovery(tuple(found), tuple(search.problems))


def matches(filename: str | Path, patterns: Sequence[str], *, root: Path) -> bool:
    """Whether a gitignore-style pattern, relative to `root`, matches a file."""
    return bool(Patterns(patterns).verdict(_relative(os.path.abspath(filename), str(root))))


def _relative(path: str, root: str) -> str:
    """The part of `path` below `root`; all of it when it is elsewhere."""
    base = os.path.join(os.path.abspath(root), "")
    return path.removeprefix(base).replace(os.sep, "/")


@dataclass(frozen=True, slots=True)
class _Ignoring:
    """A .gitignore file, with the start of all paths below its folder."""

    patterns: Patterns
    prefix: str

    def verdict(self, path: str) -> bool | None:
        """What it says of an absolute path."""
        return self.patterns.verdict(path.removeprefix(self.prefix).replace(os.sep, "/"))


class _Search:
    """Walks folders, leaving out what is excluded or ignored."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._root = str(settings.root)
        patterns = [*settings.exclude, *settings.extend_exclude]
        self._excluded = Patterns(patterns)
        # A pattern with a path in it matches from the folder of the settings.
        self._anchored = Patterns([line for line in patterns if "/" in line.rstrip("/")])
        self._ignoring: dict[str, tuple[_Ignoring, ...]] = {}
        self.problems: list[FileProblem] = []

    def folder(self, top: Path) -> Iterator[Path]:
        """The files below `top`; a folder that links make visible twice is searched once."""
        seen: set[str] = set()
        stack = [top]
        base = os.path.abspath(top)
        while stack:
            folder = stack.pop()
            real = os.path.realpath(folder)
            if real in seen:
                continue
            seen.add(real)
            folders, files = self._entries(folder, base)
            yield from files
            stack.extend(reversed(folders))

    def _entries(self, folder: Path, top: str) -> tuple[list[Path], list[Path]]:
        folders: list[Path] = []
        files: list[Path] = []
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            message = f"cannot be searched: {error.strerror or error}"
            self.problems.append(FileProblem(folder.as_posix(), message))
            return [], []
        whole = os.path.abspath(folder)
        for entry in entries:
            is_folder = entry.is_dir()
            if not is_folder and os.path.splitext(entry.name)[1] not in SUFFIXES:
                continue
            path = os.path.join(whole, entry.name)
            if not self._leaves_out(path, within=top, mark="/" if is_folder else ""):
                (folders if is_folder else files).append(folder / entry.name)
        return folders, files

    def excludes(self, path: Path) -> bool:
        """Whether the settings or a .gitignore leave out a file that was named."""
        return self._leaves_out(os.path.abspath(path), within=self._root, mark="")

    def _leaves_out(self, path: str, *, within: str, mark: str) -> bool:
        """Whether a path is excluded or ignored.

        Below a folder that was named, only what lies under it is looked at: a project may
        itself live under a folder called `build`.
        """
        below = _relative(path, within) + mark
        if self._excluded.verdict(below):
            return True
        from_root = _relative(path, self._root) + mark
        if (
            from_root != below
            and not from_root.startswith("/")
            and self._anchored.verdict(from_root)
        ):
            return True
        return self._settings.respect_gitignore and self._is_ignored(path, mark)

    def _is_ignored(self, path: str, mark: str) -> bool:
        """What the closest .gitignore says that speaks of the path."""
        for ignoring in self._files_for(os.path.dirname(path)):
            verdict = ignoring.verdict(path + mark)
            if verdict is not None:
                return verdict
        return False

    def _files_for(self, folder: str) -> tuple[_Ignoring, ...]:
        """The .gitignore files that hold in a folder, closest first, up to the repository."""
        if folder not in self._ignoring:
            parent = os.path.dirname(folder)
            top = parent == folder or os.path.exists(os.path.join(folder, ".git"))
            outer = () if top else self._files_for(parent)
            self._ignoring[folder] = (*self._own_file(folder), *outer)
        return self._ignoring[folder]

    def _own_file(self, folder: str) -> Iterator[_Ignoring]:
        try:
            with open(
                os.path.join(folder, ".gitignore"), encoding="utf-8", errors="replace"
            ) as file:
                lines = file.read().splitlines()
        except OSError:
            return
        yield _Ignoring(Patterns(lines), os.path.join(folder, ""))
