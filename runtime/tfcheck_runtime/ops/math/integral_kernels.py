"""NumPy kernels of functions that are integrals of elementary ones, in float64."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from tfcheck_runtime.ops.math.special_kernels import Doubles, digamma, lgamma

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(160)
_SMALLEST: Final = 1e-300
_STEPS: Final = 20000
_PRECISION: Final = 1e-16


def spence(x: Doubles) -> Doubles:
    """Minus the integral of log(t) / (t - 1) from 1 to x."""
    safe = np.where(x > 0, x, 1.0)
    inverted = safe > 1.5
    y = np.where(inverted, 1 / safe, safe)
    mirrored = y < 0.5
    rest = np.where(mirrored, y, 1 - y)
    series = np.zeros_like(rest)
    for k in range(1, 64):
        series = series + rest**k / (k * k)
    other = math.pi**2 / 6 - np.log(y) * np.log1p(-np.where(mirrored, y, 0.0)) - series
    found = np.where(mirrored, other, series)
    found = np.where(inverted, -0.5 * np.log(safe) ** 2 - found, found)
    edge = np.where(x == 0, math.pi**2 / 6, np.nan)
    return np.where((x > 0) & np.isfinite(x), found, edge)


def dawsn(x: Doubles) -> Doubles:
    """e**-x² times the integral of e**t² from 0 to x."""
    size = np.minimum(np.abs(x), 40.0)
    step = 0.2
    centre = 2 * np.floor(0.5 * size / step + 0.5)
    rest = size - centre * step
    total = np.zeros_like(size)
    for odd in range(-41, 42, 2):
        total = total + np.exp(-((rest - odd * step) ** 2)) / (odd + centre)
    near = total / math.sqrt(math.pi)
    square = size * size
    tiny = size * (1 - 2 / 3 * square * (1 - 2 / 5 * square * (1 - 2 / 7 * square)))
    far = 0.5 / np.maximum(np.abs(x), 1.0)
    inverse = far * far * 4
    far = far * (1 + inverse * (0.5 + inverse * (0.75 + inverse * 1.875)))
    found = np.where(size < 0.01, tiny, np.where(np.abs(x) > 39.0, far, near))
    return np.where(np.isnan(x), np.nan, np.copysign(found, x))


def expint(x: Doubles) -> Doubles:
    """The exponential integral Ei of positive numbers."""
    near, far = np.clip(x, _SMALLEST, 40.0), np.maximum(x, 40.0)
    term, total = np.ones_like(near), np.zeros_like(near)
    for k in range(1, 140):
        term = term * near / k
        total = total + term / k
    inner = np.euler_gamma + np.log(near) + total
    term, series = np.ones_like(far), np.ones_like(far)
    for k in range(1, 36):
        term = term * k / far
        series = series + term
    found = np.where(x <= 40.0, inner, np.exp(far) / far * series)
    return np.where(x > 0, found, np.where(x == 0, -np.inf, np.nan))


def _fresnel(x: Doubles, *, sine: bool) -> Doubles:
    size = np.abs(x)
    near = np.minimum(size, 6.0)[..., None]
    places = (1 + _NODES) / 2 * near
    wave: Doubles = (np.sin if sine else np.cos)(math.pi / 2 * places * places)
    inner: Doubles = (wave * _WEIGHTS).sum(-1) * near[..., 0] / 2
    far = np.clip(size, 6.0, 1e100)
    inverse = 1 / (math.pi * far * far) ** 2
    f = (1 - inverse * (3 - inverse * (105 - inverse * 10395))) / (math.pi * far)
    g = (1 - inverse * (15 - inverse * (945 - inverse * 135135))) / (math.pi**2 * far**3)
    phase = math.pi / 2 * np.fmod(far * far, 4.0)
    outer = f * np.cos(phase) + g * np.sin(phase)
    if not sine:
        outer = g * np.cos(phase) - f * np.sin(phase)
    outer = 0.5 - outer
    found = np.where(size <= 6.0, inner, np.where(size > 1e8, 0.5, outer))
    return np.where(np.isnan(x), np.nan, np.copysign(found, x))


def fresnel_sin(x: Doubles) -> Doubles:
    """The integral of sin(pi t² / 2) from 0 to x."""
    return _fresnel(x, sine=True)


def fresnel_cos(x: Doubles) -> Doubles:
    """The integral of cos(pi t² / 2) from 0 to x."""
    return _fresnel(x, sine=False)


def _gamma_scale(a: Doubles, x: Doubles) -> Doubles:
    scale: Doubles = np.exp(a * np.log(x) - x - lgamma(a))
    return scale


def _gamma_series(a: Doubles, x: Doubles) -> Doubles:
    """The lower part by its power series, quick for x < a + 1."""
    term, total, count = 1 / a, 1 / a, a.copy()
    for _ in range(_STEPS):
        count = count + 1
        term = term * x / count
        total = total + term
        if (np.abs(term) <= _PRECISION * np.abs(total)).all():
            break
    return total * _gamma_scale(a, x)


def _gamma_fraction(a: Doubles, x: Doubles) -> Doubles:
    """The upper part by its continued fraction (Lentz), quick for x > a + 1."""
    b = x + 1 - a
    c = np.full_like(x, 1 / _SMALLEST)
    d = 1 / b
    found = d.copy()
    for i in range(1, _STEPS):
        numerator = -i * (i - a)
        b = b + 2
        d = numerator * d + b
        d = 1 / np.where(np.abs(d) < _SMALLEST, _SMALLEST, d)
        c = b + numerator / c
        c = np.where(np.abs(c) < _SMALLEST, _SMALLEST, c)
        found = found * (d * c)
        if (np.abs(d * c - 1) <= _PRECISION * 10).all():
            break
    return found * _gamma_scale(a, x)


def _gamma_parts(a: Doubles, x: Doubles) -> tuple[Doubles, Doubles]:
    """The regularised lower and upper incomplete gamma functions."""
    a, x = np.broadcast_arrays(a, x)
    fine = (a > 0) & (x > 0) & np.isfinite(x) & np.isfinite(a)
    by_series = fine & (x < a + 1)
    lower = _gamma_series(np.where(by_series, a, 1.0), np.where(by_series, x, 0.5))
    by_fraction = fine & ~by_series
    upper = _gamma_fraction(np.where(by_fraction, a, 1.0), np.where(by_fraction, x, 3.0))
    lower = np.where(by_series, lower, 1 - upper)
    upper = np.where(by_series, 1 - lower, upper)
    return lower, upper


def _gamma_edges(a: Doubles, x: Doubles, found: Doubles, at_zero: float) -> Doubles:
    a, x = np.broadcast_arrays(a, x)
    found = np.where(x == 0, at_zero, np.where(np.isposinf(x), 1 - at_zero, found))
    nothing = (a == 0) & ((x != 0) | (at_zero == 1))
    bad = (a < 0) | (x < 0) | np.isnan(a) | np.isnan(x) | nothing
    return np.where(bad, np.nan, found)


def igamma(a: Doubles, x: Doubles) -> Doubles:
    """The regularised lower incomplete gamma function."""
    return _gamma_edges(a, x, _gamma_parts(a, x)[0], 0.0)


def igammac(a: Doubles, x: Doubles) -> Doubles:
    """The regularised upper incomplete gamma function."""
    return _gamma_edges(a, x, _gamma_parts(a, x)[1], 1.0)


def igamma_by_a(a: Doubles, x: Doubles) -> Doubles:
    """The derivative of `igamma` by its first argument."""
    a, x = np.broadcast_arrays(a, x)
    fine = (a > 0) & (x > 0) & np.isfinite(x)
    a, y = np.where(fine, a, 1.0), np.where(fine, x, 1.0)
    term = np.exp(a * np.log(y) - y - lgamma(a + 1))
    slope = np.log(y) - digamma(a + 1)
    total, count = term * slope, a.copy()
    for _ in range(_STEPS):
        count = count + 1
        term = term * y / count
        slope = slope - 1 / count
        total = total + term * slope
        if ((term * np.abs(slope) <= _PRECISION * np.abs(total)) & (count > y)).all():
            break
    return np.where(fine, total, np.where(np.isnan(x), np.nan, 0.0))


def _beta_fraction(a: Doubles, b: Doubles, x: Doubles) -> Doubles:
    """The continued fraction of the incomplete beta function (Lentz)."""
    c = np.ones_like(x)
    d = 1 - (a + b) * x / (a + 1)
    d = 1 / np.where(np.abs(d) < _SMALLEST, _SMALLEST, d)
    found = d.copy()
    for m in range(1, _STEPS):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 + numerator * d
            d = 1 / np.where(np.abs(d) < _SMALLEST, _SMALLEST, d)
            c = 1 + numerator / c
            c = np.where(np.abs(c) < _SMALLEST, _SMALLEST, c)
            found = found * (d * c)
        if (np.abs(d * c - 1) <= _PRECISION * 10).all():
            break
    return found


def betainc(a: Doubles, b: Doubles, x: Doubles) -> Doubles:
    """The regularised incomplete beta function."""
    a, b, x = np.broadcast_arrays(a, b, x)
    fine = (a > 0) & (b > 0) & (x > 0) & (x < 1)
    p, q, y = (np.where(fine, v, w) for v, w in ((a, 1.0), (b, 1.0), (x, 0.5)))
    turned = y > (p + 1) / (p + q + 2)
    p, q, y = np.where(turned, q, p), np.where(turned, p, q), np.where(turned, 1 - y, y)
    scale = np.exp(lgamma(p + q) - lgamma(p) - lgamma(q) + p * np.log(y) + q * np.log1p(-y))
    part = scale * _beta_fraction(p, q, y) / p
    found = np.where(turned, 1 - part, part)
    edge = np.where(x == 0, 0.0, np.where(x == 1, 1.0, np.nan))
    return np.where(fine, found, np.where((a > 0) & (b > 0), edge, np.nan))
