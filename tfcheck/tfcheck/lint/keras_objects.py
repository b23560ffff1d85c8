"""Keras models and optimizers: where they are made, and whether they have their variables."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tfcheck.lint import entries
from tfcheck.lint.callgraph import CallSite
from tfcheck.lint.places import Places
from tfcheck.lint.resolve import ClassTarget, Creation, FunctionTarget
from tfcheck.lint.scopes import Binding, How
from tfcheck.lint.semantics import FileModel

_MAX_DEPTH = 5
_INPUTS = {"keras.Input", "keras.layers.Input", "keras.layers.InputLayer"}
_BUILT = {"keras.Model", "keras.models.Model", "keras.models.load_model"}


@dataclass(frozen=True, slots=True)
class Passed:
    """An object that a call hands to a Function."""

    site: CallSite
    given: ast.expr
    made: ast.Call
    """What makes the object."""
    several: bool
    """Whether the call sees many objects made there, as in a loop over a list of them."""
    place: ast.expr
    """The name or expression through which the object was found."""


class KerasObjects:
    """Follows arguments of Functions back to the calls that make Keras objects."""

    def __init__(self, model: FileModel) -> None:
        self._model = model
        self._places = Places(model)

    def passed(self) -> dict[tuple[Creation, ast.arg], list[Passed]]:
        """For each parameter of a Function the objects given to it, in source order."""
        found: dict[tuple[Creation, ast.arg], list[Passed]] = {}
        sites = sorted(self._model.eager_calls(), key=lambda s: (s.call.lineno, s.call.col_offset))
        for site in sites:
            if site.target.creation is None or self._is_remade(site):
                continue
            for parameter, given in site.arguments():
                for made, several, place in self._origins(given, depth=_MAX_DEPTH):
                    passed = Passed(site, given, made, several, place)
                    found.setdefault((site.target.creation, parameter), []).append(passed)
        return found

    def _is_remade(self, site: CallSite) -> bool:
        around = set(self._model.loops_around(site.target.function.node))
        if site.target.creation is not None:
            around |= set(self._model.loops_around(site.target.creation.node))
        return bool(around & set(self._model.loops_around(site.call)))

    # Where objects come from

    def _origins(
        self, node: ast.expr, *, depth: int, several: bool = False
    ) -> Iterator[tuple[ast.Call, bool, ast.expr]]:
        if not depth:
            return
        match node:
            case ast.Call():
                repeated = several or bool(self._model.loops_around(node))
                if self.kind(node) is not None:
                    yield node, repeated, node
            case ast.Name():
                for binding in self._reaching(node):
                    for made, often, place in self._bound(binding, depth, several):
                        yield made, often, node if place is made else place
            case ast.Attribute():
                for value in self._places.stored(node):
                    yield from self._origins(value, depth=depth - 1, several=several)
            case ast.List() | ast.Tuple():
                for part in node.elts:
                    yield from self._origins(part, depth=depth - 1)
            case ast.Dict():
                for part in node.values:
                    yield from self._origins(part, depth=depth - 1)
            case ast.ListComp() | ast.GeneratorExp():
                yield from self._origins(node.elt, depth=depth - 1, several=True)

    def _reaching(self, name: ast.Name) -> Iterable[Binding]:
        bindings = list(self._model.bindings(name))
        return self._model.index.reaching(name, bindings) if len(bindings) > 1 else bindings

    def _bound(
        self, binding: Binding, depth: int, several: bool
    ) -> Iterator[tuple[ast.Call, bool, ast.expr]]:
        value = binding.value
        if binding.how is How.LOOP:
            value = value or self._unpacked(binding.node)
            if isinstance(value, ast.Call):
                # `models.values()`
                value = value.func.value if isinstance(value.func, ast.Attribute) else None
        if binding.how in {How.ASSIGN, How.LOOP} and value is not None:
            # A loop over a name goes over the parts of what it holds.
            yield from self._origins(value, depth=depth - 1, several=several)

    def _unpacked(self, target: ast.AST) -> ast.expr | None:
        """What a loop goes over that binds several names, as to the items of a dict."""
        parent = self._model.index.parents.get(target)
        while isinstance(parent, ast.Tuple | ast.List):
            parent = self._model.index.parents.get(parent)
        return parent.iter if isinstance(parent, ast.For | ast.comprehension) else None

    # What they are

    def kind(self, call: ast.Call, *, depth: int = 3) -> str | None:
        """`optimizer` or `model` for a call that makes one, or a function that returns it."""
        name = self._model.qualified_name(call.func)
        if name is not None:
            if not name.rpartition(".")[2][:1].isupper() and name not in _BUILT:
                return None
            if name.startswith("keras.optimizers.") and "schedules" not in name:
                return "optimizer"
            return "model" if entries.is_keras_base(name) else None
        for target in self._model.targets(call.func):
            if isinstance(target, ClassTarget):
                bases = self._model.resolver.external_bases(target.owner)
                if any(base.startswith("keras.optimizers.") for base in bases):
                    return "optimizer"
                return "model" if any(map(entries.is_keras_base, bases)) else None
            if isinstance(target, FunctionTarget) and target.creation is None and depth:
                for made in self._returned(target):
                    return self.kind(made, depth=depth - 1)
        return None

    def _returned(self, target: FunctionTarget) -> Iterator[ast.Call]:
        for statement in target.function.scope.returns:
            value = statement.value
            if isinstance(value, ast.Name):
                bindings = list(self._model.bindings(value))
                value = bindings[0].value if len(bindings) == 1 else None
            if isinstance(value, ast.Call):
                yield value

    def has_variables(self, passed: Passed) -> bool:
        """Whether the object has its variables before the call, or needs none."""
        return self._is_complete(passed.made, depth=3) or any(
            self._is_built_by(call, passed) for call in self._model.index.calls()
        )

    def _is_complete(self, made: ast.Call, *, depth: int) -> bool:
        name = self._model.qualified_name(made.func) or ""
        if name == "keras.optimizers.SGD":
            return not any(word.arg in {"momentum", "nesterov"} for word in made.keywords) and (
                len(made.args) < 2
            )
        if name.startswith("keras.optimizers."):
            return False
        inputs = [
            node
            for node in ast.walk(made)
            if isinstance(node, ast.Call) and self._model.qualified_name(node.func) in _INPUTS
        ]
        shaped = {"input_shape", "input_dim", "batch_input_shape"}
        if inputs or any(word.arg in shaped for n in ast.walk(made) for word in _keywords(n)):
            return True
        if name in _BUILT or name.startswith("keras.applications."):
            return True
        if name or not depth:
            return False
        return any(
            self._is_complete(inner, depth=depth - 1)
            for target in self._model.targets(made.func)
            if isinstance(target, FunctionTarget)
            for inner in self._returned(target)
        )

    def _is_built_by(self, call: ast.Call, passed: Passed) -> bool:
        """`optimizer.build(...)`, or a call `model(x)` in plain Python."""
        spelled = ast.unparse(passed.place)
        if not isinstance(passed.place, ast.Name) or call is passed.site.call:
            return False
        if not self._model.is_plain(call):
            return False
        func = call.func
        if isinstance(func, ast.Attribute) and ast.unparse(func.value) == spelled:
            return func.attr in {"build", "apply_gradients", "apply", "minimize", "summary", "fit"}
        return ast.unparse(func) == spelled and call.lineno < passed.site.call.lineno


def _keywords(node: ast.AST) -> list[ast.keyword]:
    return node.keywords if isinstance(node, ast.Call) else []
