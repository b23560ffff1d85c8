"""Windows, frames and short-time Fourier transforms."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.filling import ones, zeros
from tfcheck_runtime.ops.array.gathering import gather
from tfcheck_runtime.ops.array.joining import concat
from tfcheck_runtime.ops.array.packing import stack
from tfcheck_runtime.ops.array.padding import pad
from tfcheck_runtime.ops.array.permuting import transpose
from tfcheck_runtime.ops.array.ranges import range_
from tfcheck_runtime.ops.array.reduction import reduce_sum
from tfcheck_runtime.ops.array.shaping import reshape, shape as shape_of
from tfcheck_runtime.ops.math.arithmetic import maximum, multiply, square, subtract
from tfcheck_runtime.ops.math.division import realdiv
from tfcheck_runtime.ops.math.segments import unsorted_segment_sum
from tfcheck_runtime.ops.math.trigonometric import cos
from tfcheck_runtime.ops.signal.fourier import irfft, rfft
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import as_dtype
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor

Window = Callable[..., Tensor]


def hann_window(
    window_length: Any, periodic: Any = True, dtype: object = dtypes.float32,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """A raised cosine from 0 to 1 and back.

    https://www.tensorflow.org/api_docs/python/tf/signal/hann_window

    Args:
        window_length: how many samples.
        periodic: whether the last sample differs from the first, for spectra.
        dtype: a float type.
        name: of the node.

    Raises:
        ValueError: `dtype` is not of floats.
    """
    return _raised_cosine(window_length, periodic, dtype, (0.5, 0.5))


def hamming_window(
    window_length: Any, periodic: Any = True, dtype: object = dtypes.float32,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """A raised cosine that does not reach 0; for arguments see `hann_window`.

    https://www.tensorflow.org/api_docs/python/tf/signal/hamming_window
    """
    return _raised_cosine(window_length, periodic, dtype, (0.54, 0.46))


def _raised_cosine(
    length: Any, periodic: Any, dtype: object, weights: tuple[float, float]
) -> Tensor:
    kind = as_dtype(dtype)
    if not kind.is_floating:
        raise ValueError(f"dtype must be a floating point type. Found {kind}")
    if isinstance(length, int):
        if length == 1:
            return ones([1], kind)
        span: Any = length + (length % 2 == 0) * bool(periodic) - 1
        if periodic and length % 2:
            span = length
    else:
        wide: Any = cast(convert_to_tensor(length), dtypes.int32)
        span = maximum(wide - (0 if periodic else 1), 1)
    place = cast(range_(length), kind)
    angle = realdiv(multiply(place, 2 * math.pi), cast(span, kind))
    offset, scale = weights
    return subtract(convert_to_tensor(offset, kind), multiply(cos(angle), scale))


def frame(
    signal: object,
    frame_length: Any,
    frame_step: Any,
    pad_end: bool = False,
    pad_value: object = 0,
    axis: int = -1,
    name: str | None = None,
) -> Tensor:
    """Overlapping windows of an axis, as a new axis behind that of their number.

    https://www.tensorflow.org/api_docs/python/tf/signal/frame

    Args:
        signal: samples along `axis`.
        frame_length: samples per frame.
        frame_step: how far one frame lies behind the other.
        pad_end: whether frames that reach past the end are kept, filled up.
        pad_value: with what.
        axis: the axis of time.
        name: of the node.

    Raises:
        ValueError: there is no such axis, or the rank is not known.
    """
    value = convert_to_tensor(signal, name="signal")
    if value.ndim is None:
        raise ValueError("frame: the rank of the signal must be known")
    if not -value.ndim <= axis < value.ndim:
        raise ValueError(f"frame: there is no axis {axis} in a signal of shape {value.shape}")
    place = axis % value.ndim
    size = (value.static_shape or ())[place]
    samples: Any = shape_of(value)[place] if size is None else size
    if pad_end:
        frames: Any = -(-samples // frame_step)
        missing = _at_least_0(frame_length + frame_step * (frames - 1) - samples)
        margins = [[0, missing if a == place else 0] for a in range(value.ndim)]
        value = pad(value, margins, constant_values=convert_to_tensor(pad_value, value.dtype))
    else:
        frames = _at_least_0(1 + (samples - frame_length) // frame_step)
    starts: Any = multiply(reshape(range_(frames), [-1, 1]), frame_step)
    # Behind a reshape the gradient is dense, as in TensorFlow, though it comes from a gather.
    whole = reshape(value, shape_of(value))
    return gather(whole, starts + range_(frame_length), axis=place, name=name)


def _at_least_0(number: Any) -> Any:
    return max(number, 0) if isinstance(number, int) else maximum(number, 0)


def overlap_and_add(signal: object, frame_step: Any, name: str | None = None) -> Tensor:
    """The sum of frames, each `frame_step` behind the one before; the inverse of `frame`.

    https://www.tensorflow.org/api_docs/python/tf/signal/overlap_and_add

    Raises:
        ValueError: the rank is less than 2.
    """
    value = convert_to_tensor(signal, name="signal")
    if value.ndim is not None and value.ndim < 2:
        raise ValueError(f"overlap_and_add: expected frames by samples, got shape {value.shape}")
    sizes: Any = shape_of(value)
    frames, length = sizes[-2], sizes[-1]
    whole = length + frame_step * (frames - 1)
    starts: Any = multiply(reshape(range_(frames), [-1, 1]), frame_step)
    places = reshape(starts + range_(length), [-1])
    flat = reshape(value, [-1, frames * length])
    summed = transpose(unsorted_segment_sum(transpose(flat), places, whole))
    return reshape(summed, concat([sizes[:-2], stack([whole])], 0), name=name)


def stft(
    signals: object,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: Window | None = hann_window,
    pad_end: bool = False,
    name: str | None = None,
) -> Tensor:
    """The spectrum of each windowed frame.

    https://www.tensorflow.org/api_docs/python/tf/signal/stft

    Args:
        signals: float samples along the last axis.
        frame_length: samples per frame.
        frame_step: how far one frame lies behind the other.
        fft_length: the size of the transform; by default the next power of two.
        window_fn: of `(frame_length, dtype=…)`; None for none.
        pad_end: whether frames that reach past the end are kept, filled with zeros.
        name: of the node.
    """
    value = convert_to_tensor(signals, name="signals")
    framed = frame(value, frame_length, frame_step, pad_end=pad_end)
    if window_fn is not None:
        framed = multiply(framed, window_fn(frame_length, dtype=value.dtype))
    size = _enclosing_power(frame_length) if fft_length is None else fft_length
    return rfft(framed, [size], name=name)


def _enclosing_power(length: Any) -> int:
    if not isinstance(length, int):
        raise NotImplementedError(
            f"tf.signal needs frame_length as a Python int where fft_length is None, got {length}"
        )
    return 1 << max(length - 1, 0).bit_length()


def inverse_stft_window_fn(frame_step: Any, forward_window_fn: Window = hann_window) -> Window:
    """The window that makes `inverse_stft` the inverse of `stft`.

    https://www.tensorflow.org/api_docs/python/tf/signal/inverse_stft_window_fn
    """

    def window(frame_length: Any, dtype: object = dtypes.float32) -> Tensor:
        forward = forward_window_fn(frame_length, dtype=dtype)
        overlaps = -(-frame_length // frame_step)
        squares = pad(square(forward), [[0, overlaps * frame_step - frame_length]])
        total = reduce_sum(reshape(squares, [overlaps, frame_step]), 0, keepdims=True)
        repeated: Any = reshape(concat([total] * overlaps, 0), [overlaps * frame_step])
        return realdiv(forward, repeated[:frame_length])

    return window


def inverse_stft(
    stfts: object,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: Window | None = hann_window,
    name: str | None = None,
) -> Tensor:
    """The signal of which spectra of frames are given; for arguments see `stft`.

    https://www.tensorflow.org/api_docs/python/tf/signal/inverse_stft
    """
    value = convert_to_tensor(stfts, name="stfts")
    size = _enclosing_power(frame_length) if fft_length is None else fft_length
    frames: Any = irfft(value, [size])
    if size > frame_length:
        frames = frames[..., :frame_length]
    elif size < frame_length:
        missing = zeros(
            concat([shape_of(frames)[:-1], [frame_length - size]], 0),
            frames.dtype,
        )
        frames = concat([frames, missing], -1)
    if window_fn is not None:
        frames = multiply(frames, window_fn(frame_length, dtype=frames.dtype))
    return overlap_and_add(frames, frame_step, name=name)
