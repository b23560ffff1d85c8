"""NumPy kernels of special functions, in float64 whatever the input."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt

from tfcheck_runtime.op import Array

Doubles = npt.NDArray[np.float64]


def in_double(kernel: Callable[..., Doubles]) -> Callable[..., Array]:
    """A kernel on float64 as one on any float type."""

    def convert(*arrays: Array) -> Array:
        wide = [np.asarray(a, np.float64) for a in arrays]
        return np.asarray(kernel(*wide)).astype(arrays[-1].dtype)

    return convert


# W. J. Cody, "Rational Chebyshev approximations for the error function" (1969): near 0, up to 4,
# and beyond. Highest power first.
_NEAR: Final = (
    (1.85777706184603153e-1, 3.16112374387056560e0, 1.13864154151050156e2,
     3.77485237685302021e2, 3.20937758913846947e3),
    (1.0, 2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3,
     2.84423683343917062e3),
)  # fmt: skip
_MIDDLE: Final = (
    (2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594e0,
     6.61191906371416295e1, 2.98635138197400131e2, 8.81952221241769090e2,
     1.71204761263407058e3, 2.05107837782607147e3, 1.23033935479799725e3),
    (1.0, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2,
     1.62138957456669019e3, 3.29079923573345963e3, 4.36261909014324716e3,
     3.43936767414372164e3, 1.23033935480374942e3),
)  # fmt: skip
_FAR: Final = (
    (1.63153871373020978e-2, 3.05326634961232344e-1, 3.60344899949804439e-1,
     1.25781726111229246e-1, 1.60837851487422766e-2, 6.58749161529837803e-4),
    (1.0, 2.56852019228982242e0, 1.87295284992346725e0, 5.27905102951428412e-1,
     6.05183413124413191e-2, 2.33520497626869185e-3),
)  # fmt: skip
_NEAR_LIMIT: Final = 0.46875
_MIDDLE_LIMIT: Final = 4.0


def _ratio(coefficients: tuple[tuple[float, ...], tuple[float, ...]], x: Doubles) -> Doubles:
    numerator, denominator = coefficients
    ratio: Doubles = np.polyval(numerator, x) / np.polyval(denominator, x)
    return ratio


def _tail(x: Doubles) -> Doubles:
    """Erfc of numbers from 0.46875 on."""
    far = np.maximum(x, _MIDDLE_LIMIT)
    inverse = 1 / (far * far)
    beyond = (1 / math.sqrt(math.pi) - inverse * _ratio(_FAR, inverse)) / far
    scale = np.where(x <= _MIDDLE_LIMIT, _ratio(_MIDDLE, np.minimum(x, _MIDDLE_LIMIT)), beyond)
    # e**-x² in two factors, or the rounding of x² would show in large results.
    coarse = np.trunc(np.minimum(x, 30) * 16) / 16
    rest = (np.minimum(x, 30) - coarse) * (np.minimum(x, 30) + coarse)
    tail: Doubles = np.exp(-coarse * coarse) * np.exp(-rest) * scale
    return tail


def erf(x: Doubles) -> Doubles:
    """The error function."""
    size = np.abs(x)
    near = np.minimum(size, _NEAR_LIMIT)
    inner = x * _ratio(_NEAR, near * near)
    outer = np.sign(x) * (1 - _tail(np.maximum(size, _NEAR_LIMIT)))
    return np.where(size <= _NEAR_LIMIT, inner, outer)


def erfc(x: Doubles) -> Doubles:
    """1 - erf(x), exact for large x."""
    tail = _tail(np.maximum(np.abs(x), _NEAR_LIMIT))
    return np.where(np.abs(x) <= _NEAR_LIMIT, 1 - erf(x), np.where(x > 0, tail, 2 - tail))


def ndtri(p: Doubles) -> Doubles:
    """The quantile of the standard normal distribution, by Newton's method."""
    tail = np.minimum(p, 1 - p)
    # Abramowitz and Stegun 26.2.23, then steps that triple the number of right digits.
    t = np.sqrt(-2 * np.log(np.where(tail > 0, tail, 0.25)))
    numerator = 2.515517 + t * (0.802853 + t * 0.010328)
    x = numerator / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))) - t
    for _ in range(3):
        density = np.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)
        error = (0.5 * erfc(-x / math.sqrt(2)) - tail) / density
        x = x - error / (1 + 0.5 * x * error)
    x = np.where(tail > 0, x, -np.inf)
    return np.where((p < 0) | (p > 1) | np.isnan(p), np.nan, np.where(p > 0.5, -x, x))


def erfinv(x: Doubles) -> Doubles:
    """The inverse error function; in terms of the nearer tail, which keeps small x exact."""
    size = np.abs(x)
    small = size < 1e-4
    quantile = -ndtri((1 - size) / 2) / math.sqrt(2)
    series = size * math.sqrt(math.pi) / 2 * (1 + math.pi * size * size / 12)
    return np.copysign(np.where(small, series, quantile), x)


lgamma: Final = np.vectorize(
    lambda x: math.inf if math.isinf(x) or (x <= 0 and x == int(x)) else math.lgamma(x),
    otypes=[np.float64],
)

_BERNOULLI: Final = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)
_ASYMPTOTIC_FROM: Final = 10
_LEAST: Final = -500.0
"""Arguments of the zeta function below this one are taken for it."""


def digamma(x: Doubles) -> Doubles:
    """The logarithmic derivative of the gamma function."""
    pole = (x <= 0) & (x == np.floor(x))
    reflected = x <= 0
    positive = np.where(reflected, 1 - x, x)
    total = np.zeros_like(positive)
    for _ in range(_ASYMPTOTIC_FROM):
        small = positive < _ASYMPTOTIC_FROM
        total = total - np.where(small, 1 / np.where(small, positive, 1), 0)
        positive = np.where(small, positive + 1, positive)
    total = total + np.log(positive) - 0.5 / positive
    for k, number in enumerate(_BERNOULLI, start=1):
        total = total - number / (2 * k * positive ** (2 * k))
    mirrored = total - np.pi / np.tan(np.pi * np.where(pole, 0.5, x))
    return np.where(pole, np.nan, np.where(reflected, mirrored, total))


def zeta(s: Doubles, q: Doubles) -> Doubles:
    """The Hurwitz zeta function for s > 1, by Euler and Maclaurin; of q < 0 for whole s alone."""
    s, q = np.broadcast_arrays(s, q)
    pole = (q <= 0) & (q == np.floor(q))
    defined = (q > 0) | (s == np.floor(s))
    q = np.where(pole | ~defined | np.isnan(q), 1.0, np.maximum(q, _LEAST))
    count = _ASYMPTOTIC_FROM + int(np.ceil(-q.min(initial=0.0)))
    total = np.zeros_like(q)
    for k in range(count):
        total = total + (q + k) ** -s
    end = q + count
    total = total + end ** (1 - s) / (s - 1) + 0.5 * end**-s
    factor, power = s.copy(), end ** (-s - 1)
    for k, number in enumerate(_BERNOULLI, start=1):
        total = total + number / math.factorial(2 * k) * factor * power
        factor = factor * (s + 2 * k - 1) * (s + 2 * k)
        power = power / (end * end)
    at_pole = np.where(s % 2 == 0, np.inf, np.nan)
    total = np.where(pole, at_pole, np.where(defined, total, np.nan))
    return np.where(s == 1, np.inf, np.where(s < 1, np.nan, total))


def polygamma(n: Doubles, x: Doubles) -> Doubles:
    """The n-th derivative of digamma; NaN where n does not count."""
    n, x = np.broadcast_arrays(n, x)
    n = np.where((n >= 0) & (n == np.floor(n)), n, np.nan)
    factorial = np.exp(lgamma(n + 1))
    higher = np.where(n % 2 == 1, 1.0, -1.0) * factorial * zeta(n + 1, x)
    return np.where(n == 0, digamma(x), higher)
