"""Graphs as JSON.

A value is `[node, output]` by the node's position in its graph, with a third number in bodies of
branches and loops: how many graphs further out the node stands. Functions that graphs call are
entered once in a table; bodies stand where they are used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfcheck_runtime import dispatch
from tfcheck_runtime.data.functions import ElementFunction
from tfcheck_runtime.function.graph import FunctionGraph
from tfcheck_runtime.function.key import TracingContext, from_value
from tfcheck_runtime.graph.ir import Graph, Node, Value, is_graph
from tfcheck_runtime.ops.control.tensor_list import ElementShape
from tfcheck_runtime.ops.random.seeds import Stream
from tfcheck_runtime.saved_model.encoding import Encoder, Json, UnsavableError
from tfcheck_runtime.saved_model.python_functions import token_of
from tfcheck_runtime.tape.custom_gradient import identity_n_op
from tfcheck_runtime.trace.interpreter import capture
from tfcheck_runtime.values.parameters import add_input


class GraphEncoder:
    """Encodes graphs; functions that they call are collected in `functions`.

    Args:
        encoder: of attributes.
        external: how to write what a graph captures, other than values of graphs around it.
    """

    def __init__(self, encoder: Encoder, external: Callable[[object], Json]) -> None:
        self.functions: dict[str, Json] = {}
        self._encoder = encoder
        self._external = external
        self._names: dict[int, str] = {}
        self._kept: list[Graph] = []
        """What has a name here must live, so that its id stays its own."""
        self._open: list[dict[int, int]] = []
        """The positions of nodes by id, per graph that is being encoded, outermost first."""
        self._shared: dict[int, int] = {}

    def function(self, graph: FunctionGraph) -> str:
        """The name of a function in the table."""
        if id(graph) not in self._names:
            name = graph.name
            while name in self._names.values():
                name += "_"
            self._names[id(graph)] = name
            self._kept.append(graph)
            self.functions[name] = self.graph(graph)
        return self._names[id(graph)]

    def graph(self, graph: Graph) -> Json:
        """A graph.

        Raises:
            NotImplementedError: an attribute of a node has no saved form.
        """
        self._open.append({id(node): i for i, node in enumerate(graph.nodes)})
        try:
            return {
                "name": graph.name,
                "nodes": [self._node(node, graph) for node in graph.nodes],
                "inputs": [self._value(v) for v in graph.inputs],
                "outputs": [self._value(v) for v in graph.outputs],
                "captures": [
                    [self._captured(c.external), self._value(c.internal)] for c in graph.captures
                ],
            }
        finally:
            self._open.pop()

    def _node(self, node: Node, graph: Graph) -> Json:
        return {
            "op": node.op.type,
            "name": node.name,
            "inputs": [self._value(v) for v in node.inputs],
            "attrs": {
                name: self._attribute(node, name, value, graph)
                for name, value in node.attrs.items()
            },
            "shapes": [self._encoder.value(v.aval.shape) for v in node.outputs],
            "site": [node.site.file, node.site.line, node.site.function],
        }

    def _attribute(self, node: Node, name: str, value: Any, graph: Graph) -> Json:
        if node.op is identity_n_op and name == "grad":
            return {"gradient": self._gradient(node, graph)}
        if isinstance(value, tuple) and value and all(map(is_graph, value)):
            return {"tuple": [self._attribute(node, name, part, graph) for part in value]}
        if isinstance(value, Stream):
            seeds = [node.attrs.get("seed", 0), node.attrs.get("seed2", 0)]
            return {"stream": [self._number(value), *seeds, value.is_instantiated]}
        try:
            return self._special(value) or self._encoder.value(value)
        except UnsavableError as error:
            site = node.site
            raise NotImplementedError(
                f"saved_model.save: `{name}` of {node.op.type} `{node.name}` ({site.file}:"
                f"{site.line}) has no saved form in the embedded runtime: {error}"
            ) from None

    def _special(self, value: Any) -> Json | None:
        """What only attributes can be; None for other values."""
        if isinstance(value, FunctionGraph):
            return {"function": self.function(value)}
        if is_graph(value):
            return {"graph": self.graph(value)}
        if isinstance(value, ElementShape):
            return {"element": [self._number(value), self._encoder.value(value.shape), value.seen]}
        if isinstance(value, ElementFunction):
            spec = self._encoder.type(from_value(value.spec, TracingContext()))
            return {"rows": [self.function(value.graph), spec, value.label]}
        owner = getattr(value, "__self__", None)
        if isinstance(owner, ElementFunction):
            return {"bind": self._special(owner)}
        return {"python": token_of(value)} if callable(value) else None

    def _number(self, shared: object) -> int:
        """Which of the objects that several nodes share this is."""
        return self._shared.setdefault(id(shared), len(self._shared))

    def _gradient(self, node: Node, graph: Graph) -> Json:
        """The gradient of a `tf.custom_gradient`, traced: from results and their gradients."""
        count: int = node.attrs["count"]
        made = FunctionGraph(f"{node.name}_gradient", graph)
        with dispatch.building(made):
            results, grads = (
                [add_input(made, v.aval.dtype, v.aval.shape, name) for v in node.outputs[:count]]
                for name in ("result", "grad")
            )
            found = node.attrs["grad"](results, grads)
            made.outputs = [capture(made, g) for g in found if g is not None]
        made.closed = True
        return {"graph": self.graph(made), "given": [g is not None for g in found]}

    def _value(self, value: Value) -> Json:
        for level, positions in enumerate(reversed(self._open)):
            if id(value.node) in positions:
                place = [positions[id(value.node)], value.index]
                return [*place, level] if level else place
        raise UnsavableError(f"a tensor of a graph that is not saved: {value!r}")

    def _captured(self, external: object) -> Json:
        if isinstance(external, Value):
            return {"value": self._value(external)}
        return self._external(external)
