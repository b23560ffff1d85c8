"""float32 logarithm, sine and cosine that round as the C library does.

NumPy's own differ from it in the last bit now and then, and seeded normal draws would show that.
Each computes in float64 with the polynomials of the GNU C library, so that one rounding is left.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]


def _hex(*texts: str) -> Doubles:
    return np.array([float.fromhex(t) for t in texts])


# For each sixteenth of the mantissa's range a centre c: 1/c, and log(c).
_INVERSES: Final = _hex(
    "0x1.661ec79f8f3bep+0", "0x1.571ed4aaf883dp+0", "0x1.49539f0f010bp+0", "0x1.3c995b0b80385p+0",
    "0x1.30d190c8864a5p+0", "0x1.25e227b0b8eap+0", "0x1.1bb4a4a1a343fp+0", "0x1.12358f08ae5bap+0",
    "0x1.0953f419900a7p+0", "0x1p+0", "0x1.e608cfd9a47acp-1", "0x1.ca4b31f026aap-1",
    "0x1.b2036576afce6p-1", "0x1.9c2d163a1aa2dp-1", "0x1.886e6037841edp-1", "0x1.767dcf5534862p-1",
)  # fmt: skip
_LOGARITHMS: Final = _hex(
    "-0x1.57bf7808caadep-2", "-0x1.2bef0a7c06ddbp-2", "-0x1.01eae7f513a67p-2",
    "-0x1.b31d8a68224e9p-3", "-0x1.6574f0ac07758p-3", "-0x1.1aa2bc79c81p-3",
    "-0x1.a4e76ce8c0e5ep-4", "-0x1.1973c5a611cccp-4", "-0x1.252f438e10c1ep-5", "0x0p+0",
    "0x1.aa5aa5df25984p-5", "0x1.c5e53aa362eb4p-4", "0x1.526e57720db08p-3", "0x1.bc2860d22477p-3",
    "0x1.1058bc8a07ee1p-2", "0x1.4043057b6ee09p-2",
)  # fmt: skip
_LN2: Final = float.fromhex("0x1.62e42fefa39efp-1")
_LOG_POLYNOMIAL: Final = _hex(
    "-0x1.00ea348b88334p-2", "0x1.5575b0be00b6ap-2", "-0x1.ffffef20a4123p-2"
)
_LOG_OFFSET: Final = 0x3F330000


def log(x: Floats) -> Floats:
    """The natural logarithm of positive normal numbers."""
    bits = x.view(np.int32)
    shifted = bits - np.int32(_LOG_OFFSET)
    index = (shifted >> 19) & 15
    exponent = shifted >> 23
    mantissa = (bits - (exponent << 23)).view(np.float32).astype(np.float64)
    r = mantissa * _INVERSES[index] - 1.0
    base = _LOGARITHMS[index] + exponent * _LN2
    square = r * r
    cubic, quadratic, linear = _LOG_POLYNOMIAL
    tail = cubic * square + (quadratic * r + linear)
    total: Doubles = tail * square + (base + r)
    return total.astype(np.float32)


_QUADRANTS_PER_RADIAN: Final = float.fromhex("0x1.45F306DC9C883p+23")  # 2/pi, times 2**24
_HALF_PI: Final = float.fromhex("0x1.921FB54442D18p0")
_COSINE: Final = _hex(
    "0x1p0", "-0x1.ffffffd0c621cp-2", "0x1.55553e1068f19p-5", "-0x1.6c087e89a359dp-10",
    "0x1.99343027bf8c3p-16",
)  # fmt: skip
_SINE: Final = _hex("-0x1.555545995a603p-3", "0x1.1107605230bc4p-7", "-0x1.994eb3774cf24p-13")
_SMALLEST: Final = 2.0**-12


def sincos(x: Floats) -> tuple[Floats, Floats]:
    """Sine and cosine of numbers in [0, 120)."""
    wide = x.astype(np.float64)
    quadrant = ((wide * _QUADRANTS_PER_RADIAN).astype(np.int64) + 0x800000) >> 24
    # Up to pi/4 nothing is reduced; there the quadrant is 0.
    rest = wide - quadrant * _HALF_PI
    sine, cosine = _sine(rest), _cosine(rest)
    odd = (quadrant & 1).astype(bool)
    sine_sign = np.where(quadrant & 2, -1.0, 1.0)
    cosine_sign = np.where((quadrant + 1) & 2, -1.0, 1.0)
    tiny = np.abs(wide) < _SMALLEST
    first = np.where(tiny, wide, np.where(odd, cosine, sine) * sine_sign)
    second = np.where(tiny, 1.0, np.where(odd, sine, cosine) * cosine_sign)
    return first.astype(np.float32), second.astype(np.float32)


def _sine(x: Doubles) -> Doubles:
    square = x * x
    cube = x * square
    high = _SINE[1] + square * _SINE[2]
    sine: Doubles = (x + cube * _SINE[0]) + cube * square * high
    return sine


def _cosine(x: Doubles) -> Doubles:
    square = x * x
    fourth = square * square
    high = _COSINE[3] + square * _COSINE[4]
    low = _COSINE[0] + square * _COSINE[1]
    cosine: Doubles = (low + fourth * _COSINE[2]) + fourth * square * high
    return cosine
