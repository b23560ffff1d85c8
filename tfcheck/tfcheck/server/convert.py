"""Findings and edits in the words of the protocol, whose lines and characters count from 0.

https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from lsprotocol import types
from pygls import uris
from pygls.workspace import PositionCodec

from tfcheck.diagnostics import Edit, Position, Severity, Span, TracedStep, Violation
from tfcheck.lint.rule import docs_url

SOURCE = "tfcheck"

_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFO: types.DiagnosticSeverity.Information,
}


class Converter:
    """Converts places in one text, by the units that the client counts characters in."""

    def __init__(self, lines: Sequence[str], codec: PositionCodec) -> None:
        self._lines = lines
        self._codec = codec

    def range_of(self, span: Span) -> types.Range:
        """A span of the text."""
        return types.Range(self._position(span.start), self._position(span.end))

    def _position(self, position: Position) -> types.Position:
        plain = types.Position(position.row - 1, position.column - 1)
        return self._codec.position_to_client_units(self._lines, plain)

    def position_of(self, position: types.Position) -> Position:
        """A place that the client names."""
        asked = types.Position(position.line, position.character)  # the codec may change it
        found = self._codec.position_from_client_units(self._lines, asked)
        return Position(found.line + 1, found.character + 1)

    def edits(self, edits: Iterable[Edit]) -> list[types.TextEdit]:
        """Edits of the text."""
        return [types.TextEdit(self.range_of(each.span), each.content) for each in edits]

    def diagnostic(self, violation: Violation) -> types.Diagnostic:
        """A finding; what explains it stands with it as related places."""
        text = violation.message
        if violation.hint is not None:
            text = f"{text}\ncure: {violation.hint}"
        return types.Diagnostic(
            range=self.range_of(violation.span),
            message=text,
            severity=_SEVERITIES[violation.severity],
            code=violation.code,
            code_description=types.CodeDescription(docs_url(violation.name)),
            source=SOURCE,
            related_information=[*self._related(violation)],
        )

    def _related(self, violation: Violation) -> Iterator[types.DiagnosticRelatedInformation]:
        for related in violation.related:
            start = related.span.start
            yield _place(related.filename, start.row, related.message)
        for step in violation.traced:
            yield _place(step.filename, step.row, f"traced: {step.reason}")


def _place(filename: str, row: int, message: str) -> types.DiagnosticRelatedInformation:
    where = types.Range(types.Position(row - 1, 0), types.Position(row, 0))
    uri = uris.from_fs_path(str(Path(filename).absolute())) or filename
    return types.DiagnosticRelatedInformation(types.Location(uri, where), message)


def chain(steps: Sequence[TracedStep]) -> str:
    """Why a function is traced, one step a line."""
    return "\n".join(f"- {step.reason} ({Path(step.filename).name}:{step.row})" for step in steps)
