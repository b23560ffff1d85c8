"""Graphs in program order: values, nodes, captures of what lives outside.

The order of `nodes` is the order of effects: it stands for TensorFlow's automatic control
dependencies.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from tfcheck_runtime.errors import InaccessibleTensorError
from tfcheck_runtime.events import Site
from tfcheck_runtime.op import Array, Aval, Op, folds
from tfcheck_runtime.specs.dtypes import DType
from tfcheck_runtime.specs.shapes import Shape


class Value:
    """An output of a node."""

    __slots__ = ("__weakref__", "aval", "graph", "index", "node")

    def __init__(self, graph: Graph, node: Node, index: int, aval: Aval) -> None:
        self.graph = graph
        self.node = node
        self.index = index
        self.aval = aval

    @property
    def value_name(self) -> str:
        """`node:index`, as TensorFlow names tensors."""
        return f"{self.node.name}:{self.index}"


class Node:
    """One op applied to values; `attrs` of control flow hold the graphs of their bodies."""

    __slots__ = ("attrs", "inputs", "name", "op", "outputs", "site", "waits")

    def __init__(
        self, op: Op, inputs: tuple[Value, ...], attrs: Mapping[str, Any], *, name: str, site: Site
    ) -> None:
        self.op = op
        self.inputs = inputs
        self.attrs = attrs
        self.name = name
        self.site = site
        self.outputs: tuple[Value, ...] = ()
        self.waits = False
        """Whether it was made to wait for what stands before it, by `tf.control_dependencies`."""

    @property
    def subgraphs(self) -> tuple[Graph, ...]:
        """The graphs among the attributes."""
        found: list[Graph] = []
        for attr in self.attrs.values():
            found.extend(g for g in (attr if isinstance(attr, tuple) else (attr,)) if is_graph(g))
        return tuple(found)

    def fold(self, index: int) -> Array | None:
        """The content of output `index` if it follows from constants and is small."""
        avals = [v.aval for v in self.inputs]
        if not folds(self.op, avals, [v.aval for v in self.outputs]):
            return None
        arrays = [a.constant() for a in avals]
        if any(a is None for a in arrays):
            return None
        results = self.op.eager(*arrays, **self.attrs)
        result: Array = results[index] if isinstance(results, tuple) else results
        return result


def is_graph(value: object) -> bool:
    """Whether an attribute is the body of a function, branch or loop."""
    return isinstance(value, Graph)


@dataclass(frozen=True, slots=True)
class Capture:
    """Something from outside (tensor, resource or value of an outer graph) and its stand-in."""

    external: Any  # whatever the layers above hold: eager tensors, resources, outer values
    internal: Value


class Graph:
    """The body of a function, branch or loop.

    `inputs` are the explicit parameters; what else is needed is captured. The full parameter list
    of the body is `inputs` followed by the internals of `captures`.
    """

    value_type: ClassVar[type[Value]] = Value

    def __init__(self, name: str, outer: Graph | None) -> None:
        self.name = name
        self.outer = outer
        self.nodes: list[Node] = []
        self.inputs: list[Value] = []
        self.outputs: list[Value] = []
        self.closed = False
        self.unnamed: set[int] = set()
        """Ids of nodes that take their name from the node that uses them."""
        self._captures: dict[int, Capture] = {}
        self._names: dict[str, int] = {}

    @property
    def captures(self) -> tuple[Capture, ...]:
        """What this graph uses from outside, in the order of first use."""
        return tuple(self._captures.values())

    @property
    def parameters(self) -> list[Value]:
        """Explicit inputs, then the stand-ins of captures."""
        return [*self.inputs, *(c.internal for c in self.captures)]

    def unique_name(self, name: str) -> str:
        """`name`, or `name_1`, `name_2`… if taken."""
        count = self._names.get(name.lower())
        self._names[name.lower()] = 0 if count is None else count + 1
        return name if count is None else self.unique_name(f"{name}_{count + 1}")

    def rename(self, node: Node, name: str) -> None:
        """Give `node` another name; the old one becomes free if it was the last of its kind."""
        key = node.name.lower()
        base, _, number = key.rpartition("_")
        if number.isdigit() and self._names.get(base) == int(number):
            self._names[base] -= 1
            self._names.pop(key, None)
        elif self._names.get(key) == 0:
            del self._names[key]
        node.name = self.unique_name(name)

    def add(
        self, op: Op, inputs: tuple[Value, ...], attrs: Mapping[str, Any], *, name: str, site: Site
    ) -> Node:
        """Append a node; its outputs follow from the op's shape rule.

        Raises:
            ValueError: the inputs do not fit the op.
        """
        inferred = op.infer(*(v.aval for v in inputs), **attrs)
        avals = inferred if isinstance(inferred, tuple) else (inferred,)
        node = Node(op, inputs, attrs, name=self.unique_name(name), site=site)
        node.outputs = tuple(self.value_type(self, node, i, a) for i, a in enumerate(avals))
        for i, aval in enumerate(avals):
            aval.set_fold(lambda i=i: node.fold(i))  # type: ignore[misc]
        self.nodes.append(node)
        return node

    def placeholder(self, op: Op, dtype: DType, shape: Shape, *, name: str, site: Site) -> Value:
        """Append a parameter node without making it an explicit input."""
        return self.add(op, (), {"dtype": dtype, "shape": shape}, name=name, site=site).outputs[0]

    def known_capture(self, external: object) -> Value | None:
        """The stand-in of something captured before."""
        capture = self._captures.get(id(external))
        return capture.internal if capture else None

    def note_capture(self, external: object, internal: Value) -> None:
        """Remember that `internal` stands for `external`."""
        self._captures[id(external)] = Capture(external, internal)

    def drop_capture(self, external: object) -> None:
        """Forget a capture that turned out not to be needed."""
        self._captures.pop(id(external), None)

    def is_inside(self, graph: Graph) -> bool:
        """Whether this graph is `graph` or nested in it."""
        current: Graph | None = self
        while current is not None:
            if current is graph:
                return True
            current = current.outer
        return False

    def check_in_scope(self, value: Value) -> None:
        """Check that `value` can be reached from here.

        Raises:
            InaccessibleTensorError: it was made in another function or branch.
        """
        if not value.graph.is_inside(self) or value.graph is self:
            # The tensor of another function is captured like one of a function around this one.
            # That it is out of reach shows when this one runs, as in TensorFlow.
            return
        site = value.node.site
        raise InaccessibleTensorError(
            f"{value!r} is out of scope and cannot be used here, in `{self.name}`: it was made in"
            f" `{value.graph.name}`. Use return values, explicit Python locals or TensorFlow"
            " collections to access it [tensor-leak]\nIt was made here:\n"
            f'    File "{site.file}", line {site.line}, in {site.function}'
        )
