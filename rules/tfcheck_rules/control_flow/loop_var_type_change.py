"""TFC506: loop variables of a graph loop that change dtype, shape or structure."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TypeGuard

from tfcheck.diagnostics import Confidence, Severity
from tfcheck.lint.loop_forms import LoopChange, LoopForms
from tfcheck.lint.rule import Rule
from tfcheck.lint.tracing import Trace


class LoopVarTypeChange(Rule):
    """A variable of a tensor loop changes its dtype, shape or structure.

    Why:
        The loop becomes one `tf.while_loop` whose body is traced once. What enters it must come
        out with the same type: "has shape (0,) before the loop, but shape (1,) after one
        iteration", "has dtype int32 before the loop, but dtype float32 after one iteration".

    Bad:
        import tensorflow as tf

        @tf.function
        def history(n):
            losses = tf.zeros([0])
            for i in tf.range(n):
                losses = tf.concat([losses, [tf.cast(i, tf.float32)]], axis=0)  # TFC506
            return losses

    Good:
        import tensorflow as tf

        @tf.function
        def history(n):
            losses = tf.TensorArray(tf.float32, size=n)
            for i in tf.range(n):
                losses = losses.write(i, tf.cast(i, tf.float32))
            return losses.stack()

    Not flagged:
        Names that `set_loop_options(shape_invariants=...)` lists; dimensions that are open before
        the loop; loops that Python unrolls; names first bound in the loop, or None before it.
    """

    code = "TFC506"
    since = "0.1"
    severity = Severity.ERROR

    def check_file(self) -> None:
        """Look at the loops of the graph in traced code."""
        forms = LoopForms(self.model)
        for function, trace in self.model.traces.items():
            for node in self.model.own_nodes(function):
                if isinstance(node, ast.Call):
                    if self.model.qualified_name(node.func) == "tensorflow.while_loop":
                        self._report(forms.of_call(node), trace)
                elif trace.converted and self._is_tensor_loop(node):
                    self._report(forms.of_loop(node, function), trace)

    def _is_tensor_loop(self, node: ast.AST) -> TypeGuard[ast.For | ast.While]:
        if not isinstance(node, ast.For | ast.While):
            return False
        return node in self.model.tensor_loops_around(node.body[0])

    def _report(self, changes: Iterable[LoopChange], trace: Trace) -> None:
        for change in changes:
            self.report(
                change.node,
                f"{change.message}: tracing the loop fails",
                hint="keep its type, collect in a `tf.TensorArray`, or give shape invariants",
                trace=trace,
                confidence=Confidence.HIGH if change.is_sure else Confidence.MEDIUM,
            )
