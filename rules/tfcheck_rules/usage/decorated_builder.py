"""TFC704: `tf.function` around what only builds a model."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tfcheck.diagnostics import Severity
from tfcheck.lint.keras_objects import KerasObjects
from tfcheck.lint.rule import Rule
from tfcheck.lint.scopes import FunctionInfo, How


class DecoratedBuilder(Rule):
    """A function that builds a model is decorated.

    Why:
        A Function returns tensors. One that returns a layer, model or optimizer raises
        `TypeError`: "must return zero or more Tensors". Nothing in it would run faster.

    Bad:
        import tensorflow as tf

        @tf.function  # TFC704
        def build_model():
            return tf.keras.Sequential([tf.keras.layers.Dense(1)])

    Good:
        import tensorflow as tf

        def build_model():
            return tf.keras.Sequential([tf.keras.layers.Dense(1)])

    Not flagged:
        Functions that call a model and return what it computes.
    """

    code = "TFC704"
    since = "0.1"
    severity = Severity.ERROR

    def check_file(self) -> None:
        """Look at what the decorated functions return."""
        self._objects = KerasObjects(self.model)
        for function, trace in self.model.traces.items():
            if trace.creation is None:
                continue
            built = next(self._built(function), None)
            if built is not None:
                self.report(
                    trace.creation.node,
                    f"`{function.name}` returns a Keras object, which a Function cannot",
                    hint="leave the decorator out; decorate what calls the model",
                    related=[self.related(built, "made here")],
                )

    def _built(self, function: FunctionInfo) -> Iterator[ast.Call]:
        """The Keras objects that the function makes and returns."""
        if isinstance(function.node, ast.Lambda):
            values: list[ast.expr | None] = [function.node.body]
        else:
            values = [statement.value for statement in function.scope.returns]
        for value in values:
            parts = value.elts if isinstance(value, ast.Tuple | ast.List) else [value]
            for part in parts:
                yield from self._made(part)

    def _made(self, node: ast.expr | None) -> Iterator[ast.Call]:
        if isinstance(node, ast.Name):
            bindings = self.model.bindings(node)
            known = len(bindings) == 1 and bindings[0].how is How.ASSIGN
            node = bindings[0].value if known else None
        if isinstance(node, ast.Call) and self._objects.kind(node) is not None:
            yield node
