"""Draws that take a varying number of random bits: shuffles, categories, gamma and Poisson."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt

from tfcheck_runtime.op import Array
from tfcheck_runtime.ops.random.distributions import doubles, normal_numbers
from tfcheck_runtime.ops.random.philox import BLOCKS_PER_OUTPUT, Philox
from tfcheck_runtime.specs import dtypes


def permutation(position: Philox, size: int) -> npt.NDArray[np.int64]:
    """A random order of `size` things, by Fisher and Yates."""
    order = list(range(size))
    words = position.words(max(size - 1, 0)).tolist()
    for i, word in enumerate(words):
        j = i + word % (size - i)
        order[i], order[j] = order[j], order[i]
    return np.array(order, np.int64)


def categories(position: Philox, logits: Array, samples: int) -> npt.NDArray[np.int64]:
    """For each row of `logits`, `samples` classes drawn with these unnormalised log-odds."""
    rows = logits.shape[0]
    draws = doubles(position.words(2 * rows * samples).reshape(rows, samples, 2))
    chosen = [_row(row, u) for row, u in zip(logits, draws, strict=True)]
    return np.array(chosen, np.int64).reshape(rows, samples)


def _row(logits: Array, draws: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    finite = np.isfinite(logits)
    largest = logits[finite].max(initial=np.finfo(np.float32).min)
    odds = np.exp(logits.astype(np.float64) - np.float64(largest))
    cumulative = np.cumsum(np.where(finite, odds, 0.0))
    found = np.searchsorted(cumulative, draws * cumulative[-1], side="right")
    return np.asarray(found, np.int64)


def gamma_numbers(position: Philox, alphas: npt.NDArray[np.float64], samples: int) -> Array:
    """`samples` gamma draws for each of `alphas`: an array of shape (samples, len(alphas))."""
    return _each(position, alphas, samples, _gamma)


def poisson_numbers(position: Philox, rates: npt.NDArray[np.float64], samples: int) -> Array:
    """`samples` Poisson draws for each of `rates`: an array of shape (samples, len(rates))."""
    return _each(position, rates, samples, _poisson)


def _each(
    position: Philox,
    parameters: npt.NDArray[np.float64],
    samples: int,
    draw: Callable[[Philox, float], float],
) -> Array:
    """Each output owns a stretch of the stream, whatever the others use of theirs."""
    result = np.zeros((samples, len(parameters)))
    for i, parameter in enumerate(parameters.tolist()):
        for j in range(samples):
            output = i * samples + j
            result[j, i] = draw(position.skip(output * BLOCKS_PER_OUTPUT), parameter)
    return result


class _Source:
    """Uniform and normal float64 draws from one position, two at a time, the later first."""

    def __init__(self, position: Philox) -> None:
        self._position = position
        self._uniforms: list[float] = []
        self._normals: list[float] = []

    def uniform(self) -> float:
        if not self._uniforms:
            self._uniforms = doubles(self._next().words(4).reshape(2, 2)).tolist()
        return self._uniforms.pop()

    def normal(self) -> float:
        if not self._normals:
            self._normals = normal_numbers(self._next(), 2, dtypes.float64).tolist()
        return self._normals.pop()

    def _next(self) -> Philox:
        position = self._position
        self._position = position.skip(1)
        return position


def _gamma(position: Philox, alpha: float) -> float:
    """Marsaglia and Tsang's method; an exponential draw where alpha is 1."""
    source = _Source(position)
    if alpha == 1.0:
        return -math.log1p(-source.uniform())
    d = alpha + (2.0 / 3 if alpha < 1 else -1.0 / 3)
    c = 1.0 / 3 / math.sqrt(d)
    while True:
        x = source.normal()
        v = 1 + c * x
        if v <= 0:
            continue
        v = v * v * v
        u = source.uniform()
        quick = u < 1 - 0.0331 * (x * x) * (x * x)
        if quick or math.log(u) < 0.5 * x * x + d * (1 - v + math.log(v)):
            scale = source.uniform() ** (1 / alpha) if alpha < 1 else 1.0
            return d * v * scale


_KNUTH_LIMIT: Final = 10.0


def _poisson(position: Philox, rate: float) -> float:
    if not math.isfinite(rate) or rate < 0:
        return math.nan
    source = _Source(position)
    return _knuth(source, rate) if rate < _KNUTH_LIMIT else _hormann(source, rate)


def _knuth(source: _Source, rate: float) -> float:
    """Knuth's method: count exponential waiting times."""
    limit = math.exp(-rate)
    product, count = 1.0, 0.0
    while True:
        product *= source.uniform()
        if product <= limit:
            return count
        count += 1


def _hormann(source: _Source, rate: float) -> float:
    """Hörmann's transformed rejection."""
    b = 0.931 + 2.53 * math.sqrt(rate)
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    while True:
        u = source.uniform() - 0.5
        v = source.uniform()
        shifted = 0.5 - abs(u)
        k = math.floor((2 * a / shifted + b) * u + rate + 0.43)
        if shifted >= 0.07 and v <= 0.9277 - 3.6224 / (b - 2):
            return float(k)
        if k < 0 or (shifted < 0.013 and v > shifted):
            continue
        s = math.log(v * inverse_alpha / (a / (shifted * shifted) + b))
        if s <= -rate + k * math.log(rate) - math.lgamma(k + 1):
            return float(k)
