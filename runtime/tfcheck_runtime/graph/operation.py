"""A node in TensorFlow's words: what `tensor.op` and `graph.get_operations()` give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from tfcheck_runtime.events import Site
from tfcheck_runtime.graph.ir import Graph, Node, Value
from tfcheck_runtime.op import Op
from tfcheck_runtime.specs.dtypes import DType


@dataclass(frozen=True, slots=True)
class TypeAttribute:
    """An attribute that is a data type; `type` is its enum value."""

    type: int


@dataclass(frozen=True, slots=True)
class NodeDef:
    """A node in TensorFlow's words: inputs by name, attributes by name."""

    name: str
    op: str
    input: list[str]
    attr: dict[str, Any]


class _NoOp(Op):
    """Nothing: what waits for it waits for its control inputs."""

    type = "NoOp"
    stateful = True


_no_op: Final = _NoOp()


def no_op(name: str, site: Site) -> Node:
    """A node that does nothing."""
    return Node(_no_op, (), {}, name=name, site=site)


class Operation:
    """A node in TensorFlow's words."""

    def __init__(self, node: Node) -> None:
        self.node = node

    @property
    def name(self) -> str:
        """The name in its graph."""
        return self.node.name

    @property
    def type(self) -> str:
        """The op type."""
        return self.node.op.type

    @property
    def graph(self) -> Graph:
        """The graph it belongs to.

        Raises:
            AttributeError: the node has no outputs, which are what knows the graph.
        """
        if not self.node.outputs:
            raise AttributeError(f"operation {self.name!r} has no outputs to tell its graph by")
        return self.node.outputs[0].graph

    @property
    def inputs(self) -> tuple[Value, ...]:
        """The tensors it takes."""
        return self.node.inputs

    @property
    def outputs(self) -> list[Value]:
        """The tensors it makes."""
        return list(self.node.outputs)

    @property
    def node_def(self) -> NodeDef:
        """The serialisable form."""
        return node_def(self.node)

    def get_attr(self, name: str) -> Any:
        """The attribute `name`.

        Raises:
            ValueError: there is none.
        """
        if name not in self.node.attrs:
            raise ValueError(
                f"Operation {self.name!r} has no attr named {name!r}; it has"
                f" {sorted(self.node.attrs)}"
            )
        return self.node.attrs[name]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Operation) and self.node is other.node

    def __hash__(self) -> int:
        return id(self.node)

    def __repr__(self) -> str:
        return f"<tf.Operation {self.name!r} type={self.type}>"


def node_def(node: Node) -> NodeDef:
    """A node in TensorFlow's words."""
    attrs = {name: _attribute(value) for name, value in node.attrs.items()}
    return NodeDef(node.name, node.op.type, [_input_name(v) for v in node.inputs], attrs)


def _input_name(value: Value) -> str:
    return value.node.name if value.index == 0 else value.value_name


def _attribute(value: Any) -> Any:
    return TypeAttribute(value.as_datatype_enum) if isinstance(value, DType) else value
