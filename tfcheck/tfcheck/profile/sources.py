"""Where functions begin and end in source files, and which of their lines always run."""

from __future__ import annotations

import ast
import tokenize
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tfcheck.diagnostics import Violation
from tfcheck.profile.model import FunctionKey


@dataclass(frozen=True, slots=True)
class Body:
    """The lines of a function in the source, decorators included."""

    first: int
    definition: int
    last: int
    always: tuple[tuple[int, int], ...] = ()
    """The rows of statements that run whenever the function does, from first to last."""
    name: str = ""

    def always_runs(self, row: int) -> bool:
        """Whether the statement in this row runs whenever the function does."""
        return any(first <= row <= last for first, last in self.always)


@dataclass(frozen=True, slots=True)
class Sources:
    """Where functions begin and end in the files that were analysed."""

    bodies: Mapping[str, tuple[Body, ...]] = field(default_factory=dict)

    def body(self, key: FunctionKey) -> Body:
        """The lines of a Function; its first one only when the source is not known."""
        for body in self.bodies.get(key.file, ()):
            # Python's first line of a decorated function is that of its first decorator.
            if key.line in {body.first, body.definition}:
                return body
        return Body(key.line, key.line, key.line)


def read_source(file: Path) -> str:
    """The text of a source file as Python reads it; empty when it cannot be read."""
    try:
        with tokenize.open(file) as opened:
            return opened.read()
    except (OSError, SyntaxError, UnicodeDecodeError):
        return ""


def read_bodies(source: str) -> tuple[Body, ...]:
    """The functions in a file; none when it does not parse."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return ()
    return tuple(_body(node) for node in ast.walk(tree) if isinstance(node, _FUNCTIONS))


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def _body(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Body:
    first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
    return Body(first, node.lineno, _last(node), tuple(_always(node.body)), node.name)


def _always(statements: Sequence[ast.stmt]) -> Iterator[tuple[int, int]]:
    for statement in statements:
        if isinstance(statement, ast.With):
            yield from _always(statement.body)
        elif (inner := _first_inner_row(statement)) is None:
            yield (statement.lineno, _last(statement))
        elif isinstance(statement, _HEADED) and inner > statement.lineno:
            yield (statement.lineno, inner - 1)
        # What follows a statement that may leave the function need not run.
        if any(isinstance(node, _EXITS) for node in ast.walk(statement)):
            return


def _first_inner_row(statement: ast.stmt) -> int | None:
    """Where the body of a compound statement begins; None for a simple one."""
    if isinstance(statement, ast.Match):
        return statement.cases[0].pattern.lineno
    body: list[ast.stmt] | None = getattr(statement, "body", None)
    return body[0].lineno if body else None


_HEADED = (ast.If, ast.For, ast.While, ast.Match)
"""Statements whose head runs whatever becomes of their body."""
_EXITS = (ast.Return, ast.Raise, ast.Assert, ast.Break, ast.Continue)


def _last(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def concerns(violation: Violation, key: FunctionKey, body: Body) -> bool:
    """Whether the finding lies in the Function, or in code that is traced because of it."""
    places = [(violation.filename, violation.span.start.row)]
    places += [(step.filename, step.row) for step in violation.traced]
    return any(file == key.file and body.first <= row <= body.last for file, row in places)
