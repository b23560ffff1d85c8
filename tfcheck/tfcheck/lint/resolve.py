"""Follows callables through a file: which function, class or instance an expression stands for."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Protocol

from tfcheck.lint.entries import is_keras_base
from tfcheck.lint.names import Names
from tfcheck.lint.scopes import Binding, ClassInfo, FileIndex, FunctionInfo, How, Scope, Store
from tfcheck.lint.targets import (
    CALL,
    ClassTarget,
    Creation,
    Foreign,
    FunctionTarget,
    InstanceTarget,
    Symbol,
    Target,
)

__all__ = [
    "TF_FUNCTION",
    "ClassTarget",
    "Creation",
    "FunctionTarget",
    "InstanceTarget",
    "Resolver",
    "Target",
    "is_self",
]

TF_FUNCTION = "tensorflow.function"
_PASS_THROUGH = frozenset(
    {
        "functools.partial",
        "tensorflow.autograph.experimental.do_not_convert",
        "tensorflow.autograph.to_graph",
        "tensorflow.custom_gradient",
        "tensorflow.recompute_grad",
        "tensorflow.grad_pass_through",
    }
)
"""Calls whose result runs their first argument when it is called."""


_PROPERTIES = frozenset({"builtins.property", "functools.cached_property"})


class Elsewhere(Protocol):
    """What is known of other files."""

    @property
    def makers(self) -> frozenset[str]:
        """The names of other files that may wrap functions."""

    def address(self, dotted: str) -> str | None:
        """The name that leads from everywhere to a thing in another file; None without one."""

    def solve(self, foreign: Foreign) -> tuple[Target, ...]:
        """All that something in another file can be."""

    def maker(self, dotted: str, *, anywhere: bool) -> Creation | None:
        """How something in another file wraps functions given to it."""

    def home(self, info: FunctionInfo | ClassInfo) -> Resolver:
        """The resolver of the file that defines a function or class."""


class Resolver:
    """A name stands for all that it is bound to where it is read, whatever the branch.

    `symbols` opens no other file; `targets` does, where the expression leads to one. Functions
    and classes of other files are answered for by the resolver of theirs.
    """

    def __init__(self, index: FileIndex, names: Names, elsewhere: Elsewhere | None = None) -> None:
        self._index = index
        self._names = names
        self._elsewhere = elsewhere
        self._known: dict[ast.expr, tuple[Symbol, ...]] = {}
        self._defined: dict[FunctionInfo, Creation | None] = {}
        self._wrapped: dict[ast.Call, tuple[Creation, ast.expr] | None] = {}
        self._near: dict[ClassInfo, tuple[ClassInfo, ...]] = {}
        self._bases: dict[ClassInfo, tuple[ClassInfo, ...]] = {}
        self._stores: dict[ClassInfo, dict[str, list[ast.expr]]] = {}
        self._stores_in: dict[Scope, list[Store]] = {}
        # `tf.function` and what is made of it here or elsewhere goes by few names.
        aliases = {name for name, found in index.module.bindings.items() if _has_alias(found)}
        wanted = elsewhere.makers if elsewhere is not None else frozenset()
        self._may_wrap = not index.words.isdisjoint({"function", *aliases, *wanted})
        for store in index.stores:
            if store.how is How.ASSIGN:
                self._stores_in.setdefault(store.scope, []).append(store)

    def is_local(self, info: FunctionInfo | ClassInfo) -> bool:
        """Whether this file defines the function or class."""
        return info.node in self._index.scopes

    def _home(self, info: FunctionInfo | ClassInfo) -> Resolver:
        if self._elsewhere is None or self.is_local(info):
            return self
        return self._elsewhere.home(info)

    # Classes

    def near(self, owner: ClassInfo) -> tuple[ClassInfo, ...]:
        """The class and those of its bases that this file defines, nearest first."""
        if owner not in self._near:
            self._near[owner] = (owner,)  # ends a class that derives from itself
            chain = [owner]
            for base in owner.node.bases:
                for target in self.symbols(base):
                    if isinstance(target, ClassTarget):
                        chain.extend(self.near(target.owner))
            self._near[owner] = tuple(dict.fromkeys(chain))
        return self._near[owner]

    def foreign_bases(self, owner: ClassInfo) -> list[Foreign]:
        """The bases of a class of this file that other files define."""
        bases = [base for info in self.near(owner) for base in info.node.bases]
        found = [symbol for base in bases for symbol in self.symbols(base)]
        return [symbol for symbol in found if isinstance(symbol, Foreign)]

    def lineage(self, owner: ClassInfo) -> tuple[ClassInfo, ...]:
        """The class and those of its bases that the project defines, nearest first."""
        home = self._home(owner)
        if home is not self:
            return home.lineage(owner)
        if owner not in self._bases:
            self._bases[owner] = (owner,)  # ends a class that derives from itself
            chain = list(self.near(owner))
            for target in self._solid(self.foreign_bases(owner)):
                if isinstance(target, ClassTarget):
                    chain.extend(self.lineage(target.owner))
            self._bases[owner] = tuple(dict.fromkeys(chain))
        return self._bases[owner]

    def external_bases(self, owner: ClassInfo) -> list[str]:
        """The dotted names of all bases that are imported."""
        names: list[str] = []
        for info in self.lineage(owner):
            found = map(self._home(info).qualified, info.node.bases)
            names.extend(name for name in found if name is not None)
        return names

    def qualified(self, expression: ast.expr) -> str | None:
        """The canonical dotted name of an expression of this file."""
        return self._names.qualified(expression)

    def derived(self, owner: ClassInfo) -> list[ClassInfo]:
        """The classes of this file that inherit from `owner`."""
        every = self._index.classes
        return [info for info in every if info is not owner and owner in self.near(info)]

    def method(self, owner: ClassInfo, name: str) -> FunctionInfo | None:
        """The method as found on an instance, bases included."""
        for info in self.lineage(owner):
            if name in info.methods:
                return info.methods[name]
        return None

    # tf.function

    def maker(
        self, expression: ast.expr, *, anywhere: bool = False, depth: int = 4
    ) -> Creation | None:
        """How `expression` wraps a function given to it: `tf.function`, configured or not.

        With `anywhere`, files are opened to find out.
        """
        qualified = self._names.qualified(expression)
        if qualified == TF_FUNCTION:
            return Creation(expression, (), decorates=False)
        if isinstance(expression, ast.Call):
            return self._configured(expression, anywhere=anywhere, depth=depth)
        made = None
        if isinstance(expression, ast.Name) and depth:
            binding = self._only_binding(expression)
            if binding is not None and binding.value is not None:
                made = self.maker(binding.value, anywhere=anywhere, depth=depth - 1)
        if made is None and self._elsewhere is not None and qualified is not None:
            made = self._elsewhere.maker(qualified, anywhere=anywhere)
        return None if made is None else replace(made, node=expression)

    def exported_maker(self, name: str) -> Creation | None:
        """How something that this module binds to a name wraps functions given to it."""
        bindings = self._index.final(name)
        if len(bindings) != 1:
            return None
        if bindings[0].how is How.FUNCTION:
            return self.wrapper(self._index.function_of[bindings[0].node])
        value = bindings[0].value
        return None if value is None else self.maker(value, anywhere=True)

    def _configured(self, call: ast.Call, *, anywhere: bool, depth: int) -> Creation | None:
        inner, rest = call.func, call.args
        if self._names.qualified(inner) == "functools.partial" and call.args:
            inner, rest = call.args[0], call.args[1:]
        given = [keyword for keyword in call.keywords if keyword.arg == "func"]
        if rest or (given and not _is_none(given[0].value)):
            return None
        made = self.maker(inner, anywhere=anywhere, depth=depth)
        if made is None:
            return None
        return Creation(call, (*call.keywords, *made.keywords), decorates=False)

    def wrapping(self, call: ast.Call) -> tuple[Creation, ast.expr] | None:
        """For a call such as `tf.function(step)`: the creation and the function given."""
        if not self._may_wrap:
            return None
        if call not in self._wrapped:
            self._wrapped[call] = self._find_wrapped(call)
        return self._wrapped[call]

    def _find_wrapped(self, call: ast.Call) -> tuple[Creation, ast.expr] | None:
        given = _wrapped_argument(call)
        made = self.maker(call.func) if given is not None else None
        if made is None or given is None:
            return None
        keywords = tuple(keyword for keyword in call.keywords if keyword.value is not given)
        return Creation(call, (*keywords, *made.keywords), decorates=False), given

    def definition(self, function: FunctionInfo) -> Creation | None:
        """The creation by a decorator of `function`, if one applies `tf.function`."""
        home = self._home(function)
        if home is not self:
            return home.definition(function)
        if function not in self._defined:
            self._defined[function] = None  # ends a decorator that decorates itself
            for decorator in function.decorators:
                made = self.maker(decorator, anywhere=True) or self._local_maker(decorator)
                if made is not None:
                    made = replace(made, node=decorator, decorates=True)
                    self._defined[function] = made
                    break
        return self._defined[function]

    def _local_maker(self, decorator: ast.expr) -> Creation | None:
        """The creation inside a decorator of this file that wraps what it is given."""
        for target in self.symbols(decorator):
            if isinstance(target, FunctionTarget):
                return self.wrapper(target.function)
        return None

    def wrapper(self, function: FunctionInfo) -> Creation | None:
        """The creation in a function of this file that wraps its first parameter."""
        if not function.parameters:
            return None
        first = function.parameters[0].arg
        for call in function.scope.calls:
            wrapped = self.wrapping(call)
            given = wrapped[1] if wrapped else None
            if wrapped and isinstance(given, ast.Name) and given.id == first:
                return wrapped[0]
        return None

    # Targets

    def targets(self, expression: ast.expr) -> tuple[Target, ...]:
        """All that `expression` can stand for, in source order; empty when unknown."""
        return self._solid(self.symbols(expression))

    def _solid(self, symbols: Iterable[Symbol]) -> tuple[Target, ...]:
        """The symbols with what those of other files stand for."""
        found: dict[Target, None] = {}
        for symbol in symbols:
            if not isinstance(symbol, Foreign):
                found[symbol] = None
            elif self._elsewhere is not None:
                found.update(dict.fromkeys(self._elsewhere.solve(symbol)))
        return tuple(found)

    def symbols(self, expression: ast.expr) -> tuple[Symbol, ...]:
        """The same as `targets` without opening other files."""
        if expression not in self._known:
            self._known[expression] = ()  # what refers to itself ends here
            self._known[expression] = tuple(dict.fromkeys(self._find(expression)))
        return self._known[expression]

    def functions(self, expression: ast.expr) -> tuple[FunctionTarget, ...]:
        """The functions of this file that run when `expression` is called."""
        called = self.run_by(expression)
        return tuple(target for target in called if isinstance(target, FunctionTarget))

    def functions_anywhere(self, expression: ast.expr) -> tuple[FunctionTarget, ...]:
        """The functions of the project that run when `expression` is called."""
        found: list[FunctionTarget] = []
        for target in self.run_by(expression):
            found += self.solid_functions(target) if isinstance(target, Foreign) else [target]
        return tuple(found)

    def solid_functions(self, foreign: Foreign) -> tuple[FunctionTarget, ...]:
        """The functions that run when something of another file is called."""
        found: list[FunctionTarget] = []
        for target in self._solid([foreign]):
            if isinstance(target, FunctionTarget):
                found.append(target)
            elif isinstance(target, InstanceTarget):
                members = self._solid(self.member(target, "__call__"))
                found += [part for part in members if isinstance(part, FunctionTarget)]
        return tuple(found)

    def constructors(self, expression: ast.expr) -> Iterator[FunctionTarget]:
        """The `__init__` methods of this file that run when a class is called.

        Those of Keras objects, which make their variables later, are not among them.
        """
        for symbol in self.symbols(expression):
            if not isinstance(symbol, ClassTarget) or not self.is_local(symbol.owner):
                continue
            if any(map(is_keras_base, self.external_bases(symbol.owner))):
                continue
            for info in self.near(symbol.owner):
                if "__init__" in info.methods:
                    yield FunctionTarget(info.methods["__init__"], bound=True)
                    break

    def run_by(self, expression: ast.expr) -> tuple[FunctionTarget | Foreign, ...]:
        """What runs when `expression` is called, `__call__` methods included."""
        found: list[FunctionTarget | Foreign] = []
        for target in self.symbols(expression):
            if isinstance(target, FunctionTarget | Foreign):
                found.append(target)
            elif isinstance(target, InstanceTarget):
                members = self.member(target, "__call__")
                found += [part for part in members if isinstance(part, FunctionTarget | Foreign)]
        return tuple(found)

    def _find(self, expression: ast.expr) -> Iterator[Symbol]:
        match expression:
            case ast.Name():
                yield from self._find_name(expression)
            case ast.Lambda():
                yield FunctionTarget(self._index.function_of[expression])
            case ast.Attribute():
                yield from self._find_attribute(expression)
            case ast.Call():
                yield from self._find_call(expression)
            case ast.IfExp():
                yield from self.symbols(expression.body)
                yield from self.symbols(expression.orelse)
            case ast.BoolOp():
                for value in expression.values:
                    yield from self.symbols(value)
            case ast.NamedExpr():
                yield from self.symbols(expression.value)

    def _find_name(self, expression: ast.Name) -> Iterator[Symbol]:
        scope = self._index.scope_of(expression)
        holder = scope.lookup(expression.id)
        if holder is None:
            yield from self._imported(self._names.qualified(expression))
            return
        bindings = holder.bindings[expression.id]
        if len(bindings) > 1 and holder is scope.owner():
            bindings = self._index.reaching(expression, bindings)
        for binding in bindings:
            yield from self._bound(binding)

    def _bound(self, binding: Binding) -> Iterator[Symbol]:
        match binding.how:
            case How.FUNCTION:
                function = self._index.function_of[binding.node]
                yield FunctionTarget(function, self.definition(function))
            case How.CLASS:
                yield ClassTarget(self._index.class_of[binding.node])
            case How.ASSIGN if binding.value is not None:
                yield from self.symbols(binding.value)
            case How.IMPORT:
                yield from self._imported(binding.imported)
            case How.LOOP if isinstance(binding.value, ast.Tuple | ast.List):
                for part in binding.value.elts:
                    yield from self.symbols(part)
            case How.PARAMETER:
                yield from self._parameter(binding)

    def _parameter(self, binding: Binding) -> Iterator[Symbol]:
        function = self._index.function_of[binding.scope.node]
        first = function.parameters[0] if function.parameters else None
        if function.owner is not None and binding.node is first:
            decorators = {self._names.qualified(node) for node in function.decorators}
            if "builtins.classmethod" in decorators:
                yield ClassTarget(function.owner)
            elif "builtins.staticmethod" not in decorators:
                yield InstanceTarget(function.owner)
        elif isinstance(binding.node, ast.arg) and binding.node.annotation is not None:
            for target in self.symbols(binding.node.annotation):
                if isinstance(target, ClassTarget):
                    yield InstanceTarget(target.owner)
                elif isinstance(target, Foreign):
                    yield from _present(target.then(CALL))

    def _imported(self, dotted: str | None) -> Iterator[Foreign]:
        """What a name of another file stands for."""
        address = self._elsewhere.address(dotted) if self._elsewhere and dotted else None
        if address is not None:
            yield Foreign(address)

    def exported(self, name: str) -> Iterator[Symbol]:
        """All that a name of this module, or a dotted path from one, can stand for outside."""
        head, *attributes = name.split(".")
        found = [target for binding in self._index.final(head) for target in self._bound(binding)]
        for attribute in attributes:
            found = [part for target in found for part in self.member(target, attribute)]
        yield from found

    def _find_attribute(self, expression: ast.Attribute) -> Iterator[Symbol]:
        qualified = self._names.qualified(expression)
        if qualified is not None:
            yield from self._imported(qualified)
            return
        for target in self._receivers(expression.value):
            if expression.attr == "__class__":
                yield from _class_of(target)
            else:
                yield from self.member(target, expression.attr)

    def member(self, target: Symbol, attribute: str) -> Iterator[Symbol]:
        """What an attribute of a function, class or instance stands for."""
        match target:
            case Foreign():
                yield from _present(target.then(f".{attribute}"))
            case FunctionTarget():
                if attribute == "python_function":
                    yield FunctionTarget(target.function, bound=target.bound)
            case ClassTarget() | InstanceTarget():
                home = self._home(target.owner)
                yield from home.own_member(target, attribute)

    def own_member(self, target: ClassTarget | InstanceTarget, attribute: str) -> Iterator[Symbol]:
        """The same for a class of this file; bases in other files are asked for the rest."""
        instance = isinstance(target, InstanceTarget)
        found: list[Symbol] = []
        for info in self.near(target.owner):
            method = info.methods.get(attribute)
            if method is None:
                continue
            if instance and self._is_property(method):
                found.extend(self._returned(method))
            else:
                found.append(self._method_target(method, bound=instance))
            break
        for info in self.near(target.owner):
            found.extend(self._stored(info, attribute))
        yield from found
        for base in [] if found else self.foreign_bases(target.owner):
            steps = (CALL, f".{attribute}") if instance else (f".{attribute}",)
            yield from _present(base.then(*steps))

    def _receivers(self, expression: ast.expr) -> Iterator[Symbol]:
        called = expression.func if isinstance(expression, ast.Call) else None
        if called is None or self._names.qualified(called) != "builtins.super":
            yield from self.symbols(expression)
            return
        function = self._index.function_of.get(self._index.scope_of(expression).owner().node)
        if function is None or function.owner is None:
            return
        for info in self.near(function.owner)[1:2]:
            yield InstanceTarget(info)
            return
        for base in self.foreign_bases(function.owner):
            yield from _present(base.then(CALL))

    def _is_property(self, method: FunctionInfo) -> bool:
        names = (self._names.qualified(decorator) for decorator in method.decorators)
        return not _PROPERTIES.isdisjoint(names)

    def _method_target(self, method: FunctionInfo, *, bound: bool) -> FunctionTarget:
        decorators = {self._names.qualified(node) for node in method.decorators}
        if "builtins.staticmethod" in decorators:
            bound = False
        elif "builtins.classmethod" in decorators:
            bound = True
        return FunctionTarget(method, self.definition(method), bound=bound)

    def _stored(self, owner: ClassInfo, attribute: str) -> Iterator[Symbol]:
        """What `self.attribute = ...` in the methods and `attribute = ...` in the class give."""
        for binding in owner.scope.bindings.get(attribute, ()):
            if binding.how is not How.FUNCTION:
                yield from self._bound(binding)
        for value in self._self_stores(owner).get(attribute, ()):
            yield from self.symbols(value)

    def stores_in(self, owner: ClassInfo, attribute: str) -> bool:
        """Whether the methods of a class assign to an attribute of `self`."""
        return attribute in self._home(owner)._self_stores(owner)

    def _self_stores(self, owner: ClassInfo) -> dict[str, list[ast.expr]]:
        if owner not in self._stores:
            found = self._stores[owner] = {}
            for method in owner.methods.values():
                for store in self._stores_in.get(method.scope, ()):
                    target, value = store.target, store.value
                    if value is None or not isinstance(target, ast.Attribute):
                        continue
                    if is_self(target.value, method):
                        found.setdefault(target.attr, []).append(value)
        return self._stores[owner]

    def _find_call(self, call: ast.Call) -> Iterator[Symbol]:
        wrapped = self.wrapping(call)
        if wrapped is not None:
            creation, given = wrapped
            for function in self.functions_anywhere(given):
                yield replace(function, creation=creation)
            return
        if self._names.qualified(call.func) in _PASS_THROUGH and call.args:
            yield from self.symbols(call.args[0])
            return
        if self._names.qualified(call.func) == "builtins.type" and len(call.args) == 1:
            for target in self.symbols(call.args[0]):
                yield from _class_of(target)
            return
        for target in self.symbols(call.func):
            yield from self.result(target)

    def result(self, target: Symbol) -> Iterator[Symbol]:
        """What calling a function or class gives."""
        match target:
            case Foreign():
                yield from _present(target.then(CALL))
            case ClassTarget():
                yield InstanceTarget(target.owner)
            case FunctionTarget(creation=None):
                yield from self._home(target.function)._returned(target.function)

    def _returned(self, function: FunctionInfo) -> Iterator[Symbol]:
        """The functions and objects that a factory of this file returns."""
        for statement in function.scope.returns:
            if statement.value is not None:
                yield from self.symbols(statement.value)

    def _only_binding(self, expression: ast.Name) -> Binding | None:
        holder: Scope | None = self._index.scope_of(expression).lookup(expression.id)
        bindings = holder.bindings[expression.id] if holder else []
        return bindings[0] if len(bindings) == 1 and bindings[0].how is How.ASSIGN else None


def _has_alias(bindings: list[Binding]) -> bool:
    """Whether a name is that of `tf.function` under another name."""
    return any((binding.imported or "").endswith(".function") for binding in bindings)


def _present(found: Foreign | None) -> Iterator[Foreign]:
    if found is not None:
        yield found


def _class_of(target: Symbol) -> Iterator[ClassTarget]:
    """What `type(x)` and `x.__class__` stand for."""
    if isinstance(target, InstanceTarget):
        yield ClassTarget(target.owner)


def is_self(expression: ast.expr, method: FunctionInfo) -> bool:
    """Whether `expression` is the instance parameter of `method`."""
    parameters = method.parameters
    named = isinstance(expression, ast.Name) and bool(parameters)
    return named and isinstance(expression, ast.Name) and expression.id == parameters[0].arg


def _wrapped_argument(call: ast.Call) -> ast.expr | None:
    if call.args:
        return None if isinstance(call.args[0], ast.Starred) else call.args[0]
    for keyword in call.keywords:
        if keyword.arg == "func" and not _is_none(keyword.value):
            return keyword.value
    return None


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None
