"""Shows the nodes of traced code to the enter methods of all rules."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from tfcheck.lint.rule import FileView, Rule
from tfcheck.lint.scopes import FunctionInfo

_Handler = Callable[[ast.AST], None]
_Table = dict[type[ast.AST], list[tuple[Rule, _Handler]]]


class TracedWalk:
    """Calls `enter_<Node>` for the `ast` nodes of traced code, function by function."""

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
        self._table = _table(rules)

    def run(self) -> None:
        """Show each traced function, outer nodes first: what it is made of, then what it holds."""
        if not self._table:
            return
        for function, trace in self._view.model.traces.items():
            self._view.trace = trace
            self._show(function)
        self._view.trace = None

    def _show(self, function: FunctionInfo) -> None:
        model, table = self._view.model, self._table
        for node in (function.node, *model.own_nodes(function)):
            handlers = table.get(type(node))
            # `with tf.init_scope():` and the like run their body outside of the trace.
            if handlers is not None and (node is function.node or not model.is_left_out(node)):
                self._call(handlers, node)

    def _call(self, handlers: Sequence[tuple[Rule, _Handler]], node: ast.AST) -> None:
        for rule, handler in handlers:
            if rule in self._failed:
                continue
            try:
                handler(node)
            except Exception as error:  # a fault of one rule costs that rule on this file
                self._failed.add(rule)
                self._crashed(rule, error)


def _table(rules: Sequence[Rule]) -> _Table:
    table: _Table = {}
    for rule in rules:
        for name in hooks(type(rule), "enter_"):
            kind = getattr(ast, name.removeprefix("enter_"))
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
