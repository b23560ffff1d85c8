"""Puts saved values into the objects that hold the same names; later, too, when they come later."""

from __future__ import annotations

from typing import Any

from tfcheck_runtime.checkpoint.storage import Saved
from tfcheck_runtime.checkpoint.tracking import (
    children_of,
    holds_value,
    is_trackable,
    nodes_of,
)
from tfcheck_runtime.checkpoint.values import put_back
from tfcheck_runtime.values.trackable import DEFERRED, AutoTrackable


class Restoration:
    """Pairs saved objects with those of the program, each saved value put back once.

    Args:
        saved: the contents of a checkpoint.
        root: the object that was saved, or one like it.
    """

    def __init__(self, saved: Saved, root: object) -> None:
        self._saved = saved
        self._root = root
        self._bound: dict[int, Any] = {}
        """The program's object of each saved node."""
        self.bind(0, root)

    def bind(self, number: int, value: Any) -> None:
        """Let `value` be a saved object, and what it holds those that this one held."""
        if number in self._bound:
            return
        self._bound[number] = value
        node = self._saved.nodes[number]
        if node.key is not None and holds_value(value):
            put_back(value, self._saved.values[node.key], node.key)
        children = children_of(value)
        for name, child in node.children.items():
            if name in children:
                self.bind(child, children[name])
        if isinstance(value, AutoTrackable) and not set(node.children) <= set(children):
            setattr(value, DEFERRED, self._when_set(number))

    def _when_set(self, number: int) -> Any:
        def restore(name: str, value: object) -> None:
            child = self._saved.nodes[number].children.get(name)
            if child is not None and is_trackable(value):
                self.bind(child, value)

        return restore

    def unused(self) -> list[str]:
        """The keys of saved values that no object has taken."""
        return [
            node.key
            for number, node in enumerate(self._saved.nodes)
            if node.key is not None and number not in self._bound
        ]

    def unmatched(self) -> list[Any]:
        """The objects of the program that hold a value, and found none saved."""
        bound = {id(value) for value in self._bound.values()}
        return [
            node.value
            for node in nodes_of(self._root)
            if holds_value(node.value)
            and id(node.value) not in bound
            and node.path != "save_counter"
        ]

    @property
    def restored(self) -> int:
        """How many values were put back."""
        return sum(self._saved.nodes[n].key is not None for n in self._bound)
