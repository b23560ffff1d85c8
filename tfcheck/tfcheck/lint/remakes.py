"""Whether a Function is made anew for each of its calls."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from tfcheck.lint.callgraph import CallSite
from tfcheck.lint.resolve import Creation, FunctionTarget, InstanceTarget
from tfcheck.lint.scopes import FunctionInfo, LoopNode, Scope
from tfcheck.lint.semantics import FileModel

_MAX_DEPTH = 4
_MANY_CALLS = 3
_HOOKS = ("on_epoch_", "on_batch_", "on_train_batch_", "on_test_batch_", "on_predict_batch_")
_CACHES = {"functools.cache", "functools.lru_cache", "functools.cached_property"}


@dataclass(frozen=True, slots=True, eq=False)
class Remake:
    """How a Function is made again and again."""

    use: ast.expr
    """Where one is called after it was made."""
    repeated: ast.AST
    """The loop around, or the call that runs the code around again."""


class Remakes:
    """Follows what is made to the places that call it."""

    def __init__(self, model: FileModel) -> None:
        self._model = model

    def find(self, creation: Creation) -> Remake | None:
        """How the Function of `creation` is remade; None if it is not, or is kept."""
        made: ast.AST = creation.node
        if creation.decorates:
            made = self._model.index.parents[creation.node]
        return self._find(made, self._captures(creation, made), depth=_MAX_DEPTH)

    def _find(self, made: ast.AST, captured: list[ast.Name], *, depth: int) -> Remake | None:
        around = self._function_around(made)
        for use in self._uses(made):
            if isinstance(use, ast.Return):
                found = self._through_factory(around, depth=depth)
            else:
                found = self._compare(made, use, captured)
            if found is not None:
                return found
        return None

    def _function_around(self, made: ast.AST) -> FunctionInfo | None:
        return self._model.index.function_of.get(self._scope_around(made).node)

    def _scope_around(self, made: ast.AST) -> Scope:
        return self._model.index.scope_of(made).owner()

    def _through_factory(self, factory: FunctionInfo | None, *, depth: int) -> Remake | None:
        """A function that returns what it makes: its calls make it."""
        if factory is None or not depth or self._is_cached(factory):
            return None
        for call in self._calls_through_property(factory):
            found = self._compare(call.func, call, [])
            if found is not None:
                return found
        for site in self._plain_calls(factory):
            captured = [name for name in ast.walk(site.call) if isinstance(name, ast.Name)]
            found = self._find(site.call, captured, depth=depth - 1)
            if found is not None:
                return found
        return None

    def _calls_through_property(self, factory: FunctionInfo) -> Iterator[ast.Call]:
        """The calls `policy.act(x)`, where `act` is a property that makes the Function."""
        decorators = {self._model.qualified_name(node) for node in factory.decorators}
        if factory.owner is None or "builtins.property" not in decorators:
            return
        for call in self._model.index.calls():
            if isinstance(call.func, ast.Attribute) and call.func.attr == factory.name:
                targets = self._model.targets(call.func.value)
                owners = [part.owner for part in targets if isinstance(part, InstanceTarget)]
                if any(factory.owner in self._model.resolver.lineage(owner) for owner in owners):
                    yield call

    def _uses(self, made: ast.AST) -> Iterator[ast.expr | ast.Return]:
        """The calls and `return`s of what is made, in the function that makes it."""
        if isinstance(made, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from self._uses_of_name(made.name, self._scope_around(made))
            return
        parent = self._model.index.parents.get(made)
        match parent:
            case ast.Call() if parent.func is made:
                yield parent
            case ast.Return():
                yield parent
            case ast.Assign(targets=[ast.Name() as target]):
                yield from self._uses_of_name(target.id, self._scope_around(made))
            case ast.Assign(targets=[ast.Attribute() as target]):
                spelled = ast.unparse(target)
                for call in self._scope_around(made).calls:
                    if ast.unparse(call.func) == spelled:
                        yield call

    def _uses_of_name(self, name: str, scope: Scope) -> Iterator[ast.expr | ast.Return]:
        for call in scope.calls:
            if isinstance(call.func, ast.Name) and call.func.id == name:
                yield call
        for statement in scope.returns:
            if isinstance(statement.value, ast.Name) and statement.value.id == name:
                yield statement

    def _captures(self, creation: Creation, made: ast.AST) -> list[ast.Name]:
        """The names that the body of the function reads, and those that say what is wrapped."""
        roots: list[ast.AST] = [made]
        if isinstance(made, ast.Call):
            found = self._model.targets(made)
            nodes = [part.function.node for part in found if isinstance(part, FunctionTarget)]
            roots += filter(self._model.is_local, nodes)
        names = [node for root in roots for node in ast.walk(root) if isinstance(node, ast.Name)]
        return [name for name in names if isinstance(name.ctx, ast.Load)]

    def _compare(self, made: ast.AST, use: ast.expr, captured: list[ast.Name]) -> Remake | None:
        """Whether each round of a loop or each call of a function makes one and calls it."""
        loops, inner = self._model.loops_around(made), self._model.loops_around(use)
        if not loops:
            return self._per_call(made, use, captured, again=bool(inner))
        if loops[0] not in inner:
            return None
        # A loop inside makes up for the trace, where each round needs a Function of its own.
        deeper = inner.index(loops[0]) > 0
        if deeper and any(self._is_bound_in(name, loops[0]) for name in captured):
            return None
        return Remake(use, loops[0])

    def _is_bound_in(self, name: ast.Name, loop: LoopNode) -> bool:
        inside = set(ast.walk(loop))
        return any(
            binding.node in inside
            and not isinstance(binding.node, ast.FunctionDef | ast.arg)
            and binding.scope.owner() is self._model.index.scope_of(loop).owner()
            for binding in self._model.bindings(name)
        )

    def _per_call(
        self, made: ast.AST, use: ast.expr, captured: list[ast.Name], *, again: bool
    ) -> Remake | None:
        around = self._function_around(made)
        if around is None or self._is_cached(around):
            return None
        local = {name.id for name in captured if self._model.holder(name) is around.scope}
        given = {parameter.arg for parameter in around.parameters}
        if again and local - given - {getattr(made, "name", None)}:
            return None
        for site in self._repeated(around, depth=_MAX_DEPTH):
            loops = self._model.loops_around(site.call)
            parts = [part for parameter, part in site.arguments() if parameter.arg in local]
            names = [n for part in parts for n in ast.walk(part) if isinstance(n, ast.Name)]
            if not again or not any(self._is_bound_in(n, loop) for n in names for loop in loops):
                return Remake(use, loops[0] if loops else site.call)
        if again:
            return None
        if self._is_keras_hook(around):
            return Remake(use, around.node)
        sites = [site.call for site in self._plain_calls(around)]
        mapped = [
            callback.call
            for callback in self._model.callbacks_to(around)
            if callback.entry in {"builtins.map", "builtins.filter"}
        ]
        return Remake(use, [*mapped, *sites][0]) if mapped or len(sites) >= _MANY_CALLS else None

    def _is_keras_hook(self, function: FunctionInfo) -> bool:
        """Whether Keras calls the method in each epoch or for each batch."""
        if function.owner is None or not function.name.startswith(_HOOKS):
            return False
        bases = self._model.resolver.external_bases(function.owner)
        return any(base.startswith("keras.callbacks.") for base in bases)

    def _repeated(self, function: FunctionInfo, *, depth: int) -> Iterator[CallSite]:
        """The calls of a function that stand in a loop, or in a function called in one."""
        for site in self._plain_calls(function) if depth else []:
            if self._model.loops_around(site.call):
                yield site
            elif site.caller is not None and site.caller is not function:
                yield from self._repeated(site.caller, depth=depth - 1)

    def _plain_calls(self, function: FunctionInfo) -> list[CallSite]:
        sites = self._model.calls_to(function)
        return [
            site
            for site in sites
            if site.target.creation is None and site.caller not in self._model.traces
        ]

    def _is_cached(self, function: FunctionInfo) -> bool:
        decorators = (
            node.func if isinstance(node, ast.Call) else node for node in function.decorators
        )
        return any(self._model.qualified_name(node) in _CACHES for node in decorators)
