"""TFC507: `try` in traced code that waits for errors of the run."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from tfcheck.diagnostics import Position, Severity, Span
from tfcheck.lint.rule import Rule

_ERRORS = (
    "tensorflow.errors.",
    "tensorflow.python.framework.errors.",
    "tensorflow.python.framework.errors_impl.",
)
_ARITHMETIC = {
    f"builtins.{name}" for name in ("ZeroDivisionError", "ArithmeticError", "FloatingPointError")
}
_LOOKUP = {"builtins.IndexError", "builtins.LookupError"}
_BROAD = {f"builtins.{name}" for name in ("Exception", "BaseException")}
_FAILING = {
    "tensorflow.ensure_shape",
    *(f"tensorflow.strings.{name}" for name in ("to_number", "to_hash_bucket", "unicode_decode")),
    *(f"tensorflow.linalg.{name}" for name in ("inv", "cholesky", "solve", "lu", "svd", "det")),
    *(f"tensorflow.{name}" for name in ("py_function", "numpy_function")),
}
_FAILING_MODULES = ("tensorflow.debugging.", "tensorflow.io.", "tensorflow.image.decode_")


class TryInTrace(Rule):
    """`try` in traced code is meant to catch an error of the run.

    Why:
        `try` is Python: it watches the code while it is traced, when operations only enter the
        graph. When one of them fails in a call, the handler is long gone and the call raises.

    Bad:
        import tensorflow as tf

        @tf.function
        def safe_log(x):
            try:  # TFC507
                y = tf.debugging.check_numerics(tf.math.log(x), "not finite")
            except tf.errors.InvalidArgumentError:
                y = tf.zeros_like(x)
            return y

    Good:
        import tensorflow as tf

        @tf.function
        def checked_log(x):
            return tf.debugging.check_numerics(tf.math.log(x), "not finite")

        def safe_log(x):
            try:
                return checked_log(x)
            except tf.errors.InvalidArgumentError:
                return tf.zeros_like(x)

    Not flagged:
        Handlers for what fails while tracing: missing attributes, shapes that do not fit, imports,
        custom operations that are loaded. A broad `except` counts only around operations known to
        fail with some values: `tf.debugging`, `tf.io`, `tf.linalg.inv`, `tf.strings.to_number`.
    """

    code = "TFC507"
    since = "0.1"
    severity = Severity.ERROR

    def enter_Try(self, node: ast.Try) -> None:
        """Report those whose handlers can never see what they are for."""
        waited = next(self._waited(node), None)
        if waited is not None:
            start = self.span(node).start
            self.report(
                Span(start, Position(start.row, start.column + len("try"))),
                f"`except {waited}` never sees an error of the run: `try` ends with tracing",
                hint="put the `try` around the call of the Function",
            )

    def _waited(self, node: ast.Try) -> Iterator[str]:
        """The handlers that wait for an error of the run."""
        for handler in node.handlers:
            for caught in _caught(handler):
                name = None if caught is None else self.model.qualified_name(caught) or ""
                if name is None or name in _BROAD or name == "builtins.ValueError":
                    waits = self._any_fails(node.body)
                else:
                    by_name = name.startswith(_ERRORS) and self._any_runs(node.body)
                    waits = by_name or self._is_about(name, node.body)
                if waits:
                    yield self.text(caught) if caught is not None else "..."

    def _any_fails(self, body: Sequence[ast.stmt]) -> bool:
        """Whether an operation is in it that fails with some values."""
        return any(
            name in _FAILING or name.startswith(_FAILING_MODULES)
            for node in _nodes(body)
            if isinstance(node, ast.Call)
            for name in [self.model.qualified_name(node.func) or ""]
        )

    def _any_runs(self, body: Sequence[ast.stmt]) -> bool:
        """Whether an operation of TensorFlow is in it, and not only what loads a library."""
        for node in _nodes(body):
            if isinstance(node, ast.Call):
                name = self.model.qualified_name(node.func) or ""
                if name.startswith(("tensorflow.", "builtins.next")):
                    return True
                if self.model.value(node).is_tensor or self.model.targets(node.func):
                    return True
            elif isinstance(node, ast.BinOp) and self.model.is_graph_tensor(node):
                return True
        return False

    def _is_about(self, name: str, body: Sequence[ast.stmt]) -> bool:
        """Whether a tensor is divided or indexed where Python would raise."""
        for node in _nodes(body):
            match node:
                case ast.BinOp(op=ast.Div() | ast.FloorDiv() | ast.Mod()):
                    if name in _ARITHMETIC and self.model.is_graph_tensor(node):
                        return True
                case ast.Subscript():
                    if name in _LOOKUP and self.model.is_graph_tensor(node.value):
                        return True
        return False


def _caught(handler: ast.ExceptHandler) -> Sequence[ast.expr | None]:
    if isinstance(handler.type, ast.Tuple):
        return handler.type.elts
    return [handler.type]


def _nodes(body: Sequence[ast.stmt]) -> Iterator[ast.AST]:
    for statement in body:
        yield from ast.walk(statement)
