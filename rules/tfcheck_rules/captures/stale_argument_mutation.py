"""TFC206: objects that are edited between the calls they are passed to."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tfcheck.diagnostics import Severity
from tfcheck.lint.callgraph import CallSite
from tfcheck.lint.kinds import Kind
from tfcheck.lint.places import AttributeChange, Places
from tfcheck.lint.resolve import InstanceTarget, is_self
from tfcheck.lint.rule import Rule
from tfcheck.lint.scopes import ClassInfo, FunctionInfo, How

_MAX_DEPTH = 4
_SETUP = {"__init__", "__new__", "__post_init__", "build"}


class StaleArgumentMutation(Rule):
    """An object passed to a `tf.function` is edited between calls.

    Why:
        A trace knows the object by its identity. A later call with the same object reuses the
        trace, in which the attributes have the values that they had while tracing.

    Bad:
        import tensorflow as tf

        class Settings:
            def __init__(self):
                self.gain = 1.0

        @tf.function
        def amplify(signal, settings):
            return signal * settings.gain  # TFC206

        settings = Settings()
        for gain in (1.0, 2.0, 3.0):
            settings.gain = gain
            amplify(tf.constant([1.0, 2.0]), settings)

    Good:
        import tensorflow as tf

        class Settings:
            def __init__(self):
                self.gain = 1.0

        @tf.function
        def amplify(signal, gain):
            return signal * gain

        settings = Settings()
        for gain in (1.0, 2.0, 3.0):
            settings.gain = gain
            amplify(tf.constant([1.0, 2.0]), tf.constant(settings.gain))

    Not flagged:
        Attributes that hold variables; changes before the first call only; objects made anew for
        each call (TFC104); dicts and lists, which are compared by what they hold.
    """

    code = "TFC206"
    since = "0.1"
    severity = Severity.ERROR

    def check_file(self) -> None:
        """Compare the attributes of parameters read in traced code with what changes them."""
        self._changes = [c for c in Places(self.model).attribute_changes() if self._is_plain(c)]
        changed = {change.attr for change in self._changes}
        seen: set[tuple[FunctionInfo | None, str]] = set()
        for read in self.model.traced_nodes if changed else ():
            if not isinstance(read, ast.Attribute) or read.attr not in changed:
                continue
            key = (self.model.function_around(read), ast.unparse(read))
            if key in seen or not isinstance(read.ctx, ast.Load):
                continue
            late = self._late(read)
            if late is not None:
                seen.add(key)
                self._report(read, late)

    def _is_plain(self, change: AttributeChange) -> bool:
        function = self.model.function_around(change.node)
        made = function is not None and function.name in _SETUP
        return not made and self.model.is_plain(change.node)

    def _late(self, read: ast.Attribute) -> AttributeChange | None:
        """The first change of what is read that runs between two calls."""
        if not isinstance(read.value, ast.Name) or self.model.trace_around(read) is None:
            return None
        for site, given in self._passed(read.value, depth=_MAX_DEPTH):
            for owner in self._owners(given):
                for change in self._changes:
                    if change.attr != read.attr or not self._is_same(change, given, owner):
                        continue
                    calls: list[ast.AST] = [other.call for other in self._alike(site)]
                    between = self.model.runs_between(
                        change.node, calls, remade=set(), receiver=lambda _: None
                    )
                    if between and self._is_frozen(owner, read.attr):
                        return change
        return None

    def _passed(self, name: ast.Name, *, depth: int) -> Iterator[tuple[CallSite, ast.expr]]:
        """The calls from plain Python that give a parameter its value, with what they give."""
        bindings = self.model.bindings(name)
        if len(bindings) != 1 or bindings[0].how is not How.PARAMETER or not depth:
            return
        function = self.model.index.function_of[bindings[0].scope.node]
        for site in self.model.calls_to(function):
            for parameter, given in site.arguments():
                if parameter is not bindings[0].node:
                    continue
                if site.caller in self.model.traces:
                    if isinstance(given, ast.Name):
                        yield from self._passed(given, depth=depth - 1)
                elif site.target.creation is not None:
                    yield site, given

    def _alike(self, site: CallSite) -> list[CallSite]:
        return [
            other
            for other in self.model.calls_to(site.target.function)
            if other.caller not in self.model.traces
        ]

    def _owners(self, given: ast.expr) -> list[ClassInfo]:
        if not isinstance(given, ast.Name | ast.Attribute):
            return []
        found = self.model.targets(given)
        return [target.owner for target in found if isinstance(target, InstanceTarget)]

    def _is_same(self, change: AttributeChange, given: ast.expr, owner: ClassInfo) -> bool:
        """Whether it changes the object that is passed, by the same name or in a method."""
        if ast.unparse(change.receiver) == ast.unparse(given):
            return True
        method = self.model.function_around(change.node)
        lineage = self.model.resolver.lineage(owner)
        return method is not None and method.owner in lineage and is_self(change.receiver, method)

    def _is_frozen(self, owner: ClassInfo, attr: str) -> bool:
        """Whether the attribute holds what a trace takes by value."""
        kinds: set[Kind] = set()
        for store in self.model.index.stores:
            target = store.target
            if not isinstance(target, ast.Attribute) or target.attr != attr or store.value is None:
                continue
            if owner in self._owners(target.value) or isinstance(target.value, ast.Name):
                kinds.add(self.model.kind(store.value))
        return not kinds & {Kind.VARIABLE, Kind.DATASET, Kind.KERAS}

    def _report(self, read: ast.Attribute, change: AttributeChange) -> None:
        self.report(
            read,
            f"`{self.text(read)}` is read while tracing only, but changes between calls"
            f" ({self.line(change.node)}): they go on with the old value",
            hint="pass the value itself as a tensor, or make it a `tf.Variable` and assign to it",
            related=[self.related(change.node, "changed here")],
            trace=self.model.trace_around(read),
        )
