"""TFC505: Python lists that collect in a loop of the graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tfcheck.diagnostics import Severity
from tfcheck.lint.kinds import Kind
from tfcheck.lint.rule import Rule
from tfcheck.lint.scopes import How

_GROWING = {"append", "extend", "insert", "appendleft"}


class AppendInTensorLoop(Rule):
    """A Python list collects values in a loop over a tensor.

    Why:
        The loop becomes one `tf.while_loop` whose body is traced once, so the list gets one entry,
        a symbol of the body. Using it after the loop fails: "out of scope".

    Bad:
        import tensorflow as tf

        @tf.function
        def squares(n):
            out = []
            for i in tf.range(n):
                out.append(i * i)  # TFC505
            return tf.stack(out)

    Good:
        import tensorflow as tf

        @tf.function
        def squares(n):
            out = tf.TensorArray(tf.int32, size=n)
            for i in tf.range(n):
                out = out.write(i, i * i)
            return out.stack()

    Not flagged:
        Loops that Python unrolls, as over a `range` of numbers or `tf.unstack(x)`; lists that the
        body of the loop makes itself; lists that outlive the trace (TFC302, TFC305).
    """

    code = "TFC505"
    since = "0.1"
    severity = Severity.ERROR

    def check_file(self) -> None:
        """Look at what grows in traced code that AutoGraph rewrites."""
        for node, grown in self._growth():
            trace = self.model.trace_around(node)
            if trace is None or not trace.converted:
                continue
            loops = self.model.tensor_loops_around(node)
            if loops and self._is_collected(grown, loops[0]):
                self.report(
                    node,
                    f"`{grown.id}` grows while tracing only: the loop becomes one operation",
                    hint="write into a `tf.TensorArray`",
                    trace=trace,
                )

    def _growth(self) -> Iterator[tuple[ast.expr, ast.Name]]:
        for call in self.model.index.calls():
            func = call.func
            if not isinstance(func, ast.Attribute) or not isinstance(func.value, ast.Name):
                continue
            if func.attr in _GROWING:
                yield call, func.value
        for node in self.model.traced_nodes:
            name = _extended(node)
            if name is not None and self.model.kind(name) is not Kind.TENSOR:
                yield name, name

    def _is_collected(self, name: ast.Name, loop: ast.AST) -> bool:
        """Whether the list was made in the same function, before the loop."""
        function = self.model.function_around(name)
        holder = self.model.holder(name)
        if function is None or holder is not function.scope:
            return False
        inside = set(ast.walk(loop))
        made = [
            b for b in self.model.bindings(name) if b.value is not None and b.node not in inside
        ]
        return any(
            binding.value is not None and self.model.kind(binding.value) is Kind.CONTAINER
            for binding in made
        ) and not any(
            isinstance(binding.value, ast.List)
            and binding.how is How.ASSIGN
            and binding.node in inside
            for binding in self.model.bindings(name)
        )


def _extended(node: ast.AST) -> ast.Name | None:
    """The name in `out += [x]` and in `out = out + [x]`."""
    match node:
        case ast.AugAssign(target=ast.Name() as name, value=ast.List()):
            return name
        case ast.Assign(
            targets=[ast.Name() as name],
            value=ast.BinOp(left=ast.Name() as before, op=ast.Add(), right=ast.List()),
        ) if name.id == before.id:
            return name
    return None
