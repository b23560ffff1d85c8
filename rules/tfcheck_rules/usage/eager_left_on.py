"""TFC702: a switch for debugging that was left on."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tfcheck.diagnostics import Severity
from tfcheck.lint.rule import Rule
from tfcheck.lint.scopes import How
from tfcheck.lint.test_files import is_test_file

_SWITCHES = {
    "tensorflow.config.run_functions_eagerly",
    "tensorflow.config.experimental_run_functions_eagerly",
}
_DEBUG_DATA = "tensorflow.data.experimental.enable_debug_mode"


class EagerLeftOn(Rule):
    """Functions are made to run eagerly, and nothing undoes it.

    Why:
        `tf.function` does nothing then, and Keras runs its steps operation by operation: every
        call is as slow as plain Python, in the whole program.

    Bad:
        import tensorflow as tf

        tf.config.run_functions_eagerly(True)  # TFC702

        @tf.function
        def train(x):
            return tf.reduce_sum(x * x)

        train(tf.ones([3]))

    Good:
        import tensorflow as tf

        @tf.function
        def train(x):
            return tf.reduce_sum(x * x)

        tf.config.run_functions_eagerly(True)
        try:
            train(tf.ones([3]))
        finally:
            tf.config.run_functions_eagerly(False)

    Not flagged:
        A switch that the file also turns off, one under a condition or with a computed value, as
        in `run_functions_eagerly(args.debug)`, and files of tests.
    """

    code = "TFC702"
    since = "0.1"
    severity = Severity.WARNING
    everywhere = True
    words = ("run_functions_eagerly", "run_eagerly", "enable_debug_mode")

    def check_file(self) -> None:
        """Look at the calls and assignments that turn it on."""
        if is_test_file(self.model.source.filename):
            return
        for node, on, what in (*self._calls(), *self._keywords(), *self._stores()):
            if on and not self._is_conditional(node):
                self.report(
                    node,
                    f"{what} stays on: what `tf.function` and Keras compile runs eagerly",
                    hint="remove it, or switch it off when the call to look at is done",
                )

    def _calls(self) -> Iterator[tuple[ast.expr, bool, str]]:
        found: list[tuple[ast.Call, bool]] = []
        for call in self.model.index.calls():
            name = self.model.qualified_name(call.func)
            if name in _SWITCHES:
                given = [*call.args, *(word.value for word in call.keywords)]
                # A value that is computed turns it off at times.
                found.append((call, bool(given) and _is_true(given[0])))
            elif name == _DEBUG_DATA:
                yield call, True, "the debug mode of `tf.data`"
        if all(on for _, on in found):
            yield from ((call, True, "`run_functions_eagerly(True)`") for call, _ in found)

    def _keywords(self) -> Iterator[tuple[ast.expr, bool, str]]:
        for call in self.model.index.calls():
            for word in call.keywords:
                compiles = isinstance(call.func, ast.Attribute) and call.func.attr == "compile"
                if word.arg == "run_eagerly" and compiles:
                    yield word.value, _is_true(word.value), "`run_eagerly=True`"

    def _stores(self) -> Iterator[tuple[ast.expr, bool, str]]:
        values = [
            store.value
            for store in self.model.index.stores
            if isinstance(store.target, ast.Attribute)
            and store.target.attr == "run_eagerly"
            and store.how is How.ASSIGN
            and store.value is not None
        ]
        if all(map(_is_true, values)):
            yield from ((value, True, "`run_eagerly = True`") for value in values)

    def _is_conditional(self, node: ast.expr) -> bool:
        """Whether something decides about it, other than whether the file is the program."""
        return any(
            isinstance(parent, ast.If | ast.IfExp | ast.BoolOp)
            and "__name__" not in ast.unparse(parent.test if isinstance(parent, ast.If) else parent)
            for parent, _ in self.model.index.ancestors(node)
        )


def _is_true(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is True
