"""Graphs from their JSON: every node is made again by the definition of its op."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tfcheck_runtime.data.functions import ElementFunction
from tfcheck_runtime.events import Site
from tfcheck_runtime.function.call import call_graph
from tfcheck_runtime.function.graph import FunctionGraph
from tfcheck_runtime.graph.ir import Graph, Value
from tfcheck_runtime.op import Op, defined
from tfcheck_runtime.ops.array.filling import zeros_like
from tfcheck_runtime.ops.control.tensor_list import ElementShape
from tfcheck_runtime.ops.random.seeds import Seeds, Stream, start_of
from tfcheck_runtime.saved_model.encoding import Decoder, Json, structure_of
from tfcheck_runtime.saved_model.python_functions import function_of
from tfcheck_runtime.values.tensor import FuncGraph, Tensor


class GraphDecoder:
    """Makes graphs again.

    Args:
        functions: the table of functions that graphs call.
        decoder: of attributes.
        external: what a graph captures, from its JSON.
    """

    def __init__(
        self, functions: Mapping[str, Json], decoder: Decoder, external: Callable[[Json], Any]
    ) -> None:
        self._functions = functions
        self._decoder = decoder
        self._external = external
        self._ops: Mapping[str, Op] = {op.type: op for op in defined()}
        self._made: dict[str, FunctionGraph] = {}
        self._open: list[Graph] = []
        self._elements: dict[int, ElementShape] = {}
        self._streams: dict[int, Stream] = {}

    def function(self, name: str) -> FunctionGraph:
        """A function of the table; the same one each time."""
        if name not in self._made:
            made = FunctionGraph(name, self._outer)
            self._fill(made, self._functions[name])
            self._made[name] = made
        return self._made[name]

    @property
    def _outer(self) -> Graph | None:
        return self._open[-1] if self._open else None

    def _fill(self, graph: Graph, data: Json) -> None:
        self._open.append(graph)
        try:
            for node in data["nodes"]:
                self._add(graph, node)
            graph.inputs = [self._value(v) for v in data["inputs"]]
            graph.outputs = [self._value(v) for v in data["outputs"]]
            for external, internal in data["captures"]:
                graph.note_capture(self._captured(external), self._value(internal))
        finally:
            self._open.pop()
        graph.closed = True

    def _add(self, graph: Graph, data: Json) -> None:
        if data["op"] not in self._ops:
            raise ValueError(f"there is no op {data['op']!r}")
        attrs = {name: self._attribute(value) for name, value in data["attrs"].items()}
        node = graph.add(
            self._ops[data["op"]],
            tuple(self._value(v) for v in data["inputs"]),
            attrs,
            name=data["name"],
            site=Site(*data["site"]),
        )
        node.name = data["name"]
        for output, shape in zip(node.outputs, data["shapes"], strict=True):
            output.aval.shape = self._decoder.value(shape)

    def _attribute(self, data: Json) -> Any:
        if not isinstance(data, dict):
            return self._decoder.value(data)
        ((key, content),) = data.items()
        if key == "tuple":
            return tuple(self._attribute(part) for part in content)
        if key in _ATTRIBUTES:
            return _ATTRIBUTES[key](self, content)
        return self._decoder.value(data)

    def body(self, data: Json) -> FuncGraph:
        """The body of a branch or loop."""
        made = FuncGraph(data["name"], self._outer)
        self._fill(made, data)
        return made

    def element(self, data: Json) -> ElementShape:
        """What the ops on one list know of the shape of its elements."""
        number, shape, seen = data
        if number not in self._elements:
            made = self._elements[number] = ElementShape(self._decoder.value(shape))
            made.seen = seen
        return self._elements[number]

    def stream(self, data: Json) -> Stream:
        """Where a random op takes its bits from: as at its start."""
        number, seed, seed2, instantiated = data
        if number not in self._streams:
            start = start_of(Seeds(seed, seed2))
            self._streams[number] = Stream(start, instantiated=instantiated)
        return self._streams[number]

    def rows(self, data: Json) -> ElementFunction:
        """A function over the elements of a dataset."""
        name, spec, label = data
        return ElementFunction(self.function(name), structure_of(self._decoder.type(spec)), label)

    def gradient(self, data: Json) -> Callable[..., list[Any]]:
        """The gradient of a `tf.custom_gradient`."""
        graph = FunctionGraph(data["graph"]["name"], self._outer)
        self._fill(graph, data["graph"])
        externals = [c.external for c in graph.captures]

        def gradient(results: Sequence[Tensor], grads: Sequence[Tensor | None]) -> list[Any]:
            whole = [zeros_like(r) if g is None else g for r, g in zip(results, grads, strict=True)]
            found = iter(call_graph(graph, [*results, *whole, *externals]))
            return [next(found) if given else None for given in data["given"]]

        return gradient

    def _value(self, place: Json) -> Value:
        node, index, *level = place
        graph = self._open[-1 - (level[0] if level else 0)]
        value: Value = graph.nodes[node].outputs[index]
        return value

    def _captured(self, data: Json) -> Any:
        return self._value(data["value"]) if "value" in data else self._external(data)


_ATTRIBUTES: Mapping[str, Callable[[GraphDecoder, Json], Any]] = {
    "function": GraphDecoder.function,
    "graph": GraphDecoder.body,
    "element": GraphDecoder.element,
    "stream": GraphDecoder.stream,
    "gradient": GraphDecoder.gradient,
    "rows": GraphDecoder.rows,
    "bind": lambda decoder, data: decoder.rows(data["rows"]).bind,
    "python": lambda _, token: function_of(token),
}
