"""TFC701: options of `tf.function` that have a new name or none."""

from __future__ import annotations

import ast

from tfcheck.diagnostics import Applicability, Edit, Fix, Severity, Span
from tfcheck.lint.resolve import Creation
from tfcheck.lint.rule import Rule

_RENAMED = {
    "experimental_compile": "jit_compile",
    "experimental_relax_shapes": "reduce_retracing",
}
_WITHOUT_EFFECT = "experimental_follow_type_hints"


class DeprecatedArgument(Rule):
    """An option of `tf.function` is given under its old name.

    Why:
        TensorFlow logs a deprecation notice for the old names and means to remove them.
        `experimental_follow_type_hints` is accepted and ignored already.

    Bad:
        import tensorflow as tf

        @tf.function(experimental_relax_shapes=True)  # TFC701
        def total(x):
            return tf.reduce_sum(x)

        @tf.function(jit_compile=True, experimental_follow_type_hints=True)  # TFC701
        def double(x: tf.Tensor):
            return x * 2

    Becomes:
        import tensorflow as tf

        @tf.function(reduce_retracing=True)
        def total(x):
            return tf.reduce_sum(x)

        @tf.function(jit_compile=True)
        def double(x: tf.Tensor):
            return x * 2

    Not flagged:
        `experimental_implements`, `experimental_attributes` and `experimental_autograph_options`,
        which are not deprecated.

    Fix safety:
        Safe: both names mean the same. Where both are given, which TensorFlow refuses, nothing
        is changed.
    """

    code = "TFC701"
    since = "0.1"
    severity = Severity.WARNING
    fix = Applicability.SAFE

    def check_file(self) -> None:
        """Look at the options of each place that applies `tf.function`."""
        seen: set[ast.keyword] = set()
        for creation in self.model.creations:
            for keyword in creation.keywords:
                # A configured decorator stands for all its uses.
                if keyword not in seen:
                    seen.add(keyword)
                    self._check(creation, keyword)

    def _check(self, creation: Creation, keyword: ast.keyword) -> None:
        new = _RENAMED.get(keyword.arg or "")
        if new is not None:
            self.report(
                keyword,
                f"`{keyword.arg}` is deprecated: TensorFlow calls it `{new}`",
                hint=f"write `{new}={self.text(keyword.value)}`",
                fix=None if creation.option(new) is not None else self._renamed(keyword, new),
            )
        elif keyword.arg == _WITHOUT_EFFECT:
            self.report(
                keyword,
                f"`{keyword.arg}` is deprecated and has no effect",
                hint="leave it out; `input_signature` or `reduce_retracing` limit the traces",
                fix=self._removed(keyword),
            )

    def _renamed(self, keyword: ast.keyword, new: str) -> Fix:
        content = f"{new}={self.text(keyword.value)}"
        return self.replace(keyword, content, message=f"Rename to {new}", safe=True)

    def _removed(self, keyword: ast.keyword) -> Fix | None:
        """Take the argument out together with the comma that sets it apart."""
        call = self.model.index.parents.get(keyword)
        if not isinstance(call, ast.Call):
            return None
        given: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
        given.sort(key=lambda node: (node.lineno, node.col_offset))
        position = given.index(keyword)
        span = self.span(keyword)
        if position:
            span = Span(self.span(given[position - 1]).end, span.end)
        elif len(given) > 1:
            span = Span(span.start, self.span(given[1]).start)
        return self.edits([Edit(span, "")], message="Remove the option", safe=True)
