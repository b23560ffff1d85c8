"""The graph of a traced function, seen as TensorFlow's `Graph` and `GraphDef`."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from tfcheck_runtime.function.control_inputs import acts, control_inputs
from tfcheck_runtime.function.control_nodes import as_tensorflow_has_it, shown_def
from tfcheck_runtime.function.signature import FunctionType
from tfcheck_runtime.graph.ir import Graph, Node, Value
from tfcheck_runtime.graph.operation import NodeDef, Operation, no_op
from tfcheck_runtime.values.resource import Resource
from tfcheck_runtime.values.tensor import FuncGraph
from tfcheck_runtime.values.variable import Variable

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Signature:
    """What a function of a library is called."""

    name: str


@dataclass(frozen=True, slots=True)
class FunctionDef:
    """A function that a graph calls, or the body of a branch or loop."""

    signature: Signature
    node_def: list[NodeDef]


@dataclass(frozen=True, slots=True)
class FunctionLibrary:
    """The functions that the nodes of a graph refer to, at any depth."""

    function: list[FunctionDef]


@dataclass(frozen=True, slots=True)
class GraphDef:
    """The nodes of a graph in program order, and the functions they refer to."""

    node: list[NodeDef]
    library: FunctionLibrary


class FunctionGraph(FuncGraph):
    """The graph of a function.

    `label` numbers its Function and trace for events; `derived` keeps what was made from it, such
    as its executable and its gradients, as long as it lives.
    """

    def __init__(self, name: str = "graph", outer: Graph | None = None) -> None:
        super().__init__(name, outer)
        self.type: FunctionType | None = None
        """The types of its parameters, when it is that of a trace."""
        self.structured_outputs: Any = None
        """What the function returned, with the graph's output tensors as leaves."""
        self.label: tuple[int, int] | None = None
        self.derived: dict[tuple[Any, ...], Any] = {}

    def derive(self, key: tuple[Any, ...], make: Callable[[], Made]) -> Made:
        """What `make` returned the first time it was asked for under `key`."""
        if key not in self.derived:
            self.derived[key] = make()
        made: Made = self.derived[key]
        return made

    @property
    def structured_input_signature(self) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
        """Positional and keyword arguments, with specs for tensors."""
        return None if self.type is None else self.type.structured()

    def get_operations(self) -> list[Operation]:
        """All nodes in program order, and the `NoOp` that stands for their effects."""
        return [Operation(node) for node in (*self._shown(), *self._last_node())]

    def _shown(self) -> list[Node]:
        # TensorFlow reduces a dataset where a loop here makes an iterator and starts it.
        kept = (node for node in self.nodes if node.op.type != "MakeIterator")
        return [shown for node in kept for shown in as_tensorflow_has_it(node)]

    def _last_node(self) -> tuple[Node, ...]:
        """What the outputs wait for, where there are both outputs and effects."""
        if not self.outputs or not any(acts(node) for node in self.nodes):
            return ()
        return (no_op("NoOp", self.nodes[-1].site),)

    def get_operation_by_name(self, name: str) -> Operation:
        """The node called `name`.

        Raises:
            KeyError: there is none.
        """
        for node in self.nodes:
            if node.name == name:
                return Operation(node)
        raise KeyError(f"The name {name!r} refers to an Operation not in the graph `{self.name}`.")

    def get_tensor_by_name(self, name: str) -> Value:
        """The tensor called `name`, such as `add:0`.

        Raises:
            KeyError: there is none.
        """
        operation, _, index = name.rpartition(":")
        outputs = self.get_operation_by_name(operation).outputs if index.isdigit() else []
        if not index.isdigit() or int(index) >= len(outputs):
            raise KeyError(f"The name {name!r} refers to a Tensor which does not exist.")
        return outputs[int(index)]

    def as_graph_def(self) -> GraphDef:
        """The nodes with inputs by name."""
        controls, last = control_inputs(self), self._last_node()
        nodes = [_with_controls(shown_def(n), controls.get(id(n), [])) for n in self._shown()]
        if last:
            made = {v.node.name for v in self.outputs}
            nodes = [_with_controls(n, ["^NoOp"]) if n.name in made else n for n in nodes]
            acting = sorted(f"^{n.name}" for n in self.nodes if acts(n))
            nodes.append(NodeDef("NoOp", "NoOp", acting, {}))
        inner = {id(graph): graph for graph in _called_by(self)}
        functions = [
            FunctionDef(Signature(g.name), [shown_def(n) for n in g.nodes]) for g in inner.values()
        ]
        return GraphDef(nodes, FunctionLibrary(functions))

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The captured variables.

        Raises:
            AssertionError: one was deleted.
        """
        owned = [c for c in self.captures if _is_owned(c.external)]
        living = self.living_variables
        if len(living) < len(owned):
            raise AssertionError(
                "Called a function referencing variables which have been deleted. This likely means"
                " that function-local variables were created and not referenced elsewhere in the"
                " program. This is generally a mistake; consider storing variables in an object"
                " attribute on first call."
            )
        return living

    @property
    def living_variables(self) -> tuple[Variable, ...]:
        """The captured variables that still exist."""
        owners = (c.external.owner() for c in self.captures if _is_owned(c.external))
        return tuple(v for v in owners if v is not None)

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """The captured variables that are trainable."""
        return tuple(v for v in self.variables if v.trainable)

    @property
    def is_stateful(self) -> bool:
        """Whether running it has effects or reads state."""
        return any(_is_stateful(node) for node in self.nodes)

    def copy_of(self, nodes: Sequence[Node], outputs: Sequence[Value]) -> FunctionGraph:
        """A graph with the same parameters and other nodes or outputs; values are shared."""
        made = FunctionGraph(self.name, self)
        made.nodes, made.inputs, made.outputs = list(nodes), self.inputs, list(outputs)
        made._captures, made._names = self._captures, self._names
        made.label = self.label
        return made

    def __repr__(self) -> str:
        return f"FuncGraph(name={self.name}, id={id(self)})"


def _called_by(graph: Graph) -> Iterator[Graph]:
    for node in graph.nodes:
        for inner in node.subgraphs:
            yield inner
            yield from _called_by(inner)


def _with_controls(definition: NodeDef, names: list[str]) -> NodeDef:
    return dataclasses.replace(definition, input=[*definition.input, *names])


def _is_owned(external: object) -> bool:
    return isinstance(external, Resource) and external.owner is not None


def _is_stateful(node: Node) -> bool:
    if node.op.type == "Placeholder":
        return False
    if node.op.type == "PartitionedCall":
        return False
    return node.op.stateful or any(_holds_state(graph) for graph in node.subgraphs)


def _holds_state(graph: Graph) -> bool:
    return any(_is_stateful(node) for node in graph.nodes)
