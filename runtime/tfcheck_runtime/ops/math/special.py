"""Special functions: of the error function's and the gamma function's kin, and polynomials."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from tfcheck_runtime.op import Case, Emitter, Term, case, define
from tfcheck_runtime.ops.array.examples import f32, f64
from tfcheck_runtime.ops.array.filling import ones_like
from tfcheck_runtime.ops.array.reduction import reduce_sum
from tfcheck_runtime.ops.math import special_kernels as kernels
from tfcheck_runtime.ops.math.arithmetic import add, multiply, negative, square, subtract
from tfcheck_runtime.ops.math.exponential import exp
from tfcheck_runtime.ops.math.families import ORT_SINGLE, Binary, Unary, elementwise
from tfcheck_runtime.ops.math.operands import FLOATS, HALVES
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor

_DOUBLES: Final = ("float32", "float64")
_ANY: Final = (
    case(f32([[-1.3, 0.0, 2.1], [5.0, -0.2, 0.45]])),
    case(f64([0.4, -2.0]), unknown=((0, 0),)),
)
_POSITIVE: Final = (
    case(f32([[0.5, 1.0, 2.5]])),
    case(f64([3.0, 12.5]), unknown=((0, 0),)),
)
_INSIDE: Final = (case(f32([0.1, 0.5, 0.9])), case(f64([0.3]), unknown=((0, 0),)))
_EDGES: Final[tuple[Case, ...]] = (case(f32([-1.5, -2.0, 0.0]), differentiable=False),)


def _bell(x: Tensor, factor: float) -> Tensor:
    """Factor * e**-x²."""
    return multiply(exp(negative(square(x))), factor)


def _lower_erfc(onnx: Emitter, x: Term) -> object:
    # ONNX has Erf alone: beyond 3 the result keeps its abs precision, not its relative one.
    return onnx.op("Sub", onnx.constant(np.ones((), x.dtype.numpy)), onnx.op("Erf", x))


_TWO_OVER_ROOT_PI: Final = 2 / math.sqrt(math.pi)

erf_op = define(
    Unary(
        "Erf", kernels.in_double(kernels.erf), lowering="Erf",
        gradient=lambda dy, x, y: multiply(dy, _bell(x, _TWO_OVER_ROOT_PI)),
        allowed=FLOATS, lowered=ORT_SINGLE, cases=_ANY,
    )
)  # fmt: skip
erfc_op = define(
    Unary(
        "Erfc", kernels.in_double(kernels.erfc), lowering=_lower_erfc,
        gradient=lambda dy, x, y: multiply(dy, _bell(x, -_TWO_OVER_ROOT_PI)),
        allowed=FLOATS, lowered=ORT_SINGLE, cases=_ANY,
    )
)  # fmt: skip
erfinv_op = define(
    Unary(
        "Erfinv", kernels.in_double(kernels.erfinv), lowering=None,
        gradient=lambda dy, x, y: multiply(
            dy, multiply(exp(square(y)), math.sqrt(math.pi) / 2)
        ),
        allowed=FLOATS, kernelless=HALVES, cases=(*_INSIDE, case(f32([-0.5, 1e-6, 0.0]))),
    )
)  # fmt: skip
ndtri_op = define(
    Unary(
        "Ndtri", kernels.in_double(kernels.ndtri), lowering=None,
        gradient=lambda dy, x, y: multiply(
            dy, multiply(exp(multiply(square(y), 0.5)), math.sqrt(2 * math.pi))
        ),
        allowed=FLOATS, kernelless=HALVES, cases=_INSIDE,
    )
)  # fmt: skip
lgamma_op = define(
    Unary(
        "Lgamma", kernels.in_double(kernels.lgamma), lowering=None,
        gradient=lambda dy, x, y: multiply(dy, digamma(x)),
        allowed=FLOATS, kernelless=("bfloat16",), cases=(*_POSITIVE, *_EDGES),
    )
)  # fmt: skip
digamma_op = define(
    Unary(
        "Digamma", kernels.in_double(kernels.digamma), lowering=None,
        gradient=lambda dy, x, y: multiply(dy, polygamma(ones_like(x), x)),
        allowed=FLOATS, kernelless=("bfloat16",), cases=(*_POSITIVE, *_EDGES),
    )
)  # fmt: skip
polygamma_op = define(
    Binary(
        "Polygamma", kernels.in_double(kernels.polygamma), lowering=None,
        gradient=lambda dz, n, x, z: (None, multiply(dz, polygamma(add(n, 1), x))),
        allowed=_DOUBLES,
        cases=(case(f32([1.0, 2.0, 0.0]), f32([1.5, 0.7, 2.0]), differentiable=False),),
    )
)  # fmt: skip
zeta_op = define(
    Binary(
        "Zeta", kernels.in_double(kernels.zeta), lowering=None,
        gradient=lambda dz, s, q, z: (
            None, multiply(negative(dz), multiply(s, zeta(add(s, 1), q))),
        ),
        allowed=_DOUBLES, cases=(case(f32([2.0, 3.0]), f32([1.0, 0.5]), differentiable=False),),
    )
)  # fmt: skip


def erf(x: object, name: str | None = None) -> Tensor:
    """The error function (https://www.tensorflow.org/api_docs/python/tf/math/erf)."""
    return elementwise(erf_op, x, name=name)


def erfc(x: object, name: str | None = None) -> Tensor:
    """1 - erf(x) (https://www.tensorflow.org/api_docs/python/tf/math/erfc)."""
    return elementwise(erfc_op, x, name=name)


def erfinv(x: object, name: str | None = None) -> Tensor:
    """The inverse of erf (https://www.tensorflow.org/api_docs/python/tf/math/erfinv)."""
    return elementwise(erfinv_op, x, name=name)


def erfcinv(x: object, name: str | None = None) -> Tensor:
    """The inverse of erfc (https://www.tensorflow.org/api_docs/python/tf/math/erfcinv)."""
    quantile = ndtri(multiply(convert_to_tensor(x), 0.5))
    return multiply(negative(quantile), math.sqrt(0.5), name=name or "erfcinv")


def ndtri(x: object, name: str | None = None) -> Tensor:
    """The standard normal quantile (https://www.tensorflow.org/api_docs/python/tf/math/ndtri)."""
    return elementwise(ndtri_op, x, name=name)


def lgamma(x: object, name: str | None = None) -> Tensor:
    """Log |gamma(x)| (https://www.tensorflow.org/api_docs/python/tf/math/lgamma)."""
    return elementwise(lgamma_op, x, name=name)


def digamma(x: object, name: str | None = None) -> Tensor:
    """The derivative of lgamma (https://www.tensorflow.org/api_docs/python/tf/math/digamma)."""
    return elementwise(digamma_op, x, name=name)


def polygamma(a: object, x: object, name: str | None = None) -> Tensor:
    """The a-th derivative of digamma.

    https://www.tensorflow.org/api_docs/python/tf/math/polygamma
    """
    return elementwise(polygamma_op, a, x, name=name)


def zeta(x: object, q: object, name: str | None = None) -> Tensor:
    """The Hurwitz zeta function (https://www.tensorflow.org/api_docs/python/tf/math/zeta)."""
    return elementwise(zeta_op, x, q, name=name)


def lbeta(x: object, name: str | None = None) -> Tensor:
    """Log |beta(x)| along the last axis.

    https://www.tensorflow.org/api_docs/python/tf/math/lbeta
    """
    tensor = convert_to_tensor(x)
    whole = lgamma(reduce_sum(tensor, axis=-1))
    return subtract(reduce_sum(lgamma(tensor), axis=-1), whole, name=name or "lbeta")


def polyval(coeffs: Sequence[object], x: object, name: str | None = None) -> Tensor:
    """A polynomial by Horner's rule, its coefficients from the highest power down.

    https://www.tensorflow.org/api_docs/python/tf/math/polyval

    Raises:
        ValueError: `coeffs` is not a list.
    """
    if not isinstance(coeffs, list):
        raise ValueError(f"Argument coeffs must be list type. Received type {type(coeffs)}.")
    point = convert_to_tensor(x)
    if not coeffs:
        return multiply(point, 0, name=name or "polyval")
    result = convert_to_tensor(coeffs[0])
    for coefficient in coeffs[1:]:
        result = add(coefficient, multiply(result, point))
    return result
