"""`tf.Module`: finds the variables and modules among an object's attributes.

Follows https://www.tensorflow.org/api_docs/python/tf/Module.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, TypeVar

from tfcheck_runtime.specs import nest
from tfcheck_runtime.values.naming import name_scope
from tfcheck_runtime.values.trackable import TRACKED, AutoTrackable
from tfcheck_runtime.values.variable import Variable

Method = TypeVar("Method", bound=Callable[..., Any])
Path = tuple[str | int, ...]


class Module(AutoTrackable):
    """Base of objects that hold variables, functions and other modules in attributes.

    Args:
        name: a Python identifier; by default the class name in snake case.

    Raises:
        ValueError: `name` is not a Python identifier.
    """

    _TF_MODULE_IGNORED_PROPERTIES: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, name: str | None = None) -> None:
        if name is not None and not re.match(r"^[a-zA-Z_]\w*$", name):
            raise ValueError(
                f"{name!r} is not a valid module name. Module names must be valid Python"
                " identifiers (e.g. a valid class name)."
            )
        self._name = name or _snake_case(type(self).__name__)
        with name_scope(self._name) as scope:
            self._scope_name = scope

    @property
    def name(self) -> str:
        """The name given to the module."""
        return self._name

    @property
    def name_scope(self) -> name_scope:
        """A context that puts the module's name before the names of ops."""
        return name_scope(self._scope_name)

    @property
    def variables(self) -> tuple[Variable, ...]:
        """All variables of this module and its submodules, by attribute name."""
        return tuple(v for _, v in self._walk() if isinstance(v, Variable))

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """The variables that are trainable."""
        return tuple(v for v in self.variables if v.trainable)

    @property
    def non_trainable_variables(self) -> tuple[Variable, ...]:
        """The variables that are not trainable."""
        return tuple(v for v in self.variables if not v.trainable)

    @property
    def submodules(self) -> tuple[Module, ...]:
        """All modules inside this one, at any depth."""
        return tuple(m for _, m in self._walk() if isinstance(m, Module))

    @classmethod
    def with_name_scope(cls, method: Method) -> Method:
        """Let a method enter the module's name scope."""

        @functools.wraps(method)
        def wrapped(self: Module, *args: object, **kwargs: object) -> object:
            with self.name_scope:
                return method(self, *args, **kwargs)

        return wrapped  # type: ignore[return-value]  # same signature, by functools.wraps

    def _flatten(
        self,
        recursive: bool = True,
        predicate: Callable[[Any], bool] = lambda _: True,
        with_path: bool = False,
        expand_composites: bool = False,
    ) -> Iterator[Any]:
        # With paths, what can be reached on several is found on each, as in TensorFlow.
        walk = _walk_paths(self, (), set(), recursive) if with_path else self._walk(recursive)
        for path, value in walk:
            leaves = nest.flatten(value, True) if expand_composites else [value]
            for leaf in filter(predicate, leaves):
                yield (path, leaf) if with_path else leaf

    def _walk(self, recursive: bool = True) -> Iterator[tuple[Path, Any]]:
        yield from _walk(self, (), {id(self)}, recursive)


def _walk(
    module: Module, path: Path, seen: set[int], recursive: bool
) -> Iterator[tuple[Path, Any]]:
    inner: list[tuple[Path, Module]] = []
    for here, leaf in _own_leaves(module, path):
        if id(leaf) in seen:
            continue
        seen.add(id(leaf))
        yield here, leaf
        if recursive and isinstance(leaf, Module):
            inner.append((here, leaf))
    for here, leaf in inner:
        yield from _walk(leaf, here, seen, recursive)


def _walk_paths(
    module: Module, path: Path, seen: set[int], recursive: bool
) -> Iterator[tuple[Path, Any]]:
    """Every leaf on every path; only modules are entered no more than once."""
    own = list(_own_leaves(module, path))
    yield from own
    for here, leaf in own:
        if recursive and isinstance(leaf, Module) and id(leaf) not in seen:
            seen.add(id(leaf))
            yield from _walk_paths(leaf, here, seen, recursive)


def _own_leaves(module: Module, path: Path) -> Iterator[tuple[Path, Any]]:
    for key, value in sorted(vars(module).items()):
        if key == TRACKED or key in module._TF_MODULE_IGNORED_PROPERTIES:
            continue
        for step, leaf in _leaves(value):
            yield (*path, key, *step), leaf


def _leaves(value: object) -> Iterator[tuple[Path, Any]]:
    if not nest.is_nested(value):
        yield (), value
        return
    for key, part in _parts(value):
        for path, leaf in _leaves(part):
            yield (key, *path), leaf


def _parts(value: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(value, Mapping):
        return ((key, value[key]) for key in nest.sorted_keys(value))
    steps = nest.children(value)
    if isinstance(value, list | tuple) and not nest.is_namedtuple(value):
        return enumerate(part for _, part in steps)
    return ((step.removeprefix("."), part) for step, part in steps)


def _snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<!^)(?=[A-Z][a-z])", "_", name).lower()
