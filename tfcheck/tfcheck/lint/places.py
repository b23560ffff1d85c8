"""What a file stores in a name or attribute, and where it reads it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from tfcheck.lint.nodes import walk
from tfcheck.lint.resolve import ClassTarget, InstanceTarget, is_self
from tfcheck.lint.scopes import How
from tfcheck.lint.semantics import FileModel
from tfcheck.lint.vocabulary import MUTATORS


@dataclass(frozen=True, slots=True, eq=False)
class AttributeChange:
    """A place that binds or edits an attribute of an object."""

    node: ast.expr
    receiver: ast.expr
    attr: str


class Places:
    """Compares places as far as it is known which objects they belong to."""

    def __init__(self, model: FileModel) -> None:
        self._model = model

    def stored(self, place: ast.Name | ast.Attribute) -> Iterator[ast.expr]:
        """What the file binds to a name, or to an attribute of the same objects."""
        if isinstance(place, ast.Name):
            for binding in self._model.bindings(place):
                if binding.how is How.ASSIGN and binding.value is not None:
                    yield binding.value
            return
        owners = set(self._model.targets(place.value))
        for target in owners:
            if isinstance(target, InstanceTarget | ClassTarget):
                for binding in target.owner.scope.bindings.get(place.attr, ()):
                    if binding.how is How.ASSIGN and binding.value is not None:
                        yield binding.value
        for store in self._model.index.stores:
            kept = store.target
            if isinstance(kept, ast.Attribute) and kept.attr == place.attr:
                same = owners & set(self._model.targets(kept.value))
                if same and store.how is How.ASSIGN and store.value is not None:
                    yield store.value

    def constructed(self, place: ast.Attribute) -> Iterator[ast.expr]:
        """What constructors are given for an attribute, as in `self.config = config`."""
        for value in self.stored(place):
            function = self._model.function_around(value)
            if function is None or function.name != "__init__" or not isinstance(value, ast.Name):
                continue
            for site in self._model.calls_to(function):
                for parameter, given in site.arguments():
                    if parameter.arg == value.id:
                        yield given

    def reads(self, place: ast.Name | ast.Attribute) -> Iterator[ast.Name | ast.Attribute]:
        """The places that read a name, or an attribute of objects that may be the same."""
        for node in self._loads.get(place.id if isinstance(place, ast.Name) else place.attr, ()):
            if isinstance(node, ast.Name) and isinstance(place, ast.Name):
                if self._model.holder(node) is self._model.holder(place):
                    yield node
            elif isinstance(node, ast.Attribute) and isinstance(place, ast.Attribute):
                ours, theirs = (set(self._model.targets(end.value)) for end in (place, node))
                same = ast.unparse(place.value) == ast.unparse(node.value)
                if same or (ours and not theirs) or ours & theirs:
                    yield node

    def is_read_by_python(self, place: ast.Name | ast.Attribute) -> bool:
        """Whether plain Python surely reads it, once things are set up."""
        return any(self._is_plain(read) for read in self.reads(place))

    def _is_plain(self, read: ast.expr) -> bool:
        function = self._model.function_around(read)
        if function is None:
            return True
        if not self._model.is_plain(read) or function.name in {"__init__", "build"}:
            return False
        # A method that nothing here calls may be called by traced code elsewhere.
        sites = self._model.calls_to(function)
        return function.owner is None or any(
            site.caller not in self._model.traces for site in sites
        )

    @cached_property
    def _loads(self) -> dict[str, list[ast.Name | ast.Attribute]]:
        found: dict[str, list[ast.Name | ast.Attribute]] = {}
        for node in walk(self._model.tree):
            if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
                name = node.id if isinstance(node, ast.Name) else node.attr
                found.setdefault(name, []).append(node)
        return found

    def attribute_changes(self) -> Iterator[AttributeChange]:
        """The places that bind an attribute, edit the container in it, or use `setattr`."""
        for store in self._model.index.stores:
            edited = isinstance(store.target, ast.Subscript)
            place = store.target.value if edited else store.target
            if isinstance(place, ast.Attribute):
                yield AttributeChange(place, place.value, place.attr)
                yield from self._set_by_property(place)
        for call in self._model.index.calls():
            match call:
                case ast.Call(func=ast.Attribute(value=ast.Attribute() as place, attr=method)):
                    if method in MUTATORS:
                        yield AttributeChange(place, place.value, place.attr)
                case ast.Call(
                    func=ast.Name(id="setattr"), args=[receiver, ast.Constant(value=str(name)), _]
                ):
                    yield AttributeChange(call, receiver, name)

    def _set_by_property(self, place: ast.Attribute) -> Iterator[AttributeChange]:
        """The attributes that the setter of a property binds when `place` is bound."""
        for target in self._model.targets(place.value):
            if not isinstance(target, InstanceTarget):
                continue
            setter = self._model.resolver.method(target.owner, place.attr)
            if setter is None or not any(map(_is_setter, setter.decorators)):
                continue
            for store in self._model.index.stores:
                inner = store.target
                own = isinstance(inner, ast.Attribute) and is_self(inner.value, setter)
                if own and store.scope is setter.scope and isinstance(inner, ast.Attribute):
                    yield AttributeChange(place, place.value, inner.attr)


def _is_setter(decorator: ast.expr) -> bool:
    return isinstance(decorator, ast.Attribute) and decorator.attr == "setter"


def receiver_text(node: ast.AST) -> str | None:
    """What the attribute or method belongs to: `loss` in `loss.beta` and in `loss(x)`."""
    if isinstance(node, ast.Call):
        called = node.func
        if isinstance(called, ast.Name) and called.id == "setattr":
            return ast.unparse(node.args[0])
        return ast.unparse(called.value if isinstance(called, ast.Attribute) else called)
    return ast.unparse(node.value) if isinstance(node, ast.Attribute) else None
