"""TFC103: `tf.function` applied again and again."""

from __future__ import annotations

import ast

from tfcheck.diagnostics import Severity
from tfcheck.lint.guards import Guards
from tfcheck.lint.remakes import Remake, Remakes
from tfcheck.lint.resolve import Creation
from tfcheck.lint.rule import Rule
from tfcheck.lint.scopes import LoopNode
from tfcheck.lint.test_files import is_test_file


class FunctionCreatedInLoop(Rule):
    """A `tf.function` is made anew each time it is called.

    Why:
        Traces belong to the object that `tf.function` returns. A new one starts with none, so
        every call traces, builds a graph and throws it away: slower than plain Python.

    Bad:
        import tensorflow as tf

        weight = tf.Variable(1.0)

        for epoch in range(6):
            @tf.function  # TFC103
            def train_step(x):
                weight.assign_sub(0.1 * x)
                return weight.read_value()

            train_step(tf.constant(0.5))

    Good:
        import tensorflow as tf

        weight = tf.Variable(1.0)

        @tf.function
        def train_step(x):
            weight.assign_sub(0.1 * x)
            return weight.read_value()

        for epoch in range(6):
            train_step(tf.constant(0.5))

    Not flagged:
        Functions that are kept rather than called where they are made, as in
        `steps = [tf.function(model.call) for model in models]`; factories; one made under a test
        such as `if self._step is None` or in a cached function; one made for the objects of a
        round and called in a loop inside of it, which makes up for the trace; files of tests, which
        make one Function for each case.
    """

    code = "TFC103"
    since = "0.1"
    severity = Severity.WARNING

    def check_file(self) -> None:
        """Look at each place that applies `tf.function`."""
        if is_test_file(self.model.source.filename):
            return
        remakes, guards = Remakes(self.model), Guards(self.model)
        for creation in self.model.creations:
            node = creation.node
            if not self.model.is_plain(node) or guards.is_guarded(node):
                continue
            remake = remakes.find(creation)
            if remake is not None:
                self._report(creation, remake)

    def _report(self, creation: Creation, remake: Remake) -> None:
        repeated = remake.repeated
        line = self.line(repeated.target if isinstance(repeated, ast.comprehension) else repeated)
        loop = isinstance(repeated, LoopNode)
        again = f"in each round of the loop at {line}" if loop else f"again ({line})"
        self.report(
            creation.node,
            f"a new Function is made {again}: every call traces",
            hint="apply `tf.function` once, outside",
            related=[self.related(remake.use, "called here")],
        )
