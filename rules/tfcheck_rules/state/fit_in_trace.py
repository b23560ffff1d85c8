"""TFC405: the training loops of Keras in traced code."""

from __future__ import annotations

import ast

from tfcheck.diagnostics import Severity
from tfcheck.lint import entries
from tfcheck.lint.kinds import Kind
from tfcheck.lint.resolve import InstanceTarget
from tfcheck.lint.rule import Rule

_METHODS = {"fit", "evaluate", "predict", "compile"}


class FitInTrace(Rule):
    """`fit`, `evaluate`, `predict` or `compile` is called in traced code.

    Why:
        They run Python loops around Functions of their own and ask tensors for their values, which
        these do not have while tracing: `predict` raises `AttributeError`, `fit` fails or runs
        once, while tracing.

    Bad:
        import tensorflow as tf

        model = tf.keras.Sequential([tf.keras.layers.Dense(1)])

        @tf.function
        def score(x):
            return model.predict(x)  # TFC405

    Good:
        import tensorflow as tf

        model = tf.keras.Sequential([tf.keras.layers.Dense(1)])

        @tf.function
        def score(x):
            return model(x, training=False)

    Not flagged:
        Methods of the same names on other objects; plain Python.
    """

    code = "TFC405"
    since = "0.1"
    severity = Severity.ERROR

    def enter_Call(self, call: ast.Call) -> None:
        """Report these methods of Keras models."""
        method = call.func
        if not isinstance(method, ast.Attribute) or method.attr not in _METHODS:
            return
        if self._is_model(method.value):
            self.report(
                call,
                f"`{method.attr}` runs a loop of Python: it does not work while tracing",
                hint="call the model itself: `model(x, training=False)`",
            )

    def _is_model(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Call):
            return False  # `super().compile(...)`
        value = self.model.value(node)
        if value.kind is Kind.KERAS:
            origin = value.origin or ""
            return not origin.startswith(("keras.optimizers.", "keras.metrics.", "keras.losses."))
        return any(
            isinstance(target, InstanceTarget)
            and any(
                entries.is_keras_base(base)
                for base in self.model.resolver.external_bases(target.owner)
            )
            for target in self.model.targets(node)
        )
