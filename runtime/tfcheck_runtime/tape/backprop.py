"""Reverse mode: from gradients of outputs to gradients of inputs, over records of applied ops."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from tfcheck_runtime.op import Call, Op
from tfcheck_runtime.tape.slices import Gradient, dense, total
from tfcheck_runtime.values.tensor import Tensor

_CONTROL_FLOW: Final = frozenset(
    {"If", "StatelessIf", "While", "StatelessWhile", "Case", "StatelessCase"}
)

_PASSING_SLICES: Final = frozenset({"Identity", "ReadVariableOp"})
"""Types of ops whose gradient hands on what it gets, be it a tensor or slices."""

_UNKNOWN: Final = frozenset(
    {
        "Bitcast", "DenseBincount", "RandomGamma", "RandomPoissonV2", "SegmentProd",
        "StatelessRandomGammaV3", "StatelessShuffle", "TruncateMod", "Unique", "UniqueWithCounts",
    }
)  # fmt: skip
"""Types of ops that should have a gradient by their nature, and have none: an error, not None."""


@dataclass(frozen=True, slots=True)
class Record:
    """One applied op; inputs and outputs are tensors and handles of variables."""

    op: Op
    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]
    attrs: Mapping[str, Any]


def is_differentiable(value: Any) -> bool:
    """Whether a gradient can flow to a value: floats, complex numbers and variables."""
    dtype = value.dtype
    return bool(dtype.is_floating or dtype.is_complex or dtype.name == "resource")


class Gradients:
    """The gradients collected so far, by the value they belong to."""

    def __init__(self, seeds: Iterable[tuple[Any, Gradient]]) -> None:
        self._parts: dict[int, list[Gradient]] = {}
        for value, gradient in seeds:
            self.add(value, gradient)

    def add(self, value: Any, gradient: Gradient | None) -> None:
        """Add what flows to `value` along one path."""
        if gradient is not None:
            self._parts.setdefault(id(value), []).append(gradient)

    def of(self, value: Any) -> Gradient | None:
        """The sum over all paths, None when there is none; slices when all of them are."""
        parts = self._parts.get(id(value))
        if parts is None:
            return None
        if len(parts) > 1:
            self._parts[id(value)] = parts = [total(parts)]
        return parts[0]


def backpropagate(
    records: Sequence[Record],
    seeds: Iterable[tuple[Any, Gradient]],
    sources: Iterable[Any],
    *,
    entering: Callable[[Record], None] | None = None,
) -> Gradients:
    """The gradients of everything on the way from `sources` to the seeded values.

    Args:
        records: applied ops, oldest first.
        seeds: values with the gradients they start from.
        sources: values that gradients are wanted for; ops that do not depend on them are skipped.
        entering: told which record comes next.
    """
    gradients = Gradients(seeds)
    for record in reversed(depending(records, sources)):
        incoming = [gradients.of(output) for output in record.outputs]
        if all(g is None for g in incoming):
            continue
        if entering is not None:
            entering(record)
        if record.op.type not in _PASSING_SLICES:
            incoming = [dense(g) for g in incoming]
        for value, gradient in zip(record.inputs, _apply(record, incoming), strict=True):
            if is_differentiable(value):
                gradients.add(value, gradient)
    return gradients


def depending(records: Sequence[Record], sources: Iterable[Any]) -> list[Record]:
    """The records whose outputs depend differentiably on `sources`."""
    reached = {id(source) for source in sources}
    found: list[Record] = []
    for record in map(_with_kept, records):
        if reached.isdisjoint(map(id, record.inputs)):
            continue
        found.append(record)
        reached.update(id(output) for output in record.outputs if is_differentiable(output))
    return found


def _with_kept(record: Record) -> Record:
    """A branch or loop with what it keeps for its gradients, which may have come after the call.

    The inputs stay as they were given; a node sees its own stand-ins of them.
    """
    if record.op.type not in _CONTROL_FLOW or not record.outputs:
        return record
    node = record.outputs[0].node
    if len(node.outputs) == len(record.outputs):
        return record
    count = record.attrs.get("count", 0)
    added = node.inputs[count : node.attrs.get("count", 0)]
    inputs = (*record.inputs[:count], *added, *record.inputs[count:])
    return Record(record.op, inputs, node.outputs, node.attrs)


class ControlGradient(Protocol):
    """The gradient of a branch or loop, which needs graphs to be built."""

    def __call__(
        self, record: Record, incoming: Sequence[Tensor | None]
    ) -> Sequence[Tensor | None]:
        """The gradient of each input."""


class _Installed:
    """Set once, when the runtime is imported."""

    control: ControlGradient


def on_control_flow(gradient: ControlGradient) -> None:
    """Let `gradient` differentiate branches and loops."""
    _Installed.control = staticmethod(gradient)


def _apply(record: Record, incoming: Sequence[Any]) -> Sequence[Gradient | None]:
    op = record.op
    if op.type in _CONTROL_FLOW:
        return _Installed.control(record, incoming)
    if op.gradient is None:
        if op.type in _UNKNOWN:
            raise LookupError(f"gradient registry has no entry for: {op.type}")
        return [None] * len(record.inputs)
    call = Call(op, record.inputs, record.outputs, record.attrs)
    return op.gradient(call, *incoming)
