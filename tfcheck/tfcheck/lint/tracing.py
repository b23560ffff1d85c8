"""Which functions of a file are traced, and the chain of reasons for each."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tfcheck.diagnostics import TracedStep
from tfcheck.lint import entries
from tfcheck.lint.callgraph import Callback, CallGraph
from tfcheck.lint.names import Names
from tfcheck.lint.nodes import walk
from tfcheck.lint.outcome import Reached, Receiver
from tfcheck.lint.resolve import Creation, Resolver, is_self
from tfcheck.lint.scopes import FileIndex, FunctionInfo, place_of
from tfcheck.lint.untraced import Untraced

_HOSTS = {"tensorflow.py_function", "tensorflow.numpy_function", "tensorflow.compat.v1.py_func"}
_DO_NOT_CONVERT = "tensorflow.autograph.experimental.do_not_convert"


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """Why a function counts as traced."""

    function: FunctionInfo
    steps: tuple[TracedStep, ...]
    """From the function itself to the root of the chain."""
    converted: bool
    """Whether AutoGraph rewrites the control flow of the function."""
    root: bool
    """Whether TensorFlow itself calls the function, so that its arguments are tensors where
    they can be."""
    creation: Creation | None = None
    """The `tf.function` around it, where there is one."""
    keras: bool = False
    """Whether the chain starts at a method that Keras traces."""
    receivers: tuple[Receiver, ...] = ()
    """For methods that other files have traced, the classes of `self`, where known."""


class Tracer:
    """Finds the roots and walks from them along calls; nearest chains win."""

    def __init__(
        self,
        index: FileIndex,
        names: Names,
        resolver: Resolver,
        graph: CallGraph,
        *,
        filename: str,
        reached: Reached,
        untraced: Untraced,
    ) -> None:
        self._index = index
        self._names = names
        self._resolver = resolver
        self._graph = graph
        self._filename = filename
        self._reached = reached
        self._untraced = untraced
        self._traces: dict[FunctionInfo, Trace] = {}
        self._queue: deque[Trace] = deque()

    def run(self) -> dict[FunctionInfo, Trace]:
        """The trace of each traced function, in source order."""
        for trace in self._roots():
            self._add(trace)
        while self._queue:
            self._follow(self._queue.popleft())
        return dict(sorted(self._traces.items(), key=lambda pair: place_of(pair[0].node)))

    def _add(self, trace: Trace) -> None:
        if not self._resolver.is_local(trace.function):
            return  # it is traced when its own file is checked
        known = self._traces.get(trace.function)
        if known is None and self._is_hosted(trace.function):
            return
        # Reached a second time only to learn that AutoGraph converts it after all.
        if known is None or (trace.converted and not known.converted):
            self._traces[trace.function] = trace
            self._queue.append(trace)

    def _is_hosted(self, function: FunctionInfo) -> bool:
        """Whether a decorator makes Python run the function whenever the graph runs."""
        called = (node.func if isinstance(node, ast.Call) else node for node in function.decorators)
        return any(self._hosts(node) for node in called)

    def _hosts(self, decorator: ast.expr) -> bool:
        if self._names.qualified(decorator) in _HOSTS:
            return True
        return any(
            self._names.qualified(part.func) in _HOSTS
            for target in self._resolver.functions(decorator)
            for part in walk(target.function.node)
            if isinstance(part, ast.Call)
        )

    def _step(self, reason: str, row: int) -> TracedStep:
        return TracedStep(reason, self._filename, row)

    # Roots

    def _roots(self) -> Iterator[Trace]:
        for function in self._index.functions:
            creation = self._resolver.definition(function)
            if creation is not None:
                yield self._created(function, creation, "decorated @tf.function")
            elif function.qualname in self._reached:
                arrival = self._reached[function.qualname]
                converted = arrival.converted and self._converts(function)
                yield Trace(
                    function,
                    arrival.steps,
                    converted=converted,
                    root=arrival.root,
                    receivers=arrival.receivers,
                )
        yield from self._wrapped()
        yield from self._handed_over()
        yield from self._keras()

    def _created(self, function: FunctionInfo, creation: Creation, how: str) -> Trace:
        step = self._step(f"{function.name} is {how}", creation.node.lineno)
        autograph = creation.option("autograph")
        off = isinstance(autograph, ast.Constant) and autograph.value is False
        converted = not off and self._converts(function)
        return Trace(function, (step,), converted=converted, root=True, creation=creation)

    def _wrapped(self) -> Iterator[Trace]:
        for scope in self._index.scopes.values():
            for call in scope.calls:
                wrapped = self._resolver.wrapping(call)
                if wrapped is None or self._index.is_expected_to_fail(call):
                    continue
                creation, given = wrapped
                for target in self._resolver.functions(given):
                    trace = self._created(target.function, creation, "wrapped by tf.function")
                    yield replace(trace, converted=False) if self._is_left(given) else trace

    def _handed_over(self) -> Iterator[Trace]:
        for callbacks in self._graph.callbacks.values():
            for callback in callbacks:
                if callback.eager_too:
                    yield self._passed(callback, (), converted=True)

    def _passed(
        self, callback: Callback, rest: tuple[TracedStep, ...], *, converted: bool
    ) -> Trace:
        function = callback.target.function
        spelled = callback.entry.replace("tensorflow.", "tf.").replace("builtins.", "")
        step = self._step(f"{function.name} is passed to {spelled}", callback.call.lineno)
        return Trace(
            function,
            (step, *rest),
            converted=converted and self._converts(function),
            root=not callback.entry.startswith(("builtins.", "functools.", "tensorflow.nest.")),
        )

    def _keras(self) -> Iterator[Trace]:
        if self._runs_eagerly():
            return
        for owner in self._index.classes:
            if entries.KERAS_METHODS.keys().isdisjoint(owner.methods):
                continue
            bases = self._resolver.external_bases(owner)
            if not any(entries.is_keras_base(base) for base in bases):
                continue
            for name, how in entries.KERAS_METHODS.items():
                function = owner.methods.get(name)
                if function is not None:
                    step = self._step(f"{owner.name}.{name} is {how}", function.row)
                    # Keras 3 hands these methods to tf.function with AutoGraph off.
                    yield Trace(function, (step,), converted=False, root=True, keras=True)

    def _runs_eagerly(self) -> bool:
        """Whether the file compiles a model with `run_eagerly=True`."""
        keywords = (
            keyword
            for scope in self._index.scopes.values()
            for call in scope.calls
            for keyword in call.keywords
        )
        stores = (
            store.value
            for store in self._index.stores
            if isinstance(store.target, ast.Attribute) and store.target.attr == "run_eagerly"
        )
        values = [keyword.value for keyword in keywords if keyword.arg == "run_eagerly"]
        return any(
            isinstance(value, ast.Constant) and value.value is True for value in [*values, *stores]
        )

    # Reach

    def _follow(self, trace: Trace) -> None:
        caller = trace.function
        for site in self._graph.from_function.get(caller, ()):
            if site.call in self._untraced:
                continue
            function = site.target.function
            if site.target.creation is None:
                self._add(self._called(function, site.call, trace))
        for callback in self._graph.callbacks.get(caller, ()):
            if not callback.eager_too and callback.call not in self._untraced:
                self._add(self._passed(callback, trace.steps, converted=trace.converted))

    def _called(self, function: FunctionInfo, call: ast.Call, trace: Trace) -> Trace:
        step = self._step(f"{function.name} is called from {trace.function.name}", call.lineno)
        return Trace(
            function,
            (step, *trace.steps),
            converted=trace.converted and self._converts(function) and not self._is_left(call.func),
            root=False,
            keras=trace.keras,
            receivers=trace.receivers if _is_on_self(call, trace.function) else (),
        )

    def _is_left(self, given: ast.expr) -> bool:
        """Whether it is `do_not_convert(function)`."""
        called = isinstance(given, ast.Call) and given.func
        return isinstance(called, ast.expr) and self._names.qualified(called) == _DO_NOT_CONVERT

    def _converts(self, function: FunctionInfo) -> bool:
        for decorator in function.decorators:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            if self._names.qualified(called) == _DO_NOT_CONVERT:
                return False
        return True


def _is_on_self(call: ast.Call, method: FunctionInfo) -> bool:
    """Whether a method is called on the object that the method around it is called on."""
    return isinstance(call.func, ast.Attribute) and is_self(call.func.value, method)
