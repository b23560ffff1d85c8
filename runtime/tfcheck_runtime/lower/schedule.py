"""Cuts a block into runs of lowered steps and host steps, keeping the order of effects."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tfcheck_runtime.graph.effects import effects_of
from tfcheck_runtime.graph.program import Block, Slot, Step
from tfcheck_runtime.lower.placement import is_lowered


@dataclass(frozen=True, slots=True)
class Run:
    """Steps that follow each other in one place: in one onnxruntime session or on the host."""

    lowered: bool
    steps: tuple[Step, ...]


def schedule(block: Block) -> list[Run]:
    """The runs of a block, as few as the order of effects allows.

    A step is never moved before a host effect that precedes it, so that what was printed or
    checked first stays first when it fails. It may move behind one that does not need it.
    """
    scheduler = _Scheduler()
    for step in block.steps:
        scheduler.add(step)
    scheduler.finish()
    return scheduler.runs


@dataclass(frozen=True, slots=True, eq=False)
class _Waiting:
    """A step that has not found its run."""

    step: Step
    lowered: bool
    ordered: bool


class _Scheduler:
    def __init__(self) -> None:
        self.runs: list[Run] = []
        self._waiting: list[_Waiting] = []

    def add(self, step: Step) -> None:
        item = _Waiting(step, is_lowered(step), effects_of(step).ordered)
        if item.lowered or not item.ordered:
            self._waiting.append(item)
            return
        due = self._due(step)
        self._waiting = [w for w in self._waiting if w not in due]
        self._place([*due, item])

    def finish(self) -> None:
        self._place(self._waiting)

    def _due(self, step: Step) -> list[_Waiting]:
        # All effects so far, and what they and the step need.
        needed = set(step.uses())
        due: list[_Waiting] = []
        for item in reversed(self._waiting):
            if item.ordered or not needed.isdisjoint(item.step.outputs):
                due.append(item)
                needed.update(item.step.uses())
        due.reverse()
        return due

    def _place(self, items: Sequence[_Waiting]) -> None:
        lowered = False
        while items:
            ready, items = _split(items, lowered=lowered)
            if ready:
                self._append(Run(lowered, tuple(i.step for i in ready)))
            lowered = not lowered

    def _append(self, run: Run) -> None:
        if self.runs and self.runs[-1].lowered == run.lowered:
            before = self.runs.pop()
            run = Run(run.lowered, before.steps + run.steps)
        self.runs.append(run)


def _split(
    items: Iterable[_Waiting], *, lowered: bool
) -> tuple[list[_Waiting], Sequence[_Waiting]]:
    """What can run in this place now, and what must wait for the other place."""
    ready: list[_Waiting] = []
    later: list[_Waiting] = []
    missing: set[Slot] = set()
    effect_waits = False
    for item in items:
        waits_for_effect = item.ordered and effect_waits
        if (
            item.lowered == lowered
            and not waits_for_effect
            and missing.isdisjoint(item.step.uses())
        ):
            ready.append(item)
            continue
        later.append(item)
        missing.update(item.step.outputs)
        effect_waits = effect_waits or item.ordered
    return ready, later
