"""TFC601: symbolic tensors where Python needs a value."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tfcheck.diagnostics import Severity
from tfcheck.lint.kinds import Kind
from tfcheck.lint.rule import Rule

_METHODS = {"numpy", "item", "tolist", "eval"}
_NUMBERS = {
    f"builtins.{name}" for name in ("round", "divmod", "complex", "chr", "bin", "hex", "bool")
}
_CASTS = {"builtins.int", "builtins.float"}
_EXTREMES = {"builtins.max", "builtins.min"}
_TEXT = {"builtins.str", "builtins.repr", "builtins.format", "builtins.ascii"}
_SHOWN = {"debug", "info", "warning", "warn", "error", "exception", "critical", "log", "print"}


class TensorToPython(Rule):
    """A tensor of the graph is used where Python needs a value.

    Why:
        While tracing a tensor has no value yet. `.numpy()`, `math.sqrt(x)` or `names[i]` raise
        `AttributeError` or `TypeError`; text made of a tensor shows its name in the graph.

    Bad:
        import math
        import tensorflow as tf

        @tf.function
        def scale(q):
            depth = tf.cast(tf.shape(q)[-1], tf.float32)
            return q / math.sqrt(depth)  # TFC601

        scale(tf.ones([1, 4]))

    Good:
        import math
        import tensorflow as tf

        @tf.function
        def scale(q):
            return q / math.sqrt(q.shape[-1])

        scale(tf.ones([1, 4]))

    Not flagged:
        `int(x)`, `float(x)`, `len(x)` and `range(x)`, which AutoGraph turns into operations (only
        where it rewrites the code: not in a Keras `call`). Static shapes. Eager tensors that the
        traced code captures. Text in `print` and logging calls (TFC301, TFC307) and of errors.
    """

    code = "TFC601"
    since = "0.1"
    severity = Severity.ERROR

    def enter_Call(self, call: ast.Call) -> None:
        """Report methods, functions and formatting that ask for the value."""
        if isinstance(call.func, ast.Attribute) and self._asks(call.func):
            self._report(call, f"`{call.func.attr}()` asks a symbolic tensor for its value")
            return
        name = self.model.qualified_name(call.func) or ""
        if name in _TEXT or self._is_format(call):
            self._report_text(call, [*call.args, *(word.value for word in call.keywords)])
        elif self._needs_number(name, call) and any(map(self._is_symbolic, call.args)):
            self._report(call, f"`{self.text(call.func)}` needs a number, not a symbolic tensor")

    def enter_Subscript(self, item: ast.Subscript) -> None:
        """Report tensors as the index of a Python list, tuple, string or NumPy array."""
        index = item.slice
        parts = [index.lower, index.upper, index.step] if isinstance(index, ast.Slice) else [index]
        known = (ast.Constant, ast.UnaryOp)
        given = [part for part in parts if part is not None and not isinstance(part, known)]
        if any(map(self._is_symbolic, given)) and self._is_sequence(item.value):
            self._report(item, f"`{self.text(item.value)}` is indexed with a symbolic tensor")

    def enter_JoinedStr(self, text: ast.JoinedStr) -> None:
        """Report f-strings with tensors in them."""
        parts = [part.value for part in text.values if isinstance(part, ast.FormattedValue)]
        self._report_text(text, parts)

    def enter_BinOp(self, text: ast.BinOp) -> None:
        """Report `"..." % x`."""
        if isinstance(text.op, ast.Mod) and _is_text(text.left):
            right = text.right
            self._report_text(text, right.elts if isinstance(right, ast.Tuple) else [right])

    def _is_symbolic(self, node: ast.expr) -> bool:
        value = self.model.value(node)
        return value.kind is Kind.VARIABLE or (value.kind is Kind.TENSOR and value.graph)

    def _asks(self, method: ast.Attribute) -> bool:
        if method.attr not in _METHODS or not self._is_symbolic(method.value):
            return False
        return method.attr == "numpy" or self.model.kind(method.value) is not Kind.VARIABLE

    def _needs_number(self, name: str, call: ast.Call) -> bool:
        several = name in _EXTREMES and len(call.args) > 1
        cast = name in _CASTS and not self.trace.converted
        # `math.prod` multiplies, and so takes tensors.
        in_math = name.startswith(("math.", "cmath.")) and name != "math.prod"
        return in_math or name in _NUMBERS or several or cast

    def _is_sequence(self, node: ast.expr) -> bool:
        value = self.model.value(node)
        origins = {"builtins.list", "builtins.tuple", "builtins.range"}
        in_python = value.kind is Kind.CONTAINER and value.origin in origins
        return in_python or value.kind is Kind.NUMPY or _is_text(node)

    def _is_format(self, call: ast.Call) -> bool:
        func = call.func
        return isinstance(func, ast.Attribute) and func.attr == "format" and _is_text(func.value)

    def _report_text(self, node: ast.expr, parts: list[ast.expr]) -> None:
        if any(map(self._is_symbolic, parts)) and not any(self._shows(node)):
            self._report(node, "the text is made while tracing: it shows no value of the tensor")

    def _shows(self, node: ast.expr) -> Iterator[bool]:
        """Whether the text is printed, logged or part of an error, which is for other rules."""
        for parent, _ in self.model.index.ancestors(node):
            if isinstance(parent, ast.Call):
                func = parent.func
                name = func.attr if isinstance(func, ast.Attribute) else ast.unparse(func)
                yield name in _SHOWN or name.startswith("assert_")
            yield isinstance(parent, ast.Raise | ast.Assert)

    def _report(self, node: ast.expr, message: str) -> None:
        if self.model.trace_around(node) is not None:
            self.report(node, message, hint=_cure(node))


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _cure(node: ast.expr) -> str:
    match node:
        case ast.Subscript():
            return "`tf.gather` picks by a tensor"
        case ast.JoinedStr() | ast.BinOp():
            return "`tf.strings.format` makes the text in each call"
    return "use the function of `tf` or `tf.math`, or ask for the value after the call"
