"""What still runs of a graph when a part of it failed: all that does not wait for that part.

TensorFlow runs nodes as soon as what they need is there. A failing node keeps back the nodes that
use its outputs, those that come after it by the order of effects (on one variable, or on the
world outside), and those that `tf.control_dependencies` puts behind it. Everything else takes
place before the error is raised, and variables keep what it wrote.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any, Final

import numpy as np

from tfcheck_runtime.errors import OpError, invalid_argument
from tfcheck_runtime.execute.failures import locate
from tfcheck_runtime.graph.effects import effects_of
from tfcheck_runtime.graph.ir import Node
from tfcheck_runtime.graph.plan import Region
from tfcheck_runtime.graph.program import Block, Slot, Step
from tfcheck_runtime.values.resource import Resource

_MOST: Final = 100_000
"""Nodes that are run one by one; a region that has more to do stays undone."""


class _Missing:
    """Stands for a value that was not computed."""

    def __repr__(self) -> str:
        return "<missing>"


MISSING: Final = _Missing()


class _TooMuchError(Exception):
    """There is more to run than is worth it."""


class Aftermath:
    """What a failure keeps back so far, and the means to run the rest node by node."""

    def __init__(self) -> None:
        self.error: OpError | None = None
        """The first failure of a node that was run by itself."""
        self._failures = 0
        self._unwritten: set[int] = set()
        """Resources, by id, that a node kept back should have written."""
        self._unread: set[int] = set()
        """Resources, by id, that a node kept back should have read."""
        self._outside = False
        """Whether an effect on the world outside was kept back."""
        self._count = 0

    def is_kept_back(
        self, nodes: Iterable[Node], *, reads: Iterable[Any], writes: Iterable[Any], outside: bool
    ) -> bool:
        """Whether effects must wait for some that did not take place.

        Args:
            nodes: whose they are.
            reads: resources that are read.
            writes: resources that are written.
            outside: whether the world outside sees it.
        """
        if outside and self._outside:
            return True
        if self._failures and any(node.waits for node in nodes):
            return True
        written = {id(r) for r in writes}
        used = written | {id(r) for r in reads}
        return not (used.isdisjoint(self._unwritten) and written.isdisjoint(self._unread))

    def keep_back(self, *, reads: Iterable[Any], writes: Iterable[Any], outside: bool) -> None:
        """Note effects that do not take place."""
        self._failures += 1
        self._unread.update(id(r) for r in reads)
        self._unwritten.update(id(r) for r in writes)
        self._outside = self._outside or outside

    def run(self, region: Region, slots: list[Any]) -> None:
        """Run what can be run of a region; what it did not compute is missing in `slots`."""
        env = {slot: slots[number] for slot, number in region.places}
        made = {o for step in region.steps for o in step.outputs}
        env.update((slot, MISSING) for slot, _ in region.places if slot in made)
        with suppress(_TooMuchError):  # what was not reached is missing
            self._run_steps(region.steps, env)
        for slot, number in region.places:
            if slot in made:
                slots[number] = env.get(slot, MISSING)

    def _run_steps(self, steps: Sequence[Step], env: dict[Slot, Any]) -> None:
        for step in steps:
            self._run_step(step, env)

    def _run_step(self, step: Step, env: dict[Slot, Any]) -> None:
        self._count += 1
        if self._count > _MOST:
            raise _TooMuchError
        effects = effects_of(step)
        cells = {
            "reads": [_value(c, env) for c in effects.reads],
            "writes": [_value(c, env) for c in effects.writes],
        }
        inputs = [_value(s, env) for s in step.inputs]
        results: Sequence[Any] | None = None
        if not _has_missing(inputs) and not self.is_kept_back(
            [step.node], **cells, outside=effects.outside
        ):
            results = self._results(step, inputs, env)
        if results is None:
            self.keep_back(**cells, outside=effects.outside)
            results = [MISSING] * len(step.outputs)
        env.update(zip(step.outputs, results, strict=True))

    def _results(self, step: Step, inputs: list[Any], env: dict[Slot, Any]) -> Sequence[Any] | None:
        """The outputs of a step, None when it failed."""
        before = self._failures
        if not step.blocks:
            return self._kernel(step.node, inputs)
        if "body" in step.node.attrs:
            results = self._loop(step, inputs, env)
        else:
            results = self._branch(step, inputs[0], env)
        return None if self._failures > before else results

    def _kernel(self, node: Node, inputs: list[Any]) -> Sequence[Any] | None:
        try:
            results = node.op.eager(*inputs, **node.attrs)
        except OpError as error:
            self._note(locate(error, node))
            return None
        except (IndexError, ValueError) as error:  # NumPy's words for arguments that do not fit
            self._note(locate(invalid_argument(str(error)), node))
            return None
        return [np.asarray(r) for r in (results if isinstance(results, tuple) else (results,))]

    def _note(self, error: OpError) -> None:
        self.error = self.error or error

    def _branch(self, step: Step, selector: Any, env: dict[Slot, Any]) -> list[Any]:
        blocks = step.blocks
        if selector.dtype == bool:
            block = blocks[0] if selector else blocks[1]
        else:
            index = int(selector)
            block = blocks[index if 0 <= index < len(blocks) else len(blocks) - 1]
        self._run_steps(block.steps, env)
        return [_value(o, env) for o in block.outputs]

    def _loop(self, step: Step, values: list[Any], env: dict[Slot, Any]) -> list[Any]:
        cond, body = step.blocks
        limit, rounds, before = step.node.attrs.get("maximum_iterations"), 0, self._failures
        while limit is None or rounds < limit:
            goes_on = self._block(cond, values, env)[0]
            if self._failures > before or not goes_on:
                break
            values = self._block(body, values, env)
            if self._failures > before:
                break
            rounds += 1
        return values

    def _block(self, block: Block, values: list[Any], env: dict[Slot, Any]) -> list[Any]:
        env.update(zip(block.parameters, values, strict=True))
        self._run_steps(block.steps, env)
        return [_value(o, env) for o in block.outputs]


def _value(slot: Slot, env: dict[Slot, Any]) -> Any:
    return env[slot] if slot.constant is None else slot.constant


def _has_missing(values: Iterable[Any]) -> bool:
    return any(value is MISSING for value in values)


def resources_among(values: Iterable[Any]) -> list[Any]:
    """The resources among some values."""
    return [value for value in values if isinstance(value, Resource)]


def is_missing(slots: Sequence[Any], numbers: Iterable[int]) -> bool:
    """Whether a value at one of these numbers was not computed."""
    return _has_missing(slots[number] for number in numbers)
