"""TFC107: decorated methods of objects made again and again."""

from __future__ import annotations

import ast

from tfcheck.diagnostics import Severity
from tfcheck.lint.callgraph import CallSite
from tfcheck.lint.data_sizes import DataSizes
from tfcheck.lint.repeats import repeating_loops
from tfcheck.lint.resolve import ClassTarget
from tfcheck.lint.rule import Rule
from tfcheck.lint.scopes import How, LoopNode


class FunctionPerInstance(Rule):
    """A decorated method is called on a new object each time.

    Why:
        Each object has its own Function for the method, with its own traces. An object made for
        one call traces once and throws the graph away: slower than plain Python.

    Bad:
        import tensorflow as tf

        class Acquisition:
            def __init__(self, best):
                self.best = best

            @tf.function
            def __call__(self, x):
                return tf.maximum(x - self.best, 0.0)

        for i in range(6):
            acquisition = Acquisition(tf.constant(float(i)))
            acquisition(tf.constant([1.0, 9.0]))  # TFC107

    Good:
        import tensorflow as tf

        @tf.function
        def improvement(x, best):
            return tf.maximum(x - best, 0.0)

        class Acquisition:
            def __init__(self, best):
                self.best = best

            def __call__(self, x):
                return improvement(x, self.best)

        for i in range(6):
            acquisition = Acquisition(tf.constant(float(i)))
            acquisition(tf.constant([1.0, 9.0]))

    Not flagged:
        Static methods, which all objects share; objects that an inner loop calls many times;
        objects kept in a list or attribute; loops of up to `scalar-limit` rounds.
    """

    code = "TFC107"
    since = "0.1"
    severity = Severity.WARNING

    def check_file(self) -> None:
        """Look at the calls of decorated methods from plain Python."""
        self._sizes = DataSizes(self.model)
        for site in self.model.eager_calls():
            creation = site.target.creation
            method = creation is not None and creation.decorates and site.target.bound
            if not method or site.target.function.owner is None:
                continue
            made = self._made(site)
            loops = repeating_loops(self.model, made) if made is not None else []
            if made is not None and loops and self._is_remade(made, site.call, loops[0]):
                self._report(site, made, loops[0])

    def _made(self, site: CallSite) -> ast.Call | None:
        """Where the object of the method is made, if the name holds only that."""
        called = site.call.func
        if isinstance(called, ast.Call):
            return called if self._is_class(called) else None
        receiver = called.value if isinstance(called, ast.Attribute) else called
        if not isinstance(receiver, ast.Name):
            return None
        bindings = list(self.model.bindings(receiver))
        if len(bindings) > 1:
            bindings = self.model.index.reaching(receiver, bindings)
        if len(bindings) != 1 or bindings[0].how is not How.ASSIGN:
            return None
        value = bindings[0].value
        return value if isinstance(value, ast.Call) and self._is_class(value) else None

    def _is_class(self, call: ast.Call) -> bool:
        targets = self.model.targets(call.func)
        return bool(targets) and all(isinstance(target, ClassTarget) for target in targets)

    def _is_remade(self, made: ast.Call, call: ast.Call, loop: LoopNode) -> bool:
        """Whether both stand in the same round of a loop that is not short."""
        own, around = self.model.loops_around(made), self.model.loops_around(call)
        if own[:1] != around[:1] or self._is_kept(made):
            return False
        rounds = self._sizes.rounds(loop)
        return rounds is None or rounds > self.settings.scalar_limit

    def _is_kept(self, made: ast.Call) -> bool:
        """Whether the object is also put somewhere where later code finds it."""
        parent = self.model.index.parents.get(made)
        if not isinstance(parent, ast.Assign):
            return False
        if not all(isinstance(target, ast.Name) for target in parent.targets):
            return True
        names = {target.id for target in parent.targets if isinstance(target, ast.Name)}
        scope = self.model.index.scope_of(made)
        values = [store.value for store in self.model.index.stores]
        given = [part for call in scope.calls for part in call.args]
        given += [statement.value for statement in scope.returns if statement.value is not None]
        return any(isinstance(value, ast.Name) and value.id in names for value in [*values, *given])

    def _report(self, site: CallSite, made: ast.Call, loop: LoopNode) -> None:
        owner = site.target.function.owner
        name = owner.name if owner is not None else self.text(made.func)
        line = self.line(loop.target if isinstance(loop, ast.comprehension) else loop)
        self.report(
            site.call,
            f"each round of the loop at {line} makes a `{name}` with a Function of its own:"
            " every call traces",
            hint="decorate a static method or a function that takes what differs as tensors",
            related=[self.related(made, "made here")],
            trace=self.model.traces.get(site.target.function),
        )
