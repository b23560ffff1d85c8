"""TFC309: helpers that change Python state, called under a tensor condition."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tfcheck.diagnostics import Severity
from tfcheck.lint.guards import Guards
from tfcheck.lint.kinds import Kind
from tfcheck.lint.rule import Rule
from tfcheck.lint.scopes import FunctionInfo, How
from tfcheck.lint.vocabulary import MUTATORS

_BRANCHING = {
    f"tensorflow.{name}" for name in ("cond", "case", "switch_case", "while_loop", "map_fn", "scan")
}
_MAX_DEPTH = 4
_Place = ast.Name | ast.Attribute


class HiddenMutation(Rule):
    """A helper that changes state is called under a tensor condition.

    Why:
        AutoGraph sees what a branch or loop binds, not what a function called in it changes. The
        change happens while tracing, whatever the condition is, and a tensor stored that way
        leaks out of its branch: "out of scope and cannot be used here".

    Bad:
        import tensorflow as tf

        class Game:
            def __init__(self):
                self.score = 0

            def add_point(self):
                self.score = self.score + 1  # TFC309

            @tf.function
            def play(self, roll):
                if roll > 3:
                    self.add_point()
                return self.score

        game = Game()
        game.play(tf.constant(5))

    Good:
        import tensorflow as tf

        class Game:
            def __init__(self):
                self.score = tf.Variable(0)

            def add_point(self):
                self.score.assign_add(1)

            @tf.function
            def play(self, roll):
                if roll > 3:
                    self.add_point()
                return self.score.read_value()

        game = Game()
        game.play(tf.constant(5))

    Not flagged:
        Changes of variables; what the helper makes itself; values of unknown kind; attributes that
        nothing outside the helper reads; changes under a test that lets them happen once; calls
        that Python decides.
    """

    code = "TFC309"
    since = "0.1"
    severity = Severity.ERROR

    def check_file(self) -> None:
        """Look at the functions that are called in a branch or loop of the graph."""
        self._guards = Guards(self.model)
        reported: set[ast.AST] = set()
        for helper, call in self._branched():
            for place, node in self._changes(helper, depth=_MAX_DEPTH):
                if node not in reported and self._matters(place, node):
                    reported.add(node)
                    self._report(place, node, call)

    def _branched(self) -> Iterator[tuple[FunctionInfo, ast.Call]]:
        """The functions of this file called there, with the calls."""
        for function, trace in self.model.traces.items():
            for site in self.model.calls_from(function):
                under = trace.converted and self._is_under_tensor(site.call)
                if under and site.target.creation is None and self._is_local(site.target.function):
                    yield site.target.function, site.call
            for callback in self.model.callbacks_to(function):
                if callback.entry in _BRANCHING:
                    yield function, callback.call

    def _is_local(self, function: FunctionInfo) -> bool:
        return self.model.is_local(function.node)

    def _is_under_tensor(self, call: ast.Call) -> bool:
        if self.model.tensor_loops_around(call):
            return True
        return any(
            isinstance(parent, ast.If | ast.IfExp)
            and child is not parent.test
            and self.model.value(parent.test).is_tensor
            for parent, child in self.model.index.ancestors(call)
        )

    def _changes(self, function: FunctionInfo, *, depth: int) -> Iterator[tuple[_Place, ast.expr]]:
        """The outer places that a function changes, by itself or through others."""
        for node in self.model.own_nodes(function):
            for place in _changed(node):
                if self._outlives(place, function):
                    yield place, node if isinstance(node, ast.expr) else place
        for site in self.model.calls_from(function) if depth else ():
            inner = site.target.function
            if site.target.creation is None and inner is not function and self._is_local(inner):
                yield from self._changes(inner, depth=depth - 1)

    def _outlives(self, place: _Place, function: FunctionInfo) -> bool:
        """Whether the place belongs to what was there before the call."""
        root: ast.expr = place
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(root, ast.Name):
            return False
        if self.model.qualified_name(root) is not None:
            return False  # `tf.add(...)` is a function of a module, no method of a set
        holder = self.model.holder(root)
        if holder is not function.scope:
            # A comprehension has a scope of its own, which ends with it.
            inner = holder is None or holder.is_class or holder.is_comprehension
            return not inner
        if function.name == "__init__":
            return False
        bindings = self.model.bindings(root)
        return isinstance(place, ast.Attribute) and all(b.how is How.PARAMETER for b in bindings)

    def _matters(self, place: _Place, node: ast.expr) -> bool:
        """Whether something else sees the change, and it may happen more than once."""
        if self.model.kind(place) in {Kind.VARIABLE, Kind.OBJECT, Kind.TENSOR} and (
            isinstance(node, ast.Call)
        ):
            return False
        if self._guards.is_guarded(node) or self._is_unknown(node):
            return False
        around = self.model.function_around(node)
        name = place.id if isinstance(place, ast.Name) else place.attr
        for read in ast.walk(self.model.tree):
            alike = isinstance(read, ast.Name | ast.Attribute) and isinstance(read.ctx, ast.Load)
            if alike and isinstance(read, type(place)) and read is not place:
                spelled = read.id if isinstance(read, ast.Name) else read.attr
                if spelled == name and self.model.function_around(read) is not around:
                    return True
        return False

    def _is_unknown(self, node: ast.expr) -> bool:
        """Whether what is stored is of unknown kind, as a cache or a note may be."""
        statement = self.model.index.statement_of(node)
        if not isinstance(statement, ast.Assign) or isinstance(node, ast.Call):
            return False
        return self.model.kind(statement.value) is Kind.UNKNOWN

    def _report(self, place: _Place, node: ast.expr, call: ast.Call) -> None:
        self.report(
            node,
            f"`{self.text(place)}` changes while tracing, whatever the condition at"
            f" {self.line(call)} is",
            hint="return the new value and bind it in the branch, or use a `tf.Variable`",
            related=[self.related(call, "called here")],
            trace=self.model.trace_around(node),
        )


def _changed(node: ast.AST) -> Iterator[_Place]:
    """The names, attributes and containers that a node changes."""
    match node:
        case ast.Attribute(ctx=ast.Store()):
            yield node
        case ast.Subscript(
            ctx=ast.Store() | ast.Del(), value=ast.Name() | ast.Attribute() as place
        ):
            yield place
        case ast.Call(func=ast.Attribute(value=ast.Name() | ast.Attribute() as place, attr=method)):
            if method in MUTATORS:
                yield place
        case ast.Name(ctx=ast.Store()):
            yield node
