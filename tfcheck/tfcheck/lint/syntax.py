"""Files that do not parse, and those of which only that matters."""

from __future__ import annotations

import symtable
import warnings
from collections.abc import Iterable

from tfcheck.config import Settings
from tfcheck.diagnostics import FileProblem, Position, Span
from tfcheck.lint.outcome import Outcome, SyntaxProblem
from tfcheck.lint.reading import UnreadableError, read_document
from tfcheck.lint.source import Source, parse_quietly

PARSE_ERRORS = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What `ast.parse` raises for code that is not Python, holds null bytes or nests too deeply."""


def check_syntax(content: bytes, *, filename: str, settings: Settings) -> Outcome:
    """Check that a file parses which cannot hold traced code."""
    if filename.endswith(".py") and _compiles(content):
        return Outcome()
    try:
        document = read_document(content, filename=filename)
    except UnreadableError as error:
        return Outcome(problem=FileProblem(filename, str(error)))
    source = document.source
    problems = syntax_problems(source)
    if not problems:
        return Outcome()
    # Most files parse, and pay for no rule.
    from tfcheck.lint.judge import Judge
    from tfcheck.lint.locate import placed

    return placed(Judge(source, settings).syntax_errors(problems), source)


def _compiles(content: bytes) -> bool:
    """Whether the parser has no complaint; it is twice as fast when no syntax tree is wanted."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            symtable.symtable(content, "", "exec")  # type: ignore[arg-type]  # bytes will do
    except (*PARSE_ERRORS, OSError):
        return False
    return True


def syntax_problems(source: Source) -> tuple[SyntaxProblem, ...]:
    """What does not parse: cell by cell in a notebook."""
    try:
        parse_quietly(source.text)
    except PARSE_ERRORS as error:
        problem = _syntax_problem(error)
    else:
        return ()
    return (tuple(_cell_problems(source)) if source.places else ()) or (problem,)


def _cell_problems(source: Source) -> Iterable[SyntaxProblem]:
    """The cells that do not parse, each with its first error, in rows of the joined text."""
    start = 0
    while start < len(source.lines):
        cell = source.places[start].cell
        end = start
        while end < len(source.lines) and source.places[end].cell == cell:
            end += 1
        try:
            parse_quietly("\n".join(source.lines[start:end]))
        except PARSE_ERRORS as error:
            yield _syntax_problem(error, rows_before=start)
        start = end


def _syntax_problem(error: Exception, *, rows_before: int = 0) -> SyntaxProblem:
    row, column, end_row, end_column = 1, 1, None, None
    message = str(error) or "too deeply nested"
    if isinstance(error, SyntaxError):
        message = error.msg
        row, column = error.lineno or 1, max(error.offset or 1, 1)
        end_row, end_column = error.end_lineno, error.end_offset
    start = Position(row + rows_before, column)
    end = Position((end_row or row) + rows_before, end_column or column + 1)
    return SyntaxProblem(
        message, Span(start, end if end > start else Position(start.row, column + 1))
    )
