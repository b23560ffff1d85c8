"""Finds the files to lint."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tfcheck.config import Settings, settings_in
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
    settings: Settings
    """Those that were given, with those of folders below."""
    problems: tuple[FileProblem, ...] = ()


def discover(paths: Sequence[Path], settings: Settings) -> Discovery:
    """The files behind `paths`, each once, sorted by name within a folder.

    What a folder excludes is said by the closest settings: its own, or those of a folder above.
    Files that are named are taken whatever their suffix and whatever is excluded, unless
    `force_exclude` is set; folders are searched for modules and notebooks.

    Raises:
        InputError: a path does not exist.
        ConfigError: the settings of a folder cannot be used.
    """
    search = _Search(settings)
    found: dict[Path, None] = {}
    for path in paths:
        if path.is_dir():
            found.update(dict.fromkeys(search.folder(path)))
        elif path.exists():
            if not search.excludes(path):
                found[path] = None
        else:
            raise InputError(f"{path}: no such file or folder")
    return Discovery(tuple(found), search.all_settings(), tuple(search.problems))


def matches(filename: str | Path, patterns: Sequence[str], *, root: Path) -> bool:
    """Whether a gitignore-style pattern, relative to `root`, matches a file."""
    return bool(Patterns(patterns).verdict(_relative(os.path.abspath(filename), str(root))))


def _relative(path: str, root: str) -> str:
    """The part of `path` below `root`; all of it when it is elsewhere."""
    base = os.path.join(os.path.abspath(root), "")
    return path.removeprefix(base).replace(os.sep, "/")


def _prefix(folder: str, root: str) -> str:
    """The path of a folder below `root`, with a slash at the end; empty for `root` itself."""
    return _relative(os.path.join(folder, ""), root)


@dataclass(frozen=True, slots=True)
class _Ignoring:
    """A .gitignore file."""

    patterns: Patterns
    folder: str


class _Scope:
    """What the settings of one folder leave out in it and below."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.root = str(settings.root)
        patterns = [*settings.exclude, *settings.extend_exclude]
        self.excluded = Patterns(patterns)
        # A pattern with a path in it matches from the folder of the settings.
        self.anchored = Patterns([line for line in patterns if "/" in line.rstrip("/")])


class _Search:
    """Walks folders, leaving out what is excluded or ignored."""

    def __init__(self, settings: Settings) -> None:
        self._outer = _Scope(settings)
        self._scopes: dict[str, _Scope] = {os.path.abspath(settings.root): self._outer}
        self._ignoring: dict[str, tuple[_Ignoring, ...]] = {}
        self.problems: list[FileProblem] = []

    def all_settings(self) -> Settings:
        """The settings of the run, with those of the folders that have their own."""
        found = {id(scope): scope.settings for scope in self._scopes.values()}
        inner = [each for each in found.values() if each is not self._outer.settings]
        inner.sort(key=lambda each: -len(each.root.parts))
        return replace(self._outer.settings, inner=tuple(inner))

    def _scope(self, folder: str) -> _Scope:
        """That of the closest settings: the folder's own, or of one above up to the run's."""
        overrides = self._outer.settings.overrides
        base = os.path.join(os.path.abspath(self._outer.root), "")
        if overrides is None or not folder.startswith(base):
            return self._outer
        if folder not in self._scopes:
            own = settings_in(Path(folder), overrides)
            above = os.path.dirname(folder)
            self._scopes[folder] = self._scope(above) if own is None else _Scope(own)
        return self._scopes[folder]

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
        leaves_out = self._judge_of(os.path.abspath(folder), within=top)
        for entry in entries:
            is_folder = entry.is_dir()
            if not is_folder and os.path.splitext(entry.name)[1] not in SUFFIXES:
                continue
            if not leaves_out(f"{entry.name}/" if is_folder else entry.name):
                (folders if is_folder else files).append(folder / entry.name)
        return folders, files

    def excludes(self, path: Path) -> bool:
        """Whether `force_exclude` is set, and the settings or a .gitignore leave out a file."""
        folder, name = os.path.split(os.path.abspath(path))
        scope = self._scope(folder)
        return scope.settings.force_exclude and self._judge_of(folder, within=scope.root)(name)

    def _judge_of(self, folder: str, *, within: str) -> Callable[[str], bool]:
        """Tells of the names in a folder, with a slash for folders, which to leave out.

        Below a folder that was named, only what lies under it is looked at: a project may
        itself live under a folder called `build`.
        """
        scope = self._scope(folder)
        below, from_root = _prefix(folder, within), _prefix(folder, scope.root)
        excluded = scope.excluded.below(below)
        elsewhere = from_root == below or from_root.startswith("/")
        anchored = None if elsewhere else scope.anchored.below(from_root)
        closest_first = [
            ignoring.patterns.below(_prefix(folder, ignoring.folder))
            for ignoring in (self._files_for(folder) if scope.settings.respect_gitignore else ())
        ]

        def leaves_out(name: str) -> bool:
            if excluded(name) or (anchored is not None and anchored(name)):
                return True
            for ignores in closest_first:
                verdict = ignores(name)
                if verdict is not None:
                    return verdict
            return False

        return leaves_out

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
        yield _Ignoring(Patterns(lines), folder)
