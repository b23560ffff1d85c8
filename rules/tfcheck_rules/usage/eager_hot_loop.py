"""TFC703: gradient steps in a loop that nothing traces."""

from __future__ import annotations

import ast

from tfcheck.diagnostics import Applicability, Edit, Fix, Position, Severity, Span
from tfcheck.lint.repeats import repeating_loops
from tfcheck.lint.rule import Rule
from tfcheck.lint.scopes import FunctionInfo

_TAPE = "tensorflow.GradientTape"


class EagerHotLoop(Rule):
    """A gradient step runs in a loop, operation by operation.

    Why:
        Without `tf.function` every operation of the step and of its gradient is started from
        Python. For small models that takes several times as long as the work itself.

    Bad:
        import tensorflow as tf

        w = tf.Variable(1.0)

        def step(x):
            with tf.GradientTape() as tape:  # TFC703
                loss = tf.square(w - x)
            w.assign_sub(0.1 * tape.gradient(loss, w))

        for i in range(1000):
            step(tf.constant(2.0))

    Becomes:
        import tensorflow as tf

        w = tf.Variable(1.0)

        @tf.function
        def step(x):
            with tf.GradientTape() as tape:
                loss = tf.square(w - x)
            w.assign_sub(0.1 * tape.gradient(loss, w))

        for i in range(1000):
            step(tf.constant(2.0))

    Not flagged:
        Steps in traced code; tapes that no loop repeats; functions handed to something else,
        which may trace them. This is advice and shown on request.

    Fix safety:
        Unsafe: prints, lists and other Python state in the step behave differently when traced.
    """

    code = "TFC703"
    since = "0.1"
    severity = Severity.INFO
    fix = Applicability.UNSAFE
    everywhere = True
    words = ("GradientTape",)

    def check_file(self) -> None:
        """Look at each tape in plain Python."""
        for call in self.model.index.calls():
            if self.model.qualified_name(call.func) != _TAPE:
                continue
            statement = self.model.index.statement_of(call)
            traced = self.model.trace_around(call) is not None
            function = self.model.function_around(call)
            handed = function is not None and self._is_handed_on(function)
            if traced or handed or not repeating_loops(self.model, call):
                continue
            if isinstance(statement, ast.With):
                self.report(
                    call,
                    "this gradient step runs operation by operation in each round",
                    hint="put it into a function and decorate that with `tf.function`",
                    fix=self._fix(call, function),
                )

    def _is_handed_on(self, function: FunctionInfo) -> bool:
        """Whether the function is used other than to call it: something may trace it."""
        for node in ast.walk(self.model.tree):
            name = node.id if isinstance(node, ast.Name) else getattr(node, "attr", None)
            if name == function.name:
                parent = self.model.index.parents.get(node)
                if not isinstance(parent, ast.Call) or parent.func is not node:
                    return True
        return False

    def _fix(self, call: ast.Call, function: FunctionInfo | None) -> Fix | None:
        """Decorate the function, where the loop is around its calls."""
        name = self.model.spelling("tensorflow.function", call)
        if function is None or name is None or self.model.loops_around(call):
            return None
        if not isinstance(function.node, ast.FunctionDef) or function.decorators:
            return None
        start = Position(function.row, 1)
        indent = " " * function.node.col_offset
        edit = Edit(Span(start, start), f"{indent}@{name}\n")
        return self.edits([edit], message=f"Decorate with {name}", safe=False)
