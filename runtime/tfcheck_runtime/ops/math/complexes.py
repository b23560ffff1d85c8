"""Complex numbers: their parts, modulus, angle and conjugate. All run on the host."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tfcheck_runtime.op import Array, Aval, Call, Op, case, define
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.examples import f32, f64
from tfcheck_runtime.ops.array.filling import zeros_like
from tfcheck_runtime.ops.math.broadcasting import sum_like
from tfcheck_runtime.ops.math.operands import COMPLEXES, alike
from tfcheck_runtime.specs.dtypes import as_dtype
from tfcheck_runtime.specs.shapes import broadcast
from tfcheck_runtime.values import operators
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply

_COMPLEX_OF: Final = {"float32": "complex64", "float64": "complex128"}
_CASES = (
    case(np.array([1 + 2j, -3j], np.complex64), differentiable=False),
    case(np.array([[0.5 - 1j]], np.complex128), unknown=((0, 0),), differentiable=False),
)


class _Part(Op):
    """A real number made of each complex one."""

    def __init__(self, op_type: str, kernel: Any, gradient: Any) -> None:
        self.type = op_type
        self.kernel = kernel
        self.vjp = gradient
        self.cases = _CASES

    def infer(self, x: Aval) -> Aval:
        return Aval(x.dtype.real_dtype, x.shape)

    def eager(self, x: Array) -> Array:
        return np.asarray(self.kernel(x))

    def gradient(self, call: Call[Tensor], dy: Tensor) -> list[Tensor]:
        return [self.vjp(dy, call.inputs[0], call.outputs[0])]


def _times(x: Tensor, y: Tensor) -> Tensor:
    # The product lives in arithmetic, which imports this module; its op is found by its operator.
    product: Tensor = x * y
    return product


real_op = define(_Part("Real", np.real, lambda dy, x, y: complex_(dy, zeros_like(dy))))
imag_op = define(_Part("Imag", np.imag, lambda dy, x, y: complex_(zeros_like(dy), dy)))
complex_abs_op = define(
    _Part("ComplexAbs", np.abs, lambda dy, x, y: _times(cast(dy, x.dtype), _direction(x, y)))
)
angle_op = define(_Part("Angle", np.angle, lambda dy, x, y: _angle_gradient(dy, x)))


def _direction(x: Tensor, modulus: Tensor) -> Tensor:
    size = cast(modulus, x.dtype)
    direction: Tensor = x / (size + cast(modulus == 0, x.dtype))
    return direction


def _angle_gradient(dy: Tensor, x: Tensor) -> Tensor:
    gradient: Tensor = complex_(dy, zeros_like(dy)) * (-1 / (complex_(imag(x), real(x))))
    return gradient


class _Complex(Op):
    """Complex numbers from their parts."""

    type = "Complex"
    cases = (
        case(f32([1.0, 2.0]), f32([0.5, -1.0]), differentiable=False),
        case(f64([[1]]), f64([1, 2]), differentiable=False),
    )

    def infer(self, x: Aval, y: Aval) -> Aval:
        return Aval(as_dtype(_COMPLEX_OF[x.dtype.name]), broadcast(x.shape, y.shape))

    def eager(self, x: Array, y: Array) -> Array:
        return np.asarray(x + 1j * y, _COMPLEX_OF[x.dtype.name])

    def gradient(self, call: Call[Tensor], dz: Tensor) -> list[Tensor]:
        x, y = call.inputs
        return [sum_like(real(dz), x, [y]), sum_like(imag(dz), y, [x])]


class _Conj(Op):
    """The conjugate."""

    type = "Conj"
    cases = _CASES

    def infer(self, x: Aval) -> Aval:
        return Aval(x.dtype, x.shape)

    def eager(self, x: Array) -> Array:
        return np.conj(x)

    def gradient(self, call: Call[Tensor], dy: Tensor) -> list[Tensor]:
        return [conj(dy)]


complex_op = define(_Complex())
conj_op = define(_Conj())


def complex_(real: object, imag: object, name: str | None = None) -> Tensor:
    """Complex numbers from float32 or float64 parts that broadcast.

    https://www.tensorflow.org/api_docs/python/tf/dtypes/complex

    Raises:
        TypeError: the parts are of other types.
    """
    left, right = convert_to_tensor(real), convert_to_tensor(imag)
    if left.dtype is not right.dtype or left.dtype.name not in _COMPLEX_OF:
        raise TypeError(
            "Types of real and imag don't match or are not float32 or float64:"
            f" {left.dtype.name} {right.dtype.name}"
        )
    return apply(complex_op, left, right, name=name or "Complex")


def real(input: object, name: str | None = None) -> Tensor:
    """The real part; a real tensor is returned as it is.

    https://www.tensorflow.org/api_docs/python/tf/math/real
    """
    tensor = convert_to_tensor(input)
    return apply(real_op, tensor, name=name) if tensor.dtype.is_complex else tensor


def imag(input: object, name: str | None = None) -> Tensor:
    """The imaginary part; zeros for a real tensor.

    https://www.tensorflow.org/api_docs/python/tf/math/imag
    """
    tensor = convert_to_tensor(input)
    return apply(imag_op, tensor, name=name) if tensor.dtype.is_complex else zeros_like(tensor)


@operators.implements("conj")
def conj(x: object, name: str | None = None) -> Tensor:
    """The conjugate; a real tensor is returned as it is.

    https://www.tensorflow.org/api_docs/python/tf/math/conj

    Raises:
        TypeError: the tensor is not numeric.
    """
    tensor = convert_to_tensor(x)
    if tensor.dtype.is_complex:
        return apply(conj_op, tensor, name=name)
    if not tensor.dtype.is_numeric:
        raise TypeError(f"Expected numeric or variant tensor, got dtype {tensor.dtype!r}")
    return tensor


def angle(input: object, name: str | None = None) -> Tensor:
    """The angle in radians; of a real tensor 0, or pi where negative.

    https://www.tensorflow.org/api_docs/python/tf/math/angle
    """
    tensor = convert_to_tensor(input)
    if tensor.dtype.is_complex:
        return apply(angle_op, tensor, name=name)
    negative = cast(tensor < 0, tensor.dtype)
    pi: Tensor = negative * np.pi
    return pi


def complex_abs(x: Tensor, name: str | None = None) -> Tensor:
    """The modulus."""
    return apply(complex_abs_op, *alike("ComplexAbs", [x], allowed=COMPLEXES), name=name or "Abs")
