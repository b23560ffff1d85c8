"""Lines up cells in columns."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

GAP = "  "


def line_up(rows: Sequence[Sequence[str]], *, right: Sequence[bool]) -> list[str]:
    """One line a row, each column as wide as its widest cell; `right` says which align right.

    A row may be shorter than the others: its last cell then runs over the columns that are left.
    """
    full = max((len(row) for row in rows), default=0)
    widths = [
        max((cell_len(row[column]) for row in rows if _is_cell(row, column, full)), default=0)
        for column in range(full)
    ]
    return [_line(row, widths, right) for row in rows]


def _is_cell(row: Sequence[str], column: int, full: int) -> bool:
    return column < len(row) and not (column == len(row) - 1 and len(row) < full)


def _line(row: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    cells = []
    for cell, width, to_right in zip(row, widths, right, strict=False):
        padding = " " * (width - cell_len(cell))
        cells.append(padding + cell if to_right else cell + padding)
    return GAP.join(cells).rstrip()
