"""Functions that are integrals: Spence, Dawson, Fresnel, Ei, incomplete gamma and beta."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np

from tfcheck_runtime.op import Array, Aval, Call, Case, Op, case, define
from tfcheck_runtime.ops.array.broadcasting import sum_to
from tfcheck_runtime.ops.array.examples import f32, f64
from tfcheck_runtime.ops.array.filling import ones_like
from tfcheck_runtime.ops.array.selection import where
from tfcheck_runtime.ops.math import integral_kernels as kernels
from tfcheck_runtime.ops.math.arithmetic import add, multiply, negative, one_minus, square, subtract
from tfcheck_runtime.ops.math.comparison import equal
from tfcheck_runtime.ops.math.exponential import exp, log, log1p, reciprocal
from tfcheck_runtime.ops.math.families import Binary, Unary, elementwise
from tfcheck_runtime.ops.math.operands import FLOATS, HALVES, alike
from tfcheck_runtime.ops.math.special import lgamma
from tfcheck_runtime.ops.math.special_kernels import Doubles, in_double
from tfcheck_runtime.ops.math.trigonometric import cos, sin
from tfcheck_runtime.specs.shapes import broadcast
from tfcheck_runtime.values.tensor import Tensor, apply

_DOUBLES: Final = ("float32", "float64")
_ANY: Final = (
    case(f32([[-1.3, 0.4, 2.1], [5.0, -0.2, 8.0]])),
    case(f64([0.4, -2.0]), unknown=((0, 0),)),
)
_POSITIVE: Final = (case(f32([[0.3, 2.0, 4.5]])), case(f64([3.0, 12.5]), unknown=((0, 0),)))
_PAIRS: Final = (
    case(f32([[0.5, 1.5, 4.0]]), f32([[0.3], [2.5]])),
    case(f64([3.0]), f64([2.0, 9.0]), unknown=((1, 0),)),
)


def _integral(
    op_type: str,
    kernel: Callable[[Doubles], Doubles],
    integrand: Callable[[Tensor, Tensor], Tensor],
    cases: tuple[Case, ...],
) -> Unary:
    op = Unary(
        op_type, in_double(kernel), lowering=None,
        gradient=lambda dy, x, y: multiply(dy, integrand(x, y)), allowed=FLOATS,
        kernelless=HALVES, cases=cases,
    )  # fmt: skip
    return define(op)


def _spence_slope(x: Tensor, y: Tensor) -> Tensor:
    del y
    level = equal(x, 1)
    steep = multiply(log(x), reciprocal(one_minus(where(level, 0, x))))
    return where(level, negative(ones_like(x)), steep)


def _quarter_turns(x: Tensor) -> Tensor:
    return multiply(square(x), math.pi / 2)


spence_op = _integral("Spence", kernels.spence, _spence_slope, _POSITIVE)
dawsn_op = _integral(
    "Dawsn", kernels.dawsn, lambda x, y: one_minus(multiply(multiply(x, y), 2)), _ANY
)
expint_op = _integral(
    "Expint", kernels.expint, lambda x, y: multiply(exp(x), reciprocal(x)), _POSITIVE
)
fresnel_sin_op = _integral(
    "FresnelSin", kernels.fresnel_sin, lambda x, y: sin(_quarter_turns(x)), _ANY
)
fresnel_cos_op = _integral(
    "FresnelCos", kernels.fresnel_cos, lambda x, y: cos(_quarter_turns(x)), _ANY
)


def _gamma_density(a: Tensor, x: Tensor) -> Tensor:
    """x**(a - 1) e**-x / gamma(a)."""
    return exp(subtract(subtract(multiply(subtract(a, 1), log(x)), x), lgamma(a)))


igamma_by_a_op: Binary

igamma_op = define(
    Binary(
        "Igamma", in_double(kernels.igamma), lowering=None,
        gradient=lambda dz, a, x, z: (
            multiply(dz, elementwise(igamma_by_a_op, a, x)), multiply(dz, _gamma_density(a, x)),
        ),
        allowed=_DOUBLES, cases=tuple(
            case(*c.inputs, unknown=c.unknown, differentiable=False) for c in _PAIRS
        ),
    )
)  # fmt: skip
igammac_op = define(
    Binary(
        "Igammac", in_double(kernels.igammac), lowering=None,
        gradient=lambda dz, a, x, z: (
            negative(multiply(dz, elementwise(igamma_by_a_op, a, x))),
            negative(multiply(dz, _gamma_density(a, x))),
        ),
        allowed=_DOUBLES, cases=tuple(
            case(*c.inputs, unknown=c.unknown, differentiable=False) for c in _PAIRS
        ),
    )
)  # fmt: skip


def _no_second(dz: Tensor, a: Tensor, x: Tensor, z: Tensor) -> tuple[None, None]:
    raise NotImplementedError(
        "the derivative of igamma by its first argument has none, as in TensorFlow"
    )


igamma_by_a_op = define(
    Binary(
        "IgammaGradA", in_double(kernels.igamma_by_a), lowering=None, gradient=_no_second,
        allowed=_DOUBLES, cases=(case(f32([0.5, 3.0]), f32([0.3, 2.5]), differentiable=False),),
    )
)  # fmt: skip


class _Betainc(Op):
    """The regularised incomplete beta function."""

    type = "Betainc"

    def infer(self, a: Aval, b: Aval, x: Aval) -> Aval:
        shapes = [s.shape for s in (a, b, x) if s.shape != ()]
        if len({s for s in shapes if s is not None and None not in s}) > 1:
            raise ValueError(f"Shapes must be equal or scalar: {[a.shape, b.shape, x.shape]}")
        shape = broadcast(broadcast(a.shape, b.shape), x.shape)
        return Aval(a.dtype, shape)

    def eager(self, a: Array, b: Array, x: Array) -> Array:
        with np.errstate(all="ignore"):
            return in_double(kernels.betainc)(a, b, x)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        a, b, x = call.inputs
        # As in TensorFlow, there is none by the parameters.
        whole = subtract(add(lgamma(a), lgamma(b)), lgamma(add(a, b)))
        powers = add(multiply(subtract(b, 1), log1p(negative(x))), multiply(subtract(a, 1), log(x)))
        by_x = multiply(grad, exp(subtract(powers, whole)))
        return [None, None, sum_to(by_x, x)]

    cases = (
        case(f32([0.5, 2, 5]), f32([1, 3, 0.5]), f32([0.1, 0.5, 0.9]), differentiable=False),
        case(f64(2.0), f64(3.0), f64([0.3, 0.6]), unknown=((2, 0),), differentiable=False),
    )


betainc_op = define(_Betainc())


def spence(x: object, name: str | None = None) -> Tensor:
    """Spence's function: https://www.tensorflow.org/api_docs/python/tf/math/special/spence."""
    return elementwise(spence_op, x, name=name)


def dawsn(x: object, name: str | None = None) -> Tensor:
    """Dawson's integral: https://www.tensorflow.org/api_docs/python/tf/math/special/dawsn."""
    return elementwise(dawsn_op, x, name=name)


def expint(x: object, name: str | None = None) -> Tensor:
    """The integral Ei (https://www.tensorflow.org/api_docs/python/tf/math/special/expint)."""
    return elementwise(expint_op, x, name=name)


def fresnel_sin(x: object, name: str | None = None) -> Tensor:
    """Fresnel's S: https://www.tensorflow.org/api_docs/python/tf/math/special/fresnel_sin."""
    return elementwise(fresnel_sin_op, x, name=name)


def fresnel_cos(x: object, name: str | None = None) -> Tensor:
    """Fresnel's C: https://www.tensorflow.org/api_docs/python/tf/math/special/fresnel_cos."""
    return elementwise(fresnel_cos_op, x, name=name)


def igamma(a: object, x: object, name: str | None = None) -> Tensor:
    """The regularised lower incomplete gamma function.

    https://www.tensorflow.org/api_docs/python/tf/math/igamma
    """
    return elementwise(igamma_op, a, x, name=name)


def igammac(a: object, x: object, name: str | None = None) -> Tensor:
    """The regularised upper incomplete gamma function.

    https://www.tensorflow.org/api_docs/python/tf/math/igammac
    """
    return elementwise(igammac_op, a, x, name=name)


def betainc(a: object, b: object, x: object, name: str | None = None) -> Tensor:
    """The regularised incomplete beta function; scalars go with any shape.

    https://www.tensorflow.org/api_docs/python/tf/math/betainc

    Raises:
        InvalidArgumentError: shapes differ (ValueError in a graph).
    """
    operands = alike("Betainc", (a, b, x), allowed=_DOUBLES)
    return apply(betainc_op, *operands, name=name or "Betainc")
