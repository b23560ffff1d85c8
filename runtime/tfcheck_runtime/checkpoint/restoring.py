"""Puts saved values into the objects that hold the same names; later, too, when they come later."""

from __future__ import annotations

from functools import partial
from typing import Any

from tfcheck_runtime.checkpoint.storage import Saved
from tfcheck_runtime.checkpoint.tracking import children_of, nodes_of
from tfcheck_runtime.checkpoint.values import attributes_of, put_back


class Restoration:
    """Pairs saved objects with those of the program, each saved value put back once.

    Args:
        saved: the contents of a checkpoint.
        root: the object that was saved, or one like it.
    """

    def __init__(self, saved: Saved, root: Any) -> None:
        self._saved = saved
        self._root = root
        self._bound: dict[int, Any] = {}
        """The program's object of each saved node."""
        self._paths: dict[int, str] = {0: "(root)"}
        """Where each saved node stands."""
        self._name(0)
        self._bind(0, root)

    def _name(self, number: int) -> None:
        queue = [number]
        for parent in queue:
            for name, child in self._saved.nodes[parent].children.items():
                if child not in self._paths:
                    self._paths[child] = f"{self._paths[parent]}.{name}"
                    queue.append(child)

    def _bind(self, number: int, value: Any) -> None:
        """Let `value` be a saved object, and what it holds those that this one held."""
        if number in self._bound:
            return
        self._bound[number] = value
        node = self._saved.nodes[number]
        if node.keys and set(node.keys) == set(attributes_of(value)):
            values = {name: self._saved.values[key] for name, key in node.keys.items()}
            put_back(value, values, node.keys)
        children = children_of(value)
        for name, child in node.children.items():
            if name in children:
                self._bind(child, children[name])
            else:
                value._restore_when_tracked(name, partial(self._bind, child))

    def unused(self) -> list[str]:
        """Where the saved objects stood whose values no object has taken, with their keys."""
        return [
            f"{self._paths[number]}: {', '.join(node.keys.values())}"
            for number, node in enumerate(self._saved.nodes)
            if node.keys and number not in self._bound
        ]

    def unmatched(self) -> list[Any]:
        """The objects of the program that hold a value, and found none saved."""
        bound = {id(value) for value in self._bound.values()}
        return [
            node.value
            for node in nodes_of(self._root)
            if attributes_of(node.value) and id(node.value) not in bound
        ]

    @property
    def restored(self) -> int:
        """How many values were put back."""
        return sum(bool(self._saved.nodes[number].keys) for number in self._bound)
