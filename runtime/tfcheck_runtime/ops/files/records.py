"""Records with checksums, one after the other: the framing of event and TFRecord files.

Each is: its length as uint64, the masked CRC-32C of that, the data, the masked CRC-32C of it.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from math import isqrt
from typing import IO, Final

import numpy as np

from tfcheck_runtime.errors import DataLossError

_POLYNOMIAL: Final = 0x82F63B78
_MASK: Final = 0xA282EAD8
_CRC: Final = 4
_HEAD: Final = 8 + _CRC
"""Bytes of a record before its data."""


def _table() -> tuple[int, ...]:
    entries = []
    for byte in range(256):
        value = byte
        for _ in range(8):
            value = value >> 1 ^ (_POLYNOMIAL if value & 1 else 0)
        entries.append(value)
    return tuple(entries)


_TABLE: Final = _table()
_NUMPY_TABLE: Final = np.array(_TABLE, np.uint32)


_LANES_FROM: Final = 4096
"""Bytes from which it pays to work on many places at once."""


def crc32c(data: bytes) -> int:
    """The CRC with Castagnoli's polynomial (RFC 3720, appendix B.4)."""
    value = 0xFFFFFFFF
    if len(data) >= _LANES_FROM:
        value, data = _of_lanes(data, value)
    for byte in data:
        value = _TABLE[(value ^ byte) & 0xFF] ^ value >> 8
    return value ^ 0xFFFFFFFF


def _of_lanes(data: bytes, value: int) -> tuple[int, bytes]:
    """The register after most of `data`, and what is left.

    The data is cut into lanes that are run side by side. A CRC is linear, so the lane before moves
    on by a lane's length of zeros, and the two add up: 32 more lanes find what zeros do to each
    bit.
    """
    count = isqrt(len(data))
    length = len(data) // count
    lanes = np.zeros((length, count + 32), np.uint32)
    lanes[:, :count] = np.frombuffer(data, np.uint8, count * length).reshape(count, length).T
    registers = np.zeros(count + 32, np.uint32)
    registers[0] = value
    registers[count:] = np.uint32(1) << np.arange(32, dtype=np.uint32)
    for column in lanes:
        registers = _NUMPY_TABLE[(registers ^ column) & 0xFF] ^ registers >> np.uint32(8)
    moved = registers[count:].tolist()
    total = 0
    for register in registers[:count].tolist():
        after = register
        for bit in range(32):
            if total >> bit & 1:
                after ^= moved[bit]
        total = after
    return total, data[count * length :]


def masked_crc(data: bytes) -> int:
    """The CRC turned, so that data may hold CRCs itself."""
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + _MASK) & 0xFFFFFFFF


def records_in(file: IO[bytes]) -> Iterator[bytes]:
    """The records of a file from its start on.

    Raises:
        DataLossError: a record is cut short, or differs from its checksum.
    """
    start = 0
    # As in TensorFlow, a piece too short for the head of a record is the end.
    while len(head := file.read(_HEAD)) == _HEAD:
        length = struct.unpack("<Q", head[:8])[0]
        rest = file.read(length + _CRC)
        if len(rest) < length + _CRC:
            raise DataLossError(None, None, f"truncated record at {start}")
        data = rest[:length]
        for part, stored in ((head[:8], head[8:]), (data, rest[length:])):
            if struct.pack("<I", masked_crc(part)) != stored:
                raise DataLossError(None, None, f"corrupted record at {start}")
        yield data
        start += _HEAD + len(rest)


def framed(data: bytes) -> bytes:
    """One record as it stands in a file."""
    length = struct.pack("<Q", len(data))
    return b"".join(
        (length, struct.pack("<I", masked_crc(length)), data, struct.pack("<I", masked_crc(data)))
    )
