"""TFC511: `return` in a loop of the graph."""

from __future__ import annotations

import ast

from tfcheck.diagnostics import Severity
from tfcheck.lint.rule import Rule


class ReturnInTensorLoop(Rule):
    """A loop over a tensor or dataset contains a `return`.

    Why:
        The loop becomes an operation of the graph, which cannot be left half-way: TensorFlow
        raises "a return statement cannot be placed inside this TensorFlow loop".

    Bad:
        import tensorflow as tf

        @tf.function
        def first_above(values, limit):
            for v in values:
                if v > limit:
                    return v  # TFC511
            return tf.constant(-1)

        first_above(tf.constant([1, 5, 9]), tf.constant(3))

    Good:
        import tensorflow as tf

        @tf.function
        def first_above(values, limit):
            found = tf.constant(-1)
            for v in values:
                if v > limit:
                    found = v
                    break
            return found

        first_above(tf.constant([1, 5, 9]), tf.constant(3))

    Not flagged:
        `break` and `continue`, which AutoGraph rewrites; loops that Python unrolls.
    """

    code = "TFC511"
    since = "0.1"
    severity = Severity.ERROR

    def check_file(self) -> None:
        """Look at each `return` of traced code that AutoGraph rewrites."""
        for function, trace in self.model.traces.items():
            if not trace.converted or isinstance(function.node, ast.Lambda):
                continue
            for statement in function.scope.returns:
                if self.model.tensor_loops_around(statement):
                    self.report(
                        statement,
                        "the loop is one operation of the graph: it cannot be left by `return`",
                        hint="bind the result to a name, `break`, and return it after the loop",
                        trace=trace,
                    )
