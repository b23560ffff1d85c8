"""Moves findings from the joined text of a notebook to its cells and back."""

from __future__ import annotations

from dataclasses import replace

from tfcheck.diagnostics import Edit, Fix, Position, Related, Span, TracedStep, Violation
from tfcheck.lint.outcome import Outcome
from tfcheck.lint.source import Source


def placed(outcome: Outcome, source: Source) -> Outcome:
    """The outcome with places in the cells of a notebook."""
    if not source.places:
        return outcome
    return replace(outcome, violations=tuple(map(Locator(source).place, outcome.violations)))


class Locator:
    """Knows which row of the joined text is which row of which cell."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._rows = {
            (place.cell, place.row): row for row, place in enumerate(source.places, start=1)
        }

    def place(self, violation: Violation) -> Violation:
        """The finding with its cell, and all rows counted from the top of theirs."""
        return replace(
            violation,
            cell=self._cell(violation.span.start.row),
            span=self._span(violation.span),
            traced=tuple(map(self._step, violation.traced)),
            related=tuple(map(self._related, violation.related)),
            fix=self._fix(violation.fix),
        )

    def joined(self, violation: Violation) -> Violation:
        """The finding with the rows of its fix in the joined text again."""
        fix = violation.fix
        if fix is None or violation.cell is None:
            return violation
        edits = tuple(
            Edit(self._joined_span(edit.span, violation.cell), edit.content) for edit in fix.edits
        )
        return replace(violation, fix=replace(fix, edits=edits))

    def joined_row(self, cell: int, row: int) -> int:
        """The row of the joined text that is a row of a cell."""
        return self._rows[cell, row]

    def _cell(self, row: int) -> int:
        places = self._source.places
        return places[min(row, len(places)) - 1].cell

    def _position(self, position: Position) -> Position:
        places = self._source.places
        if position.row > len(places):
            return Position(places[-1].row + 1, position.column)
        return Position(places[position.row - 1].row, position.column)

    def _span(self, span: Span) -> Span:
        if span.end.row > span.start.row and span.end.column == 1:
            # Up to the start of the next line, which may be in the next cell.
            last = self._position(Position(span.end.row - 1, 1)).row
            return Span(self._position(span.start), Position(last + 1, 1))
        return Span(self._position(span.start), self._position(span.end))

    def _joined_span(self, span: Span, cell: int) -> Span:
        start = self._rows[cell, span.start.row]
        shift = start - span.start.row
        end = Position(span.end.row + shift, span.end.column)
        return Span(Position(start, span.start.column), end)

    def _filename(self, row: int) -> str:
        return f"{self._source.filename}:cell {self._cell(row)}"

    def _step(self, step: TracedStep) -> TracedStep:
        if step.filename != self._source.filename:
            return step
        row = self._position(Position(step.row, 1)).row
        return replace(step, filename=self._filename(step.row), row=row)

    def _related(self, related: Related) -> Related:
        if related.filename != self._source.filename:
            return related
        name = self._filename(related.span.start.row)
        return replace(related, filename=name, span=self._span(related.span))

    def _fix(self, fix: Fix | None) -> Fix | None:
        if fix is None:
            return None
        edits = tuple(Edit(self._span(edit.span), edit.content) for edit in fix.edits)
        return replace(fix, edits=edits)
