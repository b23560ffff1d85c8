"""How much of each input pixel goes into each output pixel along one axis.

Follows the kernels behind https://www.tensorflow.org/api_docs/python/tf/image/resize: pixels are
squares, so that output i lies at (i + 1/2) / scale of the input.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt

Doubles = npt.NDArray[np.float64]
Weights = Callable[[int, int], Doubles]
"""Of the sizes of input and output: a matrix with a row per output pixel."""


def _centres(size: int, wanted: int) -> Doubles:
    """Where the output pixels lie, in pixels of the input."""
    return (np.arange(wanted, dtype=np.float64) + 0.5) * (size / wanted)


def bilinear(size: int, wanted: int) -> Doubles:
    """The two nearest pixels; the border pixel stands for what lies outside."""
    place = _centres(size, wanted) - 0.5
    below = np.floor(place)
    weights = np.zeros((wanted, size))
    rows = np.arange(wanted)
    low = np.maximum(below, 0).astype(int)
    high = np.minimum(below + 1, size - 1).astype(int)
    np.add.at(weights, (rows, low), 1 - (place - below))
    np.add.at(weights, (rows, high), place - below)
    return weights


def nearest(size: int, wanted: int) -> Doubles:
    """The pixel under the centre."""
    weights = np.zeros((wanted, size))
    picked = np.minimum(np.floor(_centres(size, wanted)).astype(int), size - 1)
    weights[np.arange(wanted), picked] = 1
    return weights


def area(size: int, wanted: int) -> Doubles:
    """The mean over the square that an output pixel covers."""
    edges = np.arange(wanted + 1) * (size / wanted)
    pixels = np.arange(size)
    covered = np.minimum(edges[1:, None], pixels + 1) - np.maximum(edges[:-1, None], pixels)
    weights: Doubles = np.maximum(covered, 0) * (wanted / size)
    return weights


_STEPS: Final = 1024  # TensorFlow reads cubic weights from a table of this many per pixel.


def bicubic(size: int, wanted: int) -> Doubles:
    """Keys' cubic through the four nearest pixels; those outside the image do not count."""
    place = _centres(size, wanted) - 0.5
    fraction = np.rint((place - np.floor(place)) * _STEPS) / _STEPS
    distance = np.arange(size) - np.floor(place)[:, None]
    near = (distance >= -1) & (distance <= 2)
    return _normalised(np.where(near, keys(np.abs(distance - fraction[:, None])), 0.0))


def keys(x: Doubles) -> Doubles:
    """The cubic convolution kernel with a = -1/2, of distances."""
    inner = (1.5 * x - 2.5) * x * x + 1
    outer = ((-0.5 * x + 2.5) * x - 4) * x + 2
    return np.where(x < 1, inner, np.where(x < 2, outer, 0.0))


def _mitchell(x: Doubles) -> Doubles:
    inner = (7 * x**3 - 12 * x**2 + 16 / 3) / 6
    outer = (-7 / 3 * x**3 + 12 * x**2 - 20 * x + 32 / 3) / 6
    return np.where(x < 1, inner, np.where(x < 2, outer, 0.0))


def _lanczos(radius: float) -> Callable[[Doubles], Doubles]:
    return lambda x: np.where(x < radius, np.sinc(x) * np.sinc(x / radius), 0.0)


def _gaussian(x: Doubles) -> Doubles:
    return np.where(x < 1.5, np.exp(-(x**2) / (2 * 0.5**2)), 0.0)


def _triangle(x: Doubles) -> Doubles:
    return np.maximum(1 - x, 0)


KERNELS: Final[dict[str, Callable[[Doubles], Doubles]]] = {
    "bilinear": _triangle, "bicubic": keys, "lanczos3": _lanczos(3), "lanczos5": _lanczos(5),
    "gaussian": _gaussian, "mitchellcubic": _mitchell,
}  # fmt: skip


def spread(method: str, antialias: bool) -> Weights:
    """A kernel around each output pixel, widened when shrinking if `antialias`."""
    kernel = KERNELS[method]

    def weights(size: int, wanted: int) -> Doubles:
        stretch = max(size / wanted, 1.0) if antialias else 1.0
        distance = np.arange(size) + 0.5 - _centres(size, wanted)[:, None]
        return _normalised(kernel(np.abs(distance) / stretch))

    return weights


def _normalised(weights: Doubles) -> Doubles:
    total = weights.sum(1, keepdims=True)
    shares: Doubles = np.divide(
        weights, total, out=np.zeros_like(weights), where=np.abs(total) > 1e-12
    )
    return shares
