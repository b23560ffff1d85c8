"""TFC002: files and cells that do not parse."""

from __future__ import annotations

from tfcheck.diagnostics import Severity
from tfcheck.lint.rule import Rule, SyntaxProblem


class SyntaxError(Rule):
    """A file or notebook cell that does not parse.

    Why:
        Nothing else in it was looked at; other files were.

    Bad:
        import tensorflow as tf

        @tf.function
        def step(x):
            return x *  # TFC002

    Good:
        import tensorflow as tf

        @tf.function
        def step(x):
            return x * 2
    """

    code = "TFC002"
    since = "0.1"
    severity = Severity.ERROR

    def check_syntax(self, problem: SyntaxProblem) -> None:
        """Report what the parser of Python says."""
        self.report(problem.span, f"does not parse: {problem.message}")
