"""Copies nodes from graph to graph: inlining calls, computing again what was not kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from tfcheck_runtime.function.graph import FunctionGraph
from tfcheck_runtime.graph.ir import Graph, Node, Value
from tfcheck_runtime.values.tensor import FuncGraph

CALLS: Final = frozenset({"PartitionedCall", "StatefulPartitionedCall"})


class Copier:
    """Copies nodes into `target`; remembers which value stands for which.

    The body of a call is copied by a copier of its own, as a function may be called twice.
    """

    def __init__(self, target: Graph, around: Copier | None = None) -> None:
        self._target = target
        self._around = around
        self._copies: dict[int, Value] = {}
        self.copiers: dict[int, Copier] = {} if around is None else around.copiers
        """Who made a node, by the id of its first output."""

    def set(self, original: Value, copy: Value) -> None:
        """Let `copy` stand for `original`."""
        self._copies[id(original)] = copy

    def get(self, original: Value) -> Value:
        """What stands for `original`; itself if nothing was set."""
        found = self._copies.get(id(original))
        if found is not None:
            return found
        return original if self._around is None else self._around.get(original)

    def knows(self, original: Value) -> bool:
        """Whether something stands for `original`."""
        return id(original) in self._copies

    def copy(self, node: Node) -> None:
        """Append a copy of `node` on the copies of its inputs; a parameter has its copy already."""
        if node.outputs and self.knows(node.outputs[0]):
            return
        target = self._target
        inputs = tuple(self.get(v) for v in node.inputs)
        attrs = node.attrs
        if node.subgraphs:
            attrs = {name: self._attribute(value) for name, value in attrs.items()}
        made = Node(node.op, inputs, attrs, name=target.unique_name(node.name), site=node.site)
        made.outputs = tuple(target.value_type(target, made, v.index, v.aval) for v in node.outputs)
        target.nodes.append(made)
        for original, output in zip(node.outputs, made.outputs, strict=True):
            self.set(original, output)
        if made.outputs:
            self.copiers[id(made.outputs[0])] = self

    def copy_all(self, nodes: Iterable[Node]) -> None:
        """Copy all but parameters, the bodies of calls in place of the calls."""
        for node in nodes:
            if node.op.type in CALLS:
                self._inline(node)
            else:
                self.copy(node)

    def _attribute(self, value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(self._attribute, value))
        return self._body(value) if isinstance(value, FuncGraph) else value

    def _body(self, graph: FuncGraph) -> FuncGraph:
        inside = Copier(made := CopiedBody(graph.name, self._target), around=self)
        made.copiers = inside.copiers
        _fill(made, graph, inside)
        return made

    def _inline(self, node: Node) -> None:
        function: Graph = node.attrs["function"]
        inside = Copier(self._target, around=self)
        for parameter, value in zip(function.parameters, node.inputs, strict=True):
            inside.set(parameter, self.get(value))
        inside.copy_all(function.nodes)
        for output, inner in zip(node.outputs, function.outputs, strict=True):
            self.set(output, inside.get(inner))


class CopiedBody(FuncGraph):
    """A copy of the body of a branch or loop."""

    copiers: Mapping[int, Copier]
    """Who made its nodes, by the ids of their first outputs."""


def inlined(graph: FunctionGraph) -> tuple[FunctionGraph, Mapping[int, Copier]]:
    """`graph` without calls, and who made its nodes, by the ids of their first outputs.

    Bodies of branches and loops are copied too: their gradients let them keep more.
    """
    if not any(node.op.type in CALLS or node.subgraphs for node in graph.nodes):
        return graph, {}
    made = FunctionGraph(graph.name, graph.outer)
    made.label = graph.label
    copier = Copier(made)
    _fill(made, graph, copier)
    return made, copier.copiers


def _fill(made: Graph, graph: Graph, copier: Copier) -> None:
    for parameter in graph.parameters:
        copier.copy(parameter.node)
    made.inputs = [copier.get(v) for v in graph.inputs]
    for capture in graph.captures:
        external = capture.external
        if isinstance(external, Value):
            external = copier.get(external)
        made.note_capture(external, copier.get(capture.internal))
    copier.copy_all(graph.nodes)
    made.outputs = [copier.get(v) for v in graph.outputs]
