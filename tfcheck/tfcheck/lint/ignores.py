"""Writes suppression comments for what is found, to adopt the tool on old code."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import replace

from tfcheck.config import Settings
from tfcheck.diagnostics import Edit, FileProblem, Position, Span, Violation
from tfcheck.errors import OutputError
from tfcheck.lint.check import check_bytes
from tfcheck.lint.checker import Task
from tfcheck.lint.fixes import write_atomically
from tfcheck.lint.locate import Locator
from tfcheck.lint.mend import Mended
from tfcheck.lint.modules import Modules
from tfcheck.lint.outcome import Outcome
from tfcheck.lint.reading import Document, UnreadableError, read_document
from tfcheck.lint.selection import select_rules
from tfcheck.lint.shelf import Shelf, Standing
from tfcheck.lint.source import Source, parse_quietly
from tfcheck.lint.suppress import find_ignores
from tfcheck.lint.syntax import PARSE_ERRORS

_OWN = re.compile(r"(#\s*tfcheck:\s*ignore\s*\[)([^\]]*)(\])", re.IGNORECASE)


def add_ignores(
    task: Task,
    outcome: Outcome,
    *,
    content: bytes,
    modules: Modules,
    settings: Settings,
    write: bool,
) -> Mended | None:
    """Put a comment on the line of each finding of a file; None if there is nothing to do.

    Findings on a line that takes no comment stay: inside of a string over several lines, or of a
    file that does not parse. With `write`, the file itself is changed.
    """
    try:
        document = read_document(content, filename=task.filename)
        parse_quietly(document.source.text)
    except (*PARSE_ERRORS, UnreadableError):
        return None
    # That a comment suppresses nothing is no reason to write another.
    about = {rule.code for rule in select_rules(settings).rules if rule.is_about_ignores()}
    wanted = [violation for violation in outcome.violations if violation.code not in about]
    edits = list(ignore_edits(document, wanted))
    if not edits:
        return None
    changed = document.edited(edits)
    standing = Standing(Shelf(modules), task.position, task.wanted)
    after = check_bytes(
        changed,
        filename=task.filename,
        settings=settings,
        reached=task.reached,
        standing=standing,
    )
    count = len(outcome.violations) - len(after.violations)
    mended = Mended(task.filename, content, changed, document.encoding, after, count)
    if not write:
        return mended
    try:
        write_atomically(task.path, changed, expected=content)
    except OutputError as error:
        problem = FileProblem(task.filename, str(error))
        return replace(mended, content=content, outcome=replace(outcome, problem=problem), fixed=0)
    return mended


def ignore_edits(document: Document, violations: Sequence[Violation]) -> Iterator[Edit]:
    """A comment for each finding whose line can take one; edits in rows of the joined text."""
    source = document.source
    open_rows = set(_rows_without_comment(source))
    codes: dict[int, set[str]] = {}
    for violation in violations:
        rows = (row for row in _rows(source, violation) if row not in open_rows)
        row = next(rows, None)
        if row is not None:
            codes.setdefault(row, set()).add(violation.code)
    known = {ignore.row: ignore.codes for ignore in find_ignores(source) if not ignore.foreign}
    for row, found in sorted(codes.items()):
        yield _edit(source.lines[row - 1], row, sorted({*found, *known.get(row, ())}), row in known)


def _rows(source: Source, violation: Violation) -> list[int]:
    """The rows where a comment covers a finding, in rows of the joined text of a notebook."""
    rows = [violation.span.start.row, violation.span.end.row]
    if source.places and violation.cell is not None:
        locator = Locator(source)
        rows = [locator.joined_row(violation.cell, row) for row in rows]
    return rows


def _edit(line: str, row: int, codes: list[str], known: bool) -> Edit:
    listed = ", ".join(codes)
    own = list(_OWN.finditer(line)) if known else []
    if own:
        first, last = own[-1].span(2)
        return Edit(Span(Position(row, first + 1), Position(row, last + 1)), listed)
    start, end = Position(row, len(line.rstrip()) + 1), Position(row, len(line) + 1)
    return Edit(Span(start, end), f"  # tfcheck: ignore[{listed}]")


def _rows_without_comment(source: Source) -> Iterator[int]:
    """The rows whose end is inside of a string, or a backslash."""
    for row, line in enumerate(source.lines, start=1):
        if line.endswith("\\"):
            yield row
    try:
        for token in tokenize.generate_tokens(io.StringIO(source.text).readline):
            if token.start[0] < token.end[0] and token.type not in _BETWEEN:
                yield from range(token.start[0], token.end[0])
    except (tokenize.TokenError, SyntaxError):
        return  # what `ast` accepts and `tokenize` does not: the strings before it count


_BETWEEN = {tokenize.NEWLINE, tokenize.NL, tokenize.INDENT, tokenize.DEDENT}
