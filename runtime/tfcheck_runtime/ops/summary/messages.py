"""TensorBoard's messages, written field by field in protocol buffers' wire format.

Field numbers are those of `event.proto`, `summary.proto` and `tensor.proto` of TensorFlow.
"""

from __future__ import annotations

import struct
from typing import Final

import numpy as np

from tfcheck_runtime.op import Array

_TYPES: Final = {"float32": 1, "float64": 2, "int32": 3, "string": 7, "int64": 9, "bool": 10}


def _varint(number: int) -> bytes:
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes((*out, number))


def _bytes(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _integer(field: int, number: int) -> bytes:
    return _varint(field << 3) + _varint(number)


def _double(field: int, number: float) -> bytes:
    return _varint(field << 3 | 1) + struct.pack("<d", number)


def tensor(array: Array) -> bytes:
    """A `TensorProto`."""
    shape = b"".join(_bytes(2, _integer(1, size)) for size in array.shape)
    name = "string" if array.dtype.kind == "O" else array.dtype.name
    head = _integer(1, _TYPES[name]) + _bytes(2, shape)
    if name == "string":
        return head + b"".join(_bytes(8, element) for element in array.reshape(-1).tolist())
    return head + _bytes(4, np.ascontiguousarray(array).tobytes())


def value(tag: str, content: Array, plugin: str, *, data_class: int, description: str) -> bytes:
    """A `Summary` of one `Summary.Value`; `data_class` is 1 scalar, 2 tensor, 3 blobs."""
    metadata = _bytes(1, _bytes(1, plugin.encode()))
    if description:
        metadata += _bytes(3, description.encode())
    metadata += _integer(4, data_class)
    found = _bytes(1, tag.encode()) + _bytes(8, tensor(content)) + _bytes(9, metadata)
    return _bytes(1, found)


def event(wall_time: float, step: int, summary: bytes) -> bytes:
    """An `Event` with a summary."""
    return _double(1, wall_time) + _integer(2, step) + _bytes(5, summary)


def first_event(wall_time: float) -> bytes:
    """The `Event` that every file starts with."""
    return _double(1, wall_time) + _bytes(3, b"brain.Event:2")
