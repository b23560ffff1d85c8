"""Where traced code leaves a file, and what other files may take from it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Protocol

from tfcheck.diagnostics import TracedStep
from tfcheck.lint.callgraph import CallGraph
from tfcheck.lint.names import Names, canonical
from tfcheck.lint.outcome import Arrival, Departure, Exports, Heir, Place, Receiver
from tfcheck.lint.resolve import (
    TF_FUNCTION,
    Creation,
    FunctionTarget,
    InstanceTarget,
    Resolver,
    Target,
)
from tfcheck.lint.scopes import ClassInfo, FileIndex, FunctionInfo, How, Scope
from tfcheck.lint.targets import Foreign
from tfcheck.lint.tracing import Trace
from tfcheck.lint.untraced import Untraced


class Atlas(Protocol):
    """Knows in which file a function or class is defined."""

    def place_of(self, info: FunctionInfo | ClassInfo) -> Place:
        """The file and the qualified name."""


class Border:
    """Knows the traced code of a file and what it calls in others."""

    def __init__(
        self,
        index: FileIndex,
        names: Names,
        *,
        resolver: Resolver,
        graph: CallGraph,
        traces: Mapping[FunctionInfo, Trace],
        untraced: Untraced,
        atlas: Atlas,
        filename: str,
    ) -> None:
        self._index = index
        self._names = names
        self._resolver = resolver
        self._graph = graph
        self._traces = traces
        self._untraced = untraced
        self._atlas = atlas
        self._filename = filename
        self._foreign: dict[ast.Call, list[Foreign]] = {}
        for calls in graph.foreign.values() if traces else ():
            for call, foreign in calls:
                self._foreign.setdefault(call, []).append(foreign)

    # Departures

    def departures(self) -> Iterator[Departure]:
        """The functions of other files that this one has traced, in source order."""
        for scope in self._index.scopes.values():
            trace = self._trace_in(scope)
            for call in scope.calls:
                yield from self._handed(call)
                if trace is not None and call not in self._untraced:
                    yield from self._called(call, trace)
        yield from self._passed()

    def _trace_in(self, scope: Scope) -> Trace | None:
        function = self._index.function_of.get(scope.owner().node)
        return None if function is None else self._traces.get(function)

    def _called(self, call: ast.Call, trace: Trace) -> Iterator[Departure]:
        for foreign in self._foreign.get(call, ()):
            for target in self._resolver.solid_functions(foreign):
                if target.creation is None:
                    reason = f"{target.function.name} is called from {trace.function.name}"
                    found = self._departure(target, reason, call, trace=trace)
                    arrival = replace(found.arrival, receivers=self._receivers(call, trace))
                    yield replace(found, arrival=arrival)
        for owner in self._open_receivers(call):
            name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
            place = self._atlas.place_of(owner)
            step = self._step(f"{name} is called from {trace.function.name}", call)
            arrival = Arrival((step, *trace.steps), trace.converted, receivers=trace.receivers)
            yield Departure(Place(place.filename, f"{place.name}.{name}"), arrival, virtual=True)

    def _receivers(self, call: ast.Call, trace: Trace) -> tuple[Receiver, ...]:
        """The classes of `self` in the method that a call runs, where they are known."""
        called = _instances(self._resolver.targets(call.func))  # `self.encoder(x)`
        owners = [] if called else list(self._open_receivers(call, bases=False))
        if owners:
            opened = (Receiver(self._atlas.place_of(owner), exact=False) for owner in owners)
            return trace.receivers or tuple(opened)
        return self._classes(call.func)

    def _classes(self, called: ast.expr) -> tuple[Receiver, ...]:
        """The classes of an object that is called, or of the one whose method is."""
        found = _instances(self._resolver.targets(called))
        if isinstance(called, ast.Attribute) and not found:
            called = called.value
            found = _instances(self._resolver.targets(called))
        exact = not self._is_given(called)
        return tuple(Receiver(self._atlas.place_of(owner), exact=exact) for owner in found)

    def _is_given(self, place: ast.expr) -> bool:
        """Whether it may hold what callers give, which can be of a derived class."""
        if isinstance(place, ast.Name):
            holder = self._index.scope_of(place).lookup(place.id)
            bindings = holder.bindings[place.id] if holder is not None else []
            return any(binding.how is How.PARAMETER for binding in bindings)
        if not isinstance(place, ast.Attribute):
            return False
        values = [
            store.value
            for store in self._index.stores
            if isinstance(store.target, ast.Attribute) and store.target.attr == place.attr
        ]
        return not values or not all(isinstance(value, ast.Call) for value in values)

    def _open_receivers(self, call: ast.Call, *, bases: bool = True) -> Iterator[ClassInfo]:
        """The classes of the object a method is called on, if it may be of a derived class."""
        func = call.func
        if not isinstance(func, ast.Attribute) or not isinstance(func.value, ast.Name):
            return
        holder = self._index.scope_of(func.value).lookup(func.value.id)
        bindings = holder.bindings[func.value.id] if holder is not None else []
        if any(binding.how is not How.PARAMETER for binding in bindings):
            return
        for target in self._resolver.symbols(func.value):
            if isinstance(target, InstanceTarget):
                yield from self._resolver.near(target.owner) if bases else (target.owner,)

    def _handed(self, call: ast.Call) -> Iterator[Departure]:
        """What a call makes a Function of."""
        wrapped = self._resolver.wrapping(call)
        if wrapped is None:
            return
        for target in self._resolver.functions_anywhere(wrapped[1]):
            if not self._resolver.is_local(target.function):
                reason = f"{target.function.name} is wrapped by tf.function"
                found = self._departure(target, reason, call, trace=None)
                arrival = replace(found.arrival, receivers=self._classes(wrapped[1]))
                yield replace(found, arrival=arrival)

    def _passed(self) -> Iterator[Departure]:
        """What is given to functions of TensorFlow that trace it."""
        for caller, callbacks in self._graph.foreign_callbacks.items():
            around = self._traces.get(caller) if caller is not None else None
            for callback in callbacks:
                if not callback.eager_too and around is None:
                    continue
                spelled = callback.entry.replace("tensorflow.", "tf.")
                trace = None if callback.eager_too else around
                for target in self._resolver.solid_functions(callback.given):
                    reason = f"{target.function.name} is passed to {spelled}"
                    yield self._departure(target, reason, callback.call, trace=trace)

    def _departure(
        self, target: FunctionTarget, reason: str, call: ast.Call, *, trace: Trace | None
    ) -> Departure:
        rest = trace.steps if trace is not None else ()
        converted = trace is None or trace.converted
        arrival = Arrival((self._step(reason, call), *rest), converted, root=trace is None)
        return Departure(self._atlas.place_of(target.function), arrival)

    def _step(self, reason: str, call: ast.Call) -> TracedStep:
        return TracedStep(reason, self._filename, call.lineno)

    # What others see

    def heirs(self, wanted: frozenset[str]) -> Iterator[Heir]:
        """The classes of this file that derive from classes of others with `wanted` names."""
        for owner in self._index.classes:
            if wanted.isdisjoint(base.last for base in self._resolver.foreign_bases(owner)):
                continue
            lineage = self._resolver.lineage(owner)
            bases = [self._atlas.place_of(info) for info in lineage]
            methods = frozenset(
                name for info in self._resolver.near(owner) for name in info.methods
            )
            yield Heir(owner.qualname, tuple(bases), methods)

    def exports(self) -> Exports:
        """The names that mean more than Python to other files."""
        return Exports(frozenset(self._functions()), frozenset(self._bases()))

    def _functions(self) -> Iterator[str]:
        for function in self._index.functions:
            made = self._resolver.definition(function) or self._resolver.wrapper(function)
            if made is not None or any(self._returns_one(node) for node in function.scope.returns):
                yield function.name
        for name, bindings in self._index.module.bindings.items():
            values = [binding.value for binding in bindings if binding.value is not None]
            imported = [canonical(binding.imported or "") for binding in bindings]
            if TF_FUNCTION in imported or any(self._is_made(value) for value in values):
                yield name
        for store in self._index.stores:
            call = store.value if isinstance(store.value, ast.Call) else None
            if isinstance(store.target, ast.Attribute) and call is not None:
                yield from [store.target.attr] if self._resolver.wrapping(call) else []

    def _returns_one(self, statement: ast.Return) -> bool:
        """Whether a factory makes a Function: `return tf.function(step)`."""
        value = statement.value
        return isinstance(value, ast.Call) and self._resolver.wrapping(value) is not None

    def _bases(self) -> Iterator[str]:
        for call in self._index.calls():
            if self._trace_in(self._index.scope_of(call)) is not None:
                yield from (owner.name for owner in self._open_receivers(call))

    def _is_made(self, value: ast.expr) -> bool:
        """Whether a module binds a Function or something that makes one."""
        made: Creation | None = self._resolver.maker(value)
        found = self._resolver.symbols(value) if made is None else ()
        return made is not None or any(
            isinstance(target, FunctionTarget) and target.creation is not None for target in found
        )


def _instances(targets: Iterable[Target]) -> list[ClassInfo]:
    return [target.owner for target in targets if isinstance(target, InstanceTarget)]
