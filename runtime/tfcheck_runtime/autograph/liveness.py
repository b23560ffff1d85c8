"""Which variables still matter before and after each branch and loop.

A variable that a branch binds and nobody reads afterwards stays local to the branch; the others
must come out of it with a value.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from tfcheck_runtime.autograph import names

Live: TypeAlias = frozenset[str]
Control: TypeAlias = ast.If | ast.While | ast.For


@dataclass(frozen=True, slots=True)
class Span:
    """What is live where a statement begins and where it ends."""

    before: Live
    after: Live

    @property
    def around(self) -> Live:
        """What matters to the code around: a statement that binds other names keeps them."""
        return self.before | self.after


def spans(
    body: Sequence[ast.stmt], extra_tests: Mapping[ast.For, ast.expr], *, always: Live
) -> dict[Control, Span]:
    """The live variables around every branch and loop of a function without jumps.

    Args:
        body: the statements.
        extra_tests: what `for` loops test before each step.
        always: variables that other functions can see, live everywhere.
    """
    analysis = _Analysis(extra_tests, _captures(body))
    analysis.block(body, always, always)
    return analysis.spans


def _captures(body: Sequence[ast.stmt]) -> dict[str, Live]:
    """What the functions bound to names in `body` read from around them."""
    found: dict[str, Live] = {}
    for node in (n for s in body for n in ast.walk(s)):
        if isinstance(node, ast.FunctionDef):
            found[node.name] = frozenset(names.captured(node))
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    found[target.id] = frozenset(names.captured(node.value))
    return found


@dataclass
class _Analysis:
    """Walks blocks backwards; `always` is what an enclosing `try` may need at any point."""

    extra_tests: Mapping[ast.For, ast.expr]
    captures: Mapping[str, Live]
    spans: dict[Control, Span] = field(default_factory=dict)
    known_reads: dict[ast.AST, Live] = field(default_factory=dict)

    def block(self, statements: Sequence[ast.stmt], after: Live, always: Live) -> Live:
        live = after | always
        for statement in reversed(statements):
            live = self._statement(statement, live, always) | always
        return live

    def _statement(self, node: ast.stmt, after: Live, always: Live) -> Live:
        if isinstance(node, ast.If):
            return self._if(node, after, always)
        if isinstance(node, ast.While):
            return self._while(node, after, always)
        if isinstance(node, ast.For):
            return self._for(node, after, always)
        if isinstance(node, ast.Try):
            return self._try(node, after, always)
        if isinstance(node, ast.With):
            inner = self.block(node.body, after, always)
            items = [*node.items]
            return (inner - names.bound(items)) | self._reads(*items)
        if isinstance(node, ast.Return | ast.Raise):
            return self._reads(node)
        return (after - names.bound([node])) | self._reads(node)

    def _reads(self, *nodes: ast.AST) -> Live:
        """What is read, what functions called by name read included."""
        return frozenset().union(*(self._read_by(node) for node in nodes))

    def _read_by(self, node: ast.AST) -> Live:
        known = self.known_reads.get(node)
        if known is None:  # bodies of loops are walked several times
            known = self.known_reads[node] = self._all_reads(node)
        return known

    def _all_reads(self, node: ast.AST) -> Live:
        found: set[str] = set()
        pending = list(names.reads(node))
        while pending:
            name = pending.pop()
            if name not in found:
                found.add(name)
                pending.extend(self.captures.get(name, ()))
        return frozenset(found)

    def _if(self, node: ast.If, after: Live, always: Live) -> Live:
        branches = self.block(node.body, after, always) | self.block(node.orelse, after, always)
        before = branches | self._reads(node.test)
        self.spans[node] = Span(before, after)
        return before

    def _while(self, node: ast.While, after: Live, always: Live) -> Live:
        before = after | self._reads(node.test)
        while True:
            wider = before | self.block(node.body, before, always)
            if wider == before:
                break
            before = wider
        self.spans[node] = Span(before, after)
        return before

    def _for(self, node: ast.For, after: Live, always: Live) -> Live:
        extra = self.extra_tests.get(node)
        head = after | (self._reads(extra) if extra is not None else frozenset())
        targets = names.bound([node.target])
        while True:
            wider = head | (self.block(node.body, head, always) - targets)
            if wider == head:
                break
            head = wider
        before = head | self._reads(node.iter, node.target)
        self.spans[node] = Span(before, after)
        return before

    def _try(self, node: ast.Try, after: Live, always: Live) -> Live:
        end = self.block(node.finalbody, after, always)
        handlers = frozenset[str]().union(
            *(self.block(h.body, end, always | end) for h in node.handlers),
            *(self._reads(h.type) for h in node.handlers if h.type),
        )
        otherwise = self.block(node.orelse, end, always | end)
        return self.block(node.body, otherwise, always | handlers | end)
