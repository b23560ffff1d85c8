"""TFC513: writes into a `TensorArray` whose result is dropped."""

from __future__ import annotations

import ast

from tfcheck.diagnostics import Applicability, Edit, Fix, Severity, Span
from tfcheck.lint.rule import Rule

_WRITES = {"write", "scatter", "unstack", "split"}


class DroppedTensorarrayWrite(Rule):
    """The result of `TensorArray.write` is not used.

    Why:
        In a graph `write` returns the array with the new element and leaves the old one as it is.
        The write is lost: the array that is read later has no such element.

    Bad:
        import tensorflow as tf

        @tf.function
        def doubled(x):
            out = tf.TensorArray(tf.float32, size=3)
            for i in tf.range(3):
                out.write(i, x[i] * 2.0)  # TFC513
            return out.stack()

    Becomes:
        import tensorflow as tf

        @tf.function
        def doubled(x):
            out = tf.TensorArray(tf.float32, size=3)
            for i in tf.range(3):
                out = out.write(i, x[i] * 2.0)
            return out.stack()

    Not flagged:
        `write` of other objects; plain Python, where the array itself changes.

    Fix safety:
        Safe: it binds the result to the name that the array has.
    """

    code = "TFC513"
    since = "0.1"
    severity = Severity.ERROR
    fix = Applicability.SAFE

    def check_file(self) -> None:
        """Look at calls that are statements of their own."""
        for call in self.model.traced_calls:
            func = call.func
            if not isinstance(self.model.index.parents.get(call), ast.Expr):
                continue
            if not isinstance(func, ast.Attribute) or func.attr not in _WRITES:
                continue
            origin = self.model.value(func.value).origin
            if origin == "tensorflow.TensorArray" and self.model.trace_around(call) is not None:
                self._report(call, func)

    def _report(self, call: ast.Call, method: ast.Attribute) -> None:
        array = self.text(method.value)
        self.report(
            call,
            f"`{method.attr}` returns a new array: what it wrote is lost to `{array}`",
            hint=f"bind the result: `{array} = {array}.{method.attr}(...)`",
            fix=self._fix(call, method),
            trace=self.model.trace_around(call),
        )

    def _fix(self, call: ast.Call, method: ast.Attribute) -> Fix | None:
        if not isinstance(method.value, ast.Name | ast.Attribute):
            return None
        start = self.span(call).start
        edit = Edit(Span(start, start), f"{self.text(method.value)} = ")
        return self.edits([edit], message="Bind the result", safe=True)
