"""TFC205: big arrays and lists that become constants of the graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tfcheck.diagnostics import Confidence, Severity
from tfcheck.lint.data_sizes import DataSizes
from tfcheck.lint.kinds import Kind
from tfcheck.lint.places import Places
from tfcheck.lint.rule import Rule
from tfcheck.lint.scopes import FunctionInfo, How

_LARGE = 10_000
"""Elements; 40 KB of `float32`."""


class LargeConstantCapture(Rule):
    """A big NumPy array or list is used in traced code.

    Why:
        Each trace copies it into the graph as a constant. The graph grows with every trace and is
        copied again when it is optimised or saved; beyond 2 GB it cannot be built at all.

    Bad:
        import numpy as np
        import tensorflow as tf

        features = np.ones((400, 100), dtype=np.float32)

        @tf.function
        def predict(w):
            return tf.linalg.matvec(features, w)  # TFC205

        predict(tf.ones([100]))

    Good:
        import numpy as np
        import tensorflow as tf

        features = tf.constant(np.ones((400, 100), dtype=np.float32))

        @tf.function
        def predict(w):
            return tf.linalg.matvec(features, w)

        predict(tf.ones([100]))

    Not flagged:
        Tensors and variables made outside, which the graph refers to; arguments; fewer than
        10 000 elements; items, shapes and results of NumPy, which are small; data of unknown
        size, unless it was loaded from a file or is one of the Keras data sets.
    """

    code = "TFC205"
    since = "0.1"
    severity = Severity.WARNING

    def check_file(self) -> None:
        """Look at what operations in traced code take in."""
        self._sizes, self._places = DataSizes(self.model), Places(self.model)
        seen: set[tuple[FunctionInfo | None, str]] = set()
        for node in self.model.traced_nodes:
            for given in self._taken(node):
                key = (self.model.function_around(given), ast.unparse(given))
                if key in seen or self.model.trace_around(given) is None:
                    continue
                found = self._size(given)
                if found is not None:
                    seen.add(key)
                    self._report(given, found[0], found[1])

    def _taken(self, node: ast.AST) -> Iterator[ast.expr]:
        """The expressions that an operation turns into a tensor."""
        if isinstance(node, ast.Call):
            name = self.model.qualified_name(node.func) or ""
            if name.startswith("tensorflow.") and not name.startswith("tensorflow.data."):
                yield from (part for part in node.args if self._is_data(part))
                yield from (word.value for word in node.keywords if self._is_data(word.value))
        elif isinstance(node, ast.BinOp):
            sides = ((node.left, node.right), (node.right, node.left))
            for data, other in sides:
                if self._is_data(data) and self._is_tensor(other):
                    yield data

    def _is_tensor(self, node: ast.expr) -> bool:
        """Whether it is a tensor of the graph, or an argument of which nothing else is known."""
        if self.model.is_graph_tensor(node):
            return True
        unknown = isinstance(node, ast.Name) and self.model.kind(node) is Kind.UNKNOWN
        return unknown and isinstance(node, ast.Name) and self._is_given(node)

    def _is_given(self, name: ast.Name) -> bool:
        bindings = self.model.bindings(name)
        return bool(bindings) and all(
            binding.how is How.PARAMETER
            and self.model.index.function_of[binding.scope.node] in self.model.traces
            for binding in bindings
        )

    def _is_data(self, node: ast.expr) -> bool:
        """Whether it is data of Python, and no argument: traced callers may give tensors."""
        if self.model.kind(node) not in {Kind.NUMPY, Kind.CONTAINER}:
            return False
        names = [part for part in ast.walk(node) if isinstance(part, ast.Name)]
        return not any(self._is_given(name) for name in names if not self.model.targets(name))

    def _size(self, node: ast.expr) -> tuple[str, Confidence] | None:
        """The size in words, where it is large."""
        given = [node]
        if isinstance(node, ast.Attribute):
            given = list(self._places.stored(node))
        counts = [self._sizes.elements(value) for value in given]
        known = [count for count in counts if count is not None]
        if known and len(known) == len(counts):
            return (f"{min(known)} elements", Confidence.HIGH) if min(known) >= _LARGE else None
        if given and all(map(self._sizes.is_loaded, given)):
            return "loaded data", Confidence.MEDIUM
        return None

    def _report(self, node: ast.expr, size: str, confidence: Confidence) -> None:
        self.report(
            node,
            f"`{self.text(node)}` ({size}) becomes a constant of the graph, once for each trace",
            hint="make it a `tf.constant` or `tf.Variable` outside, or pass it as an argument",
            confidence=confidence,
            trace=self.model.trace_around(node),
        )
