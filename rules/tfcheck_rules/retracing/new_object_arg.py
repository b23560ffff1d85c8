"""TFC104: Python objects made anew for each call."""

from __future__ import annotations

import ast

from tfcheck.diagnostics import Severity
from tfcheck.lint import entries
from tfcheck.lint.callgraph import CallSite
from tfcheck.lint.resolve import ClassTarget, FunctionTarget
from tfcheck.lint.rule import Rule
from tfcheck.lint.scopes import ClassInfo, How, LoopNode

_PLAIN = {"builtins.object", "abc.ABC", "tensorflow.Module"}
"""Bases whose instances are told apart by identity."""


class NewObjectArg(Rule):
    """A Python object made anew for each call is passed to a `tf.function`.

    Why:
        A trace knows an object by a weak reference. A lambda, a bound method or an instance that
        is made for the call is one that no trace has seen, whatever it compares equal to, so
        every call traces the function again.

    Bad:
        import tensorflow as tf

        @tf.function
        def apply(loss, target):
            return loss(target)

        for target in [1.0, 2.0, 3.0, 4.0, 5.0]:
            apply(lambda a: tf.square(a), tf.constant(target))  # TFC104

    Good:
        import tensorflow as tf

        @tf.function
        def apply(loss, target):
            return loss(target)

        for target in [1.0, 2.0, 3.0, 4.0, 5.0]:
            apply(tf.square, tf.constant(target))

    Not flagged:
        Objects bound to a name before the loop; functions and static methods; named tuples,
        extension types and classes with `__tf_tracing_type__`; calls that no loop repeats.
    """

    code = "TFC104"
    since = "0.1"
    severity = Severity.ERROR

    def check_file(self) -> None:
        """Look at the arguments of each call of a Function that a loop repeats."""
        for site in self.model.eager_calls():
            loops = self._loops(site)
            made = set(self.model.loops_around(site.target.function.node))
            if not loops or made & set(loops):
                continue
            for _, given in site.arguments():
                what = self._fresh(given, self._repeated(site, loops))
                if what is not None:
                    self._report(site, given, what)

    def _loops(self, site: CallSite) -> list[LoopNode]:
        """The loops around the call, or else around the calls of the function it stands in."""
        loops = self.model.loops_around(site.call)
        if not loops and site.caller is not None:
            outer = self.model.calls_to(site.caller)
            loops = [loop for each in outer for loop in self.model.loops_around(each.call)]
        return loops

    def _repeated(self, site: CallSite, loops: list[LoopNode]) -> list[ast.AST]:
        """What runs again for each call: the loops, or the function that they call."""
        caller = site.caller
        if caller is None or self.model.loops_around(site.call):
            return [*loops]
        # A Function that the same function makes anew has no earlier trace to miss.
        return [] if site.target.function.outer.owner() is caller.scope else [caller.node]

    def _fresh(self, given: ast.expr, repeated: list[ast.AST]) -> str | None:
        """What is made for the call; None for what is there before."""
        match given:
            case ast.Lambda():
                return "a new lambda"
            case ast.Attribute() if self._is_bound_method(given):
                return "a new bound method"
            case ast.Call() if self.model.qualified_name(given.func) == "functools.partial":
                return "a new partial"
            case ast.Call():
                return "a new object" if self._is_instance(given) else None
            case ast.Name():
                return self._named(given, repeated)
        return None

    def _named(self, name: ast.Name, repeated: list[ast.AST]) -> str | None:
        """What a name is bound to by the same round, if it is bound nowhere else."""
        bindings = self.model.bindings(name)
        inside = {part for node in repeated for part in ast.walk(node)}
        if len(bindings) != 1 or bindings[0].node not in inside:
            return None
        if bindings[0].how is How.FUNCTION:
            targets = self.model.targets(name)
            plain = all(isinstance(t, FunctionTarget) and t.creation is None for t in targets)
            return "a new function" if plain else None
        value = bindings[0].value
        known = bindings[0].how is How.ASSIGN and value is not None
        return self._fresh(value, []) if known and value is not None else None

    def _is_bound_method(self, given: ast.Attribute) -> bool:
        return any(
            isinstance(target, FunctionTarget) and target.bound and target.creation is None
            for target in self.model.targets(given)
        ) and not any(
            isinstance(store.target, ast.Attribute) and store.target.attr == given.attr
            for store in self.model.index.stores
        )

    def _is_instance(self, call: ast.Call) -> bool:
        name = self.model.qualified_name(call.func) or ""
        if name.startswith("keras."):
            return name.rpartition(".")[2][:1].isupper()
        found = self.model.targets(call.func)
        classes = [target.owner for target in found if isinstance(target, ClassTarget)]
        return bool(classes) and not any(map(self._has_key, classes))

    def _has_key(self, owner: ClassInfo) -> bool:
        """Whether instances may share a trace: tuples of tensors, classes that say how."""
        lineage = self.model.resolver.lineage(owner)
        bases = [base for info in lineage for base in info.node.bases]
        unknown = [
            base
            for base in bases
            if not self.model.targets(base) and self.model.qualified_name(base) not in _PLAIN
        ]
        keyed = any("__tf_tracing_type__" in info.methods for info in lineage)
        keras = any(map(entries.is_keras_base, self.model.resolver.external_bases(owner)))
        return keyed or (bool(unknown) and not keras)

    def _report(self, site: CallSite, given: ast.expr, what: str) -> None:
        self.report(
            given,
            f"`{self.text(given)}` is {what} in each call: it traces"
            f" `{site.target.function.name}` again",
            hint="make it once, before the loop, and pass that",
            trace=self.model.traces.get(site.target.function),
        )
