"""TFC202: outer names that change after the trace that read them."""

from __future__ import annotations

import ast

from tfcheck.diagnostics import Severity
from tfcheck.lint.keeping import kept_functions
from tfcheck.lint.rule import FileView, Rule
from tfcheck.lint.scopes import FunctionInfo, How, LoopNode


class StaleClosureCapture(Rule):
    """A name of the function around changes after the first trace.

    Why:
        The trace holds the value that the name had while tracing. Later calls reuse it and never
        look at the name again, so they compute with the old value.

    Bad:
        import tensorflow as tf

        def train(data):
            seed = 0

            @tf.function
            def cutout(x):
                return x + tf.random.stateless_uniform([], seed=[seed, 0])  # TFC202

            for x in data:
                cutout(x)
                seed += 1

    Good:
        import tensorflow as tf

        def train(data):
            seed = 0

            @tf.function
            def cutout(x, seed):
                return x + tf.random.stateless_uniform([], seed=[seed, 0])

            for x in data:
                cutout(x, tf.constant(seed))
                seed += 1

    Not flagged:
        A name that is bound before the first call only, or to the same constant each time; one
        that changes in a loop which makes the Function anew and calls it there.
    """

    code = "TFC202"
    since = "0.1"
    severity = Severity.ERROR

    def __init__(self, view: FileView) -> None:
        super().__init__(view)
        self._seen: set[tuple[FunctionInfo, str]] = set()

    def check_file(self) -> None:
        """Look at the Functions that a loop makes and keeps: they see its last round."""
        for creation in self.model.creations:
            for function, loop in kept_functions(self.model, creation):
                name = self._loop_name(function, loop)
                if name is not None:
                    self._seen.add((function, name.id))
                    self.report(
                        name,
                        f"`{name.id}` is read when the Function is called, after the loop:"
                        " each one that the loop makes sees the value of the last round",
                        hint=f"bind it now: `def f(x, {name.id}={name.id})`, or a factory",
                        trace=self.model.traces.get(function),
                    )

    def _loop_name(self, function: FunctionInfo, loop: LoopNode) -> ast.Name | None:
        """The first name in a function that each round of the loop binds anew."""
        inside = set(ast.walk(loop))
        for node in self.model.own_nodes(function):
            if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
                continue
            bindings = self.model.bindings(node)
            if self.model.holder(node) is function.scope or not bindings:
                continue
            if all(b.node in inside and b.how in {How.ASSIGN, How.LOOP} for b in bindings):
                return node
        return None

    def enter_Name(self, name: ast.Name) -> None:
        """Report the first read of each such name in a function."""
        if not isinstance(name.ctx, ast.Load):
            return
        holder = self.model.holder(name)
        around = None if holder is None else self.model.index.function_of.get(holder.owner().node)
        key = (self.trace.function, name.id)
        if around is None or around in self.model.traces or key in self._seen:
            return
        self._seen.add(key)
        changes = self.model.late_changes(name, self.trace.function)
        if not changes:
            return
        change = changes[0].node
        what = "edited" if changes[0].in_place else "bound anew"
        self.report(
            name,
            f"`{name.id}` of `{around.name}` is read while tracing only, but {what} later"
            f" ({self.line(change)}): calls go on with the old value",
            hint="pass it as a tensor argument, or make it a `tf.Variable` and assign to it",
            related=[self.related(change, f"{what} here")] if isinstance(change, ast.expr) else [],
        )
