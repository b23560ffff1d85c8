"""A file as rules see it: decoded text with rows and columns, of a module or a notebook."""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass, field

from tfcheck.diagnostics import Position, Span


@dataclass(frozen=True, slots=True)
class Line:
    """Where a line of the text stands: for notebooks the cell and the row in it."""

    cell: int
    row: int


@dataclass(frozen=True, slots=True)
class Source:
    """The text of one file; the code cells of a notebook are joined, as they share their names."""

    filename: str
    text: str
    places: tuple[Line, ...] = ()
    """For notebooks, where each line of `text` comes from."""
    _lines: list[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # The lines of Python are cut at line feeds alone; \r\n is made \n when reading.
        object.__setattr__(self, "_lines", self.text.split("\n"))

    @property
    def lines(self) -> list[str]:
        """The lines without their ends."""
        return self._lines

    def column(self, row: int, offset: int) -> int:
        """The 1-based column in characters for a byte offset as `ast` counts."""
        line = self._lines[row - 1] if row <= len(self._lines) else ""
        if line.isascii():
            return offset + 1
        return len(line.encode()[:offset].decode(errors="replace")) + 1

    def span(self, node: ast.expr | ast.stmt | ast.arg | ast.keyword | ast.alias) -> Span:
        """Where a node stands."""
        end_row, end = node.end_lineno or node.lineno, node.end_col_offset or 0
        return Span(
            Position(node.lineno, self.column(node.lineno, node.col_offset)),
            Position(end_row, self.column(end_row, end)),
        )

    def line_name(self, row: int) -> str:
        """How a message names a row: `line 7`, in a notebook `cell 2:7`."""
        if not self.places or not row:
            return f"line {row}"
        place = self.places[min(row, len(self.places)) - 1]
        return f"cell {place.cell}:{place.row}"

    def slice(self, span: Span) -> str:
        """The text of a span."""
        first, last = span.start.row - 1, span.end.row - 1
        if first == last:
            return self._lines[first][span.start.column - 1 : span.end.column - 1]
        inner = self._lines[first + 1 : last]
        head = self._lines[first][span.start.column - 1 :]
        return "\n".join([head, *inner, self._lines[last][: span.end.column - 1]])


def parse_quietly(text: str) -> ast.Module:
    """Parse Python without its warnings, which are about the code and not for our output."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)
