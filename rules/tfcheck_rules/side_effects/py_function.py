"""TFC310: `tf.py_function` and `tf.numpy_function` where the graph needs more than a value."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tfcheck.diagnostics import Confidence, Severity
from tfcheck.lint.kinds import Kind
from tfcheck.lint.rule import Rule
from tfcheck.lint.scopes import FunctionInfo, How

_HOSTED = {
    "tensorflow.py_function",
    "tensorflow.numpy_function",
    "tensorflow.compat.v1.py_func",
}
_WITHOUT_GRADIENT = _HOSTED - {"tensorflow.py_function"}
_STOPS = {"tensorflow.stop_gradient"}
_NEED_SHAPE = {"tensorflow.unstack", "tensorflow.image.resize"}
_MAX_DEPTH = 6


class PyFunction(Rule):
    """A Python function in the graph where a gradient or shape is needed.

    Why:
        `tf.numpy_function` has no gradient: the tape gives None. Nor has `tf.py_function` where
        its function calls `.numpy()`. What comes out of it and of
        `tf.py_function` has no static shape, which layers and `tf.unstack` ask for. Neither can be
        saved with the graph, and both hold the lock of the interpreter.

    Bad:
        import numpy as np
        import tensorflow as tf

        w = tf.Variable(2.0)

        @tf.function
        def grad():
            with tf.GradientTape() as tape:
                loss = tf.numpy_function(np.square, [w], tf.float32)  # TFC310
            return tape.gradient(loss, w)

    Good:
        import tensorflow as tf

        w = tf.Variable(2.0)

        @tf.function
        def grad():
            with tf.GradientTape() as tape:
                loss = tf.square(w)
            return tape.gradient(loss, w)

    Not flagged:
        Results that are only returned, logged or given a shape by `set_shape`, `tf.ensure_shape`
        or `tf.reshape`; results under `tf.stop_gradient`. Any other use is reported with low
        confidence.
    """

    code = "TFC310"
    since = "0.1"
    severity = Severity.ERROR

    def check_file(self) -> None:
        """Look at each of these calls in traced code."""
        for call in self.model.traced_calls:
            name = self.model.qualified_name(call.func)
            if name not in _HOSTED or self.model.trace_around(call) is None:
                continue
            short = (name or "").rpartition(".")[2]
            cut = name in _WITHOUT_GRADIENT or self._leaves_tensorflow(call)
            if cut and self._is_differentiated(call):
                self._report(
                    call, f"`{short}` has no gradient here: the tape finds none", Confidence.HIGH
                )
            elif self._is_asked_for_shape(call):
                message = f"the result of `{short}` has no static shape, which is asked for"
                self._report(call, message, Confidence.HIGH)
            else:
                message = f"`{short}` runs Python in each call: it cannot be saved with the graph"
                self._report(call, message, Confidence.LOW)

    # Gradients

    def _leaves_tensorflow(self, call: ast.Call) -> bool:
        """Whether the function given asks for the value of a tensor, where its gradient ends."""
        return any(
            isinstance(node, ast.Attribute) and node.attr == "numpy"
            for target in (self.model.resolver.functions(call.args[0]) if call.args else ())
            for node in ast.walk(target.function.node)
        )

    def _is_differentiated(self, call: ast.Call) -> bool:
        """Whether the result is part of what a tape differentiates."""
        function = self.model.function_around(call)
        if function is None:
            return False
        if any(self._reaches(target, call) for target in self._targets(function)):
            return True
        if not self._is_returned(call, function):
            return False
        sites = self.model.calls_to(function)
        return any(
            self._reaches(target, site.call)
            for site in sites
            if site.caller is not None
            for target in self._targets(site.caller)
        )

    def _targets(self, function: FunctionInfo) -> Iterator[ast.expr]:
        """What the tapes of a function differentiate: `loss` in `tape.gradient(loss, w)`."""
        for node in self.model.own_nodes(function):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            tape = self.model.value(node.func.value).origin == "tensorflow.GradientTape"
            if tape and node.func.attr in {"gradient", "jacobian"}:
                given = [word.value for word in node.keywords if word.arg == "target"]
                yield from given or node.args[:1]

    def _reaches(self, node: ast.expr, call: ast.Call, *, depth: int = _MAX_DEPTH) -> bool:
        """Whether `node` is computed from the result of `call`."""
        if node is call:
            return True
        if not depth:
            return False
        if isinstance(node, ast.Call) and self.model.qualified_name(node.func) in _STOPS:
            return False
        if isinstance(node, ast.Name):
            values = [
                binding.value
                for binding in self.model.bindings(node)
                if binding.how in {How.ASSIGN, How.AUGMENT} and binding.value is not None
            ]
            return any(self._reaches(value, call, depth=depth - 1) for value in values)
        parts = [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
        if isinstance(node, ast.Call):
            parts = [*node.args, *(word.value for word in node.keywords)]
        return any(self._reaches(part, call, depth=depth) for part in parts)

    def _is_returned(self, call: ast.Call, function: FunctionInfo) -> bool:
        if isinstance(function.node, ast.Lambda):
            return self._reaches(function.node.body, call)
        values = [statement.value for statement in function.scope.returns]
        return any(value is not None and self._reaches(value, call) for value in values)

    # Shapes

    def _is_asked_for_shape(self, call: ast.Call) -> bool:
        """Whether a use of the result needs its static shape."""
        if self._needs_shape(call):
            return True
        match self.model.index.parents.get(call):
            case ast.Assign(targets=[ast.Name() as name]):
                uses = list(self._uses(name))
                shaped = any(map(self._gives_shape, uses))
                return not shaped and any(map(self._needs_shape, uses))
        return False

    def _uses(self, name: ast.Name) -> Iterator[ast.Name]:
        function = self.model.function_around(name)
        for node in self.model.own_nodes(function) if function is not None else ():
            if not isinstance(node, ast.Name) or node.id != name.id:
                continue
            bindings = list(self.model.bindings(node))
            reaching = self.model.index.reaching(node, bindings)
            if isinstance(node.ctx, ast.Load) and [b.node for b in reaching] == [name]:
                yield node

    def _gives_shape(self, use: ast.Name) -> bool:
        parent = self.model.index.parents.get(use)
        return isinstance(parent, ast.Attribute) and parent.attr == "set_shape"

    def _needs_shape(self, use: ast.expr) -> bool:
        parent = self.model.index.parents.get(use)
        match parent:
            case ast.Call() if use in parent.args[:1]:
                name = self.model.qualified_name(parent.func)
                if name in _NEED_SHAPE:
                    return name != "tensorflow.unstack" or len(parent.args) == 1
                value = self.model.value(parent.func)
                layer = value.kind is Kind.KERAS and (value.origin or "").startswith(
                    "keras.layers."
                )
                return layer or (value.origin in {"keras.Sequential", "keras.Model"})
            case ast.Attribute(attr="shape"):
                return isinstance(self.model.index.parents.get(parent), ast.Subscript)
        return False

    def _report(self, call: ast.Call, message: str, confidence: Confidence) -> None:
        self.report(
            call,
            message,
            hint="use operations of `tf`; or `tf.py_function`, and `set_shape` on the result",
            confidence=confidence,
            trace=self.model.trace_around(call),
        )
