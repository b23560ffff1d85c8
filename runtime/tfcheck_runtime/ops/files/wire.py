"""The wire format of protocol buffers: numbers, fields and packed lists.

https://protobuf.dev/programming-guides/encoding/
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

VARINT: Final = 0
FIXED64: Final = 1
BYTES: Final = 2
FIXED32: Final = 5

Int64s = npt.NDArray[np.int64]


class WireError(ValueError):
    """Bytes that are no message."""


def varint(number: int) -> bytes:
    """A number as 7 bits a byte, negative ones as 64-bit two's complement."""
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes((*out, number))


def bytes_field(field: int, content: bytes) -> bytes:
    """A field of bytes, a string or a message."""
    return varint(field << 3 | BYTES) + varint(len(content)) + content


def integer_field(field: int, number: int) -> bytes:
    """A field of an integer, a bool or an enum."""
    return varint(field << 3) + varint(number)


def double_field(field: int, number: float) -> bytes:
    """A field of a double."""
    return varint(field << 3 | FIXED64) + struct.pack("<d", number)


def fields(content: bytes) -> Iterator[tuple[int, int, bytes | int]]:
    """The fields of a message: number, wire type, and bytes, or an integer for a varint.

    Raises:
        WireError: the bytes are cut short, or no message.
    """
    position, end = 0, len(content)
    while position < end:
        key, position = _varint_at(content, position)
        field, kind = key >> 3, key & 7
        if kind == VARINT:
            number, position = _varint_at(content, position)
            yield field, kind, number
            continue
        if kind == BYTES:
            size, position = _varint_at(content, position)
        elif kind in (FIXED32, FIXED64):
            size = 4 if kind == FIXED32 else 8
        else:
            raise WireError(f"wire type {kind} of field {field} does not exist")
        if position + size > end or field == 0:
            raise WireError(f"field {field} of {size} bytes does not fit the {end} of the message")
        yield field, kind, content[position : position + size]
        position += size


def _varint_at(content: bytes, position: int) -> tuple[int, int]:
    number = shift = 0
    while position < len(content) and shift < 70:
        byte = content[position]
        position += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number & 0xFFFFFFFFFFFFFFFF, position
        shift += 7
    raise WireError(f"a number is cut short at byte {position}")


def as_signed(number: int) -> int:
    """The int64 that a varint stands for."""
    return number - (1 << 64) if number >> 63 else number


def packed_varints(content: bytes) -> Int64s:
    """The integers of a packed list.

    Raises:
        WireError: the last is cut short.
    """
    data = np.frombuffer(content, np.uint8)
    ends = np.flatnonzero(data < 0x80)
    if len(data) and (not len(ends) or ends[-1] != len(data) - 1):
        raise WireError("a packed list is cut short")
    starts = np.concatenate([[0], ends[:-1] + 1]) if len(ends) else ends
    places = np.arange(len(data)) - np.repeat(starts, ends - starts + 1)
    bits = (data & 0x7F).astype(np.uint64) << (7 * places).astype(np.uint64)
    numbers: Int64s = (
        np.add.reduceat(bits, starts).view(np.int64) if len(ends) else (np.zeros(0, np.int64))
    )
    return numbers


def messages(content: bytes, number: int) -> list[bytes]:
    """The contents of a field that holds messages or bytes.

    Raises:
        WireError: `content` is no message.
    """
    return [p for field, _, p in fields(content) if field == number and isinstance(p, bytes)]
