"""Walks the traced code of a file once and calls the enter and exit methods of all rules."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from tfcheck.lint.rule import FileView, Rule
from tfcheck.lint.scopes import FunctionNode

_Handler = Callable[[ast.AST], None]
_Table = dict[type[ast.AST], list[tuple[Rule, _Handler]]]


class TracedWalk:
    """Calls `enter_<Node>` and `exit_<Node>` for the `ast` nodes of traced code."""

    def __init__(
        self,
        view: FileView,
        rules: Sequence[Rule],
        *,
        crashed: Callable[[Rule, Exception], None],
    ) -> None:
        self._view = view
        self._crashed = crashed
        self._failed: set[Rule] = set()
        self._enters = _table(rules, "enter_")
        self._exits = _table(rules, "exit_")

    def run(self) -> None:
        """Walk each traced function that is not inside another one, in source order."""
        if not self._enters and not self._exits:
            return
        done: set[ast.AST] = set()
        for function in self._view.model.traces:
            if done.isdisjoint(self._functions_around(function.node)):
                self._function(function.node)
                done.add(function.node)

    def _functions_around(self, node: ast.AST) -> Iterator[ast.AST]:
        parents = self._view.model.index.parents
        around: ast.AST | None = node
        while around is not None:
            yield around
            around = parents.get(around)

    def _visit(self, node: ast.AST) -> None:
        if isinstance(node, FunctionNode):
            self._inner_function(node)
            return
        if self._view.trace is None:
            self._children(node)
            return
        enters = self._enters.get(type(node))
        if enters is not None:
            self._call(enters, node)
        if isinstance(node, ast.With | ast.If):
            self._maybe_lifted(node)
        else:
            self._children(node)
        exits = self._exits.get(type(node))
        if exits is not None:
            self._call(exits, node)

    def _children(self, node: ast.AST) -> None:
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, list):
                for part in value:
                    if isinstance(part, ast.AST):
                        self._visit(part)
            elif isinstance(value, ast.AST):
                self._visit(value)

    def _maybe_lifted(self, node: ast.With | ast.If) -> None:
        """`with tf.init_scope():` and the like run their body outside of the trace."""
        outer = self._view.trace
        for child in node.items if isinstance(node, ast.With) else [node.test]:
            self._visit(child)
        if self._view.model.runs_eagerly(node.body[0]):
            self._view.trace = None
        for statement in node.body:
            self._visit(statement)
        self._view.trace = outer
        for statement in [] if isinstance(node, ast.With) else node.orelse:
            self._visit(statement)

    def _inner_function(self, node: FunctionNode) -> None:
        """Decorators, defaults and annotations run in what is around the function."""
        if not isinstance(node, ast.Lambda):
            for decorator in node.decorator_list:
                self._visit(decorator)
        self._visit(node.args)
        if not isinstance(node, ast.Lambda) and node.returns is not None:
            self._visit(node.returns)
        self._function(node)

    def _function(self, node: FunctionNode) -> None:
        model, outer = self._view.model, self._view.trace
        self._view.trace = model.traces.get(model.index.function_of[node])
        traced = self._view.trace is not None
        if traced:
            self._call(self._enters.get(type(node), ()), node)
        for part in [node.body] if isinstance(node, ast.Lambda) else node.body:
            self._visit(part)
        if traced:
            self._call(self._exits.get(type(node), ()), node)
        self._view.trace = outer

    def _call(self, handlers: Sequence[tuple[Rule, _Handler]], node: ast.AST) -> None:
        for rule, handler in handlers:
            if rule in self._failed:
                continue
            try:
                handler(node)
            except Exception as error:  # a fault of one rule costs that rule on this file
                self._failed.add(rule)
                self._crashed(rule, error)


def _table(rules: Sequence[Rule], prefix: str) -> _Table:
    table: _Table = {}
    for rule in rules:
        for name in hooks(type(rule), prefix):
            kind = getattr(ast, name.removeprefix(prefix))
            table.setdefault(kind, []).append((rule, getattr(rule, name)))
    return table


_hooks: dict[tuple[type[Rule], str], tuple[str, ...]] = {}


def hooks(rule: type[Rule], prefix: str) -> tuple[str, ...]:
    """The methods of a rule that start with `prefix`."""
    found = _hooks.get((rule, prefix))
    if found is None:
        found = tuple(name for name in dir(rule) if name.startswith(prefix))
        _hooks[rule, prefix] = found
    return found


def is_visiting(rule: type[Rule]) -> bool:
    """Whether a rule looks at libcst nodes."""
    return bool(hooks(rule, "visit_") or hooks(rule, "leave_"))
