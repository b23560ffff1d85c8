"""NumPy kernels of Bessel functions of the orders 0 and 1, in float64.

Up to `_FAR` by recurrence or by the trapezoidal rule, which converges exponentially for these
integrals; beyond by the asymptotic series (Abramowitz and Stegun, chapter 9).
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from tfcheck_runtime.ops.math.special_kernels import Doubles

_FAR: Final = 30.0
_ORDERS: Final = 96
"""From this order on functions of arguments up to `_FAR` are 0 to rounding."""
_TERMS: Final = 24
_NODES: Final = (np.arange(96) + 0.5) * math.pi / 96
_STEPS: Final = np.arange(0, 27 * 16 + 1) / 16


def _coefficients(order: int) -> list[float]:
    """Of the asymptotic series in 1 / (8 x)."""
    mu, found = 4.0 * order * order, [1.0]
    for k in range(1, _TERMS):
        found.append(found[-1] * (mu - (2 * k - 1) ** 2) / k)
    return found


def _series(order: int, x: Doubles, sign: float) -> Doubles:
    """The sum of a growing or decaying asymptotic series, cut off where its terms are least."""
    total, inverse = np.zeros_like(x), sign / (8 * x)
    power, last = np.ones_like(x), np.full_like(x, np.inf)
    for coefficient in _coefficients(order):
        term = coefficient * power
        grows = np.abs(term) > last
        last = np.where(grows, 0, np.abs(term))
        total = total + np.where(grows, 0, term)
        power = power * inverse
    return total


def _scaled_i(order: int, x: Doubles) -> Doubles:
    """I(x) e**-|x|."""
    size = np.abs(x)
    near = np.minimum(size, _FAR)[..., None]
    inner = np.exp(near * (np.cos(_NODES) - 1)) * np.cos(order * _NODES)
    far = np.maximum(size, _FAR)
    outer = _series(order, far, -1.0) / np.sqrt(2 * math.pi * far)
    found = np.where(size <= _FAR, inner.mean(-1), outer)
    return np.where(np.isinf(x), 0.0, found * np.where(x < 0, -1.0, 1.0) ** order)


def _scaled_k(order: int, x: Doubles) -> Doubles:
    """K(x) e**x, infinite where x is not positive."""
    positive = x > 0
    near = np.where(positive, np.minimum(x, _FAR), 1.0)[..., None]
    grown = np.exp(-near * (np.cosh(_STEPS) - 1)) * np.cosh(order * _STEPS)
    inner = (grown.sum(-1) - 0.5 * grown[..., 0]) / 16
    far = np.maximum(x, _FAR)
    outer = _series(order, far, 1.0) * np.sqrt(math.pi / (2 * far))
    found = np.where(x <= _FAR, inner, outer)
    return np.where(np.isnan(x), np.nan, np.where(positive, found, np.inf))


def i0e(x: Doubles) -> Doubles:
    """The modified function of order 0, times e**-|x|."""
    return _scaled_i(0, x)


def i1e(x: Doubles) -> Doubles:
    """The modified function of order 1, times e**-|x|."""
    return _scaled_i(1, x)


def i0(x: Doubles) -> Doubles:
    """The modified function of order 0."""
    return _scaled_i(0, x) * np.exp(np.abs(x))


def i1(x: Doubles) -> Doubles:
    """The modified function of order 1."""
    return _scaled_i(1, x) * np.exp(np.abs(x))


def k0e(x: Doubles) -> Doubles:
    """The modified function of the second kind of order 0, times e**x."""
    return _scaled_k(0, x)


def k1e(x: Doubles) -> Doubles:
    """The modified function of the second kind of order 1, times e**x."""
    return _scaled_k(1, x)


def k0(x: Doubles) -> Doubles:
    """The modified function of the second kind of order 0."""
    return _scaled_k(0, x) * np.exp(-x)


def k1(x: Doubles) -> Doubles:
    """The modified function of the second kind of order 1."""
    return _scaled_k(1, x) * np.exp(-x)


def _orders(x: Doubles) -> list[Doubles]:
    """J of all orders at 0 < x <= `_FAR`, by recurrence from above (Miller)."""
    found = [np.zeros_like(x), np.full_like(x, 1e-300)]
    for order in range(_ORDERS, 0, -1):
        below = 2 * order / x * found[-1] - found[-2]
        large = np.abs(below) > 1e200
        scale = np.where(large, 1e-200, 1.0)
        found = [f * scale for f in found]
        found.append(below * scale)
    ordered = found[::-1]
    whole = ordered[0] + 2 * np.sum(ordered[2::2], axis=0)
    return [f / whole for f in ordered]


def _waves(order: int, x: Doubles) -> tuple[Doubles, Doubles]:
    """J and Y far out, by Hankel's asymptotic expansions."""
    even, odd = np.zeros_like(x), np.zeros_like(x)
    power = np.ones_like(x)
    for k, coefficient in enumerate(_coefficients(order)):
        sign = (-1.0) ** (k // 2)
        if k % 2:
            odd = odd + sign * coefficient * power
        else:
            even = even + sign * coefficient * power
        power = power / (8 * x)
    phase = x - (order / 2 + 0.25) * math.pi
    scale = np.sqrt(2 / (math.pi * x))
    first = scale * (even * np.cos(phase) - odd * np.sin(phase))
    return first, scale * (even * np.sin(phase) + odd * np.cos(phase))


def _first_kind(order: int, x: Doubles) -> Doubles:
    size = np.abs(x)
    small = np.clip(size, 1e-8, _FAR)
    near = _orders(small)[order]
    if order == 0:
        near = np.where(size < 1e-8, 1.0, near)
    else:
        near = np.where(size < 1e-8, size / 2, near)
    far = _waves(order, np.clip(size, _FAR, 1e300))[0]
    found = np.where(size <= _FAR, near, far) * np.where(x < 0, -1.0, 1.0) ** order
    return np.where(np.isfinite(x), found, np.nan)


def _second_kind(order: int, x: Doubles) -> Doubles:
    positive = x > 0
    small = np.where(positive, np.clip(x, 1e-300, _FAR), 1.0)
    all_orders = _orders(np.maximum(small, 1e-8))
    logarithm = np.log(small / 2) + np.euler_gamma
    pairs = range(1, (_ORDERS - 2) // 2)
    if order == 0:
        rest = sum((-1) ** k * all_orders[2 * k] / k for k in pairs)
        near = 2 / math.pi * logarithm * all_orders[0] - 4 / math.pi * rest
    else:
        rest = sum(
            (-1) ** k * (2 * k + 1) / (k * (k + 1)) * all_orders[2 * k + 1] for k in pairs
        )  # fmt: skip
        first = (logarithm - 1) * all_orders[1] - all_orders[0] / small
        near = 2 / math.pi * (first - rest)
    far = _waves(order, np.clip(x, _FAR, 1e300))[1]
    found = np.where(x <= _FAR, near, np.where(np.isinf(x), np.nan, far))
    edge = np.where(np.isnan(x) | ((x == 0) & (order == 1)), np.nan, -np.inf)
    return np.where(positive, found, edge)


def j0(x: Doubles) -> Doubles:
    """The function of order 0."""
    return _first_kind(0, x)


def j1(x: Doubles) -> Doubles:
    """The function of order 1."""
    return _first_kind(1, x)


def y0(x: Doubles) -> Doubles:
    """The function of the second kind of order 0."""
    return _second_kind(0, x)


def y1(x: Doubles) -> Doubles:
    """The function of the second kind of order 1."""
    return _second_kind(1, x)
