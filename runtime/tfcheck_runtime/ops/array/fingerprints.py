"""64-bit fingerprints of bytes, as TensorFlow computes them: FarmHash, SipHash and MurmurHash.

Follows Google's FarmHash 1.1 (`farmhashna::Hash64`), SipHash-2-4 of Aumasson and Bernstein, and
the 64-bit MurmurHash2 of TensorFlow's hash tables. All arithmetic is modulo 2**64.
"""

from __future__ import annotations

from typing import Final

_MASK: Final = (1 << 64) - 1
_K0: Final = 0xC3A5C85C97CB3127
_K1: Final = 0xB492B66FBE98F273
_K2: Final = 0x9AE16A3B2F90404F
_MUL: Final = 0xC6A4A7935BD1E995


def farm(data: bytes) -> int:
    """The fingerprint of `data` by FarmHash."""
    size = len(data)
    if size <= 16:
        return _farm_16(data)
    if size <= 32:
        return _farm_32(data)
    return _farm_64(data) if size <= 64 else _farm_long(data)


def _farm_16(data: bytes) -> int:
    size = len(data)
    if size >= 8:
        mul = _K2 + size * 2
        a, b = _u64(data, 0) + _K2, _u64(data, size - 8)
        c = _rotated(b, 37) * mul + a
        d = (_rotated(a, 25) + b) * mul
        return _pair(c, d, mul)
    if size >= 4:
        mul = _K2 + size * 2
        return _pair(size + (_u32(data, 0) << 3), _u32(data, size - 4), mul)
    if size:
        y = data[0] + (data[size >> 1] << 8)
        z = size + (data[-1] << 2)
        return _mixed(y * _K2 ^ z * _K0) * _K2 & _MASK
    return _K2


def _farm_32(data: bytes) -> int:
    size = len(data)
    mul = _K2 + size * 2
    a, b = _u64(data, 0) * _K1, _u64(data, 8)
    c, d = _u64(data, size - 8) * mul, _u64(data, size - 16) * _K2
    return _pair(_rotated(a + b, 43) + _rotated(c, 30) + d, a + _rotated(b + _K2, 18) + c, mul)


def _farm_64(data: bytes) -> int:
    size = len(data)
    mul = _K2 + size * 2
    a, b = _u64(data, 0) * _K2, _u64(data, 8)
    c, d = _u64(data, size - 8) * mul, _u64(data, size - 16) * _K2
    y = (_rotated(a + b, 43) + _rotated(c, 30) + d) & _MASK
    z = _pair(y, a + _rotated(b + _K2, 18) + c, mul)
    e, f = _u64(data, 16) * mul, _u64(data, 24)
    g, h = (y + _u64(data, size - 32)) * mul, (z + _u64(data, size - 24)) * mul
    return _pair(_rotated(e + f, 43) + _rotated(g, 30) + h, e + _rotated(f + a, 18) + g, mul)


def _farm_long(data: bytes) -> int:
    x, y = 81, (81 * _K1 + 113) & _MASK
    z = _mixed(y * _K2 + 113) * _K2 & _MASK
    v, w = (0, 0), (0, 0)
    x = (x * _K2 + _u64(data, 0)) & _MASK
    end = (len(data) - 1) // 64 * 64
    for at in range(0, end, 64):
        x = _rotated(x + y + v[0] + _u64(data, at + 8), 37) * _K1 & _MASK
        y = _rotated(y + v[1] + _u64(data, at + 48), 42) * _K1 & _MASK
        x ^= w[1]
        y = (y + v[0] + _u64(data, at + 40)) & _MASK
        z = _rotated(z + w[0], 33) * _K1 & _MASK
        v = _weak(data, at, v[1] * _K1, x + w[0])
        w = _weak(data, at + 32, z + w[1], y + _u64(data, at + 16))
        z, x = x, z
    mul = (_K1 + ((z & 0xFF) << 1)) & _MASK
    # The last 64 bytes, some of which may have been seen.
    at = len(data) - 64
    w = ((w[0] + ((len(data) - 1) & 63)) & _MASK, w[1])
    v = ((v[0] + w[0]) & _MASK, v[1])
    w = ((w[0] + v[0]) & _MASK, w[1])
    x = _rotated(x + y + v[0] + _u64(data, at + 8), 37) * mul & _MASK
    y = _rotated(y + v[1] + _u64(data, at + 48), 42) * mul & _MASK
    x ^= w[1] * 9 & _MASK
    y = (y + v[0] * 9 + _u64(data, at + 40)) & _MASK
    z = _rotated(z + w[0], 33) * mul & _MASK
    v = _weak(data, at, v[1] * mul, x + w[0])
    w = _weak(data, at + 32, z + w[1], y + _u64(data, at + 16))
    z, x = x, z
    first = _pair(v[0], w[0], mul) + _mixed(y) * _K0 + z
    return _pair(first, _pair(v[1], w[1], mul) + x, mul)


def _weak(data: bytes, at: int, a: int, b: int) -> tuple[int, int]:
    """Two words from 32 bytes and two seeds."""
    w, x, y, z = (_u64(data, at + 8 * i) for i in range(4))
    a = (a + w) & _MASK
    b = _rotated(b + a + z, 21)
    c = a
    a = a + x + y
    b += _rotated(a, 44)
    return (a + z) & _MASK, (b + c) & _MASK


def _pair(u: int, v: int, mul: int) -> int:
    """One word from two (`HashLen16`)."""
    a = ((u ^ v) & _MASK) * mul & _MASK
    a ^= a >> 47
    b = ((v & _MASK) ^ a) * mul & _MASK
    b ^= b >> 47
    return b * mul & _MASK


def _mixed(value: int) -> int:
    value &= _MASK
    return value ^ (value >> 47)


def _rotated(value: int, bits: int) -> int:
    """`value` rotated to the right."""
    value &= _MASK
    return (value >> bits | value << (64 - bits)) & _MASK


def _u64(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 8], "little")


def _u32(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 4], "little")


def joined(first: int, second: int) -> int:
    """One fingerprint from two."""
    made = first ^ _MUL
    made ^= _mixed(second * _MUL) * _MUL & _MASK
    made = made * _MUL & _MASK
    return _mixed(_mixed(made) * _MUL)


def murmur(data: bytes) -> int:
    """The hash of `data` by MurmurHash, with TensorFlow's seed."""
    whole = len(data) // 8 * 8
    h = 0xDECAFCAFFE ^ (len(data) * _MUL & _MASK)
    for at in range(0, whole, 8):
        k = _u64(data, at) * _MUL & _MASK
        k = _mixed(k) * _MUL & _MASK
        h = (h ^ k) * _MUL & _MASK
    if whole < len(data):
        h = (h ^ _u64(data, whole)) * _MUL & _MASK
    return _mixed(_mixed(h) * _MUL)


def sip(data: bytes, key: tuple[int, int]) -> int:
    """The hash of `data` under a key of two words by SipHash-2-4."""
    k0, k1 = key
    state = [
        k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D,
        k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573,
    ]  # fmt: skip
    whole = len(data) // 8 * 8
    last = data[whole:] + bytes(7 - len(data) % 8) + bytes([len(data) & 0xFF])
    words = [_u64(data, at) for at in range(0, whole, 8)]
    for word in (*words, _u64(last, 0)):
        state[3] ^= word
        _sip_rounds(state, 2)
        state[0] ^= word
    state[2] ^= 0xFF
    _sip_rounds(state, 4)
    return state[0] ^ state[1] ^ state[2] ^ state[3]


def _sip_rounds(state: list[int], count: int) -> None:
    a, b, c, d = state
    for _ in range(count):
        a, c = (a + b) & _MASK, (c + d) & _MASK
        b, d = _rotated(b, 51) ^ a, _rotated(d, 48) ^ c
        a = _rotated(a, 32)
        c, a = (c + b) & _MASK, (a + d) & _MASK
        b, d = _rotated(b, 47) ^ c, _rotated(d, 43) ^ a
        c = _rotated(c, 32)
    state[:] = a, b, c, d
