"""TFC308: Python iterators that are advanced in traced code."""

from __future__ import annotations

import ast

from tfcheck.diagnostics import Severity
from tfcheck.lint.kinds import Kind
from tfcheck.lint.lifetimes import Lifetimes
from tfcheck.lint.places import Places
from tfcheck.lint.resolve import FunctionTarget
from tfcheck.lint.rule import Rule

_WRAPPERS = {
    f"builtins.{name}" for name in ("iter", "enumerate", "zip", "map", "filter", "reversed")
}


class PythonIterator(Rule):
    """A Python iterator is advanced in traced code.

    Why:
        `next` runs while tracing. It takes one element for each trace, and every call that reuses
        the trace computes with that same element.

    Bad:
        import itertools
        import tensorflow as tf

        source = itertools.count()

        @tf.function
        def step(x):
            return x + next(source)  # TFC308

    Good:
        import itertools
        import tensorflow as tf

        source = itertools.count()

        @tf.function
        def step(x, i):
            return x + i

        def train(data):
            for x in data:
                step(x, tf.constant(next(source)))

    Not flagged:
        Iterators of datasets, which are part of the graph; iterators that the traced code makes
        itself, as in `next(v for v in values if v.trainable)`.
    """

    code = "TFC308"
    since = "0.1"
    severity = Severity.ERROR

    def check_file(self) -> None:
        """Look for `next` and for loops over iterators from outside."""
        self._lifetimes, self._places = Lifetimes(self.model), Places(self.model)
        for node in self.model.traced_nodes:
            iterator = self._advanced(node)
            if iterator is None or self.model.trace_around(node) is None:
                continue
            if self._lifetimes.outlives(iterator) and self._is_python(iterator):
                self.report(
                    node if isinstance(node, ast.Call) else iterator,
                    f"`{self.text(iterator)}` advances only while tracing, not in each call",
                    hint="advance it where the Function is called, or iterate over a dataset",
                    trace=self.model.trace_around(node),
                )

    def _advanced(self, node: ast.AST) -> ast.Name | ast.Attribute | None:
        """The iterator that `next(it)`, `it.__next__()`, `it.send(x)` or a loop takes from."""
        taken: ast.expr | None = None
        if isinstance(node, ast.Call):
            if node.args and self.model.qualified_name(node.func) == "builtins.next":
                taken = node.args[0]
            elif isinstance(node.func, ast.Attribute) and node.func.attr in {"__next__", "send"}:
                taken = node.func.value
        elif isinstance(node, ast.For):
            taken = node.iter
        return taken if isinstance(taken, ast.Name | ast.Attribute) else None

    def _is_python(self, iterator: ast.Name | ast.Attribute) -> bool:
        return any(self._makes(value) for value in self._places.stored(iterator))

    def _makes(self, value: ast.expr) -> bool:
        if isinstance(value, ast.GeneratorExp):
            return True
        if not isinstance(value, ast.Call):
            return False
        name = self.model.qualified_name(value.func) or ""
        if name.startswith("itertools."):
            return True
        if name in _WRAPPERS:
            known = {Kind.CONTAINER, Kind.NUMPY}
            return bool(value.args) and all(
                self.model.kind(part) in known or self._makes(part) for part in value.args[-1:]
            )
        if isinstance(value.func, ast.Attribute) and value.func.attr == "as_numpy_iterator":
            return True
        return any(
            isinstance(target, FunctionTarget) and target.function.scope.yields
            for target in self.model.targets(value.func)
        )
