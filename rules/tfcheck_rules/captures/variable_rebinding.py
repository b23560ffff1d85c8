"""TFC207: names and attributes of variables that are bound to something else."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tfcheck.diagnostics import Applicability, Fix, Severity
from tfcheck.lint.kinds import Kind
from tfcheck.lint.lifetimes import Lifetimes
from tfcheck.lint.places import Places
from tfcheck.lint.rule import Rule
from tfcheck.lint.scopes import How, place_of

_METHODS = {ast.Add: "assign_add", ast.Sub: "assign_sub"}


class VariableRebinding(Rule):
    """Traced code binds the name of a `tf.Variable` to a tensor.

    Why:
        `v = v + x` does not change the variable: it puts a tensor of the trace in its place, once,
        while tracing. The variable keeps its value, and later uses of the name fail. `v += x`
        raises `RuntimeError`.

    Bad:
        import tensorflow as tf

        class Counter(tf.Module):
            def __init__(self):
                self.total = tf.Variable(0.0)

            @tf.function
            def add(self, x):
                self.total = self.total + x  # TFC207

        counter = Counter()
        counter.add(tf.constant(1.0))

    Becomes:
        import tensorflow as tf

        class Counter(tf.Module):
            def __init__(self):
                self.total = tf.Variable(0.0)

            @tf.function
            def add(self, x):
                self.total.assign_add(x)

        counter = Counter()
        counter.add(tf.constant(1.0))

    Not flagged:
        A local name that is bound anew, as in `w = w * 2`, where the variable is meant to stay;
        creation of the variable under a test; plain Python.

    Fix safety:
        Unsafe: what reads the name later in the function gets the variable, not the tensor.
    """

    code = "TFC207"
    since = "0.1"
    severity = Severity.ERROR
    fix = Applicability.UNSAFE

    def check_file(self) -> None:
        """Look at what traced code binds, outside of itself or in place."""
        reported: set[ast.AST] = set()
        for target, value in (*self._outer(), *self._in_place()):
            if target not in reported and self.model.kind(value) is not Kind.VARIABLE:
                reported.add(target)
                self._report(target)

    def _outer(self) -> Iterator[tuple[ast.expr, ast.expr]]:
        """Attributes and outer names that hold a variable elsewhere."""
        places = Places(self.model)
        for store in Lifetimes(self.model).stores():
            kinds = {self.model.kind(value) for value in places.stored(store.target)}
            # None says that there is no variable, as in `self.bias = None` without a bias.
            if Kind.VARIABLE in kinds and not self.model.value(store.value).is_none:
                yield store.target, store.value

    def _in_place(self) -> Iterator[tuple[ast.expr, ast.expr]]:
        """`v -= x` and `variables[i] -= x`."""
        for node in self.model.traced_nodes:
            if isinstance(node, ast.AugAssign) and self.model.trace_around(node) is not None:
                if self._is_variable(node.target):
                    yield node.target, node.value
            elif isinstance(node, ast.Assign) and self.model.trace_around(node) is not None:
                target = node.targets[0]
                if isinstance(target, ast.Name) and self._is_lost(target, node):
                    yield target, node.value

    def _is_lost(self, target: ast.Name, statement: ast.Assign) -> bool:
        """`v = v - x` on the name of a loop over variables, which nothing reads afterwards."""
        bindings = [each for each in self.model.bindings(target) if each.node is not target]
        loops = self.model.loops_around(statement)[:1]
        if not loops or isinstance(loops[0], ast.While) or len(bindings) != 1:
            return False
        names = [part for part in ast.walk(loops[0]) if isinstance(part, ast.Name)]
        ours = [name for name in names if name.id == target.id]
        inside = [part for part in ast.walk(statement.value) if part in ours]
        later = [name for name in ours if place_of(name) > place_of(target) and name not in inside]
        bound = bindings[0].how is How.LOOP and bindings[0].node in ast.walk(loops[0].target)
        return bound and bool(inside) and not later and self._holds_variable(target)

    def _is_variable(self, target: ast.Name | ast.Attribute | ast.Subscript) -> bool:
        if isinstance(target, ast.Subscript):
            return self.model.value(target.value).each().kind is Kind.VARIABLE
        return isinstance(target, ast.Name) and self._holds_variable(target)

    def _holds_variable(self, target: ast.Name) -> bool:
        """Whether the name holds a variable when the statement is reached."""
        bindings = list(self.model.bindings(target))
        earlier = [
            binding
            for binding in self.model.index.reaching(target, bindings)
            if binding.node is not target
        ]
        known = {How.ASSIGN, How.LOOP}
        return bool(earlier) and all(
            binding.how in known
            and isinstance(binding.node, ast.expr)
            and self.model.kind(binding.node) is Kind.VARIABLE
            for binding in earlier
        )

    def _report(self, target: ast.expr) -> None:
        statement = self.model.index.statement_of(target)
        text = self.text(target)
        what = f"`{text}` holds a `tf.Variable`, which this does not change"
        if isinstance(statement, ast.AugAssign):
            what = f"`{text}` is a `tf.Variable`, which has no operator in place"
        self.report(
            target,
            f"{what}: {_consequence(statement)}",
            hint=f"`{text}.assign(...)`, `.assign_add(...)` and `.assign_sub(...)` change it",
            fix=self._fix(statement, text),
            trace=self.model.trace_around(target),
        )

    def _fix(self, statement: ast.stmt, text: str) -> Fix | None:
        content = None
        match statement:
            case ast.AugAssign(op=op, value=value):
                method = _METHODS.get(type(op))
                content = f"{text}.{method}({self.text(value)})" if method else None
            case ast.Assign(targets=[_], value=ast.BinOp(left=left, op=op, right=right)):
                method = _METHODS.get(type(op))
                if method is not None and self.text(left) == text:
                    content = f"{text}.{method}({self.text(right)})"
                elif method == "assign_add" and self.text(right) == text:
                    content = f"{text}.{method}({self.text(left)})"
                else:
                    content = f"{text}.assign({self.text(statement.value)})"
            case ast.Assign(targets=[_], value=value):
                content = f"{text}.assign({self.text(value)})"
        if content is None:
            return None
        return self.replace(statement, content, message="Assign to the variable", safe=False)


def _consequence(statement: ast.stmt) -> str:
    if isinstance(statement, ast.AugAssign):
        return "tracing raises `RuntimeError`"
    return "a tensor of the trace takes its place"
