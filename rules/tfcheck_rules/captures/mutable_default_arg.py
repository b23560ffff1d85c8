"""TFC204: lists, dicts and sets as defaults of traced functions."""

from __future__ import annotations

import ast

from tfcheck.diagnostics import Confidence, Severity
from tfcheck.lint.rule import Rule
from tfcheck.lint.scopes import FunctionInfo
from tfcheck.lint.vocabulary import MUTATORS

_MAKERS = {f"builtins.{name}" for name in ("list", "dict", "set")}


class MutableDefaultArg(Rule):
    """A traced function has a list, dict or set for a default.

    Why:
        All calls share the one object, and TensorFlow compares it before and after tracing: a
        function that changes it raises `ValueError`, "should not modify its Python input
        arguments".

    Bad:
        import tensorflow as tf

        @tf.function
        def collect(x, seen=[]):  # TFC204
            seen.append(x)
            return tf.add_n(seen)

    Good:
        import tensorflow as tf

        @tf.function
        def collect(x, seen=()):
            return tf.add_n([*seen, x])

    Not flagged:
        None, tuples and other values that nothing can change. A default that the function does
        not change is harmless and reported with low confidence.
    """

    code = "TFC204"
    since = "0.1"
    severity = Severity.WARNING

    def check_file(self) -> None:
        """Look at the defaults of the functions that TensorFlow calls."""
        for function, trace in self.model.traces.items():
            if not trace.root or trace.keras:
                continue
            for name, default in function.defaults().items():
                if self._is_mutable(default):
                    changed = self._is_changed(name, function)
                    self.report(
                        default,
                        f"the default of `{name}` is one object for all calls and traces",
                        hint="use None or a tuple",
                        confidence=Confidence.HIGH if changed else Confidence.LOW,
                        trace=trace,
                    )

    def _is_mutable(self, default: ast.expr) -> bool:
        if isinstance(default, ast.Call):
            return self.model.qualified_name(default.func) in _MAKERS
        return isinstance(default, ast.List | ast.Dict | ast.Set | ast.ListComp | ast.DictComp)

    def _is_changed(self, name: str, function: FunctionInfo) -> bool:
        for node in self.model.own_nodes(function):
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name(id=changed), attr=method)):
                    if changed == name and method in MUTATORS:
                        return True
                case ast.Subscript(value=ast.Name(id=changed), ctx=ast.Store() | ast.Del()):
                    if changed == name:
                        return True
                case ast.AugAssign(target=ast.Name(id=changed)):
                    if changed == name:
                        return True
        return False
