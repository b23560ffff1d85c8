"""TFC109: decorated functions that only traced code calls."""

from __future__ import annotations

import ast

from tfcheck.diagnostics import Applicability, Edit, Fix, Position, Severity, Span
from tfcheck.lint.resolve import Creation
from tfcheck.lint.rule import Rule
from tfcheck.lint.scopes import FunctionInfo


class NestedDecorator(Rule):
    """A decorated function is only ever called from traced code.

    Why:
        The outer function traces what it calls anyway. The inner Function keeps a cache of its
        own, with a trace for each Python value it is given, and hides what it computes from the
        optimisation of the outer graph.

    Bad:
        import tensorflow as tf

        @tf.function  # TFC109
        def scaled(x, factor):
            return x * factor

        @tf.function
        def step(x):
            return scaled(x, 2.0) + scaled(x, 3.0)

    Becomes:
        import tensorflow as tf

        def scaled(x, factor):
            return x * factor

        @tf.function
        def step(x):
            return scaled(x, 2.0) + scaled(x, 3.0)

    Not flagged:
        Functions that plain Python calls, too, or that are passed on or stored; functions with
        options such as `jit_compile` or `input_signature`; methods. This is advice and shown on
        request: other files may call the function.

    Fix safety:
        Unsafe: other files may call the function from plain Python.
    """

    code = "TFC109"
    since = "0.1"
    severity = Severity.INFO
    fix = Applicability.UNSAFE

    def check_file(self) -> None:
        """Look at the decorated functions and who calls them."""
        for function in self.model.index.functions:
            creation = self.model.creation_of(function)
            if creation is None or creation.keywords or function.owner is not None:
                continue
            callers = [site.caller for site in self.model.calls_to(function)]
            traced = [caller for caller in callers if caller in self.model.traces]
            if callers and len(traced) == len(callers) and not self._is_handed_on(function):
                self._report(function, creation)

    def _is_handed_on(self, function: FunctionInfo) -> bool:
        """Whether the name is used other than to call the function."""
        for node in ast.walk(self.model.tree):
            if isinstance(node, ast.Name) and node.id == function.name:
                parent = self.model.index.parents.get(node)
                if not isinstance(parent, ast.Call) or parent.func is not node:
                    return True
        return False

    def _report(self, function: FunctionInfo, creation: Creation) -> None:
        caller = self.model.calls_to(function)[0].caller
        name = caller.name if caller is not None else ""
        self.report(
            creation.node,
            f"`{function.name}` is traced by its callers, such as `{name}`, anyway",
            hint="leave the decorator out",
            fix=self._fix(function, creation),
            trace=self.model.traces.get(function),
        )

    def _fix(self, function: FunctionInfo, creation: Creation) -> Fix | None:
        """Remove the decorator with its line."""
        row = self.span(creation.node).start.row
        last = self.span(creation.node).end.row
        if self.model.source.lines[row - 1].partition("@")[0].strip() or last >= function.row:
            return None
        edit = Edit(Span(Position(row, 1), Position(last + 1, 1)), "")
        return self.edits([edit], message="Remove the decorator", safe=False)
