"""Builds, once per function, the graph that also keeps intermediates and the graph of gradients."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from tfcheck_runtime import dispatch
from tfcheck_runtime.function.graph import FunctionGraph
from tfcheck_runtime.function.rewrite import CopiedBody, Copier, inlined
from tfcheck_runtime.graph.ir import Value
from tfcheck_runtime.site import user_site
from tfcheck_runtime.specs import nest
from tfcheck_runtime.tape.backprop import Record, backpropagate, is_differentiable
from tfcheck_runtime.tape.slices import Gradient, dense
from tfcheck_runtime.trace.interpreter import add_input, capture, placeholder_op
from tfcheck_runtime.values.convert import const_op
from tfcheck_runtime.values.indexed_slices import IndexedSlices
from tfcheck_runtime.values.tensor import FuncGraph, Tensor

_COPIERS: Final = ("copiers",)
"""Key under which a graph remembers who made its nodes when calls were inlined."""


@dataclass(frozen=True, slots=True)
class Backward:
    """A graph of gradients: its inputs are the gradients of outputs, then what it needs.

    `needs` are indices into the inputs and outputs of the forward call, in a row; `gives` are the
    forward inputs whose gradients come out, those in `slices` as that many parts of slices.
    """

    graph: FunctionGraph
    needs: tuple[int, ...]
    gives: tuple[int, ...]
    slices: Mapping[int, int]

    def repack(self, outputs: Iterable[Tensor]) -> Iterator[tuple[int, Gradient]]:
        """The gradient of each input that has one, from the outputs of the graph."""
        rest = iter(outputs)
        for i in self.gives:
            first = next(rest)
            parts = [first, *islice(rest, self.slices.get(i, 1) - 1)]
            yield i, IndexedSlices(*parts) if i in self.slices else first


class _BackwardGraph(FunctionGraph):
    """The gradients of `forward`; captures its values.

    A closure that a custom gradient kept may hold values of a function that was inlined: the copier
    of the node at hand knows what stands for them.
    """

    def __init__(self, forward: FuncGraph, copiers: Mapping[int, Copier]) -> None:
        super().__init__(f"{forward.name}_backward", forward)
        self._copiers = copiers
        self._copier: Copier | None = None
        self._sources = {id(v) for v in forward.parameters if is_differentiable(v)}

    def enter(self, record: Record) -> None:
        """The gradient of this op comes next."""
        self._copier = self._copiers.get(id(record.outputs[0]))

    def _stands_for(self, value: Value) -> Value:
        return value if self._copier is None else self._copier.get(value)

    def check_in_scope(self, value: Value) -> None:
        """Check that `value`, or what stands for it, can be reached from here."""
        super().check_in_scope(self._stands_for(value))

    def known_capture(self, external: object) -> Value | None:
        """The stand-in of something captured before; constants are made again."""
        if not isinstance(external, Value):
            return super().known_capture(external)
        value = self._stands_for(external)
        known = super().known_capture(value)
        if known is not None:
            return known
        if value is not external:
            return capture(self, value)
        # A captured tensor is a constant, and yet a second derivative may be asked for.
        content = None if id(value) in self._sources else _constant(value)
        if content is None:
            return None
        attrs = {"value": content, "dtype": value.aval.dtype}
        return self.add(const_op, (), attrs, name="Const", site=user_site()).outputs[0]


def _constant(value: Value) -> Any:
    if value.node.op.type == "Const":
        return value.node.attrs["value"]
    # Shapes and axes that follow from constants keep the gradients' own shapes static.
    return value.aval.constant() if value.aval.dtype.is_integer else None


def forward(graph: FunctionGraph, *, wanted: tuple[int, ...], keep_state: bool) -> FunctionGraph:
    """`graph` with more outputs: the intermediates that the gradients of `wanted` need.

    With `keep_state` the results of stateful ops too, for derivatives of higher order.
    """
    key = ("forward", wanted, keep_state)
    return graph.derive(key, lambda: _forward(graph, wanted, keep_state))


def _forward(graph: FunctionGraph, wanted: tuple[int, ...], keep_state: bool) -> FunctionGraph:
    whole, copiers = inlined(graph)
    seeded = [v for v in whole.outputs if is_differentiable(v)]
    gradients, _, _ = _gradient_graph(whole, seeded, wanted, copiers=copiers)
    known = {id(v) for v in (*whole.parameters, *whole.outputs)}
    kept = [c.external for c in gradients.captures]
    if keep_state:
        kept.extend(v for n in whole.nodes if n.op.stateful for v in n.outputs)
    extra: dict[int, Value] = {id(v): v for v in kept if id(v) not in known}
    made = whole.copy_of(whole.nodes, [*whole.outputs, *extra.values()])
    made.derived[_COPIERS] = copiers
    return made


def backward(
    graph: FunctionGraph, *, seeded: tuple[int, ...], wanted: tuple[int, ...] | None
) -> Backward:
    """The gradients of the inputs `wanted` of `graph`, from those of the outputs `seeded`."""
    key = ("backward", seeded, wanted)
    return graph.derive(key, lambda: _backward(graph, seeded, wanted))


def _backward(
    graph: FunctionGraph, seeded: tuple[int, ...], wanted: tuple[int, ...] | None
) -> Backward:
    whole, copiers = graph, graph.derived.get(_COPIERS)
    if copiers is None:
        whole, copiers = inlined(graph)
    if wanted is None:
        wanted = tuple(i for i, v in enumerate(whole.parameters) if is_differentiable(v))
    outputs = [whole.outputs[i] for i in seeded]
    gradients, gives, slices = _gradient_graph(whole, outputs, wanted, copiers=copiers)
    available = [*whole.parameters, *whole.outputs]
    closed, needs = _closed(gradients, available)
    positions = {id(v): i for i, v in reversed(list(enumerate(available)))}
    return Backward(closed, tuple(positions[id(v)] for v in needs), gives, slices)


@dataclass(frozen=True, slots=True)
class BodyGradient:
    """The gradients of the parameters `gives` of a body.

    The graph's inputs are the gradients it starts from, then the values `needs` of the body:
    parameters and results of stateful ops.
    """

    graph: FunctionGraph
    needs: tuple[Value, ...]
    gives: tuple[Value, ...]


def body_gradient(body: FuncGraph, seeded: Sequence[Value]) -> BodyGradient:
    """The gradients of a branch or loop body, from those of its values `seeded`."""
    copiers = body.copiers if isinstance(body, CopiedBody) else {}
    parameters = body.parameters
    wanted = tuple(i for i, v in enumerate(parameters) if is_differentiable(v))
    gradients, gives, _ = _gradient_graph(body, seeded, wanted, copiers=copiers, whole=True)
    stateful = [v for n in body.nodes if n.op.stateful for v in n.outputs]
    closed, needs = _closed(gradients, [*parameters, *stateful])
    return BodyGradient(closed, needs, tuple(parameters[i] for i in gives))


def _gradient_graph(
    graph: FuncGraph,
    seeded: Sequence[Value],
    wanted: tuple[int, ...],
    *,
    copiers: Mapping[int, Copier],
    whole: bool = False,
) -> tuple[_BackwardGraph, tuple[int, ...], dict[int, int]]:
    """The graph, the parameters whose gradients it gives, and the number of parts of slices.

    Args:
        graph: what is differentiated.
        seeded: the values whose gradients are known.
        wanted: numbers of the parameters whose gradients are wanted.
        copiers: who made the nodes.
        whole: give tensors only.
    """
    made = _BackwardGraph(graph, copiers)
    parameters = graph.parameters
    sources = [parameters[i] for i in wanted]
    records = [Record(n.op, n.inputs, n.outputs, n.attrs) for n in graph.nodes]
    with dispatch.building(made):
        seeds = [(v, _seed(made, v)) for v in seeded]
        found = backpropagate(records, seeds, sources, entering=made.enter)
        results = {i: found.of(parameters[i]) for i in wanted}
        if whole:
            results = {i: dense(g) for i, g in results.items()}
        parts = nest.flatten([results[i] for i in wanted], expand_composites=True)
        made.outputs = [capture(made, g) for g in parts if g is not None]
    gives = tuple(i for i in wanted if results[i] is not None)
    slices = {
        i: len(g.__tf_components__()) for i, g in results.items() if isinstance(g, IndexedSlices)
    }
    return made, gives, slices


def _seed(graph: FunctionGraph, output: Value) -> Any:
    return add_input(graph, output.aval.dtype, output.aval.shape, "gradient")


def _closed(
    gradients: FunctionGraph, available: Sequence[Value]
) -> tuple[FunctionGraph, tuple[Value, ...]]:
    """`gradients` with parameters for what is available, the rest computed again from that."""
    made = FunctionGraph(gradients.name, None)
    closing = _Closing(made, {id(v) for v in available})
    for value in gradients.inputs:
        closing.add_parameter(value)
    forward = {id(v.graph) for v in available}
    for captured in gradients.captures:
        external = captured.external
        if isinstance(external, Value) and id(external.graph) in forward:
            closing.need(external)
            closing.copier.set(captured.internal, closing.copier.get(external))
        else:
            closing.add_capture(external, captured.internal)
    closing.copier.copy_all(gradients.nodes)
    made.outputs = [closing.copier.get(v) for v in gradients.outputs]
    return made, tuple(closing.needs)


class _Closing:
    """Gives a graph of gradients what it captures, as parameters or computed again."""

    def __init__(self, graph: FunctionGraph, available: Collection[int]) -> None:
        self._graph = graph
        self._available = available
        self.copier = Copier(graph)
        self.needs: list[Value] = []

    def need(self, value: Value) -> None:
        """Make a value of the forward graph known here."""
        if self.copier.knows(value):
            return
        if id(value) in self._available:
            self.needs.append(value)
            self.add_parameter(value)
            return
        for v in value.node.inputs:
            self.need(v)
        self.copier.copy(value.node)

    def add_parameter(self, value: Value) -> None:
        """A parameter that stands for `value`."""
        self._graph.inputs.append(self._placeholder(value))

    def add_capture(self, external: Any, internal: Value) -> None:
        """Something from outside the forward graph stays captured."""
        self._graph.note_capture(external, self._placeholder(internal))

    def _placeholder(self, value: Value) -> Value:
        aval, name = value.aval, value.node.name
        made = self._graph.placeholder(
            placeholder_op, aval.dtype, aval.shape, name=name, site=user_site()
        )
        self.copier.set(value, made)
        return made
