"""Parses the traced parts of a file with libcst, as nodes that know their place in it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import cast

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

from tfcheck.diagnostics import Position, Span
from tfcheck.lint.nodes import first_row
from tfcheck.lint.semantics import FileModel

_Place = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Anchor:
    """Whole lines that hold statements with traced code, and can be parsed by themselves."""

    first: int
    last: int
    statements: tuple[ast.stmt, ...]


class UnparsedError(ValueError):
    """Code that `ast` parses and libcst does not, such as `(name): int`."""


class _Positions(PositionProvider):
    """The positions alone: `MetadataWrapper.resolve` walks the tree a second time for nothing."""

    def of(self, wrapper: MetadataWrapper) -> Mapping[cst.CSTNode, CodeRange]:
        """The place of each node."""
        # No place is computed lazily, which the type of the method allows for other providers.
        return cast("Mapping[cst.CSTNode, CodeRange]", self._gen(wrapper))


class Region:
    """The lines of an anchor as libcst nodes that know their place in the file."""

    def __init__(self, model: FileModel, anchor: Anchor) -> None:
        first = anchor.first
        text = model.source.lines[first - 1 : anchor.last]
        indented = text[0][:1] in {" ", "\t"}
        # An indented statement parses as the body of an `if`, with its columns as they are.
        code = "\n".join([*(["if 1:"] if indented else []), *text, ""])
        self._shift = first - 2 if indented else first - 1
        try:
            module = cst.parse_module(code)
        except cst.ParserSyntaxError as error:
            raise UnparsedError(error.message) from error
        wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
        self._positions = _Positions().of(wrapper)
        self.root: cst.CSTNode = module
        self._expressions: dict[_Place, ast.expr] = {}
        self._others: dict[tuple[int, int], ast.AST] = {}
        for statement in anchor.statements:
            self._map(statement, model.source.column)

    def _map(self, statement: ast.stmt, column: Callable[[int, int], int]) -> None:
        for node in ast.walk(statement):
            if isinstance(node, ast.expr):
                end = node.end_lineno or node.lineno
                place = (
                    node.lineno,
                    column(node.lineno, node.col_offset),
                    end,
                    column(end, node.end_col_offset or 0),
                )
                self._expressions.setdefault(place, node)
            elif isinstance(node, ast.stmt | ast.arg | ast.ExceptHandler):
                start = (node.lineno, column(node.lineno, node.col_offset))
                self._others.setdefault(start, node)

    def span(self, node: cst.CSTNode) -> Span:
        """Where a node stands in the file, parentheses around it left out."""
        place = self._positions[node]
        return Span(
            Position(place.start.line + self._shift, place.start.column + 1),
            Position(place.end.line + self._shift, place.end.column + 1),
        )

    def syntax(self, node: cst.CSTNode) -> ast.AST | None:
        """The `ast` node at the same place."""
        if isinstance(node, cst.Arg | cst.Expr | cst.Index):
            node = node.value
        span = self.span(node)
        if isinstance(node, cst.BaseExpression):
            place = (span.start.row, span.start.column, span.end.row, span.end.column)
            return self._expressions.get(place)
        return self._others.get((span.start.row, span.start.column))


def anchors(model: FileModel) -> list[Anchor]:
    """The outermost lines that hold all traced functions of a file, in source order."""
    found = [_anchor(model, model.index.statement_of(function.node)) for function in model.traces]
    kept: list[Anchor] = []
    for anchor in sorted(found, key=lambda anchor: (anchor.first, -anchor.last)):
        if not kept or anchor.first > kept[-1].last:
            kept.append(anchor)
    return kept


def _anchor(model: FileModel, statement: ast.stmt) -> Anchor:
    """The lines of a statement, of those it shares lines with, or of what is around it."""
    parent = model.index.parents[statement]
    anchor = _with_neighbours(statement, _block(parent, statement))
    if isinstance(parent, ast.Module) or _is_separate(model, anchor):
        return anchor
    return _anchor(model, model.index.statement_of(parent))


def _block(parent: ast.AST, statement: ast.stmt) -> list[ast.stmt]:
    """The statements that follow each other and `statement` is one of."""
    for _, value in ast.iter_fields(parent):
        if isinstance(value, list) and statement in value:
            return value
    return [statement]


def _with_neighbours(statement: ast.stmt, block: list[ast.stmt]) -> Anchor:
    """`a = 1; b = 2` can only be parsed together."""
    first, last = first_row(statement), statement.end_lineno or statement.lineno
    start = end = block.index(statement)
    while start > 0 and (block[start - 1].end_lineno or 0) >= first:
        start -= 1
        first = first_row(block[start])
    while end + 1 < len(block) and first_row(block[end + 1]) <= last:
        end += 1
        last = block[end].end_lineno or last
    return Anchor(first, last, tuple(block[start : end + 1]))


def _is_separate(model: FileModel, anchor: Anchor) -> bool:
    """Whether nothing else stands on the lines, such as the head of a compound statement."""
    statement = anchor.statements[0]
    line = model.source.lines[statement.lineno - 1].encode()
    before, rest = line[: statement.col_offset], line[statement.col_offset :]
    return not before.strip() and not rest.startswith(b"elif")
