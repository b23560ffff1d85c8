"""TFC602: NumPy functions on tensors of the graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tfcheck.diagnostics import Applicability, Fix, Severity
from tfcheck.lint.kinds import Kind
from tfcheck.lint.rule import Rule

_STATIC = {"dtype", "iterable", "isscalar", "issubdtype", "result_type"}
_REDUCTIONS = ("sum", "mean", "max", "min", "prod", "all", "any")
_ALIKE = (
    *("abs", "square", "sqrt", "exp", "sin", "cos", "tanh", "sign", "maximum", "minimum"),
    *("argmax", "argmin", "transpose", "reshape", "zeros_like", "ones_like"),
)
_TWINS = {
    **{name: f"tensorflow.reduce_{name}" for name in _REDUCTIONS},
    **{name: f"tensorflow.{name}" for name in _ALIKE},
    **{name: f"tensorflow.math.{name}" for name in ("log", "log1p", "expm1", "floor", "ceil")},
}
_SHARED_KEYWORDS = {"axis", "keepdims"}


class NumpyInTrace(Rule):
    """A NumPy function is applied to a tensor of the graph.

    Why:
        NumPy asks the tensor for its values, which it does not have while tracing:
        `NotImplementedError: Cannot convert a symbolic tf.Tensor to a numpy array`.

    Bad:
        import numpy as np
        import tensorflow as tf

        @tf.function
        def loss(y, p):
            return np.mean(y - p)  # TFC602

        loss(tf.constant([1.0, 2.0]), tf.constant([1.0, 4.0]))

    Becomes:
        import numpy as np
        import tensorflow as tf

        @tf.function
        def loss(y, p):
            return tf.reduce_mean(y - p)

        loss(tf.constant([1.0, 2.0]), tf.constant([1.0, 4.0]))

    Not flagged:
        NumPy on constants and static shapes: it is computed once, while tracing, as it is meant to
        be. `tf.experimental.numpy`. Functions run by `tf.numpy_function`.

    Fix safety:
        Unsafe: the function of TensorFlow may differ in dtypes, as `tf.reduce_mean` of integers.
    """

    code = "TFC602"
    since = "0.1"
    severity = Severity.ERROR
    fix = Applicability.UNSAFE

    def check_file(self) -> None:
        """Look at each call in traced code."""
        for call in self.model.traced_calls:
            name = self.model.qualified_name(call.func) or ""
            if not name.startswith("numpy.") or name.startswith("numpy.random."):
                continue
            function = name.removeprefix("numpy.")
            if function in _STATIC or self.model.trace_around(call) is None:
                continue
            if any(map(self._is_symbolic, _arguments(call))):
                self.report(
                    call,
                    f"`{self.text(call.func)}` needs values, which a symbolic tensor does not have",
                    hint="use the function of `tf`, or `tf.numpy_function`",
                    fix=self._fix(call, function),
                    trace=self.model.trace_around(call),
                )

    def _is_symbolic(self, node: ast.expr) -> bool:
        value = self.model.value(node)
        return value.kind is Kind.VARIABLE or (value.kind is Kind.TENSOR and value.graph)

    def _fix(self, call: ast.Call, function: str) -> Fix | None:
        twin = _TWINS.get(function)
        alike = all(keyword.arg in _SHARED_KEYWORDS for keyword in call.keywords)
        name = self.model.spelling(twin, call.func) if twin is not None and alike else None
        if name is None:
            return None
        return self.replace(call.func, name, message=f"Use {name}", safe=False)


def _arguments(call: ast.Call) -> Iterator[ast.expr]:
    """The arguments, and the parts of lists and tuples among them."""
    for given in (*call.args, *(keyword.value for keyword in call.keywords)):
        yield given
        if isinstance(given, ast.List | ast.Tuple):
            yield from given.elts
