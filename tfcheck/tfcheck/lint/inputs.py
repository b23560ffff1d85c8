"""The files of a run with their content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

from tfcheck.lint.cache import digest
from tfcheck.lint.modules import Modules
from tfcheck.lint.surface import can_trace

_SMALL = 200_000
"""How many bytes are parsed in the time that it takes to open the cache."""


class Inputs:
    """Reads each file once; all that is asked of several files goes by their positions."""

    def __init__(self, paths: Sequence[Path], unsaved: Mapping[Path, bytes] | None = None) -> None:
        self.paths = tuple(paths)
        self.filenames = tuple(path.as_posix() for path in paths)
        self._unsaved = unsaved or {}
        """What files hold in an editor."""
        self.contents = tuple(map(self._read, paths))
        self.positions = {name: position for position, name in enumerate(self.filenames)}

    @cached_property
    def modules(self) -> Modules:
        """The files by the names under which they can be imported."""
        return Modules(self.paths, self._unsaved)

    @property
    def are_worth_keeping(self) -> bool:
        """Whether a look into the cache takes less time than a check."""
        size = sum(map(len, self.contents))
        return size > _SMALL or any(map(can_trace, self.contents))

    @cached_property
    def digests(self) -> tuple[str, ...]:
        """A digest of the content of each file."""
        return tuple(map(digest, self.contents))

    def _read(self, path: Path) -> bytes:
        try:
            return self._unsaved[path] if path in self._unsaved else path.read_bytes()
        except OSError:
            return b""  # said when the file is judged
