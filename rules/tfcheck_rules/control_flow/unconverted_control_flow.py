"""TFC509: control flow on tensors that AutoGraph does not rewrite."""

from __future__ import annotations

import ast

from tfcheck.diagnostics import Confidence, Severity
from tfcheck.lint.lambdas import Lambdas, compares_argument
from tfcheck.lint.rule import Rule
from tfcheck.lint.scopes import FunctionInfo
from tfcheck.lint.tensor_control import TensorControl
from tfcheck.lint.tracing import Trace

_Reportable = ast.expr | ast.stmt


class UnconvertedControlFlow(Rule):
    """A tensor decides where AutoGraph does not rewrite the code.

    Why:
        Python asks a symbolic tensor for a truth value or for its elements, which it does not
        have: "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed", "Iterating over a
        symbolic `tf.Tensor` is not allowed".

    Bad:
        import tensorflow as tf

        @tf.function
        def weighted(values, weights):
            total = 0.0
            for v, w in zip(values, weights):  # TFC509
                total += v * w
            return total

        class Stepper(tf.keras.Model):
            def call(self, x):
                for _ in tf.range(3):  # TFC509
                    x = x + 1.0
                return x

        weighted(tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0]))

    Good:
        import tensorflow as tf

        @tf.function
        def weighted(values, weights):
            total = 0.0
            for i in tf.range(tf.size(values)):
                total += values[i] * weights[i]
            return total

        class Stepper(tf.keras.Model):
            @tf.function
            def call(self, x):
                for _ in tf.range(3):
                    x = x + 1.0
                return x

        weighted(tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0]))

    Not flagged:
        `enumerate` and `zip` of datasets, `range(x)`, `len(x)` and `sorted(x)`; comprehensions
        over lists; `is None` tests; `match` and bare annotations in functions that no tensor
        controls. Keras methods are those of Keras 3; `tf_keras` rewrites them and is left alone.
    """

    code = "TFC509"
    since = "0.1"
    severity = Severity.ERROR

    def check_file(self) -> None:
        """Look at each traced function for itself."""
        self._control = TensorControl(self.model)
        self._lambdas = Lambdas(self.model)
        for function, trace in self.model.traces.items():
            if trace.keras and self._is_legacy():
                continue
            reason = self._reason(function, trace)
            if reason is not None:
                self._check_unconverted(function, trace, reason)
            else:
                self._check_converted(function, trace)

    def _is_legacy(self) -> bool:
        """Whether the file imports the Keras that had AutoGraph convert its models."""
        bindings = (b for found in self.model.index.module.bindings.values() for b in found)
        return any((b.imported or "").partition(".")[0] == "tf_keras" for b in bindings)

    def _reason(self, function: FunctionInfo, trace: Trace) -> str | None:
        """Why AutoGraph does not rewrite the function."""
        if function.scope.yields:
            return "AutoGraph leaves generators as they are"
        if not trace.converted:
            return "Keras 3 traces it without AutoGraph" if trace.keras else "AutoGraph is off here"
        if self._lambdas.has_twin(function):
            return "AutoGraph cannot tell apart lambdas with the same arguments on one line"
        return None

    def _check_unconverted(self, function: FunctionInfo, trace: Trace, reason: str) -> None:
        confidence = Confidence.MEDIUM if trace.keras else Confidence.HIGH
        if trace.converted and isinstance(function.node, ast.Lambda):
            sure = any(self._control.rewritten(function))
            if sure or compares_argument(function):
                likely = Confidence.HIGH if sure else Confidence.MEDIUM
                self._report(function.node, f"a tensor decides in it, and {reason}", trace, likely)
            return
        reported: set[ast.AST] = set()
        for node in self._control.rewritten(function):
            if node in reported:
                continue
            asked, verb = _described(node)
            # The parts of a condition fail with it.
            reported.update(ast.walk(asked))
            self._report(asked, f"{verb} a tensor, but {reason}", trace, confidence)
        for place, message in self._control.never_rewritten(function):
            if place not in reported:
                self._report(place, message, trace)

    def _check_converted(self, function: FunctionInfo, trace: Trace) -> None:
        found = dict(self._control.never_rewritten(function))
        for place, message in found.items():
            self._report(place, f"{message}: AutoGraph does not rewrite it", trace)
        spoilers = [pair for pair in self._control.spoilers(function) if pair[0] not in found]
        if spoilers and any(self._control.rewritten(function)):
            for place, construct in spoilers:
                message = f"{construct} makes AutoGraph give up `{function.name}`, where a tensor"
                self._report(place, f"{message} decides", trace)

    def _report(
        self,
        place: _Reportable,
        message: str,
        trace: Trace,
        confidence: Confidence = Confidence.HIGH,
    ) -> None:
        where = place.subject if isinstance(place, ast.Match) else place
        self.report(where, message, hint=_cure(place), trace=trace, confidence=confidence)


def _described(node: ast.AST) -> tuple[ast.expr, str]:
    """The expression that a construct asks for a value, and the verb for it."""
    match node:
        case ast.If() | ast.While() | ast.IfExp():
            return node.test, "the condition is"
        case ast.For():
            return node.iter, "the loop is over"
        case ast.UnaryOp():
            return node, "`not` asks"
        case ast.BoolOp():
            return node, f"`{'and' if isinstance(node.op, ast.And) else 'or'}` asks"
    if not isinstance(node, ast.expr):
        raise TypeError(f"expected a construct with a condition, got {type(node).__name__}")
    return node, "the chained comparison asks"


def _cure(place: _Reportable) -> str:
    match place:
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            return "use `tf.map_fn` or an operation on the whole tensor"
        case ast.Call() | ast.Assign():
            return "use `tf.unstack`, or loop over `tf.range` and index"
        case ast.Lambda():
            return "define each on a line of its own, or name the arguments differently"
        case ast.AnnAssign():
            return "give the name its value on the same line"
    return "use `tf.cond`, `tf.where` or `tf.while_loop`, or decorate it with `tf.function`"
