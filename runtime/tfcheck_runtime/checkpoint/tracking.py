"""Which objects hold state, and under which names others hold them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol, runtime_checkable

from tfcheck_runtime.data.iterator import OwnedIterator
from tfcheck_runtime.function.function import Function
from tfcheck_runtime.ops.random.generator import Generator
from tfcheck_runtime.values.trackable import Trackable
from tfcheck_runtime.values.variable import Variable

VALUE: Final = ".ATTRIBUTES/VARIABLE_VALUE"
"""The end of the key under which the value of an object is stored."""


@runtime_checkable
class Tracked(Protocol):
    """An object that says itself which others it holds."""

    def __tf_children__(self) -> Mapping[str, Any]:
        """The objects by name."""


_KINDS: Final = (
    Variable, Trackable, Generator, OwnedIterator, Function, list, tuple, Mapping, Tracked,
)  # fmt: skip


def is_trackable(value: object) -> bool:
    """Whether checkpoints can look into a value."""
    return isinstance(value, _KINDS)


def holds_value(value: object) -> bool:
    """Whether the object itself has a value to store."""
    return isinstance(value, Variable | OwnedIterator)


def children_of(value: object) -> dict[str, Any]:
    """The objects that `value` holds, by name; only those that checkpoints can look into."""
    found: Mapping[str, Any] = {}
    if isinstance(value, Tracked):
        found = value.__tf_children__()
    elif isinstance(value, Generator):
        found = {"_state_var": value.state}
    elif isinstance(value, Mapping):
        found = {str(name): part for name, part in value.items()}
    elif isinstance(value, list | tuple):
        found = {str(i): part for i, part in enumerate(value)}
    elif isinstance(value, Trackable):
        found = value._trackable_children()
    return {name: part for name, part in found.items() if is_trackable(part)}


@dataclass(frozen=True, slots=True)
class Node:
    """An object of a graph of objects."""

    path: str
    """The names that lead to it from the root, the shortest way."""
    value: Any
    children: Mapping[str, int]
    """The numbers of the nodes it holds, by name."""

    @property
    def key(self) -> str:
        """The key of its value in a checkpoint."""
        return f"{self.path}/{VALUE}".removeprefix("/")


def nodes_of(root: object) -> list[Node]:
    """All objects that can be reached from `root`, each once, nearest first."""
    numbers: dict[int, int] = {id(root): 0}
    queue: list[tuple[str, Any]] = [("", root)]
    nodes: list[Node] = []
    for path, value in _growing(queue):
        children: dict[str, int] = {}
        for name, child in children_of(value).items():
            if id(child) not in numbers:
                numbers[id(child)] = len(queue)
                queue.append((f"{path}/{escaped(name)}".removeprefix("/"), child))
            children[name] = numbers[id(child)]
        nodes.append(Node(path, value, children))
    return nodes


def _growing(queue: list[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    position = 0
    while position < len(queue):
        yield queue[position]
        position += 1


def escaped(name: str) -> str:
    """A name as one part of a path."""
    return name.replace(".", "..").replace("/", ".S")
