"""Patterns of gitignore files and settings, matched fast: most files match none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_GROUP_NAME = re.compile(r"\?P<\w+>")
_SIMPLE = re.compile(r"(?P<any>\*?)(?P<name>[\w.\-]+)(?P<folder>/?)")
"""`build`, `dist/` and `*.log`, which most patterns are."""


class Patterns:
    """Gitignore-style patterns; the last one that matches decides."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = [line for line in lines if line.strip() and not line.startswith("#")]
        simple = [_SIMPLE.fullmatch(line) for line in self._lines]
        self._names = {found["name"] for found in simple if found and not found["any"]}
        self._endings = tuple(found["name"] for found in simple if found and found["any"])
        self._others = [line for line, found in zip(self._lines, simple, strict=True) if not found]

    def verdict(self, path: str) -> bool | None:
        """Whether a relative path is ignored, with a slash at its end for a folder.

        None when no pattern speaks of it.
        """
        return self._spec(self._lines).check_file(path).include if self._may_match(path) else None

    def _may_match(self, path: str) -> bool:
        parts = path.split("/")
        if not self._names.isdisjoint(parts):
            return True
        if self._endings and any(part.endswith(self._endings) for part in parts):
            return True
        return bool(self._others) and self._union.search(path) is not None

    @cached_property
    def _union(self) -> re.Pattern[str]:
        """Matches what any of the patterns matches that are more than a name."""
        found = (pattern.regex for pattern in self._spec(self._others).patterns)
        return re.compile(
            "|".join(_GROUP_NAME.sub("?:", regex.pattern) for regex in found if regex)
        )

    def _spec(self, lines: Sequence[str]) -> GitIgnoreSpec:
        from pathspec import GitIgnoreSpec  # as slow to load as a small run takes

        return GitIgnoreSpec.from_lines(lines)
