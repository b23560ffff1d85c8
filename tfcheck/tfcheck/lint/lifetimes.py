"""What outlives a trace: containers and objects that traced code can reach and change."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tfcheck.lint.kinds import Kind, Value
from tfcheck.lint.places import Places
from tfcheck.lint.resolve import ClassTarget, InstanceTarget
from tfcheck.lint.scopes import Binding, FunctionInfo, How
from tfcheck.lint.semantics import FileModel
from tfcheck.lint.vocabulary import MUTATORS

_FUNCTIONS = frozenset({"heapq.heappush", "heapq.heappop", "bisect.insort", "bisect.insort_left"})
_MAKERS = frozenset(
    f"{module}.{name}"
    for module, names in {
        "builtins": ("list", "dict", "set"),
        "collections": ("Counter", "defaultdict", "deque", "OrderedDict"),
        "dataclasses": ("field",),
    }.items()
    for name in names
)
_BOUND = frozenset({How.ASSIGN, How.AUGMENT})
_FIXED = frozenset({How.IMPORT, How.FUNCTION, How.CLASS})
_DISPLAYS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)


@dataclass(frozen=True, slots=True, eq=False)
class Mutation:
    """A place in traced code that changes a container."""

    node: ast.expr
    container: ast.expr
    added: tuple[ast.expr, ...]
    """What goes into the container."""
    replaces: bool = False
    """Whether each trace puts its value in the place of that of the last one."""


@dataclass(frozen=True, slots=True, eq=False)
class OuterStore:
    """A place in traced code that binds an attribute or a name outside the trace."""

    target: ast.Name | ast.Attribute
    value: ast.expr
    in_place: bool
    """Whether it is an operation on the value from before, as in `self.step += 1`."""


def holds_tensor(value: Value) -> bool:
    """Whether a value is a symbolic tensor or a container with one in it."""
    if value.kind is Kind.TENSOR:
        return value.graph
    parts = (*(value.items or ()), *((value.element,) if value.element is not None else ()))
    return any(holds_tensor(part) for part in parts)


class Lifetimes:
    """Answers what is still there when a trace has ended."""

    def __init__(self, model: FileModel) -> None:
        self._model = model
        self._places = Places(model)
        self._known: dict[ast.expr, bool] = {}

    # Containers

    def mutations(self) -> Iterator[Mutation]:
        """The changes that traced code makes to containers that outlive the trace."""
        for mutation in self._changes():
            if self.is_container(mutation.container) and self.outlives(mutation.container):
                yield mutation

    def _changes(self) -> Iterator[Mutation]:
        for call in self._model.traced_calls:
            added = (*call.args, *(keyword.value for keyword in call.keywords))
            if isinstance(call.func, ast.Attribute) and call.func.attr in MUTATORS:
                yield Mutation(call, call.func.value, added, replaces=call.func.attr == "update")
            elif call.args and self._model.qualified_name(call.func) in _FUNCTIONS:
                yield Mutation(call, call.args[0], added[1:])
        for scope in self._model.index.scopes.values():
            for binding in (each for found in scope.bindings.values() for each in found):
                if binding.how is not How.AUGMENT or not isinstance(binding.node, ast.Name):
                    continue
                if self._model.trace_around(binding.node) is not None:
                    value = () if binding.value is None else (binding.value,)
                    yield Mutation(binding.node, binding.node, value)
        for store in self._model.index.stores:
            if self._model.trace_around(store.target) is None:
                continue
            added = () if store.value is None else (store.value,)
            if isinstance(store.target, ast.Subscript):
                container = ast.unparse(store.target.value)
                counts = any(container in ast.unparse(value) for value in added)
                replaces = store.how is How.ASSIGN and not counts
                yield Mutation(store.target, store.target.value, added, replaces)
            elif store.how is How.AUGMENT:
                yield Mutation(store.target, store.target, added)

    def is_container(self, node: ast.expr) -> bool:
        """Whether `node` is a container of Python or NumPy wherever its value is known."""
        if self._model.kind(node) in {Kind.CONTAINER, Kind.NUMPY}:
            return True
        match node:
            case ast.Name():
                return self._any_made(self._model.bindings(node))
            case ast.Attribute():
                return self._is_container_attribute(node)
            case ast.Subscript():
                return self._model.value(node.value).origin == "collections.defaultdict"
            case ast.Call(func=ast.Attribute(attr="setdefault") as method):
                return self.is_container(method.value)
        return False

    def _any_made(self, bindings: Iterable[Binding]) -> bool:
        values = [binding.value or self._default(binding) for binding in bindings]
        return any(value is not None and self._makes(value) for value in values)

    def _default(self, binding: Binding) -> ast.expr | None:
        if binding.how is not How.PARAMETER:
            return None
        function = self._model.index.function_of[binding.scope.node]
        return function.defaults().get(binding.name)

    def _makes(self, value: ast.expr) -> bool:
        called = value.func if isinstance(value, ast.Call) else None
        made = called is not None and self._model.qualified_name(called) in _MAKERS
        return made or isinstance(value, _DISPLAYS)

    def _is_container_attribute(self, node: ast.Attribute) -> bool:
        for target in self._model.targets(node.value):
            if not isinstance(target, InstanceTarget | ClassTarget):
                continue
            for info in self._model.resolver.lineage(target.owner):
                if self._any_made(info.scope.bindings.get(node.attr, ())):
                    return True
            if any(self._makes(value) for value in self._places.stored(node)):
                return True
        return False

    # Attributes and outer names

    def stores(self) -> Iterator[OuterStore]:
        """The attributes and outer names that traced code binds."""
        for store in self._model.index.stores:
            target, value = store.target, store.value
            if value is None or not isinstance(target, ast.Attribute):
                continue
            traced = self._model.trace_around(target) is not None
            if traced and self._object_outlives(target.value):
                yield OuterStore(target, value, store.how is How.AUGMENT)
        for scope in self._model.index.scopes.values():
            if self._model.index.function_of.get(scope.node) in self._model.traces:
                continue
            for binding in (each for found in scope.bindings.values() for each in found):
                name, value = binding.node, binding.value
                if value is None or not isinstance(name, ast.Name):
                    continue
                if binding.how in _BOUND and self._model.trace_around(name) is not None:
                    yield OuterStore(name, value, binding.how is How.AUGMENT)

    # Lifetimes

    def outlives(self, node: ast.expr) -> bool:
        """Whether the object behind `node` was there before the trace around it, or stays."""
        if node not in self._known:
            self._known[node] = False  # a function that hands its parameter to itself ends here
            self._known[node] = self._find(node)
        return self._known[node]

    def _find(self, node: ast.expr) -> bool:
        match node:
            case ast.Name():
                return self._name(node)
            case ast.Attribute():
                return self._object_outlives(node.value) and not self._is_made_anew(node)
            case ast.Subscript():
                return self.outlives(node.value)
            case ast.Call(func=ast.Attribute(attr="setdefault") as method):
                return self.outlives(method.value)
        return False

    def _object_outlives(self, node: ast.expr) -> bool:
        is_class = any(isinstance(target, ClassTarget) for target in self._model.targets(node))
        return is_class or self.outlives(node)

    def _name(self, name: ast.Name) -> bool:
        holder = self._model.holder(name)
        if holder is None or holder.owner().is_class:
            return False
        function = self._model.index.function_of.get(holder.owner().node)
        if function is None or function not in self._model.traces:
            return not any(binding.how in _FIXED for binding in holder.bindings[name.id])
        # A name that is bound anew, as to a copy of the argument, may stand for either.
        return all(self._binding(binding, function) for binding in holder.bindings[name.id])

    def _binding(self, binding: Binding, function: FunctionInfo) -> bool:
        if binding.how is How.PARAMETER:
            return self._parameter(function, binding.name)
        given = binding.value
        if binding.how is How.AUGMENT:
            return True
        return isinstance(given, ast.Name | ast.Attribute) and self.outlives(given)

    def _parameter(self, function: FunctionInfo, name: str) -> bool:
        if function.owner is not None and function.parameters[0].arg == name:
            return self._receiver_outlives(function)
        default = function.defaults().get(name)
        if default is not None and self._makes(default):
            return True  # one object for all calls that leave the argument out
        for site in self._model.calls_to(function):
            given = [value for parameter, value in site.arguments() if parameter.arg == name]
            traced = site.caller in self._model.traces
            if given and (self.outlives(given[0]) if traced else site.target.creation is not None):
                return True
        return False

    def _receiver_outlives(self, method: FunctionInfo) -> bool:
        """Whether the object of a method may be one that no trace has made."""
        if method.name == "__init__":
            return False
        trace = self._model.traces[method]
        called_here = trace.steps[0].filename == self._model.source.filename
        receivers = [
            site.call.func.value
            for site in self._model.calls_to(method)
            if site.caller in self._model.traces and isinstance(site.call.func, ast.Attribute)
        ]
        if trace.root or not called_here or not receivers:
            return True
        return any(map(self.outlives, receivers))

    def _is_made_anew(self, attribute: ast.Attribute) -> bool:
        """Whether each trace stores a new container under the attribute first."""
        return any(
            self._makes(value) and self._model.trace_around(value) is not None
            for value in self._places.stored(attribute)
        )


def _operand(store: OuterStore) -> ast.expr | None:
    """The `y` in `x = x + y`."""
    value, place = store.value, ast.unparse(store.target)
    if not isinstance(value, ast.BinOp):
        return None
    sides = {ast.unparse(value.left): value.right, ast.unparse(value.right): value.left}
    return sides.get(place)
