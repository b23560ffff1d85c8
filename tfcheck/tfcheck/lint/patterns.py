"""Patterns of gitignore files and settings, matched fast: most files match none."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fnmatch import translate
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_LITERAL = re.compile(r"[^*?\[\\!]+")


class Patterns:
    """Gitignore-style patterns; the last one that matches decides."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = [line for line in lines if line.strip() and not line.startswith("#")]
        self._names: set[str] = set()
        self._globs: list[str] = []
        self._pieces: list[str] = []
        for line in self._lines:
            self._sort(line.strip().removeprefix("!").rstrip("/"))

    def _sort(self, pattern: str) -> None:
        """Note what a path has to have at least to match a pattern."""
        if "/" in pattern or "\\" in pattern:
            literals = _LITERAL.findall(pattern)
            self._pieces.append(max(literals, key=len, default="").strip("/"))
        elif _LITERAL.fullmatch(pattern):
            self._names.add(pattern)
        else:
            self._globs.append(pattern)

    def verdict(self, path: str) -> bool | None:
        """Whether a relative path is ignored, with a slash at its end for a folder.

        None when no pattern speaks of it.
        """
        if not self._may_match(path, path.split("/")):
            return None
        return self._spec.check_file(path).include

    def below(self, folder: str) -> Callable[[str], bool | None]:
        """The verdict on what stands in a folder, whose path is empty or ends in a slash."""
        if self._may_match(folder, folder.split("/")):
            return lambda name: self.verdict(folder + name)

        def verdict(name: str) -> bool | None:
            if not self._may_match(folder + name, [name.removesuffix("/")]):
                return None
            return self._spec.check_file(folder + name).include

        return verdict

    def _may_match(self, path: str, parts: Sequence[str]) -> bool:
        if not self._names.isdisjoint(parts):
            return True
        if self._globs and any(map(self._any_glob.match, parts)):
            return True
        return any(piece in path for piece in self._pieces)

    @cached_property
    def _any_glob(self) -> re.Pattern[str]:
        return re.compile("|".join(map(translate, self._globs)))

    @cached_property
    def _spec(self) -> GitIgnoreSpec:
        from pathspec import GitIgnoreSpec  # as slow to load as a small run takes

        return GitIgnoreSpec.from_lines(self._lines)
