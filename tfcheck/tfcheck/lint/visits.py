"""Walks the regions of a file once and calls the visit methods of all rules."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields

import libcst as cst

from tfcheck.lint.entering import hooks
from tfcheck.lint.regions import Region
from tfcheck.lint.rule import FileView, Rule

_Visitor = Callable[[cst.CSTNode], None]
_Table = dict[type[cst.CSTNode], list[tuple[Rule, _Visitor]]]


class Walker:
    """Calls the visit methods of rules for each node of traced code, once for all rules."""

    def __init__(
        self,
        view: FileView,
        rules: Sequence[Rule],
        *,
        crashed: Callable[[Rule, Exception], None],
    ) -> None:
        self._view = view
        self._crashed = crashed
        self._rules = list(rules)
        self._visits = _table(self._rules, "visit_")
        self._leaves = _table(self._rules, "leave_")

    def walk(self, region: Region) -> None:
        """Visit the traced parts of a region."""
        self._view.region = region
        self._visit(region.root)
        self._view.region = None

    def _visit(self, node: cst.CSTNode) -> None:
        if isinstance(node, cst.FunctionDef | cst.Lambda):
            self._visit_function(node)
            return
        trace = self._view.trace
        if trace is not None:
            self._call(self._visits, node)
        for child in _children(node):
            # `with tf.init_scope():` and the like run their body outside of the trace.
            self._view.trace = None if self._is_lifted(node, child) else trace
            self._visit(child)
        self._view.trace = trace
        if trace is not None:
            self._call(self._leaves, node)

    def _is_lifted(self, node: cst.CSTNode, child: cst.CSTNode) -> bool:
        if not isinstance(node, cst.With | cst.If) or child is not node.body:
            return False
        region = self._view.region
        syntax = region.syntax(node) if region is not None else None
        if not isinstance(syntax, ast.With | ast.If):
            return False
        return self._view.model.is_left_out(syntax.body[0])

    def _visit_function(self, node: cst.FunctionDef | cst.Lambda) -> None:
        outer = self._view.trace
        for child in _children(node):
            if child is not node.body:
                self._visit(child)
        model, region = self._view.model, self._view.region
        syntax = region.syntax(node) if region is not None else None
        function = model.index.function_of.get(syntax) if syntax is not None else None
        self._view.trace = model.traces.get(function) if function is not None else None
        if self._view.trace is not None:
            self._call(self._visits, node)
        self._visit(node.body)
        if self._view.trace is not None:
            self._call(self._leaves, node)
        self._view.trace = outer

    def _call(self, table: _Table, node: cst.CSTNode) -> None:
        for rule, visitor in table.get(type(node), ()):
            if rule not in self._rules:
                continue
            try:
                visitor(node)
            except Exception as error:  # a fault of one rule costs that rule on this file
                self._rules.remove(rule)
                self._crashed(rule, error)


def _table(
    rules: Sequence[Rule], prefix: str
) -> dict[type[cst.CSTNode], list[tuple[Rule, _Visitor]]]:
    table: dict[type[cst.CSTNode], list[tuple[Rule, _Visitor]]] = {}
    for rule in rules:
        for name in hooks(type(rule), prefix):
            kind = getattr(cst, name.removeprefix(prefix))
            table.setdefault(kind, []).append((rule, getattr(rule, name)))
    return table


_CHILDREN: dict[type[cst.CSTNode], tuple[str, ...]] = {}
_TRIVIA = (cst.BaseParenthesizableWhitespace, cst.EmptyLine, cst.TrailingWhitespace, cst.Newline)


def _children(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The parts of a node in source order, without spaces and comments."""
    kind = type(node)
    names = _CHILDREN.get(kind)
    if names is None:
        skipped = ("whitespace", "lpar", "rpar", "lines_", "leading_lines", "header", "footer")
        plain = (field.name for field in fields(kind) if not field.name.startswith(skipped))
        names = _CHILDREN[kind] = tuple(sorted(plain, key=_order(kind)))
    for name in names:
        value = getattr(node, name)
        if isinstance(value, cst.CSTNode):
            if not isinstance(value, _TRIVIA):
                yield value
        elif isinstance(value, tuple | list):
            for part in value:
                if isinstance(part, cst.CSTNode) and not isinstance(part, _TRIVIA):
                    yield part


def _order(kind: type[cst.CSTNode]) -> Callable[[str], int]:
    """Libcst lists some fields out of source order; what stands first goes first."""
    first = {cst.IfExp: ("body", "test", "orelse"), cst.FunctionDef: ("decorators",)}
    known = first.get(kind, ())
    return lambda name: known.index(name) if name in known else len(known)
