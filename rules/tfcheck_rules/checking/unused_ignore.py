"""TFC001: suppressions that suppress nothing."""

from __future__ import annotations

from tfcheck.diagnostics import Applicability, Edit, Severity
from tfcheck.lint.rule import Rule, UnusedIgnore as Unused


class UnusedIgnore(Rule):
    """A suppression comment that suppresses nothing.

    Why:
        It hides the next finding on its line, which nobody will have looked at.

    Bad:
        import tensorflow as tf

        @tf.function
        def step(x):
            return x * 2  # tfcheck: ignore[TFC301]  # TFC001

    Becomes:
        import tensorflow as tf

        @tf.function
        def step(x):
            return x * 2

    Not flagged:
        A code whose rule is switched off in this run, a bare `# noqa`, and codes of other linters.
    """

    code = "TFC001"
    since = "0.1"
    severity = Severity.WARNING
    fix = Applicability.SAFE

    def check_ignore(self, ignore: Unused) -> None:
        """Report the comment, or the codes in it that are of no use."""
        codes = ", ".join(f"`{code}`" for code in ignore.codes)
        what = f"the suppression of {codes}" if codes else "the suppression"
        edit = Edit(ignore.span, ignore.replacement)
        self.report(
            ignore.span,
            f"{what} suppresses nothing",
            fix=self.edits([edit], message="Remove it", safe=True),
        )
