"""TFC304: Python numbers in attributes, changed while tracing."""

from __future__ import annotations

import ast

from tfcheck.diagnostics import Severity
from tfcheck.lint.python_state import PythonState
from tfcheck.lint.rule import Rule


class AttributeWrite(Rule):
    """Traced code changes a number or flag in an attribute.

    Why:
        The assignment is Python and runs while tracing: once for each trace, and not at all in
        the calls that reuse it. A step counter stays at 1 however long the training.

    Bad:
        import tensorflow as tf

        class Trainer:
            def __init__(self):
                self.step = 0

            @tf.function
            def train(self, x):
                self.step += 1  # TFC304
                return x * 2

        Trainer().train(tf.constant(1.0))

    Good:
        import tensorflow as tf

        class Trainer:
            def __init__(self):
                self.step = tf.Variable(0)

            @tf.function
            def train(self, x):
                self.step.assign_add(1)
                return x * 2

        Trainer().train(tf.constant(1.0))

    Not flagged:
        Names such as `num_traces`, which say that traces are counted. Setting a flag that nothing
        resets, as in `self.built = True`, and what is set once under a test of the same. Tensors
        (TFC305), attributes that hold variables (TFC207).
    """

    code = "TFC304"
    since = "0.1"
    severity = Severity.ERROR

    def check_file(self) -> None:
        """Look at the attributes that traced code binds."""
        for store in PythonState(self.model).changes():
            if isinstance(store.target, ast.Attribute):
                self.report(
                    store.target,
                    f"`{self.text(store.target)}` is written only while tracing, not in each call",
                    hint="make it a `tf.Variable`, or change it where the Function is called",
                    trace=self.model.trace_around(store.target),
                )
