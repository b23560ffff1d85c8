"""Tells findings apart by what they are about, not by where they stand."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace

from tfcheck.diagnostics import Violation
from tfcheck.lint.cache import digest
from tfcheck.lint.locate import Locator
from tfcheck.lint.nodes import first_row
from tfcheck.lint.reading import UnreadableError, read_document
from tfcheck.lint.source import Source, parse_quietly
from tfcheck.lint.syntax import PARSE_ERRORS

_LONGEST = 200
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True, slots=True, order=True)
class Fingerprint:
    """A rule, the function around a finding and the statement, whatever its layout."""

    code: str
    function: str
    """The qualified name; empty at module level."""
    statement: str


def fingerprints(content: bytes, violations: Sequence[Violation]) -> list[Fingerprint]:
    """The fingerprint of each finding in a file, in their order."""
    if not violations:
        return []
    try:
        source = read_document(content, filename=violations[0].filename).source
        tree = parse_quietly(source.text)
    except (*PARSE_ERRORS, UnreadableError):
        # There are no statements: what the parser says of the file is the finding.
        return [Fingerprint(found.code, "", found.message) for found in violations]
    statements = _Statements(source, tree)
    return [statements.fingerprint(found) for found in violations]


@dataclass(frozen=True, slots=True)
class _Statement:
    """A statement with what is around it."""

    node: ast.stmt
    function: str
    depth: int

    @property
    def rows(self) -> tuple[int, int]:
        """The first and the last row, decorators included."""
        return first_row(self.node), self.node.end_lineno or self.node.lineno


class _Statements:
    """Finds the innermost statement at a row."""

    def __init__(self, source: Source, tree: ast.Module) -> None:
        self._locator = Locator(source) if source.places else None
        self._all = list(_statements(tree))

    def fingerprint(self, violation: Violation) -> Fingerprint:
        """The fingerprint of a finding of the file."""
        row = violation.span.start.row
        if self._locator is not None and violation.cell is not None:
            row = self._locator.joined_row(violation.cell, row)
        around = [each for each in self._all if each.rows[0] <= row <= each.rows[1]]
        if not around:
            return Fingerprint(violation.code, "", "")
        inner = max(around, key=lambda each: each.depth)
        return Fingerprint(violation.code, inner.function, _text(inner.node))


def _statements(tree: ast.Module) -> Iterator[_Statement]:
    stack = [_Statement(node, "", 0) for node in tree.body]
    while stack:
        found = stack.pop()
        if isinstance(found.node, _Definition):
            name = f"{found.function}.{found.node.name}".lstrip(".")
            found = replace(found, function=name)
        yield found
        inner = (part for part in _body(found.node))
        stack.extend(_Statement(part, found.function, found.depth + 1) for part in inner)


def _body(statement: ast.stmt) -> Iterator[ast.stmt]:
    """The statements directly inside of a compound one."""
    for name in ("body", "orelse", "finalbody", "handlers", "cases"):
        for part in getattr(statement, name, ()):
            yield from [part] if isinstance(part, ast.stmt) else part.body


def _text(statement: ast.stmt) -> str:
    """The statement in one line; of a compound one its head alone."""
    match statement:
        case ast.Try() | ast.TryStar():
            return "try"
        case ast.Match():
            return f"match {ast.unparse(statement.subject)}"
        case _ if any(True for _ in _body(statement)):
            head = copy(statement)
            for name in ("body", "orelse"):
                if hasattr(head, name):
                    setattr(head, name, [ast.Pass()] if name == "body" else [])
            text = ast.unparse(head).removesuffix("pass").rstrip().removesuffix(":")
        case _:
            text = ast.unparse(statement)
    return _short(" ".join(text.split()))


def _short(text: str) -> str:
    """Long statements end in a digest."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}... {digest(text)}"
