"""TFC201: globals that change after the trace that read them."""

from __future__ import annotations

import ast

from tfcheck.diagnostics import Severity
from tfcheck.lint.rule import FileView, Rule
from tfcheck.lint.scopes import FunctionInfo


class StaleGlobalCapture(Rule):
    """A global read in traced code changes after the first trace.

    Why:
        The trace holds the value that the global had while tracing. Later calls reuse it and
        never look at the global again, so they compute with the old value.

    Bad:
        import tensorflow as tf

        threshold = 0.5

        @tf.function
        def keep(scores):
            return tf.boolean_mask(scores, scores > threshold)  # TFC201

        keep(tf.constant([0.2, 0.6, 0.9]))
        threshold = 0.8
        keep(tf.constant([0.2, 0.6, 0.9]))

    Good:
        import tensorflow as tf

        threshold = tf.Variable(0.5)

        @tf.function
        def keep(scores):
            return tf.boolean_mask(scores, scores > threshold)

        keep(tf.constant([0.2, 0.6, 0.9]))
        threshold.assign(0.8)
        keep(tf.constant([0.2, 0.6, 0.9]))

    Not flagged:
        A global that is bound before the first call only, or to the same constant each time.
    """

    code = "TFC201"
    since = "0.1"
    severity = Severity.ERROR

    def __init__(self, view: FileView) -> None:
        super().__init__(view)
        self._seen: set[tuple[FunctionInfo, str]] = set()

    def enter_Name(self, name: ast.Name) -> None:
        """Report the first read of each such global in a function."""
        if not isinstance(name.ctx, ast.Load):
            return
        holder = self.model.holder(name)
        key = (self.trace.function, name.id)
        if holder is not self.model.index.module or key in self._seen:
            return
        self._seen.add(key)
        changes = self.model.late_changes(name, self.trace.function)
        if not changes:
            return
        change = changes[0].node
        what = "edited" if changes[0].in_place else "rebound"
        self.report(
            name,
            f"`{name.id}` is read while tracing only, but {what} later ({self.line(change)}):"
            " calls go on with the old value",
            hint="pass it as a tensor argument, or make it a `tf.Variable` and assign to it",
            related=[self.related(change, f"{what} here")] if isinstance(change, ast.expr) else [],
        )
