"""Keeps parsed files that may be asked for again."""

from __future__ import annotations

from dataclasses import dataclass

from tfcheck.lint.index import build_index
from tfcheck.lint.modules import Modules
from tfcheck.lint.neighbours import Neighbours, Parsed
from tfcheck.lint.outcome import NOTHING, Exports
from tfcheck.lint.reading import UnreadableError, read_document
from tfcheck.lint.source import Source, parse_quietly
from tfcheck.lint.surface import Surface, survey


class Shelf:
    """The parsed files of a run in one process."""

    def __init__(self, modules: Modules) -> None:
        self.modules = modules
        self._kept: dict[int, Parsed | None] = {}
        self.lines = 0
        """Of all files that are kept."""
        self._surfaces: dict[int, Surface] = {}

    def neighbours(self, wanted: Exports) -> Neighbours:
        """The other files for the check of one; `wanted` are names worth opening them for."""
        return Neighbours(self.modules, self, wanted)

    def surface(self, position: int) -> Surface:
        """What the bytes of a file of the run tell."""
        if position not in self._surfaces:
            try:
                content = self.modules.read(position)
            except OSError:
                content = b""  # said when the file itself is checked
            self._surfaces[position] = survey(content)
        return self._surfaces[position]

    def parsed(self, position: int) -> Parsed | None:
        """A file of the run; None for one that cannot be read or parsed."""
        if position not in self._kept:
            self._keep(position, self._parse(position))
        return self._kept[position]

    def add(self, position: int, source: Source) -> Parsed:
        """Parse a file whose text is known.

        Raises:
            SyntaxError: it does not parse, or one of the other errors that `ast.parse` raises.
        """
        kept = self._kept.pop(position, None)
        self.lines -= _size(kept)
        if kept is None or kept.source.text != source.text:
            kept = parse(source)
        self._keep(position, kept)
        return kept

    def _keep(self, position: int, parsed: Parsed | None) -> Parsed | None:
        self._kept[position] = parsed
        self.lines += _size(parsed)
        return parsed

    def clear(self) -> None:
        """Drop all files; to be called when no check is under way."""
        for parsed in self._kept.values():
            if parsed is not None:
                parsed.index.release()
        self._kept.clear()
        self.lines = 0

    def _parse(self, position: int) -> Parsed | None:
        filename = self.modules.paths[position].as_posix()
        try:
            document = read_document(self.modules.read(position), filename=filename)
            return parse(document.source)
        except (OSError, UnreadableError, SyntaxError, ValueError, RecursionError, MemoryError):
            return None  # said when the file itself is checked


def parse(source: Source) -> Parsed:
    """Parse and index a text.

    Raises:
        SyntaxError: it does not parse, or one of the other errors that `ast.parse` raises.
    """
    return Parsed(source, build_index(parse_quietly(source.text)))


def _size(parsed: Parsed | None) -> int:
    return len(parsed.source.lines) if parsed is not None else 0


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a file stands among the others of a run."""

    shelf: Shelf
    position: int
    wanted: Exports = NOTHING
    """Names in it that may mean a Function of another file, or a class to derive from."""
