"""All calls and callbacks of a file whose target is known."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from tfcheck.lint import entries
from tfcheck.lint.datasets import Datasets
from tfcheck.lint.names import Names
from tfcheck.lint.resolve import FunctionTarget, InstanceTarget, Resolver
from tfcheck.lint.scopes import ClassInfo, FileIndex, FunctionInfo, How, Scope
from tfcheck.lint.targets import Foreign


@dataclass(frozen=True, slots=True, eq=False)
class CallSite:
    """A call whose target is known, with what it calls."""

    call: ast.Call
    target: FunctionTarget
    caller: FunctionInfo | None
    """The function around it, None at module level."""

    def arguments(self) -> Iterator[tuple[ast.arg, ast.expr]]:
        """The parameters with what is given for them; unpacked arguments end the matching."""
        function = self.target.function
        arguments = function.node.args
        positional = [*arguments.posonlyargs, *arguments.args]
        if self.target.bound:
            positional = positional[1:]
        for parameter, given in zip(positional, self.call.args, strict=False):
            if isinstance(given, ast.Starred):
                return
            yield parameter, given
        by_name = {parameter.arg: parameter for parameter in function.parameters}
        for keyword in self.call.keywords:
            if keyword.arg in by_name:
                yield by_name[keyword.arg], keyword.value


@dataclass(frozen=True, slots=True, eq=False)
class Callback:
    """A function handed to TensorFlow: `Dataset.map(parse)`, `tf.while_loop(cond, body, ...)`."""

    call: ast.Call
    entry: str
    """Dotted name of the function, `Dataset.map` for methods."""
    target: FunctionTarget
    eager_too: bool


@dataclass(frozen=True, slots=True)
class ForeignCallback:
    """Something of another file that is handed to TensorFlow."""

    call: ast.Call
    entry: str
    given: Foreign
    eager_too: bool


@dataclass(slots=True, eq=False)
class _Calls:
    by_caller: dict[FunctionInfo | None, list[CallSite]] = field(default_factory=dict)
    by_target: dict[FunctionInfo, list[CallSite]] = field(default_factory=dict)
    foreign: dict[FunctionInfo | None, list[tuple[ast.Call, Foreign]]] = field(default_factory=dict)
    specified: dict[FunctionInfo, list[CallSite]] = field(default_factory=dict)


class CallGraph:
    """Who calls whom, by caller and by callee."""

    def __init__(
        self, index: FileIndex, names: Names, resolver: Resolver, datasets: Datasets
    ) -> None:
        self._index = index
        self._names = names
        self._resolver = resolver
        self._datasets = datasets
        self.callbacks: dict[FunctionInfo | None, list[Callback]] = {}
        self.callbacks_to: dict[FunctionInfo, list[Callback]] = {}
        self.foreign_callbacks: dict[FunctionInfo | None, list[ForeignCallback]] = {}
        self._reached: dict[FunctionInfo, set[FunctionInfo]] = {}
        for call, caller in self._every_call():
            self._add_callbacks(call, caller)

    @property
    def from_function(self) -> dict[FunctionInfo | None, list[CallSite]]:
        """The calls whose target is in this file, by what they stand in."""
        return self._calls.by_caller

    @property
    def to_function(self) -> dict[FunctionInfo, list[CallSite]]:
        """The same calls by what they call."""
        return self._calls.by_target

    @property
    def specified(self) -> dict[FunctionInfo, list[CallSite]]:
        """The calls of `f.get_concrete_function(...)`, by `f`."""
        return self._calls.specified

    @property
    def foreign(self) -> dict[FunctionInfo | None, list[tuple[ast.Call, Foreign]]]:
        """The calls of what other files define."""
        return self._calls.foreign

    def reaches(self, function: FunctionInfo, other: FunctionInfo | None) -> bool:
        """Whether `other` runs as a part of `function`, or is it."""
        if function not in self._reached:
            found = {function}
            stack = [function]
            while stack:
                caller = stack.pop()
                nodes = (*self.from_function.get(caller, ()), *self.callbacks.get(caller, ()))
                new = {node.target.function for node in nodes} - found
                found |= new
                stack.extend(new)
            self._reached[function] = found
        return other in self._reached[function]

    def _every_call(self) -> Iterator[tuple[ast.Call, FunctionInfo | None]]:
        for scope in self._index.scopes.values():
            caller = self._index.function_of.get(_running(scope).node)
            for call in scope.calls:
                yield call, caller

    @cached_property
    def _calls(self) -> _Calls:
        """Files without traced code, which are the most, are not asked for them."""
        found = _Calls()
        for call, caller in self._every_call():
            called = self._resolver.run_by(call.func)
            for foreign in called:
                if isinstance(foreign, Foreign):
                    found.foreign.setdefault(caller, []).append((call, foreign))
            func = call.func
            if isinstance(func, ast.Attribute) and func.attr == "get_concrete_function":
                for target in self._resolver.functions(func.value):
                    site = CallSite(call, target, caller)
                    found.specified.setdefault(target.function, []).append(site)
            constructors = self._resolver.constructors(func)
            for target in [*self._with_overrides(call, called), *constructors]:
                site = CallSite(call, target, caller)
                found.by_caller.setdefault(caller, []).append(site)
                found.by_target.setdefault(target.function, []).append(site)
        return found

    def _with_overrides(
        self, call: ast.Call, called: Sequence[FunctionTarget | Foreign]
    ) -> list[FunctionTarget]:
        """The targets; a call through `self` may also reach the method of a derived class."""
        found = [target for target in called if isinstance(target, FunctionTarget)]
        if not isinstance(call.func, ast.Attribute) or isinstance(call.func.value, ast.Call):
            return found
        if not isinstance(call.func.value, ast.Name):
            return found
        for receiver in self._resolver.symbols(call.func.value):
            if isinstance(receiver, InstanceTarget):
                for derived in self._overriding(receiver.owner, call.func.attr, call.func.value):
                    creation = self._resolver.definition(derived)
                    found.append(FunctionTarget(derived, creation, bound=True))
        return list(dict.fromkeys(found))

    def _overriding(self, owner: ClassInfo, name: str, receiver: ast.Name) -> list[FunctionInfo]:
        holder = self._index.scope_of(receiver).lookup(receiver.id)
        bindings = holder.bindings[receiver.id] if holder else []
        if not all(binding.how is How.PARAMETER for binding in bindings):
            return []  # a name that holds an instance made here is of exactly that class
        classes = self._resolver.derived(owner)
        return [info.methods[name] for info in classes if name in info.methods]

    def _add_callbacks(self, call: ast.Call, caller: FunctionInfo | None) -> None:
        found = self.entry(call)
        if found is None:
            return
        name, entry = found
        for argument in entry.callables(call):
            for target in self._resolver.run_by(argument):
                if isinstance(target, Foreign):
                    handed = ForeignCallback(call, name, target, entry.eager_too)
                    self.foreign_callbacks.setdefault(caller, []).append(handed)
                    continue
                callback = Callback(call, name, target, entry.eager_too)
                self.callbacks.setdefault(caller, []).append(callback)
                self.callbacks_to.setdefault(target.function, []).append(callback)

    def entry(self, call: ast.Call) -> tuple[str, entries.Entry] | None:
        """The function or method of TensorFlow that traces what `call` gives it, with its name."""
        if isinstance(call.func, ast.Attribute) and call.func.attr not in entries.LAST_NAMES:
            return None
        qualified = self._names.qualified(call.func)
        if qualified is not None:
            entry = entries.FUNCTIONS.get(qualified)
            return None if entry is None else (qualified, entry)
        if not isinstance(call.func, ast.Attribute):
            return None
        name = call.func.attr
        if name in entries.DATASET_METHODS and (
            self._datasets.is_dataset(call.func.value) or self._datasets.is_dataset(call)
        ):
            return f"Dataset.{name}", entries.DATASET_METHODS[name]
        if name in entries.STRATEGY_METHODS and self._is_strategy(call.func.value):
            return f"Strategy.{name}", entries.STRATEGY_METHODS[name]
        return None

    def _is_strategy(self, receiver: ast.expr) -> bool:
        """Whether the receiver was made by `tf.distribute`, or is called a strategy."""
        value: ast.expr | None = receiver
        name = receiver.attr if isinstance(receiver, ast.Attribute) else None
        if isinstance(receiver, ast.Name):
            name = receiver.id
            holder = self._index.scope_of(receiver).lookup(receiver.id)
            values = [b.value for b in holder.bindings[receiver.id]] if holder else []
            value = values[0] if len(values) == 1 else None
        if isinstance(value, ast.Call):
            qualified = self._names.qualified(value.func) or ""
            return qualified.startswith("tensorflow.distribute.")
        # `fn` of `run` is checked by TensorFlow alone; no other class is called so.
        return name is not None and name.lstrip("_").endswith("strategy")


def _running(scope: Scope) -> Scope:
    """The scope that runs the code of `scope`: the body of a class runs in what is around it."""
    while scope.is_class and scope.parent is not None:
        scope = scope.parent
    return scope
