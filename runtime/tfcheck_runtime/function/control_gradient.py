"""Gradients of branches and loops, as branches and loops over the gradients of their bodies.

What a body computed is computed again from its inputs. What cannot be computed again is kept by
the forward pass: the results of stateful ops, and the loop variables of every step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tfcheck_runtime.function.call import call_graph
from tfcheck_runtime.function.differentiate import BodyGradient, body_gradient
from tfcheck_runtime.function.keeping import (
    History,
    histories,
    invariant_read,
    keep_in_branch,
    keep_in_loop,
    own_variables,
)
from tfcheck_runtime.graph.ir import Node, Value
from tfcheck_runtime.ops.array.filling import zeros_like
from tfcheck_runtime.ops.control import bodies, looping
from tfcheck_runtime.ops.control.bodies import Body
from tfcheck_runtime.specs.shapes import Shape
from tfcheck_runtime.tape.backprop import Record, is_differentiable
from tfcheck_runtime.values.tensor import FuncGraph, Tensor, apply, apply_n
from tfcheck_runtime.values.variable import read_variable_op

Gradients = list[Tensor | None]


def gradient_of_control_flow(record: Record, incoming: Sequence[Tensor | None]) -> Gradients:
    """The gradient of each input of an `If`, `Case` or `While`."""
    if "body" in record.attrs:
        return _LoopGradient(record, incoming).build()
    return _branches(record, incoming)


@dataclass(frozen=True, slots=True)
class _Slot:
    """One input of a branch or body from outside."""

    owner: int
    external: Any
    parameter: Value

    def zeros(self) -> Tensor:
        """Zeros in the shape of the tensor, or of the content of the variable."""
        if self.parameter.aval.dtype.name != "resource":
            return zeros_like(self.external)
        read = _read_of(self.parameter)
        if read is None:
            raise NotImplementedError(
                f"the gradient of a variable that is read by no body ({self.parameter!r}) is not"
                " supported: read the variable outside the branch or loop"
            )
        return zeros_like(apply(read_variable_op, self.external, **read.attrs))


def _read_of(handle: Value) -> Node | None:
    """A node that reads the variable behind `handle`, in its graph or nested in it."""
    for node in handle.graph.nodes:
        if node.op is read_variable_op and node.inputs[0] is handle:
            return node
        # What the bodies capture are the last inputs of the node around them.
        captured = [c.internal for g in node.subgraphs for c in g.captures]
        given = node.inputs[len(node.inputs) - len(captured) :]
        inside = (v for v, outer in zip(captured, given, strict=True) if outer is handle)
        read = next(filter(None, map(_read_of, inside)), None)
        if read is not None:
            return read
    return None


def _branches(record: Record, incoming: Sequence[Tensor | None]) -> Gradients:
    graphs = _branch_graphs(record)
    seeded = tuple(i for i, g in enumerate(incoming) if g is not None)
    seeds = [incoming[i] for i in seeded]
    parts = [body_gradient(g, [g.outputs[i] for i in seeded]) for g in graphs]
    rest = iter(record.inputs[1:])
    slots = [_Slot(i, next(rest), p) for i, g in enumerate(graphs) for p in g.parameters]
    given = {id(v) for part in parts for v in part.gives}
    wanted = [i for i, slot in enumerate(slots) if id(slot.parameter) in given]
    known = [_known_in_branch(record, slots, number=i, part=part) for i, part in enumerate(parts)]

    def branch(number: int) -> list[Tensor]:
        found = _call(parts[number], seeds, known[number])
        chosen = [slots[i] for i in wanted]
        return [found[id(s.parameter)] if s.owner == number else s.zeros() for s in chosen]

    traced = [_trace(branch, i, f"{g.name}_gradient") for i, g in enumerate(graphs)]
    results: Gradients = [None] * len(record.inputs)
    for i, gradient in zip(wanted, _emit(record, traced), strict=True):
        results[1 + i] = gradient
    return results


def _branch_graphs(record: Record) -> Sequence[FuncGraph]:
    several: Sequence[FuncGraph] | None = record.attrs.get("branches")
    return several or (record.attrs["then_branch"], record.attrs["else_branch"])


def _known_in_branch(
    record: Record, slots: Sequence[_Slot], *, number: int, part: BodyGradient
) -> dict[int, Any]:
    known = {id(s.parameter): s.external for s in slots if s.owner == number}
    kept = [v for v in part.needs if id(v) not in known]
    node = record.outputs[0].node
    return known | keep_in_branch(node, _branch_graphs(record), number=number, values=kept)


def _call(part: BodyGradient, seeds: Sequence[Any], known: Mapping[int, Any]) -> dict[int, Tensor]:
    """The gradients of a body's parameters, by the parameters' ids."""
    externals = [c.external for c in part.graph.captures]
    found = call_graph(part.graph, [*seeds, *(known[id(v)] for v in part.needs), *externals])
    return {id(v): gradient for v, gradient in zip(part.gives, found, strict=True)}


def _trace(branch: Any, number: int, name: str) -> Body:
    return bodies.trace_body(lambda: branch(number), name, number)


def _emit(record: Record, traced: Sequence[Body]) -> tuple[Tensor, ...]:
    graphs = tuple(b.graph for b in traced)
    attrs: dict[str, Any] = {"branches": graphs}
    if "branches" not in record.attrs:
        attrs = {"then_branch": graphs[0], "else_branch": graphs[1]}
    externals = [e for body in traced for e in body.externals]
    return apply_n(record.op, record.inputs[0], *externals, **attrs)


class _LoopGradient:
    """The gradient of one loop: a loop over its steps from the last to the first.

    Its variables: the number of steps left, the gradients of the loop variables, and the sums of
    the gradients of what the body takes from outside.
    """

    def __init__(self, record: Record, incoming: Sequence[Tensor | None]) -> None:
        self._record = record
        self._node: Node = record.outputs[0].node
        self._body: FuncGraph = record.attrs["body"]
        self._incoming = incoming
        count = own_variables(self._node)
        outputs = self._body.outputs
        self._floats = [j for j in range(count) if is_differentiable(outputs[j])]
        # A second derivative comes in at what the first one kept.
        self._kept = [
            h
            for h in histories(self._node)
            if h.data < len(incoming) and incoming[h.data] is not None
        ]
        seeded = [*(outputs[j] for j in self._floats), *(h.value for h in self._kept)]
        self._part = body_gradient(self._body, seeded)
        first = len(record.inputs) - len(self._body.captures)
        self._slots = [
            _Slot(first + i, record.inputs[first + i], capture.internal)
            for i, capture in enumerate(self._body.captures)
        ]
        given = {id(v) for v in self._part.gives}
        self._summed = [s for s in self._slots if id(s.parameter) in given]
        # What the body takes from outside is the same in every step, the rest is kept.
        self._fixed: dict[int, Any] = {id(s.parameter): s.external for s in self._slots}

    def build(self) -> Gradients:
        """The gradient of each input of the loop."""
        steps, lists = self._histories()
        start = (steps, self._flowing_in(), [s.zeros() for s in self._summed])
        variables = [self._body.inputs[j].aval.shape for j in self._floats]
        shapes: list[Shape] = [(), *variables, *(t.static_shape for t in start[2])]

        def step(state: Any) -> Any:
            index = state[0] - 1
            seeds = [*state[1], *self._kept_at(index)]
            kept = {key: history.at(self._node, index) for key, history in lists.items()}
            found = _call(self._part, seeds, self._fixed | kept)
            return index, *self._next(state, found, shapes)

        loop = looping.Loop(start, shapes, lambda s: s[0] > 0, step, name="while_gradient")
        _, flowing, sums = looping.build(loop)
        results: Gradients = [None] * len(self._record.inputs)
        for j, gradient in zip(self._floats, flowing, strict=True):
            results[j] = gradient
        for slot, gradient in zip(self._summed, sums, strict=True):
            results[slot.owner] = gradient
        return results

    def _histories(self) -> tuple[Value, dict[int, History]]:
        """The number of steps, and what was kept of each step."""
        varying: list[Value] = []
        for value in self._part.needs:
            if id(value) in self._fixed:
                continue
            read = invariant_read(self._node, value)
            if read is None:
                varying.append(value)
            else:
                self._fixed[id(value)] = read
        return keep_in_loop(self._node, varying)

    def _kept_at(self, index: Tensor) -> list[Tensor]:
        return [h.at(self._node, index, self._incoming[h.data]) for h in self._kept]

    def _flowing_in(self) -> list[Tensor]:
        pairs = [(self._incoming[j], self._record.outputs[j]) for j in self._floats]
        return [zeros_like(output) if g is None else g for g, output in pairs]

    def _next(
        self, state: Any, found: Mapping[int, Tensor], shapes: Sequence[Shape]
    ) -> tuple[list[Tensor], list[Tensor]]:
        inputs = self._body.inputs
        flowing = [
            found[id(inputs[j])] if id(inputs[j]) in found else zeros_like(gradient)
            for j, gradient in zip(self._floats, state[1], strict=True)
        ]
        sums = [
            total + found[id(s.parameter)] for s, total in zip(self._summed, state[2], strict=True)
        ]
        for tensor, shape in zip((*flowing, *sums), shapes[1:], strict=True):
            tensor.set_shape(shape)
        return flowing, sums
