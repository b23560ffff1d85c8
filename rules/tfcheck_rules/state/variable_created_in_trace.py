"""TFC401: variables created in traced code."""

from __future__ import annotations

import ast

from tfcheck.diagnostics import Severity
from tfcheck.lint import entries
from tfcheck.lint.guards import Guards
from tfcheck.lint.resolve import InstanceTarget
from tfcheck.lint.rule import Rule

_GENERATOR = "tensorflow.random.Generator"
_CREATORS = {
    "tensorflow.Variable",
    "tensorflow.compat.v1.Variable",
    "keras.Variable",
    *(f"{_GENERATOR}.{name}" for name in ("from_seed", "from_state", "from_key_counter")),
    f"{_GENERATOR}.from_non_deterministic_state",
}


class VariableCreatedInTrace(Rule):
    """A `tf.Variable` is created in each trace of a function.

    Why:
        A Function may create variables the first time only. TensorFlow traces such a function
        twice to make sure, and raises `ValueError`: "only supports singleton tf.Variables".

    Bad:
        import tensorflow as tf

        @tf.function
        def affine(x):
            bias = tf.Variable(12.0)  # TFC401
            return x * 2.0 + bias

        affine(tf.constant(1.0))

    Good:
        import tensorflow as tf

        class Affine(tf.Module):
            def __init__(self):
                self.bias = None

            @tf.function
            def __call__(self, x):
                if self.bias is None:
                    self.bias = tf.Variable(12.0)
                return x * 2.0 + self.bias

        Affine()(tf.constant(1.0))

    Not flagged:
        A variable that is kept and created under a test of what outlives the trace, such as
        `if self.v is None`, `if not self.built`, `if name not in self.table` or
        `except AttributeError`; a helper that traced code calls under such tests only.
    """

    code = "TFC401"
    since = "0.1"
    severity = Severity.ERROR

    def check_file(self) -> None:
        """Look at each call in traced code."""
        guards = Guards(self.model)
        for call in self.model.traced_calls:
            trace = self.model.trace_around(call) if self._creates(call) else None
            if trace is not None and not guards.is_created_once(call):
                self.report(
                    call,
                    "a variable is created in each trace: the first call raises `ValueError`",
                    hint="create it outside, or once under `if self.v is None`",
                    trace=trace,
                )

    def _creates(self, call: ast.Call) -> bool:
        name = self.model.qualified_name(call.func)
        if name is not None or not isinstance(call.func, ast.Attribute):
            return name in _CREATORS
        return call.func.attr == "add_weight" and any(
            entries.is_keras_base(base)
            for target in self.model.targets(call.func.value)
            if isinstance(target, InstanceTarget)
            for base in self.model.resolver.external_bases(target.owner)
        )
