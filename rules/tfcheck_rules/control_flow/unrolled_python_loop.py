"""TFC503: long Python loops with TensorFlow operations in them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tfcheck.diagnostics import Applicability, Confidence, Fix, Severity
from tfcheck.lint.data_sizes import DataSizes
from tfcheck.lint.kinds import Kind
from tfcheck.lint.rule import Rule
from tfcheck.lint.scopes import LoopNode
from tfcheck.lint.tracing import Trace

_MANY = 25
"""Rounds that are worth a loop of the graph; a few layers or steps are better unrolled."""


class UnrolledPythonLoop(Rule):
    """A long Python loop with TensorFlow operations is unrolled.

    Why:
        A loop over a `range`, a list or a NumPy array runs while tracing. Each round adds its own
        copy of the body to the graph: tracing takes as long, memory grows, and so does every
        later optimisation of the graph.

    Bad:
        import tensorflow as tf

        @tf.function
        def decode(state):
            for step in range(400):  # TFC503
                state = tf.tanh(state * 0.9 + 0.1)
            return state

    Becomes:
        import tensorflow as tf

        @tf.function
        def decode(state):
            for step in tf.range(400):
                state = tf.tanh(state * 0.9 + 0.1)
            return state

    Not flagged:
        Loops of fewer than 25 rounds, nested ones multiplied; loops whose length the source does
        not tell; loops without operations; loops over tensors and datasets.

    Fix safety:
        Unsafe: the counter becomes a tensor, which cannot index a Python list, and variables of
        the loop must keep their dtype and shape.
    """

    code = "TFC503"
    since = "0.1"
    severity = Severity.WARNING
    fix = Applicability.UNSAFE

    def check_file(self) -> None:
        """Look at the outermost Python loops of traced code."""
        self._sizes = DataSizes(self.model)
        loops = [node for node in self.model.traced_nodes if isinstance(node, LoopNode)]
        for loop in loops:
            trace = self.model.trace_around(loop)
            if trace is None or not self._is_python(loop) or any(self._outer(loop)):
                continue
            rounds = self._total(loop)
            if rounds is not None and rounds >= _MANY and self._has_operation(loop):
                self._report(loop, f"is unrolled into {rounds} copies of its body", trace)
            elif rounds is None and self._is_over_data(loop) and self._has_operation(loop):
                self._report(loop, "is unrolled: one copy of its body for each row", trace)

    def _outer(self, loop: LoopNode) -> Iterator[bool]:
        """Whether a Python loop around is known to have several rounds."""
        for around in self.model.loops_around(loop):
            yield self._is_python(around) and (self._sizes.rounds(around) or 0) > 1

    def _is_python(self, loop: LoopNode) -> bool:
        if isinstance(loop, ast.While):
            return not self.model.value(loop.test).is_tensor
        graph = {Kind.TENSOR, Kind.VARIABLE, Kind.DATASET}
        return self.model.kind(loop.iter) not in graph

    def _total(self, loop: LoopNode) -> int | None:
        """The rounds, times those of the longest loop inside."""
        rounds = self._sizes.rounds(loop)
        if rounds is None or isinstance(loop, ast.comprehension):
            return rounds
        inside = [node for part in loop.body for node in ast.walk(part)]
        inner = [
            self._total(node) or 1
            for node in inside
            if isinstance(node, LoopNode) and self._is_python(node)
        ]
        return rounds * max(inner, default=1)

    def _is_over_data(self, loop: LoopNode) -> bool:
        if isinstance(loop, ast.While):
            return False
        return self._sizes.is_loaded(loop.iter) or self._sizes.is_listed(loop.iter)

    def _has_operation(self, loop: LoopNode) -> bool:
        body: list[ast.AST] = [loop] if isinstance(loop, ast.comprehension) else [*loop.body]
        if isinstance(loop, ast.comprehension):
            body = [self.model.index.parents[loop]]
        parts = (node for part in body for node in ast.walk(part))
        made = (part for part in parts if isinstance(part, ast.Call | ast.BinOp | ast.Subscript))
        return any(map(self.model.is_graph_tensor, made))

    def _report(self, loop: LoopNode, message: str, trace: Trace) -> None:
        comprehension = isinstance(loop, ast.comprehension)
        place = loop.test if isinstance(loop, ast.While) else loop.iter
        if isinstance(loop, ast.For | ast.AsyncFor):
            place = loop.target
        cure = "loop over a tensor: `for i in tf.range(n)`"
        if comprehension or not trace.converted:
            cure = "use `tf.while_loop`, `tf.map_fn` or an operation on the whole tensor"
        elif not isinstance(loop, ast.For) or self._range(loop) is None:
            cure = "loop over a tensor or a dataset, with a tensor for the counter"
        self.report(
            place,
            f"the Python loop {message}",
            hint=cure,
            trace=trace,
            fix=self._fix(loop) if trace.converted else None,
            confidence=Confidence.HIGH,
        )

    def _range(self, loop: ast.For) -> ast.expr | None:
        call = loop.iter
        if isinstance(call, ast.Call) and self.model.qualified_name(call.func) == "builtins.range":
            return call.func
        return None

    def _fix(self, loop: LoopNode) -> Fix | None:
        called = self._range(loop) if isinstance(loop, ast.For) else None
        name = self.model.spelling("tensorflow.range", called) if called is not None else None
        if called is None or name is None:
            return None
        return self.replace(called, name, message=f"Use {name}", safe=False)
