"""TensorBoard's messages, written field by field in protocol buffers' wire format.

Field numbers are those of `event.proto`, `summary.proto` and `tensor.proto` of TensorFlow.
"""

from __future__ import annotations

from collections.abc import Iterable

from tfcheck_runtime.graph.operation import NodeDef, TypeAttribute
from tfcheck_runtime.op import Array
from tfcheck_runtime.ops.files import wire
from tfcheck_runtime.ops.files.tensor_message import encoded
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import as_dtype


def value(tag: str, content: Array, plugin: str, *, data_class: int, description: str) -> bytes:
    """A `Summary` of one `Summary.Value`; `data_class` is 1 scalar, 2 tensor, 3 blobs."""
    metadata = wire.bytes_field(1, wire.bytes_field(1, plugin.encode()))
    if description:
        metadata += wire.bytes_field(3, description.encode())
    metadata += wire.integer_field(4, data_class)
    kind = dtypes.string if content.dtype == object else as_dtype(content.dtype)
    found = (
        wire.bytes_field(1, tag.encode())
        + wire.bytes_field(8, encoded(content, kind))
        + wire.bytes_field(9, metadata)
    )
    return wire.bytes_field(1, found)


def event(wall_time: float, step: int, summary: bytes) -> bytes:
    """An `Event` with a summary."""
    return (
        wire.double_field(1, wall_time) + wire.integer_field(2, step) + wire.bytes_field(5, summary)
    )


def first_event(wall_time: float) -> bytes:
    """The `Event` that every file starts with."""
    return wire.double_field(1, wall_time) + wire.bytes_field(3, b"brain.Event:2")


def graph_event(wall_time: float, graph: bytes) -> bytes:
    """An `Event` with a `GraphDef`."""
    return wire.double_field(1, wall_time) + wire.bytes_field(4, graph)


def graph_def(nodes: Iterable[NodeDef], functions: Iterable[tuple[str, list[NodeDef]]]) -> bytes:
    """A `GraphDef` of nodes, and of the functions they refer to by name."""
    library = b"".join(
        wire.bytes_field(
            1, wire.bytes_field(1, wire.bytes_field(1, name.encode())) + _nodes(3, inner)
        )
        for name, inner in functions
    )
    return _nodes(1, nodes) + (wire.bytes_field(2, library) if library else b"")


def run_metadata(graphs: Iterable[bytes]) -> bytes:
    """A `RunMetadata` of `GraphDef`s, one for each function that ran."""
    return b"".join(wire.bytes_field(4, wire.bytes_field(2, graph)) for graph in graphs)


def _nodes(field: int, nodes: Iterable[NodeDef]) -> bytes:
    return b"".join(wire.bytes_field(field, _node(node)) for node in nodes)


def _node(node: NodeDef) -> bytes:
    inputs = b"".join(wire.bytes_field(3, name.encode()) for name in node.input)
    attributes = b"".join(
        wire.bytes_field(5, wire.bytes_field(1, name.encode()) + wire.bytes_field(2, shown))
        for name, value in node.attr.items()
        if (shown := _attribute(value))
    )
    return (
        wire.bytes_field(1, node.name.encode())
        + wire.bytes_field(2, node.op.encode())
        + (inputs + attributes)
    )


def _attribute(value: object) -> bytes:
    """An `AttrValue`; empty for what TensorBoard has no use for."""
    match value:
        case bool():
            return wire.integer_field(5, value)
        case int():
            return wire.integer_field(3, value)
        case str():
            return wire.bytes_field(2, value.encode())
        case TypeAttribute():
            return wire.integer_field(6, value.type)
    return b""
