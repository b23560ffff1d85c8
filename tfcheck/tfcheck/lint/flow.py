"""Follows values through the statements of one scope after another, as far as rules ask."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import replace

from tfcheck.lint.callgraph import Callback, CallGraph
from tfcheck.lint.calls import call_result
from tfcheck.lint.expressions import CallContext, ScopeFlow, constant
from tfcheck.lint.kinds import (
    DATASET,
    MANY,
    NONE,
    OBJECT,
    SCALAR,
    TENSOR,
    UNKNOWN,
    Kind,
    Value,
    join,
)
from tfcheck.lint.names import Names
from tfcheck.lint.nodes import walk
from tfcheck.lint.resolve import FunctionTarget, InstanceTarget, Resolver
from tfcheck.lint.scopes import (
    Binding,
    ClassInfo,
    FileIndex,
    FunctionInfo,
    How,
    Scope,
    Store,
    place_of,
)
from tfcheck.lint.tracing import Trace
from tfcheck.lint.walk import Walk

_MAX_DEPTH = 12
_OPENING = frozenset(
    f"builtins.{name}" for name in ("enumerate", "isinstance", "len", "list", "map", "tuple", "zip")
)
"""Functions that lists are given to more often than tensors."""

_TYPES = ("typing.", "collections.abc.", "builtins.")
_CONTAINERS = {
    *("list", "tuple", "dict", "set", "sequence", "mapping", "iterable", "collection"),
    *("mutablemapping", "mutablesequence", "ordereddict", "callable", "iterator"),
}
"""The last parts of annotations that are of no tensor."""

_GIVING = {"tensorflow.while_loop": ("loop_vars", 2), "tensorflow.map_fn": ("elems", 1)}
"""The argument with what the functions given to these operations take, and its place."""


class Flow:
    """Evaluates scopes on demand; each is followed once and kept."""

    def __init__(
        self,
        index: FileIndex,
        *,
        names: Names,
        resolver: Resolver,
        graph: CallGraph,
        traces: Mapping[FunctionInfo, Trace],
    ) -> None:
        self.index = index
        self.names = names
        self.resolver = resolver
        self.graph = graph
        self.traces = traces
        self._done: dict[Scope, ScopeFlow] = {}
        self._running: dict[Scope, ScopeFlow] = {}
        self._tentative: dict[Scope, tuple[ScopeFlow, int]] = {}
        """Scopes that were followed with what was half known of others, and the number of the
        running scopes of which the last one is the outermost of those."""
        self._unsure: dict[Scope, int] = {}
        """The same number for running scopes that have used what was half known."""
        self._guesses = 0
        self._asked: set[Scope] = set()
        """Running scopes of which something was asked that they had not come to."""
        self._earlier: dict[Scope, dict[ast.expr, Value]] = {}
        """What these had found when they were followed for the first time."""
        self._attributes: dict[tuple[ClassInfo, str], Value] = {}
        self._collecting: dict[tuple[ClassInfo, str], tuple[int, list[Value]]] = {}
        """Attributes in work: how many scopes were running, and what is known so far."""
        self._stores_by_name = _by_attribute(index.stores)

    def value(self, expression: ast.expr) -> Value:
        """What `expression` can be where it stands."""
        return self._known(expression) or UNKNOWN

    def _known(self, expression: ast.expr) -> Value | None:
        """The value; None while it depends on itself and nothing else is known yet."""
        scope = self.index.scope_of(expression).owner()
        if scope.is_class:  # the default of a parameter of a method, for one
            return constant(expression) if isinstance(expression, ast.Constant) else UNKNOWN
        running = self._running.get(scope)
        if running is not None and not running.loops and expression in running.values:
            return running.values[expression]  # it is not evaluated again
        found = self.follow(scope).values.get(expression)
        if found is not None or scope not in self._running:
            return found or UNKNOWN
        self._asked.add(scope)
        return self._earlier.get(scope, {}).get(expression)

    def follow(self, scope: Scope) -> ScopeFlow:
        """The flow of a module or function, as far as known when it is being followed already."""
        if scope in self._done:
            return self._done[scope]
        if scope in self._running:
            self._guess_inside(self._depth(scope))
            return self._running[scope]
        if scope in self._tentative:
            flow, depth = self._tentative[scope]
            self._guess_inside(depth)
            return flow
        if len(self._running) >= _MAX_DEPTH:
            self._guess_inside(1)
            return ScopeFlow()
        try:
            flow = self._follow_twice(scope)
        finally:
            del self._running[scope]
        self._keep(scope, flow)
        return flow

    def _follow_twice(self, scope: Scope) -> ScopeFlow:
        """Follow a scope, and again with what was found when it depends on itself."""
        flow = self._running[scope] = ScopeFlow()
        self._walk(scope, flow)
        if scope not in self._asked:
            return flow
        self._asked.discard(scope)
        if len(self._running) > 1:
            self._unsure[scope] = 1  # to be followed twice when it is asked for by itself
        else:
            self._earlier[scope] = flow.values
            self._tentative.clear()
            flow = self._running[scope] = ScopeFlow()
            self._walk(scope, flow)
            del self._earlier[scope]
            self._asked.discard(scope)
        return flow

    def _guess_inside(self, depth: int) -> None:
        """Note that the running scopes from `depth` on use what is half known."""
        self._guesses += 1
        for scope in list(self._running)[depth:]:
            self._unsure[scope] = min(depth, self._unsure.get(scope, depth))

    def _depth(self, scope: Scope) -> int:
        """How many scopes run up to and with a running one."""
        return list(self._running).index(scope) + 1

    def _keep(self, scope: Scope, flow: ScopeFlow) -> None:
        depth = self._unsure.pop(scope, None)
        if depth is not None and self._running:
            # Good for the scopes that wait for it, not for later questions.
            self._tentative[scope] = flow, depth
            return
        self._done[scope] = flow
        running = len(self._running)
        self._tentative = {
            other: (found, needed)
            for other, (found, needed) in self._tentative.items()
            if needed <= running
        }

    def _walk(self, scope: Scope, flow: ScopeFlow) -> None:
        walk = Walk(self, scope, trace=self.trace_of(scope), result=flow)
        if isinstance(scope.node, ast.Module):
            walk.run_module(scope.node)
        elif scope.node in self.index.function_of:
            walk.run_function(self.index.function_of[scope.node])

    # Names

    def bound_value(self, name: str, scope: Scope) -> Value:
        """All that `name` of the module or function `scope` is bound to, joined."""
        bindings = scope.bindings.get(name, [])
        known = self._flow_with(name, scope).bound.get(name) if not scope.is_class else None
        foreign = [
            binding for binding in bindings if self.index.scope_of(binding.node).owner() != scope
        ]
        found = [known] if known is not None else []
        others = [self._elsewhere(binding) for binding in foreign if self._is_nested(binding)]
        found += [value for value in others if value is not None]
        return join(*found) if found else UNKNOWN

    def _flow_with(self, name: str, scope: Scope) -> ScopeFlow:
        """The flow of a scope, which has all that binds `name` or is followed to the end."""
        running = self._running.get(scope)
        if running is None or running.loops:
            return self.follow(scope)
        rows = (place_of(binding.node)[0] for binding in scope.bindings.get(name, ()))
        return running if all(row < running.row for row in rows) else self.follow(scope)

    def _is_nested(self, binding: Binding) -> bool:
        """Whether the binding reaches its scope by `global` or `nonlocal`."""
        return binding.how in {How.ASSIGN, How.AUGMENT, How.LOOP}

    def _elsewhere(self, binding: Binding) -> Value | None:
        return self._changed(binding.how, binding.value)

    def _changed(self, how: How, value: ast.expr | None) -> Value | None:
        """What a statement of another scope leaves in a name or attribute."""
        if value is None or how not in {How.ASSIGN, How.AUGMENT}:
            return UNKNOWN
        given = self._known(value)
        if given is None or how is How.ASSIGN or given.is_tensor:
            return given
        # Changed in place by a number: another number in each call.
        return replace(SCALAR, varies=MANY) if given.is_scalar else UNKNOWN

    # Attributes

    def attribute(self, owner: ClassInfo, name: str) -> Value:
        """All that instances of a class have under `name`, joined."""
        key = (owner, name)
        if key in self._attributes:
            return self._attributes[key]
        if key in self._collecting:
            depth, found = self._collecting[key]
            self._guess_inside(depth)
            return join(*found) if found else UNKNOWN
        guesses = self._guesses
        found = []
        self._collecting[key] = (len(self._running), found)
        found += self._stored(owner, name)
        del self._collecting[key]
        result = join(*found) if found else UNKNOWN
        if not self._running or self._guesses == guesses:
            self._attributes[key] = result
        return result

    def _stored(self, owner: ClassInfo, name: str) -> Iterable[Value]:
        for info in self.resolver.lineage(owner):
            if not self.resolver.is_local(info) and self.resolver.stores_in(info, name):
                yield UNKNOWN
            for binding in info.scope.bindings.get(name, ()):
                if isinstance(binding.value, ast.Constant):
                    yield constant(binding.value)
                else:
                    yield OBJECT if binding.how is How.FUNCTION else UNKNOWN
        owners = set(self.resolver.lineage(owner))
        for store in self._stores_by_name.get(name, ()):
            if store.how is How.OTHER or not isinstance(store.target, ast.Attribute):
                continue
            targets = self.resolver.symbols(store.target.value)
            if any(isinstance(t, InstanceTarget) and t.owner in owners for t in targets):
                value = self._changed(store.how, store.value)
                if value is not None and value.is_scalar and self._follows_itself(store):
                    yield replace(SCALAR, varies=MANY)
                elif value is not None:
                    yield value

    def _follows_itself(self, store: Store) -> bool:
        """Whether an attribute is computed from what it was, as in `self.rate = self.rate / 2`."""
        function = self.index.function_of.get(store.scope.owner().node)
        if store.value is None or (function is not None and function.name == "__init__"):
            return False
        spelled = ast.unparse(store.target)
        parts = (part for part in walk(store.value) if isinstance(part, ast.Attribute))
        return any(ast.unparse(part) == spelled for part in parts)

    # Functions

    def call(self, call: ast.Call, context: CallContext) -> Value:
        """What a call gives."""
        return call_result(call, context, self)

    def trace_of(self, scope: Scope) -> Trace | None:
        """The trace of the function that `scope` is, if any."""
        function = self.index.function_of.get(scope.owner().node)
        return None if function is None else self.traces.get(function)

    def returned(self, target: FunctionTarget) -> Value:
        """What calling a function of this file gives."""
        function = target.function
        if not self.resolver.is_local(function):
            return UNKNOWN
        if function.scope in self._running:
            self._guess_inside(self._depth(function.scope))
            return UNKNOWN
        if function.scope.yields or isinstance(function.node, ast.AsyncFunctionDef):
            return UNKNOWN
        found = self.follow(function.scope).returned
        result = join(*found) if found else NONE
        if target.creation is None:
            return result
        # A Function gives tensors for numbers, and eager ones to eager callers.
        if result.kind in {Kind.TENSOR, Kind.VARIABLE} or result.is_scalar:
            return TENSOR
        return UNKNOWN

    def parameter(self, function: FunctionInfo, parameter: ast.arg) -> Value:
        """What a parameter holds, after its annotation, its callers and its default."""
        trace = self.traces.get(function)
        annotated = self._annotation(parameter)
        if annotated is not None:
            return replace(annotated, graph=trace is not None)
        if trace is not None and trace.root:
            given = self._given_by_tensorflow(function, parameter, trace)
            if given is not None:
                return replace(given, graph=True)
        if parameter.arg in self._surplus(function):
            return UNKNOWN
        if not self.graph.to_function.get(function):
            return self._specified(function, parameter) if trace is not None else UNKNOWN
        found = list(self._given(function, parameter))
        default = function.defaults().get(parameter.arg)
        if default is not None and not self._always_given(function, parameter):
            found.append(self.value(default))
        value = join(*found) if found else UNKNOWN
        if trace is None:
            return value
        if trace.root and trace.creation is not None and value.kind is Kind.NUMPY:
            return replace(TENSOR, graph=True)
        return replace(value, graph=True) if value.kind is Kind.TENSOR else value

    def _specified(self, function: FunctionInfo, parameter: ast.arg) -> Value:
        """What `f.get_concrete_function(tf.TensorSpec(...))` gives to what nothing here calls."""
        given = [
            self.value(value)
            for site in self.graph.specified.get(function, ())
            for named, value in site.arguments()
            if named is parameter
        ]
        specs = [value for value in given if value.origin == "tensorflow.TensorSpec"]
        return replace(TENSOR, graph=True) if specs and len(specs) == len(given) else UNKNOWN

    def _annotation(self, parameter: ast.arg) -> Value | None:
        annotation = parameter.annotation
        if annotation is None:
            return None
        if isinstance(annotation, ast.Subscript):
            annotation = annotation.value
        qualified = self.names.qualified(annotation) or ""
        if qualified.startswith(_TYPES) and qualified.rpartition(".")[2].lower() in _CONTAINERS:
            return UNKNOWN
        if qualified == "tensorflow.Tensor":
            return TENSOR
        if qualified == "tensorflow.Variable":
            return Value(Kind.VARIABLE)
        return DATASET if qualified == "tensorflow.data.Dataset" else None

    def _given_by_tensorflow(
        self, function: FunctionInfo, parameter: ast.arg, trace: Trace
    ) -> Value | None:
        position = function.parameters.index(parameter) if parameter in function.parameters else -1
        if trace.keras:
            # `call(self, inputs, training=None)`: the first input is a tensor in most models,
            # but a list or dict in others, which is why nothing is known of train_step's data.
            named = parameter in function.node.args.kwonlyargs
            known = function.name == "call" and position == 1 and not named
            return TENSOR if known and self._is_used_as_tensor(function, parameter) else None
        if trace.creation is not None and trace.creation.is_set("input_signature"):
            return self._from_signature(trace, position - (1 if function.owner else 0))
        for callback in self.graph.callbacks_to.get(function, ()):
            if callback.entry.startswith("Dataset."):
                return self._from_dataset(callback.call, position, len(function.parameters))
            if callback.entry in _GIVING:
                return self._from_operation(callback, position, len(function.parameters))
        return None

    def _from_operation(self, callback: Callback, position: int, count: int) -> Value | None:
        """A loop hands on the structure of what it starts with, whose leaves become tensors."""
        keyword, place = _GIVING[callback.entry]
        arguments = callback.call.args
        given = [each.value for each in callback.call.keywords if each.arg == keyword]
        given += arguments[place : place + 1]
        value = self.value(given[0]) if given else UNKNOWN
        if callback.entry == "tensorflow.while_loop":
            value = value.part(position, count)
        known = value.is_tensor or value.is_scalar or value.kind is Kind.NUMPY
        return TENSOR if known else None

    def _is_used_as_tensor(
        self, function: FunctionInfo, parameter: ast.arg, *, depth: int = 2
    ) -> bool:
        """Whether the parameter is not taken apart like a list or dict, here or by a helper."""
        nodes = self.index.own_nodes(function)
        names = {parameter.arg}
        for node in nodes:
            match node:
                case ast.Assign(targets=[ast.Name(id=other)], value=ast.Name(id=name)):
                    names |= {other} if name in names else set()
        for node in nodes:
            if any(isinstance(o, ast.Name) and o.id in names for o in self._opened(node)):
                return False
        return not depth or all(
            self._is_used_as_tensor(site.target.function, inner, depth=depth - 1)
            and self._annotation(inner) is not UNKNOWN
            for site in self.graph.from_function.get(function, ())
            if site.target.creation is None and self.resolver.is_local(site.target.function)
            for inner, given in site.arguments()
            if isinstance(given, ast.Name) and given.id in names
        )

    def _opened(self, node: ast.AST) -> list[ast.expr]:
        """What a node takes apart, or asks whether it can be."""
        match node:
            case (
                ast.Subscript(value=value)
                | ast.Assign(targets=[ast.Tuple() | ast.List()], value=value)
            ):
                return [value]
            case ast.For(iter=source) | ast.comprehension(iter=source):
                return [source]
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[source]):
                return [source]
            case ast.Call() if (self.names.qualified(node.func) or "") in _OPENING:
                return node.args
        return []

    def _from_signature(self, trace: Trace, position: int) -> Value | None:
        signature = trace.creation.option("input_signature") if trace.creation else None
        if not isinstance(signature, ast.List | ast.Tuple):
            return None
        specs = signature.elts
        if not 0 <= position < len(specs) or not isinstance(specs[position], ast.Call):
            return None
        spec = specs[position]
        called = spec.func if isinstance(spec, ast.Call) else spec
        return TENSOR if self.names.qualified(called) == "tensorflow.TensorSpec" else None

    def _from_dataset(self, call: ast.Call, position: int, count: int) -> Value | None:
        receiver = call.func.value if isinstance(call.func, ast.Attribute) else call
        element = self.value(receiver).each()
        value = element.part(position, count) if count > 1 else element
        return value if value.kind is not Kind.UNKNOWN else None

    def _given(self, function: FunctionInfo, parameter: ast.arg) -> Iterable[Value]:
        sites = self.graph.to_function.get(function, ())
        first = [site for site in sites if not self.graph.reaches(function, site.caller)]
        for site in first or sites:  # recursion passes on what the first call gave
            for named, given in site.arguments():
                value = self._known(given) if named is parameter else None
                if value is not None:
                    yield value

    def _always_given(self, function: FunctionInfo, parameter: ast.arg) -> bool:
        sites = self.graph.to_function.get(function, ())
        return all(any(named is parameter for named, _ in site.arguments()) for site in sites)

    def _surplus(self, function: FunctionInfo) -> set[str]:
        """`*args` and `**kwargs`, which hold more than one argument."""
        arguments = function.node.args
        return {extra.arg for extra in (arguments.vararg, arguments.kwarg) if extra is not None}


def _by_attribute(stores: list[Store]) -> dict[str, list[Store]]:
    found: dict[str, list[Store]] = {}
    for store in stores:
        if isinstance(store.target, ast.Attribute):
            found.setdefault(store.target.attr, []).append(store)
    return found
