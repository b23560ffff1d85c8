"""Looks up the lines that code frames show."""

from __future__ import annotations

import json
import tokenize
from pathlib import Path


class SourceReader:
    """The lines of files and notebook cells; each file is read once."""

    def __init__(self, texts: dict[str, str] | None = None) -> None:
        self._lines: dict[tuple[str, int | None], list[str]] = {
            (name, None): _lines(text) for name, text in (texts or {}).items()
        }

    def __call__(self, filename: str, cell: int | None, row: int) -> str | None:
        """The text of a row, counted from 1; None where there is no such row to read."""
        key = (filename, cell)
        if key not in self._lines:
            self._lines[key] = _read(filename, cell)
        known = self._lines[key]
        return known[row - 1] if 0 < row <= len(known) else None


def _read(filename: str, cell: int | None) -> list[str]:
    try:
        if cell is None:
            with tokenize.open(filename) as file:
                return _lines(file.read())
        notebook = json.loads(Path(filename).read_bytes())
        source = notebook["cells"][cell - 1]["source"]
    except (OSError, SyntaxError, ValueError, LookupError, TypeError):
        # The finding is shown without its frame, as when the file has changed since.
        return []
    return _lines(source if isinstance(source, str) else "".join(source))


def _lines(text: str) -> list[str]:
    """The rows as Python counts them: `str.splitlines` breaks at form feeds, too."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
