"""Bessel functions of the orders 0 and 1: plain, modified, and scaled by an exponential."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tfcheck_runtime.op import Case, case, define
from tfcheck_runtime.ops.array.examples import f32, f64
from tfcheck_runtime.ops.array.selection import where
from tfcheck_runtime.ops.math import bessel_kernels as kernels
from tfcheck_runtime.ops.math.arithmetic import add, multiply, negative, one_minus, sign, subtract
from tfcheck_runtime.ops.math.comparison import equal
from tfcheck_runtime.ops.math.exponential import reciprocal
from tfcheck_runtime.ops.math.families import Unary, elementwise
from tfcheck_runtime.ops.math.operands import FLOATS
from tfcheck_runtime.ops.math.special_kernels import Doubles, in_double
from tfcheck_runtime.values.tensor import Tensor

_ANY: Final = (
    case(f32([[-1.3, 0.4, 2.1], [5.0, -0.2, 41.0]])),
    case(f64([0.4, -2.0]), unknown=((0, 0),)),
)
_POSITIVE: Final = (
    case(f32([[0.3, 1.0, 4.5]])),
    case(f64([3.0, 12.5, 45.0]), unknown=((0, 0),)),
)

_Gradient = Callable[[Tensor, Tensor], Tensor]
"""Of `(x, y)`, the derivative."""


def _bessel(
    op_type: str,
    kernel: Callable[[Doubles], Doubles],
    gradient: _Gradient,
    cases: tuple[Case, ...],
) -> Unary:
    op = Unary(
        op_type, in_double(kernel), lowering=None,
        gradient=lambda dy, x, y: multiply(dy, gradient(x, y)), allowed=FLOATS, cases=cases,
    )  # fmt: skip
    return define(op)


def _share(x: Tensor, y: Tensor) -> Tensor:
    """`y / x`, which is 1/2 at 0."""
    level = equal(x, 0)
    return where(level, 0.5, multiply(y, reciprocal(where(level, 1, x))))


i0_op = _bessel("BesselI0", kernels.i0, lambda x, y: bessel_i1(x), _ANY)
i1_op = _bessel("BesselI1", kernels.i1, lambda x, y: subtract(bessel_i0(x), _share(x, y)), _ANY)
i0e_op = _bessel(
    "BesselI0e", kernels.i0e, lambda x, y: subtract(bessel_i1e(x), multiply(sign(x), y)), _ANY
)
i1e_op = _bessel(
    "BesselI1e", kernels.i1e,
    lambda x, y: subtract(subtract(bessel_i0e(x), multiply(sign(x), y)), _share(x, y)), _ANY,
)  # fmt: skip
k0_op = _bessel("BesselK0", kernels.k0, lambda x, y: negative(bessel_k1(x)), _POSITIVE)
k1_op = _bessel(
    "BesselK1", kernels.k1,
    lambda x, y: negative(add(bessel_k0(x), multiply(y, reciprocal(x)))), _POSITIVE,
)  # fmt: skip
k0e_op = _bessel("BesselK0e", kernels.k0e, lambda x, y: subtract(y, bessel_k1e(x)), _POSITIVE)
k1e_op = _bessel(
    "BesselK1e", kernels.k1e,
    lambda x, y: subtract(multiply(y, one_minus(reciprocal(x))), bessel_k0e(x)), _POSITIVE,
)  # fmt: skip
j0_op = _bessel("BesselJ0", kernels.j0, lambda x, y: negative(bessel_j1(x)), _ANY)
j1_op = _bessel("BesselJ1", kernels.j1, lambda x, y: subtract(bessel_j0(x), _share(x, y)), _ANY)
y0_op = _bessel("BesselY0", kernels.y0, lambda x, y: negative(bessel_y1(x)), _POSITIVE)
y1_op = _bessel(
    "BesselY1", kernels.y1,
    lambda x, y: subtract(bessel_y0(x), multiply(y, reciprocal(x))), _POSITIVE,
)  # fmt: skip


def bessel_i0(x: object, name: str | None = None) -> Tensor:
    """I0 (https://www.tensorflow.org/api_docs/python/tf/math/bessel_i0)."""
    return elementwise(i0_op, x, name=name)


def bessel_i1(x: object, name: str | None = None) -> Tensor:
    """I1 (https://www.tensorflow.org/api_docs/python/tf/math/bessel_i1)."""
    return elementwise(i1_op, x, name=name)


def bessel_i0e(x: object, name: str | None = None) -> Tensor:
    """I0(x) e**-|x| (https://www.tensorflow.org/api_docs/python/tf/math/bessel_i0e)."""
    return elementwise(i0e_op, x, name=name)


def bessel_i1e(x: object, name: str | None = None) -> Tensor:
    """I1(x) e**-|x| (https://www.tensorflow.org/api_docs/python/tf/math/bessel_i1e)."""
    return elementwise(i1e_op, x, name=name)


def bessel_k0(x: object, name: str | None = None) -> Tensor:
    """K0 (https://www.tensorflow.org/api_docs/python/tf/math/special/bessel_k0)."""
    return elementwise(k0_op, x, name=name)


def bessel_k1(x: object, name: str | None = None) -> Tensor:
    """K1 (https://www.tensorflow.org/api_docs/python/tf/math/special/bessel_k1)."""
    return elementwise(k1_op, x, name=name)


def bessel_k0e(x: object, name: str | None = None) -> Tensor:
    """K0(x) e**x (https://www.tensorflow.org/api_docs/python/tf/math/special/bessel_k0e)."""
    return elementwise(k0e_op, x, name=name)


def bessel_k1e(x: object, name: str | None = None) -> Tensor:
    """K1(x) e**x (https://www.tensorflow.org/api_docs/python/tf/math/special/bessel_k1e)."""
    return elementwise(k1e_op, x, name=name)


def bessel_j0(x: object, name: str | None = None) -> Tensor:
    """J0 (https://www.tensorflow.org/api_docs/python/tf/math/special/bessel_j0)."""
    return elementwise(j0_op, x, name=name)


def bessel_j1(x: object, name: str | None = None) -> Tensor:
    """J1 (https://www.tensorflow.org/api_docs/python/tf/math/special/bessel_j1)."""
    return elementwise(j1_op, x, name=name)


def bessel_y0(x: object, name: str | None = None) -> Tensor:
    """Y0 (https://www.tensorflow.org/api_docs/python/tf/math/special/bessel_y0)."""
    return elementwise(y0_op, x, name=name)


def bessel_y1(x: object, name: str | None = None) -> Tensor:
    """Y1 (https://www.tensorflow.org/api_docs/python/tf/math/special/bessel_y1)."""
    return elementwise(y1_op, x, name=name)
