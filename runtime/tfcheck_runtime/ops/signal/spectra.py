"""Mel scales and cosine transforms."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tfcheck_runtime.ops.array.padding import pad
from tfcheck_runtime.ops.linalg.products import tensordot
from tfcheck_runtime.ops.math.arithmetic import multiply
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import as_dtype
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor

_BREAK: Final = 700.0
_FACTOR: Final = 1127.0


def _mel(hertz: Any) -> Any:
    return _FACTOR * np.log(1.0 + hertz / _BREAK)


def linear_to_mel_weight_matrix(
    num_mel_bins: int = 20,
    num_spectrogram_bins: int = 129,
    sample_rate: float = 8000,
    lower_edge_hertz: float = 125.0,
    upper_edge_hertz: float = 3800.0,
    dtype: object = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """How much of each spectral bin goes into each mel band: [num_spectrogram_bins, num_mel_bins].

    https://www.tensorflow.org/api_docs/python/tf/signal/linear_to_mel_weight_matrix

    Args:
        num_mel_bins: how many triangular bands.
        num_spectrogram_bins: of the spectrogram.
        sample_rate: in hertz.
        lower_edge_hertz: where the first band starts.
        upper_edge_hertz: where the last band ends.
        dtype: a float type.
        name: of the node.

    Raises:
        ValueError: a number is not positive, or the edges are not in order.
    """
    for what, number in (("num_mel_bins", num_mel_bins), ("sample_rate", sample_rate)):
        if number <= 0:
            raise ValueError(f"{what} must be positive. Got: {number}")
    if lower_edge_hertz < 0.0 or lower_edge_hertz >= upper_edge_hertz:
        raise ValueError(
            f"lower_edge_hertz {lower_edge_hertz} must be within [0, upper_edge_hertz"
            f" {upper_edge_hertz})"
        )
    if upper_edge_hertz > sample_rate / 2:
        raise ValueError(
            f"upper_edge_hertz must not exceed the Nyquist frequency {sample_rate / 2}, got"
            f" {upper_edge_hertz}"
        )
    bins = _mel(np.linspace(0.0, sample_rate / 2.0, num_spectrogram_bins)[1:])[:, None]
    edges = np.linspace(_mel(lower_edge_hertz), _mel(upper_edge_hertz), num_mel_bins + 2)
    lower, centre, upper = edges[:-2], edges[1:-1], edges[2:]
    rising, falling = (bins - lower) / (centre - lower), (upper - bins) / (upper - centre)
    weights = np.maximum(0.0, np.minimum(rising, falling))
    return convert_to_tensor(np.pad(weights, [[1, 0], [0, 0]]).astype(as_dtype(dtype).numpy))


def dct(
    input: object,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The cosine transform of type 1 to 4 over the last axis.

    https://www.tensorflow.org/api_docs/python/tf/signal/dct

    Args:
        input: float32 or float64.
        type: 1, 2, 3 or 4.
        n: to how many samples the axis is cut or filled with zeros.
        axis: -1.
        norm: `ortho` for an orthonormal transform (types 2 to 4), or None.
        name: of the node.

    Raises:
        ValueError: an argument is none of these.
        NotImplementedError: `axis` is not the last one, or its size is not known.
    """
    if type not in (1, 2, 3, 4):
        raise ValueError(f"Types I, II, III and IV (I)DCT are supported, got type={type}")
    if norm not in (None, "ortho") or (norm is not None and type == 1):
        raise ValueError(f"Unknown normalization: {norm!r} for type {type}")
    value: Any = convert_to_tensor(input, dtype_hint=dtypes.float32)
    if not value.dtype.is_floating:
        raise TypeError(f"dct takes float32 or float64, got {value.dtype.name}")
    size = (value.static_shape or (None,))[-1]
    if axis != -1 or size is None:
        raise NotImplementedError(
            f"dct needs axis=-1 of known size, got axis={axis} of shape {value.shape}"
        )
    if n is not None:
        if n < 1:
            raise ValueError(f"n should be a positive integer, got {n}")
        missing = max(n - size, 0)
        value = pad(value[..., :n], [[0, 0]] * (value.ndim - 1) + [[0, missing]])
    if type == 1 and (n or size) < 2:
        raise ValueError("Type-I DCT requires the dimension to be greater than one")
    matrix = _cosines(type, n or size, orthonormal=norm is not None)
    return tensordot(value, convert_to_tensor(matrix.astype(value.dtype.numpy)), 1, name=name)


def idct(
    input: object,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The inverse of `dct` of a type, up to scale where `norm` is None.

    https://www.tensorflow.org/api_docs/python/tf/signal/idct. For arguments see `dct`.

    Raises:
        ValueError: `n` is given, or an argument is unknown.
    """
    if n is not None:
        raise ValueError(f"n must be None for the inverse transform, got {n}")
    return dct(input, {2: 3, 3: 2}.get(type, type), n, axis, norm, name)


def _cosines(kind: int, size: int, *, orthonormal: bool) -> Any:
    """A matrix with a row per sample and a column per coefficient, by SciPy's conventions."""
    place, order = np.arange(size)[:, None], np.arange(size)[None]
    if kind == 1:
        matrix = 2 * np.cos(np.pi * place * order / (size - 1))
        matrix[[0, -1]] /= 2
        return matrix
    if kind == 4:
        matrix = 2 * np.cos(np.pi * (2 * place + 1) * (2 * order + 1) / (4 * size))
        return matrix / np.sqrt(2 * size) if orthonormal else matrix
    matrix = 2 * np.cos(np.pi * order * (2 * place + 1) / (2 * size))
    if orthonormal:
        matrix[:, 0] *= np.sqrt(0.5)
        matrix /= np.sqrt(2 * size)
    elif kind == 3:
        matrix[:, 0] /= 2
    return matrix if kind == 2 else matrix.T


def mfccs_from_log_mel_spectrograms(
    log_mel_spectrograms: object, name: str | None = None
) -> Tensor:
    """The cepstral coefficients of logarithmic mel spectra.

    https://www.tensorflow.org/api_docs/python/tf/signal/mfccs_from_log_mel_spectrograms

    Raises:
        ValueError: the last axis is empty.
    """
    value = convert_to_tensor(log_mel_spectrograms)
    bands = (value.static_shape or (None,))[-1]
    if bands == 0:
        raise ValueError(f"num_mel_bins must be positive. Got: {value.shape}")
    coefficients = dct(value, 2)
    return multiply(coefficients, float(1 / np.sqrt(2.0 * (bands or 1))), name=name)
