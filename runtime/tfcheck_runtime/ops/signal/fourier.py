"""Discrete Fourier transforms over the last one, two or three axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfcheck_runtime.op import Array, Aval, Call, Op, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.agreement import check_kind, refuse_value
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.examples import counting, i32
from tfcheck_runtime.ops.array.padding import pad
from tfcheck_runtime.ops.array.products import reduce_prod
from tfcheck_runtime.ops.array.ranges import range_
from tfcheck_runtime.ops.array.reversing import roll
from tfcheck_runtime.ops.array.selection import where
from tfcheck_runtime.ops.array.shaping import shape as shape_of
from tfcheck_runtime.ops.math.arithmetic import maximum, multiply
from tfcheck_runtime.ops.math.comparison import equal
from tfcheck_runtime.ops.math.complexes import real
from tfcheck_runtime.ops.math.division import realdiv
from tfcheck_runtime.ops.math.logic import logical_or
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import DType
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply

_COMPLEX = frozenset({"complex64", "complex128"})
_REAL = frozenset({"float32", "float64"})
_WAVE = counting(2, 4).astype(np.complex64) * (1 + 0.5j)


def _axes(count: int) -> tuple[int, ...]:
    return tuple(range(-count, 0))


class _Fourier(Op):
    """A complex transform; its gradient is the other direction, scaled."""

    def __init__(self, op_type: str, kernel: Callable[..., Any], axes: int, inverse: bool) -> None:
        self.type = op_type
        self.kernel = kernel
        self.axes = axes
        self.inverse = inverse
        shape = (2,) * (axes - 1) + (2, 4)
        self.cases = (case(np.resize(_WAVE, shape), differentiable=False),)

    def infer(self, x: Aval) -> Aval:
        check_kind(self.type, x, _COMPLEX)
        _check_rank(self.type, x, self.axes)
        return Aval(x.dtype, x.shape)

    def eager(self, x: Array) -> Array:
        return np.asarray(self.kernel(x, axes=_axes(self.axes))).astype(x.dtype)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor]:
        back = apply(_BY_NAME[self.axes, not self.inverse], grad)
        sizes: Any = shape_of(grad)
        count: Any = 1
        for axis in _axes(self.axes):
            count = count * sizes[axis]
        scale = cast(count, grad.dtype.real_dtype)
        factor = 1 / scale if self.inverse else scale
        return [multiply(back, cast(factor, grad.dtype))]


def _check_rank(op_type: str, x: Aval, axes: int) -> None:
    if x.shape is not None and len(x.shape) < axes:
        raise ValueError(f"{op_type}: input must have at least {axes} axes, got shape {x.shape}")


_BY_NAME = {
    (axes, inverse): define(_Fourier(f"{'I' if inverse else ''}FFT{suffix}", kernel, axes, inverse))
    for axes, suffix in ((1, ""), (2, "2D"), (3, "3D"))
    for inverse, kernel in ((False, np.fft.fftn), (True, np.fft.ifftn))
}


class _FromReal(Op):
    """The half of the transform of real numbers that determines it."""

    def __init__(self, op_type: str, axes: int) -> None:
        self.type = op_type
        self.axes = axes
        self.cases = (case(counting(2, 4), i32([3, 4][-axes:]), differentiable=False),)

    def infer(self, x: Aval, fft_length: Aval) -> Aval:
        check_kind(self.type, x, _REAL)
        _check_rank(self.type, x, self.axes)
        lengths = known.as_shape(fft_length) or (None,) * self.axes
        last = None if lengths[-1] is None else lengths[-1] // 2 + 1
        shape = None if x.shape is None else (*x.shape[: -self.axes], *lengths[:-1], last)
        return Aval(_complex_of(x.dtype), shape)

    def eager(self, x: Array, fft_length: Array) -> Array:
        found = np.fft.rfftn(x, fft_length.tolist(), _axes(self.axes))
        return found.astype(np.complex64 if x.dtype == np.float32 else np.complex128)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        x, lengths = call.inputs
        halves: Any = _fitted(grad, lengths, self.axes)
        whole = real(apply(_BY_NAME[self.axes, True], halves))
        scaled = multiply(whole, cast(reduce_prod(lengths), whole.dtype))
        sizes: Any = shape_of(x)
        return [_fitted(scaled, sizes[-self.axes :], self.axes), None]


class _ToReal(Op):
    """The real numbers of which half a transform is given."""

    def __init__(self, op_type: str, axes: int) -> None:
        self.type = op_type
        self.axes = axes
        self.cases = (case(_WAVE[:, :3], i32([2, 4][-axes:]), differentiable=False),)

    def infer(self, x: Aval, fft_length: Aval) -> Aval:
        check_kind(self.type, x, _COMPLEX)
        _check_rank(self.type, x, self.axes)
        lengths = known.as_shape(fft_length) or (None,) * self.axes
        shape = None if x.shape is None else (*x.shape[: -self.axes], *lengths)
        return Aval(x.dtype.real_dtype, shape)

    def eager(self, x: Array, fft_length: Array) -> Array:
        found = np.fft.irfftn(x, fft_length.tolist(), _axes(self.axes))
        return found.astype(np.float32 if x.dtype == np.complex64 else np.float64)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        x, lengths = call.inputs
        forward = rfft_op if self.axes == 1 else rfft2d_op
        found = apply(forward, grad, lengths)
        sizes: Any = shape_of(found)
        wanted: Any = lengths
        # All but the first coefficient, and the middle one, stand for two.
        place: Any = range_(sizes[-1])
        single = logical_or(equal(place, 0), equal(place * 2, wanted[-1]))
        weights = where(single, 1.0, 2.0)
        scale = realdiv(cast(weights, grad.dtype), cast(reduce_prod(lengths), grad.dtype))
        inner: Any = shape_of(x)
        scaled = multiply(found, cast(scale, found.dtype))
        return [_fitted(scaled, inner[-self.axes :], self.axes), None]


def _fitted(x: Tensor, sizes: Any, axes: int) -> Tensor:
    """`x` with its last axes cut or filled with zeros to `sizes`."""
    found: Any = x
    for place, axis in enumerate(_axes(axes)):
        order = [0] * (x.ndim or axes)
        have: Any = shape_of(found)
        missing = maximum(sizes[place] - have[axis], 0)
        margins = [[0, missing if i == len(order) + axis else 0] for i in range(len(order))]
        index = (..., slice(0, sizes[place]), *[slice(None)] * (-axis - 1))
        found = pad(found, margins)[index]
    result: Tensor = found
    return result


def _complex_of(dtype: DType) -> DType:
    return dtypes.complex64 if dtype is dtypes.float32 else dtypes.complex128


rfft_op = define(_FromReal("RFFT", 1))
rfft2d_op = define(_FromReal("RFFT2D", 2))
irfft_op = define(_ToReal("IRFFT", 1))
irfft2d_op = define(_ToReal("IRFFT2D", 2))


def _complex_transform(value: object, axes: int, inverse: bool, name: str | None) -> Tensor:
    op = _BY_NAME[axes, inverse]
    return apply(op, convert_to_tensor(value, name="input"), name=name or op.type)


def fft(input: object, name: str | None = None) -> Tensor:
    """The transform of complex numbers over the last axis.

    https://www.tensorflow.org/api_docs/python/tf/signal/fft

    Raises:
        InvalidArgumentError: `input` is not complex (TypeError in a graph).
    """
    return _complex_transform(input, 1, False, name)


def ifft(input: object, name: str | None = None) -> Tensor:
    """The inverse of `fft` (https://www.tensorflow.org/api_docs/python/tf/signal/ifft)."""
    return _complex_transform(input, 1, True, name)


def fft2d(input: object, name: str | None = None) -> Tensor:
    """`fft` over two axes (https://www.tensorflow.org/api_docs/python/tf/signal/fft2d)."""
    return _complex_transform(input, 2, False, name)


def ifft2d(input: object, name: str | None = None) -> Tensor:
    """The inverse of `fft2d` (https://www.tensorflow.org/api_docs/python/tf/signal/ifft2d)."""
    return _complex_transform(input, 2, True, name)


def fft3d(input: object, name: str | None = None) -> Tensor:
    """`fft` over three axes (https://www.tensorflow.org/api_docs/python/tf/signal/fft3d)."""
    return _complex_transform(input, 3, False, name)


def ifft3d(input: object, name: str | None = None) -> Tensor:
    """The inverse of `fft3d` (https://www.tensorflow.org/api_docs/python/tf/signal/ifft3d)."""
    return _complex_transform(input, 3, True, name)


def rfft(input_tensor: object, fft_length: object = None, name: str | None = None) -> Tensor:
    """The first half of the transform of real numbers over the last axis.

    https://www.tensorflow.org/api_docs/python/tf/signal/rfft

    Args:
        input_tensor: float32 or float64.
        fft_length: a list of one size, to which the axis is cut or filled with zeros.
        name: of the node.

    Raises:
        InvalidArgumentError: `input_tensor` is of another type (TypeError in a graph).
    """
    return _real_transform(rfft_op, input_tensor, fft_length, name)


def rfft2d(input_tensor: object, fft_length: object = None, name: str | None = None) -> Tensor:
    """`rfft` over two axes (https://www.tensorflow.org/api_docs/python/tf/signal/rfft2d)."""
    return _real_transform(rfft2d_op, input_tensor, fft_length, name)


def irfft(input_tensor: object, fft_length: object = None, name: str | None = None) -> Tensor:
    """The inverse of `rfft` (https://www.tensorflow.org/api_docs/python/tf/signal/irfft)."""
    return _real_transform(irfft_op, input_tensor, fft_length, name)


def irfft2d(input_tensor: object, fft_length: object = None, name: str | None = None) -> Tensor:
    """The inverse of `rfft2d` (https://www.tensorflow.org/api_docs/python/tf/signal/irfft2d)."""
    return _real_transform(irfft2d_op, input_tensor, fft_length, name)


def _real_transform(
    op: _FromReal | _ToReal, value: object, fft_length: object, name: str | None
) -> Tensor:
    inverse = isinstance(op, _ToReal)
    tensor = convert_to_tensor(value, dtype_hint=dtypes.complex64 if inverse else dtypes.float32)
    if tensor.dtype.name not in (_COMPLEX if inverse else _REAL):
        kinds = "complex64 or complex128" if inverse else "float32 or float64"
        raise ValueError(f"{op.type} takes {kinds}, got {tensor.dtype.name}")
    if fft_length is None:
        lengths: Any = shape_of(tensor)[-op.axes :]
        if inverse:
            last: Any = (lengths[-1:] - 1) * 2
            lengths = last if op.axes == 1 else [*(lengths[i] for i in range(op.axes - 1)), last[0]]
        wanted = known.integer_tensor(lengths, what="fft_length")
    else:
        wanted = known.integer_tensor(fft_length, what="fft_length")
        if wanted.static_shape not in ((op.axes,), (None,), None):
            refuse_value(f"{op.type}: fft_length must have shape [{op.axes}], got {wanted.shape}")
    return apply(op, tensor, wanted, name=name or op.type)


def fftshift(x: object, axes: int | Sequence[int] | None = None, name: str | None = None) -> Tensor:
    """The frequency 0 moved to the middle of the axes.

    https://www.tensorflow.org/api_docs/python/tf/signal/fftshift
    """
    return _shifted(x, axes, lambda size: size // 2, name)


def ifftshift(
    x: object, axes: int | Sequence[int] | None = None, name: str | None = None
) -> Tensor:
    """The inverse of `fftshift` (https://www.tensorflow.org/api_docs/python/tf/signal/ifftshift)."""
    return _shifted(x, axes, lambda size: -(size // 2), name)


def _shifted(
    x: object,
    axes: int | Sequence[int] | None,
    shift: Callable[[Any], Any],
    name: str | None,
) -> Tensor:
    tensor = convert_to_tensor(x)
    if axes is None:
        axes = range(tensor.ndim or 0)
    places = [axes] if isinstance(axes, int) else list(axes)
    sizes: Any = shape_of(tensor)
    return roll(tensor, [shift(sizes[a]) for a in places], places, name=name)
