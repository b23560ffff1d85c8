"""Numbers the slots of a plan."""

from __future__ import annotations

from collections.abc import Iterable

from tfcheck_runtime.graph.program import Slot
from tfcheck_runtime.op import Array


class Frame:
    """The places of a plan's values: parameters first, others as they come."""

    def __init__(self, parameters: Iterable[Slot]) -> None:
        self._numbers = {s: i for i, s in enumerate(parameters)}
        self.size = len(self._numbers)
        self.constants: list[tuple[int, Array]] = []

    def new(self) -> int:
        """A place that no slot stands for."""
        self.size += 1
        return self.size - 1

    def constant(self, content: Array) -> int:
        """A place that always holds `content`."""
        number = self.new()
        self.constants.append((number, content))
        return number

    def number(self, slot: Slot) -> int:
        """The place of a slot."""
        if slot not in self._numbers:
            if slot.constant is None:
                self._numbers[slot] = self.new()
            else:
                self._numbers[slot] = self.constant(slot.constant)
        return self._numbers[slot]

    def numbers(self, slots: Iterable[Slot]) -> tuple[int, ...]:
        """The places of several slots."""
        return tuple(self.number(s) for s in slots)

    def put(self, slot: Slot, number: int) -> None:
        """Let a slot stand for a place in use: the value is the same."""
        self._numbers[slot] = number
