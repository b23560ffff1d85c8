"""TFC112: literals that compare equal and are of different types."""

from __future__ import annotations

import ast

from tfcheck.diagnostics import Severity
from tfcheck.lint.kinds import Constant
from tfcheck.lint.rule import Rule


class EqualLiterals(Rule):
    """Calls pass `1`, `1.0` or `True` for one argument.

    Why:
        Traces are kept by value, and these compare equal: they share one trace. The one that
        comes first decides about the dtype, so the result depends on the order of the calls.

    Bad:
        import tensorflow as tf

        @tf.function
        def scaled(x, factor):
            return x, tf.constant(factor)

        scaled(tf.constant(2.0), 1)
        scaled(tf.constant(2.0), 1.0)  # TFC112

    Good:
        import tensorflow as tf

        @tf.function
        def scaled(x, factor):
            return x, tf.constant(factor)

        scaled(tf.constant(2.0), 2.0)
        scaled(tf.constant(2.0), 1.0)

    Not flagged:
        Numbers that differ in value, which have a trace each; a function with an
        `input_signature`, which converts what it is given.
    """

    code = "TFC112"
    since = "0.1"
    severity = Severity.WARNING

    def check_file(self) -> None:
        """Compare the literals of all calls, parameter by parameter."""
        known: dict[tuple[ast.arg, Constant], tuple[type, ast.expr]] = {}
        sites = sorted(self.model.eager_calls(), key=lambda s: (s.call.lineno, s.call.col_offset))
        for site in sites:
            creation = site.target.creation
            if creation is None or creation.is_set("input_signature"):
                continue
            for parameter, given in site.arguments():
                for item in self.model.value(given).literals:
                    if isinstance(item, bool | int | float):
                        first = known.setdefault((parameter, item), (type(item), given))
                        if first[0] is not type(item):
                            self._report(parameter, given, first[1])

    def _report(self, parameter: ast.arg, given: ast.expr, first: ast.expr) -> None:
        self.report(
            given,
            f"`{self.text(given)}` shares the trace of `{self.text(first)}` for `{parameter.arg}`:"
            " the first one decides about the dtype",
            hint="write the same type everywhere, or pass a tensor",
            related=[self.related(first, "here it is of another type")],
        )
