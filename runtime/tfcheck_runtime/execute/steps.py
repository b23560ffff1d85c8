"""Plans as callables over a list of slots."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NoReturn, TypedDict

import numpy as np

from tfcheck_runtime.errors import OpError, invalid_argument
from tfcheck_runtime.execute.aftermath import (
    MISSING,
    Aftermath,
    is_missing,
    resources_among,
)
from tfcheck_runtime.execute.failures import locate, translate
from tfcheck_runtime.execute.session import FAILURES, RunModel, open_session
from tfcheck_runtime.graph.effects import READ_ONLY
from tfcheck_runtime.graph.ir import Node
from tfcheck_runtime.graph.plan import Body, HostBranch, HostLoop, HostStep, Plan, PlanStep, Region
from tfcheck_runtime.op import Array, Aval

_number: Final = operator.attrgetter("number")
Slots = list[Any]  # arrays and resources
Feeds = Mapping[str, Array]
RunStep = Callable[[Slots], None]


class PlanRunner:
    """Runs a plan; sessions are opened by `open`, those of bodies when first needed."""

    __slots__ = ("_locals", "_outputs", "_plan", "_steps")

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._locals: Slots = [None] * (plan.size - plan.parameters)
        for number, content in plan.constants:
            self._locals[number - plan.parameters] = content
        self._steps = [_runner(step) for step in plan.steps]
        self._outputs = plan.outputs

    def open(self) -> None:
        """Open the sessions that every run needs."""
        for step in self._steps:
            if isinstance(step, _RegionRunner):
                step.open()

    def __call__(self, arguments: Sequence[Any]) -> list[Any]:
        """The outputs for arrays and resources in the order of the plan's parameters."""
        slots = [*arguments, *self._locals]
        step: RunStep | None = None
        try:
            for step in self._steps:
                step(slots)
        except OpError as error:
            self._carry_on(step, slots, error)
        return [slots[i] for i in self._outputs]

    def _carry_on(self, failed: RunStep | None, slots: Slots, error: OpError) -> NoReturn:
        """Run what TensorFlow would still run, then raise.

        Raises:
            OpError: always.
        """
        position = next(i for i, step in enumerate(self._steps) if step is failed)
        rest = self._plan.steps[position:]
        if any(map(_acts, rest)):
            after = Aftermath()
            for i, step in enumerate(rest, position):
                _finish(step, self._steps[i], slots, after=after, has_failed=i == position)
            if after.error is not None:
                raise after.error from error
        raise error


class _RegionRunner:
    __slots__ = ("_feeds", "_names", "_numbers", "_region", "_run")

    def __init__(self, region: Region) -> None:
        self._region = region
        self._feeds = region.feeds
        self._names = [name for name, _ in region.fetches]
        self._numbers = [number for _, number in region.fetches]
        self._run: RunModel = self._open_and_run

    def __call__(self, slots: Slots) -> None:
        region = self._region
        if region.writes:
            # Nothing is lost where threads update one variable; in one order, none waits for ever.
            held = sorted([slots[cell] for cell, _ in region.writes], key=_number)
            for resource in held:
                resource.lock.acquire()
            try:
                self._read_run_write(slots)
            finally:
                for resource in held:
                    resource.lock.release()
        else:
            self._read_run_write(slots)

    def _read_run_write(self, slots: Slots) -> None:
        region = self._region
        for number, cell in region.reads:
            slots[number] = slots[cell].content
        if self._names:
            self._run_model(slots)
        if len(region.writes) > 1:  # all or none
            for cell, number in region.writes:
                slots[cell].check(slots[number])
        for cell, number in region.writes:
            slots[cell].replace(slots[number])

    def open(self) -> None:
        if self._region.model is not None:
            self._run = open_session(self._region.model, parallel=self._region.parallel)

    def _open_and_run(self, names: Sequence[str], feeds: Feeds, options: None) -> list[Array]:
        self.open()
        return self._run(names, feeds, options)

    def _run_model(self, slots: Slots) -> None:
        feeds = {name: slots[number] for name, number in self._feeds}
        try:
            results = self._run(self._names, feeds, None)
        except FAILURES as error:
            raise translate(error, self._region.origins) from error
        for number, result in zip(self._numbers, results, strict=True):
            slots[number] = result


class _HostRunner:
    __slots__ = ("_attrs", "_check", "_inputs", "_kernel", "_node", "_outputs")

    def __init__(self, step: HostStep) -> None:
        self._node = step.node
        self._kernel = step.node.op.eager
        self._attrs = step.node.attrs
        self._inputs = step.inputs
        self._outputs = step.outputs
        self._check = _learns_its_shapes(step.node)

    def __call__(self, slots: Slots) -> None:
        arrays = [slots[i] for i in self._inputs]
        try:
            if self._check:
                self._infer(arrays)
            results = self._kernel(*arrays, **self._attrs)
        except OpError as error:
            raise locate(error, self._node) from error.__cause__
        except (IndexError, ValueError) as error:  # NumPy's words for arguments that do not fit
            raise locate(invalid_argument(str(error)), self._node) from error
        if not isinstance(results, tuple):
            results = (results,)
        for number, result in zip(self._outputs, results, strict=True):
            slots[number] = np.asarray(result)

    def _infer(self, arrays: Sequence[Array]) -> None:
        """Check shapes that tracing left unknown, as an eager call does."""
        pairs = zip(self._node.inputs, arrays, strict=True)
        avals = [Aval(i.aval.dtype, a.shape, constant=a) for i, a in pairs]
        self._node.op.infer(*avals, **self._attrs)


def _learns_its_shapes(node: Node) -> bool:
    """Whether all inputs are arrays, and not all shapes were known while tracing."""
    avals = [i.aval for i in node.inputs]
    if any(a.dtype.name in ("resource", "variant") for a in avals):
        return False
    return any(a.shape is None or None in a.shape for a in avals)


class _BodyRunner:
    __slots__ = ("_arguments", "_run")

    def __init__(self, body: Body) -> None:
        self._run = PlanRunner(body.plan)
        self._arguments = body.arguments

    def __call__(self, slots: Slots, variables: Sequence[Any] = ()) -> list[Any]:
        return self._run([*variables, *(slots[i] for i in self._arguments)])


class _BranchRunner:
    __slots__ = ("_bodies", "_outputs", "_selector")

    def __init__(self, step: HostBranch) -> None:
        self._bodies = [_BodyRunner(b) for b in step.bodies]
        self._selector = step.selector
        self._outputs = step.outputs

    def __call__(self, slots: Slots) -> None:
        chosen = int(slots[self._selector])
        # An index out of range takes the last branch, as in TensorFlow.
        last = len(self._bodies) - 1
        body = self._bodies[chosen if 0 <= chosen <= last else last]
        for number, result in zip(self._outputs, body(slots), strict=True):
            slots[number] = result


class _LoopRunner:
    __slots__ = ("_body", "_cond", "_limit", "_outputs", "_variables")

    def __init__(self, step: HostLoop) -> None:
        self._cond = _BodyRunner(step.cond)
        self._body = _BodyRunner(step.body)
        self._variables = step.variables
        self._limit = step.limit
        self._outputs = step.outputs

    def __call__(self, slots: Slots) -> None:
        values = [slots[i] for i in self._variables]
        rounds = 0
        while (self._limit is None or rounds < self._limit) and self._cond(slots, values)[0]:
            values = self._body(slots, values)
            rounds += 1
        for number, value in zip(self._outputs, values, strict=True):
            slots[number] = value


def _runner(step: PlanStep) -> RunStep:
    match step:
        case Region():
            return _RegionRunner(step)
        case HostStep():
            return _HostRunner(step)
        case HostBranch():
            return _BranchRunner(step)
        case HostLoop():
            return _LoopRunner(step)


def _acts(step: PlanStep) -> bool:
    """Whether a step does more than compute its outputs."""
    match step:
        case Region():
            return bool(step.writes)
        case HostStep():
            return step.node.op.stateful
        case HostBranch():
            return any(_acts(s) for body in step.bodies for s in body.plan.steps)
        case HostLoop():
            return any(_acts(s) for body in (step.cond, step.body) for s in body.plan.steps)


def _finish(
    step: PlanStep, run: RunStep, slots: Slots, *, after: Aftermath, has_failed: bool
) -> None:
    """Run what can be run of a step after another, or the step itself, has failed."""
    inputs, outputs = _borders(step)
    effects = _effects(step, [slots[i] for i in inputs])
    nodes = [s.node for s in step.steps] if isinstance(step, Region) else [step.node]
    waits = is_missing(slots, inputs) or after.is_kept_back(nodes, **effects)
    if not has_failed and not waits:
        try:
            run(slots)
        except OpError:
            has_failed = True
        else:
            return
    if isinstance(step, Region):
        after.run(step, slots)
        return
    after.keep_back(**effects)
    for number in outputs:
        slots[number] = MISSING


class _Effects(TypedDict):
    """What a step does, as `Aftermath` takes it."""

    reads: list[Any]
    writes: list[Any]
    outside: bool


def _effects(step: PlanStep, inputs: Sequence[Any]) -> _Effects:
    """The effects of a step with these inputs; those of a body count as writes."""
    cells = resources_among(inputs)
    if isinstance(step, HostStep) and step.node.op.type in READ_ONLY:
        return _Effects(reads=cells, writes=[], outside=False)
    return _Effects(reads=[], writes=cells, outside=_is_seen_outside(step))


def _is_seen_outside(step: PlanStep) -> bool:
    match step:
        case Region():
            return False
        case HostStep():
            return _is_outside(step.node)
        case HostBranch():
            bodies: tuple[Body, ...] = step.bodies
        case HostLoop():
            bodies = step.cond, step.body
    return any(_is_seen_outside(s) for body in bodies for s in body.plan.steps)


def _is_outside(node: Node) -> bool:
    cells = any(v.aval.dtype.name == "resource" for v in node.inputs)
    return node.op.stateful and not cells


def _borders(step: PlanStep) -> tuple[list[int], list[int]]:
    """The slots that a step uses, and those that it fills."""
    match step:
        case Region():
            made = {o for s in step.steps for o in s.outputs}
            used = [n for slot, n in step.places if slot not in made]
            return used, [n for slot, n in step.places if slot in made]
        case HostStep():
            return list(step.inputs), list(step.outputs)
        case HostBranch():
            needed = [n for body in step.bodies for n in body.arguments]
            return [step.selector, *needed], list(step.outputs)
        case HostLoop():
            needed = [*step.cond.arguments, *step.body.arguments]
            return [*step.variables, *needed], list(step.outputs)
