"""Records with checksums, one after the other: the framing of event and TFRecord files.

Each is: its length as uint64, the masked CRC-32C of that, the data, the masked CRC-32C of it.
"""

from __future__ import annotations

import struct
from typing import Final

_POLYNOMIAL: Final = 0x82F63B78
_MASK: Final = 0xA282EAD8


def _table() -> tuple[int, ...]:
    entries = []
    for byte in range(256):
        value = byte
        for _ in range(8):
            value = value >> 1 ^ (_POLYNOMIAL if value & 1 else 0)
        entries.append(value)
    return tuple(entries)


_TABLE: Final = _table()


def crc32c(data: bytes) -> int:
    """The CRC with Castagnoli's polynomial (RFC 3720, appendix B.4)."""
    value = 0xFFFFFFFF
    for byte in data:
        value = _TABLE[(value ^ byte) & 0xFF] ^ value >> 8
    return value ^ 0xFFFFFFFF


def masked_crc(data: bytes) -> int:
    """The CRC turned, so that data may hold CRCs itself."""
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + _MASK) & 0xFFFFFFFF


def framed(data: bytes) -> bytes:
    """One record as it stands in a file."""
    length = struct.pack("<Q", len(data))
    return b"".join(
        (length, struct.pack("<I", masked_crc(length)), data, struct.pack("<I", masked_crc(data)))
    )
