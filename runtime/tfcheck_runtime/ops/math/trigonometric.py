"""Trigonometric and hyperbolic functions and their inverses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tfcheck_runtime.op import Case, Emitter, Term, case, define
from tfcheck_runtime.ops.array.examples import f32, f64
from tfcheck_runtime.ops.math.arithmetic import add, multiply, negative, one_minus, square
from tfcheck_runtime.ops.math.complexes import conj
from tfcheck_runtime.ops.math.division import realdiv
from tfcheck_runtime.ops.math.exponential import reciprocal, rsqrt
from tfcheck_runtime.ops.math.families import (
    ORT_FLOATS,
    ORT_SINGLE,
    Binary,
    Lowering,
    Unary,
    elementwise,
)
from tfcheck_runtime.ops.math.operands import FLOATS, INEXACT
from tfcheck_runtime.values.tensor import Tensor

_ANY: Final = (case(f32([[-1.3, 0.0, 2.1]])), case(f64([0.4, -2.0]), unknown=((0, 0),)))
_UNIT: Final = (case(f32([[-0.7, 0.0, 0.4]])), case(f64([0.1, -0.9]), unknown=((0, 0),)))
_ABOVE_ONE: Final = (case(f32([[1.5, 2.0, 30.0]])), case(f64([1.1]), unknown=((0, 0),)))


def _function(
    op_type: str,
    kernel: Callable[..., Any],
    derivative: Callable[[Tensor, Tensor], Tensor],
    *,
    lowering: Lowering = None,
    lowered: frozenset[str] = ORT_SINGLE,
    cases: tuple[Case, ...] = _ANY,
) -> Unary:
    """A function with its derivative in terms of `(x, y)`; most have float32 kernels only."""
    op = Unary(
        op_type, kernel, lowering=lowering or op_type, allowed=INEXACT, lowered=lowered,
        gradient=lambda dy, x, y: multiply(dy, conj(derivative(x, y))), cases=cases,
    )  # fmt: skip
    define(op)
    return op


def _lower_tan(onnx: Emitter, x: Term) -> object:
    return onnx.op("Div", onnx.op("Sin", x), onnx.op("Cos", x))


sin_op = _function("Sin", np.sin, lambda x, y: cos(x), lowered=ORT_FLOATS)
cos_op = _function("Cos", np.cos, lambda x, y: negative(sin(x)), lowered=ORT_FLOATS)
tan_op = _function(
    "Tan", np.tan, lambda x, y: square(reciprocal(cos(x))),
    lowering=_lower_tan, lowered=ORT_FLOATS,
)  # fmt: skip
asin_op = _function("Asin", np.arcsin, lambda x, y: rsqrt(one_minus(square(x))), cases=_UNIT)
acos_op = _function(
    "Acos", np.arccos, lambda x, y: negative(rsqrt(one_minus(square(x)))), cases=_UNIT
)
atan_op = _function("Atan", np.arctan, lambda x, y: reciprocal(add(square(x), 1)))
sinh_op = _function("Sinh", np.sinh, lambda x, y: cosh(x))
cosh_op = _function("Cosh", np.cosh, lambda x, y: sinh(x))
asinh_op = _function("Asinh", np.arcsinh, lambda x, y: reciprocal(cosh(y)))
acosh_op = _function("Acosh", np.arccosh, lambda x, y: reciprocal(sinh(y)), cases=_ABOVE_ONE)
atanh_op = _function(
    "Atanh", np.arctanh, lambda x, y: reciprocal(one_minus(square(x))), cases=_UNIT
)


def _atan2_gradient(dz: Tensor, y: Tensor, x: Tensor, z: Tensor) -> tuple[Tensor, Tensor]:
    share = realdiv(dz, add(square(x), square(y)))
    return multiply(share, x), negative(multiply(share, y))


atan2_op = define(
    Binary(
        "Atan2", np.arctan2, lowering=None, gradient=_atan2_gradient, allowed=FLOATS,
        cases=(
            case(f32([1.0, -1.0, 0.5]), f32([2.0, -0.5, -3.0])),
            case(f64([[0.3]]), f64([0.7, -1.0]), unknown=((1, 0),)),
        ),
    )
)  # fmt: skip


def sin(x: object, name: str | None = None) -> Tensor:
    """The sine (https://www.tensorflow.org/api_docs/python/tf/math/sin)."""
    return elementwise(sin_op, x, name=name)


def cos(x: object, name: str | None = None) -> Tensor:
    """The cosine (https://www.tensorflow.org/api_docs/python/tf/math/cos)."""
    return elementwise(cos_op, x, name=name)


def tan(x: object, name: str | None = None) -> Tensor:
    """The tangent (https://www.tensorflow.org/api_docs/python/tf/math/tan)."""
    return elementwise(tan_op, x, name=name)


def asin(x: object, name: str | None = None) -> Tensor:
    """The inverse sine (https://www.tensorflow.org/api_docs/python/tf/math/asin)."""
    return elementwise(asin_op, x, name=name)


def acos(x: object, name: str | None = None) -> Tensor:
    """The inverse cosine (https://www.tensorflow.org/api_docs/python/tf/math/acos)."""
    return elementwise(acos_op, x, name=name)


def atan(x: object, name: str | None = None) -> Tensor:
    """The inverse tangent (https://www.tensorflow.org/api_docs/python/tf/math/atan)."""
    return elementwise(atan_op, x, name=name)


def atan2(y: object, x: object, name: str | None = None) -> Tensor:
    """The angle of the point (x, y) (https://www.tensorflow.org/api_docs/python/tf/math/atan2)."""
    return elementwise(atan2_op, y, x, name=name)


def sinh(x: object, name: str | None = None) -> Tensor:
    """The hyperbolic sine (https://www.tensorflow.org/api_docs/python/tf/math/sinh)."""
    return elementwise(sinh_op, x, name=name)


def cosh(x: object, name: str | None = None) -> Tensor:
    """The hyperbolic cosine (https://www.tensorflow.org/api_docs/python/tf/math/cosh)."""
    return elementwise(cosh_op, x, name=name)


def asinh(x: object, name: str | None = None) -> Tensor:
    """The inverse hyperbolic sine (https://www.tensorflow.org/api_docs/python/tf/math/asinh)."""
    return elementwise(asinh_op, x, name=name)


def acosh(x: object, name: str | None = None) -> Tensor:
    """The inverse hyperbolic cosine (https://www.tensorflow.org/api_docs/python/tf/math/acosh)."""
    return elementwise(acosh_op, x, name=name)


def atanh(x: object, name: str | None = None) -> Tensor:
    """The inverse hyperbolic tangent (https://www.tensorflow.org/api_docs/python/tf/math/atanh)."""
    return elementwise(atanh_op, x, name=name)
