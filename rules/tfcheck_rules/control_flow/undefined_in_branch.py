"""TFC502: names that one side of a tensor condition leaves unbound."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from tfcheck.diagnostics import Severity
from tfcheck.lint.rule import Rule
from tfcheck.lint.scopes import FunctionInfo


class UndefinedInBranch(Rule):
    """A name is bound on one side of a tensor `if` only, and used later.

    Why:
        Both branches become parts of the graph and must bind the same names. TensorFlow raises
        "must also be initialized in the else branch" while it traces the function.

    Bad:
        import tensorflow as tf

        @tf.function
        def normalise(x):
            if tf.reduce_max(x) > 1.0:  # TFC502
                scale = tf.reduce_max(x)
            return x / scale

    Good:
        import tensorflow as tf

        @tf.function
        def normalise(x):
            scale = tf.constant(1.0)
            if tf.reduce_max(x) > 1.0:
                scale = tf.reduce_max(x)
            return x / scale

    Not flagged:
        Names that are not used after the `if`, or bound before it or again before the use;
        branches that return or raise; conditions that Python decides.
    """

    code = "TFC502"
    since = "0.1"
    severity = Severity.ERROR

    def check_file(self) -> None:
        """Look at the conditions in traced code that AutoGraph rewrites."""
        for function, trace in self.model.traces.items():
            if not trace.converted or isinstance(function.node, ast.Lambda):
                continue
            for node in ast.walk(function.node):
                if isinstance(node, ast.If) and self.model.function_around(node) is function:
                    self._check(node, function)

    def _check(self, node: ast.If, function: FunctionInfo) -> None:
        if not self.model.value(node.test).is_tensor or self.model.is_left_out(node):
            return
        if _leaves(node.body) or _leaves(node.orelse):
            return
        body, other = set(_bound(node.body)), set(_bound(node.orelse))
        for name in sorted(body ^ other):
            if not self._is_bound_elsewhere(name, node, function) and self._is_used(name, node):
                side = "else" if name in body else "main"
                self.report(
                    node.test,
                    f"the condition is a tensor and the {side} branch leaves `{name}` unbound:"
                    " tracing fails",
                    hint=f"bind `{name}` before the `if`, or on both sides",
                    trace=self.model.traces[function],
                )
                return

    def _is_bound_elsewhere(self, name: str, node: ast.If, function: FunctionInfo) -> bool:
        """Whether the name may be bound when the `if` is reached, or belongs to an outer scope."""
        inside = {part for block in (node, *self._other_branches(node)) for part in ast.walk(block)}
        loops = self.model.loops_around(node)
        bindings = function.scope.bindings.get(name, [])
        return name in function.scope.outer or any(
            binding.node not in inside
            and (getattr(binding.node, "lineno", 0) < node.lineno or bool(loops))
            for binding in bindings
        )

    def _other_branches(self, node: ast.If) -> Iterator[ast.stmt]:
        """The statements that do not run when `node` does: those of an `if` before an `elif`."""
        for parent, child in self.model.index.ancestors(node):
            if isinstance(parent, ast.If) and child is not parent.test:
                yield from parent.orelse if child in parent.body else parent.body

    def _is_used(self, name: str, node: ast.If) -> bool:
        """Whether the first thing that happens to the name after the `if` is a read."""
        function = self.model.function_around(node)
        if function is None:
            return False
        end = (node.end_lineno or 0, node.end_col_offset or 0)
        later = [
            part
            for part in ast.walk(function.node)
            if isinstance(part, ast.Name)
            and part.id == name
            and (part.lineno, part.col_offset) >= end
            and not self._may_be_skipped(part, node)
        ]
        first = min(later, key=self._moment, default=None)
        return first is not None and isinstance(first.ctx, ast.Load)

    def _may_be_skipped(self, name: ast.Name, node: ast.If) -> bool:
        """Whether a later `if` on a tensor decides about a binding of the name."""
        around = [parent for parent, _ in self.model.index.ancestors(node)]
        return isinstance(name.ctx, ast.Store) and any(
            isinstance(parent, ast.If)
            and parent not in around
            and self.model.value(parent.test).is_tensor
            for parent, _ in self.model.index.ancestors(name)
        )

    def _moment(self, name: ast.Name) -> tuple[int, bool, int]:
        """The order in which Python meets names: the right side of `x = x + 1` goes first."""
        line = self.model.index.statement_of(name).lineno
        return (line, isinstance(name.ctx, ast.Store), name.col_offset)


def _bound(block: Sequence[ast.stmt]) -> Iterator[str]:
    """The names that statements bind, inner functions and comprehensions left out."""
    for statement in block:
        stack: list[ast.AST] = [statement]
        while stack:
            part = stack.pop()
            if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                continue
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                yield part.id
            comprehension = isinstance(part, ast.ListComp | ast.SetComp | ast.DictComp)
            if not comprehension and not isinstance(part, ast.GeneratorExp | ast.Lambda):
                stack.extend(ast.iter_child_nodes(part))


def _leaves(block: Sequence[ast.stmt]) -> bool:
    """Whether a block returns, raises or leaves a loop."""
    ends = (ast.Return, ast.Raise, ast.Break, ast.Continue)
    return any(isinstance(part, ends) for statement in block for part in ast.walk(statement))
