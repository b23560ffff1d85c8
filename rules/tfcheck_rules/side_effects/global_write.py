"""TFC303: Python numbers in outer names, changed while tracing."""

from __future__ import annotations

import ast

from tfcheck.diagnostics import Severity
from tfcheck.lint.python_state import PythonState
from tfcheck.lint.rule import Rule


class GlobalWrite(Rule):
    """Traced code changes a number or flag in a global or outer name.

    Why:
        The assignment is Python and runs while tracing: once for each trace, and not at all in
        the calls that reuse it. A counter stays at 1 however often the Function is called.

    Bad:
        import tensorflow as tf

        steps = 0

        @tf.function
        def step(x):
            global steps
            steps += 1  # TFC303
            return x * 2

        step(tf.constant(1.0))

    Good:
        import tensorflow as tf

        steps = tf.Variable(0)

        @tf.function
        def step(x):
            steps.assign_add(1)
            return x * 2

        step(tf.constant(1.0))

    Not flagged:
        Names such as `num_traces`, which say that traces are counted. Setting a flag that nothing
        resets, and what is set once under a test such as `if scale is None`. Tensors (TFC305),
        names that hold variables (TFC207).
    """

    code = "TFC303"
    since = "0.1"
    severity = Severity.ERROR

    def check_file(self) -> None:
        """Look at the outer names that traced code binds."""
        for store in PythonState(self.model).changes():
            if isinstance(store.target, ast.Name):
                self.report(
                    store.target,
                    f"`{store.target.id}` changes only while tracing, not in each call",
                    hint="make it a `tf.Variable`, or change it where the Function is called",
                    trace=self.model.trace_around(store.target),
                )
