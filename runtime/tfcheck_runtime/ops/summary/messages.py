"""TensorBoard's messages, written field by field in protocol buffers' wire format.

Field numbers are those of `event.proto`, `summary.proto` and `tensor.proto` of TensorFlow.
"""

from __future__ import annotations

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
