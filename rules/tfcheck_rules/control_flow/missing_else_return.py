"""TFC501: a tensor condition with a `return` on one path only."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from tfcheck.diagnostics import Severity
from tfcheck.lint.kinds import Kind
from tfcheck.lint.rule import Rule
from tfcheck.lint.tracing import Trace


class MissingElseReturn(Rule):
    """A tensor `if` returns on one path and not on the other.

    Why:
        Both branches become parts of the graph and must give the same things. TensorFlow raises
        "the else branch must also have a return statement" while it traces the function.

    Bad:
        import tensorflow as tf

        @tf.function
        def larger(a, b):
            if a > b:  # TFC501
                return a

        larger(tf.constant(3), tf.constant(2))

    Good:
        import tensorflow as tf

        @tf.function
        def larger(a, b):
            if a > b:
                return a
            return b

        larger(tf.constant(3), tf.constant(2))

    Not flagged:
        An `if` whose `return` is followed by one in the same block, which AutoGraph takes for the
        other branch (it does not do so for an `elif`, nor for a `return` further out). Conditions
        that Python decides. A branch that ends in `raise`. Loops over tensors (TFC511).
    """

    code = "TFC501"
    since = "0.1"
    severity = Severity.ERROR

    def check_file(self) -> None:
        """Look at the statements of each function that AutoGraph rewrites."""
        for function, trace in self.model.traces.items():
            if trace.converted and not isinstance(function.node, ast.Lambda):
                self._check_block(function.node.body, trace)

    def _check_block(self, block: Sequence[ast.stmt], trace: Trace) -> None:
        for position, statement in enumerate(block):
            if isinstance(statement, ast.While) or self._is_tensor_loop(statement):
                continue
            known = len(self.found)
            for inner in _blocks(statement):
                self._check_block(inner, trace)
            # What lacks further in makes the `if` around it unequal, too.
            if isinstance(statement, ast.If) and len(self.found) == known:
                self._check_if(statement, block[position + 1 :], trace)

    def _is_tensor_loop(self, statement: ast.stmt) -> bool:
        """Whether it is a loop that Python may not unroll."""
        if not isinstance(statement, ast.For):
            return False
        return self.model.kind(statement.iter) is not Kind.CONTAINER

    def _check_if(self, node: ast.If, rest: Sequence[ast.stmt], trace: Trace) -> None:
        """Complete the branches as AutoGraph does, then compare them."""
        if not self.model.value(node.test).is_tensor or self.model.is_left_out(node):
            return
        body_ends, else_ends = _ends(node.body), _ends(node.orelse)
        body = [*node.body, *(rest if else_ends and not body_ends else ())]
        other = [*node.orelse, *(rest if body_ends else ())]
        if any(isinstance(part, ast.Raise) for part in (*body, *other)):
            return
        in_body, in_other = _returns(body), _returns(other)
        if bool(in_body) == bool(in_other) and _gives(in_body) == _gives(in_other):
            return
        lacking = "else" if _gives(in_body) or not in_other else "main"
        self.report(
            node.test,
            f"the condition is a tensor and the {lacking} branch has no `return`: tracing fails",
            hint="return a value of the same kind on both paths, or bind a name and return it last",
            trace=trace,
        )


def _blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    """The blocks of a compound statement, nested functions and classes left out."""
    if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        for name in ("body", "orelse", "finalbody"):
            yield getattr(statement, name, [])
        for handler in getattr(statement, "handlers", []):
            yield handler.body


def _ends(block: Sequence[ast.stmt]) -> bool:
    """Whether AutoGraph sees that a block always returns; it does not look into `try`."""
    return any(
        isinstance(statement, ast.Return)
        or (isinstance(statement, ast.With) and _ends(statement.body))
        or (isinstance(statement, ast.If) and _ends(statement.body) and _ends(statement.orelse))
        for statement in block
    )


def _returns(block: Sequence[ast.stmt]) -> list[ast.Return]:
    """The `return`s in a block at any depth."""
    found: list[ast.Return] = []
    for statement in block:
        if isinstance(statement, ast.Return):
            found.append(statement)
        for inner in _blocks(statement):
            found.extend(_returns(inner))
    return found


def _gives(returns: list[ast.Return]) -> bool:
    """Whether any gives a value; None is nothing to TensorFlow."""
    values = [statement.value for statement in returns]
    return any(
        value is not None and not (isinstance(value, ast.Constant) and value.value is None)
        for value in values
    )
