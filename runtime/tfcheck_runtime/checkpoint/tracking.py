"""The graph of objects that a checkpoint saves: which hold which, under which names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tfcheck_runtime.values.trackable import is_state


def children_of(value: Any) -> dict[str, Any]:
    """The objects that a trackable `value` holds, by name.

    Raises:
        ValueError: `value` is a list or dict that was changed so that names no longer tell its
            parts.
    """
    return {name: part for name, part in value._trackable_children().items() if is_state(part)}


@dataclass(frozen=True, slots=True)
class Node:
    """An object of a graph of objects."""

    path: str
    """The names that lead to it from the root, the shortest way."""
    value: Any
    children: Mapping[str, int]
    """The numbers of the nodes it holds, by name."""

    def key(self, attribute: str) -> str:
        """The key of one of its values in a checkpoint."""
        return f"{self.path}/.ATTRIBUTES/{attribute}".removeprefix("/")


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
