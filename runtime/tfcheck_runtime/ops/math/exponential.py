"""Exponentials, logarithms, powers and roots, and the sigmoid functions built on them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Emitter, Term, case, define
from tfcheck_runtime.ops.array.examples import f32, f64, i32
from tfcheck_runtime.ops.array.filling import ones_like, zeros_like
from tfcheck_runtime.ops.array.selection import where
from tfcheck_runtime.ops.math.arithmetic import add, multiply, negative, one_minus, square, subtract
from tfcheck_runtime.ops.math.comparison import equal, greater, not_equal
from tfcheck_runtime.ops.math.complexes import conj
from tfcheck_runtime.ops.math.division import realdiv
from tfcheck_runtime.ops.math.families import (
    ORT_FLOATS,
    ORT_SINGLE,
    Binary,
    Unary,
    elementwise,
)
from tfcheck_runtime.ops.math.operands import (
    FLOATS,
    INEXACT,
    reflected,
)
from tfcheck_runtime.values import operators
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor

_POSITIVE = (
    case(f32([[0.5, 2.0, 3.5]])),
    case(f64([0.25, 1.5]), unknown=((0, 0),)),
)
_SIGNED = (
    case(f32([[-1.5, 0.0, 2.0]])),
    case(f64([0.25, -1.5]), unknown=((0, 0),)),
    case(f32([-80.0, 80.0]), differentiable=False),
)


def _scalar(onnx: Emitter, value: float, like: Term) -> object:
    return onnx.constant(np.asarray(value, like.dtype.numpy))


# --- Roots and reciprocals

sqrt_op = define(
    Unary(
        "Sqrt", np.sqrt, lowering="Sqrt",
        gradient=lambda dy, x, y: multiply(realdiv(dy, conj(y)), 0.5),
        allowed=INEXACT, cases=_POSITIVE,
    )
)  # fmt: skip
rsqrt_op = define(
    Unary(
        "Rsqrt", lambda x: np.asarray(1, x.dtype) / np.sqrt(x),
        lowering=lambda onnx, x: onnx.op("Reciprocal", onnx.op("Sqrt", x)),
        gradient=lambda dy, x, y: multiply(multiply(dy, -0.5), conj(multiply(y, square(y)))),
        allowed=INEXACT, cases=_POSITIVE,
    )
)  # fmt: skip
reciprocal_op = define(
    Unary(
        "Reciprocal", lambda x: np.asarray(1, x.dtype) / x, lowering="Reciprocal",
        gradient=lambda dy, x, y: negative(multiply(dy, conj(square(y)))),
        allowed=INEXACT, cases=_POSITIVE,
    )
)  # fmt: skip

# --- Exponentials and logarithms

exp_op = define(
    Unary(
        "Exp", np.exp, lowering="Exp", gradient=lambda dy, x, y: multiply(dy, conj(y)),
        allowed=INEXACT, cases=_SIGNED,
    )
)  # fmt: skip
expm1_op = define(
    Unary(
        "Expm1", np.expm1, lowering=lambda onnx, x: lower_expm1(onnx, x),
        gradient=lambda dy, x, y: multiply(dy, conj(exp(x))),
        allowed=INEXACT, cases=(*_SIGNED, case(f32([1e-7, -1e-7]))),
    )
)  # fmt: skip
log_op = define(
    Unary(
        "Log", np.log, lowering="Log",
        gradient=lambda dy, x, y: multiply(dy, reciprocal(conj(x))),
        allowed=INEXACT, cases=_POSITIVE,
    )
)  # fmt: skip
log1p_op = define(
    Unary(
        "Log1p", np.log1p, lowering=lambda onnx, x: lower_log1p(onnx, x),
        gradient=lambda dy, x, y: multiply(dy, reciprocal(add(conj(x), 1))),
        allowed=INEXACT, cases=(*_POSITIVE, case(f32([1e-7, -0.5, 0.0]))),
    )
)  # fmt: skip


def lower_log1p(onnx: Emitter, x: Term) -> object:
    """log(1 + x), exact for small x by Kahan's correction of the rounding of 1 + x."""
    one = _scalar(onnx, 1, x)
    shifted = onnx.op("Add", x, one)
    rounding = onnx.op("Sub", shifted, one)
    corrected = onnx.op("Mul", onnx.op("Log", shifted), onnx.op("Div", x, rounding))
    plain = onnx.op("Or", onnx.op("Equal", rounding, _scalar(onnx, 0, x)), _is_infinite(onnx, x))
    return onnx.op("Where", plain, x, corrected)


def _is_infinite(onnx: Emitter, x: Term) -> object:
    return onnx.op("IsInf", x, detect_negative=0)


def lower_expm1(onnx: Emitter, x: Term) -> object:
    """2 sinh(x/2) e**(x/2) would overflow; (u - 1) x / log(u) with u = e**x is exact near 0."""
    one, zero = _scalar(onnx, 1, x), _scalar(onnx, 0, x)
    u = onnx.op("Exp", x)
    difference = onnx.op("Sub", u, one)
    near = onnx.op("Less", onnx.op("Abs", x), _scalar(onnx, 0.5, x))
    is_one = onnx.op("Equal", difference, zero)
    ratio = onnx.op("Div", x, onnx.op("Log", onnx.op("Where", near, u, onnx.op("Add", one, one))))
    corrected = onnx.op("Where", near, onnx.op("Mul", difference, ratio), difference)
    return onnx.op("Where", is_one, x, corrected)


# --- Powers


def _power(x: Array, y: Array) -> Array:
    if x.dtype.kind in "iu" and (y < 0).any():
        raise invalid_argument("Integers to negative integer powers are not allowed", "Pow")
    return np.asarray(np.power(x, y))


def _power_gradient(dz: Tensor, x: Tensor, y: Tensor, z: Tensor) -> tuple[Tensor, Tensor]:
    x, y, z = conj(x), conj(y), conj(z)
    dx = multiply(multiply(dz, y), pow(x, subtract(y, 1)))
    # d/dy = z log(x), and 0 where the logarithm does not exist.
    mask = not_equal(x, 0) if x.dtype.is_complex else greater(x, 0)
    logarithm = where(mask, log(where(mask, x, ones_like(x))), zeros_like(x))
    return dx, multiply(multiply(dz, z), logarithm)


def _lower_power(onnx: Emitter, x: Term, y: Term) -> object:
    """Squares as products: onnxruntime's Pow takes several times as long."""
    exponent = y.constant()
    if exponent is not None and exponent.shape == () and exponent in (1, 2):
        return onnx.op("Identity", x) if exponent == 1 else onnx.op("Mul", x, x)
    return onnx.op("Pow", x, y)


pow_op = define(
    Binary(
        "Pow", _power, lowering=_lower_power, gradient=_power_gradient,
        # onnxruntime does not let integers wrap around.
        allowed=(*INEXACT, "int8", "int16", "int32", "int64"), lowered=ORT_FLOATS,
        cases=(
            case(f32([[0.5, 2.0, 3.0]]), f32([[2.0], [-1.5]])),
            case(f64([1.5, 0.5]), f64([3.0, 0.25]), unknown=((0, 0), (1, 0))),
            case(f32([-2.0, 0.0]), f32([2.0, 3.0]), differentiable=False),
            case(i32([2, -3]), i32([3])),
        ),
    )
)  # fmt: skip

# --- Products with logarithms that count 0 times anything as 0


def _where_nonzero(kernel: Callable[[Array, Array], Array]) -> Callable[[Array, Array], Array]:
    def product(x: Array, y: Array) -> Array:
        return np.where(x == 0, np.zeros((), x.dtype), kernel(x, y))

    return product


def _lower_where_nonzero(inner: Callable[[Emitter, Term, Term], object]) -> Callable[..., object]:
    def lower(onnx: Emitter, x: Term, y: Term) -> object:
        zero = _scalar(onnx, 0, x)
        return onnx.op("Where", onnx.op("Equal", x, zero), zero, inner(onnx, x, y))

    return lower


def _mask(x: Tensor) -> Tensor:
    """1 where x counts, 0 where it is 0."""
    return where(equal(x, 0), zeros_like(x), ones_like(x))


_LOGARITHMIC = (
    case(f32([0.0, 1.0, 2.0]), f32([0.0, 0.5, 2.0]), differentiable=False),
    case(f64([[1.5]]), f64([0.5, 2.0]), unknown=((1, 0),)),
)
xlogy_op = define(
    Binary(
        "Xlogy", _where_nonzero(lambda x, y: x * np.log(y)),
        lowering=_lower_where_nonzero(lambda onnx, x, y: onnx.op("Mul", x, onnx.op("Log", y))),
        gradient=lambda dz, x, y, z: (
            multiply(dz, xlogy(_mask(x), y)), multiply(dz, xdivy(x, y)),
        ),
        allowed=INEXACT, lowered=ORT_FLOATS, cases=_LOGARITHMIC,
    )
)  # fmt: skip
xlog1py_op = define(
    Binary(
        "Xlog1py", _where_nonzero(lambda x, y: x * np.log1p(y)),
        lowering=_lower_where_nonzero(lambda onnx, x, y: onnx.op("Mul", x, lower_log1p(onnx, y))),
        gradient=lambda dz, x, y, z: (
            multiply(dz, xlog1py(_mask(x), y)), multiply(dz, xdivy(x, add(y, 1))),
        ),
        allowed=INEXACT, lowered=ORT_FLOATS, cases=_LOGARITHMIC,
    )
)  # fmt: skip
xdivy_op = define(
    Binary(
        "Xdivy", _where_nonzero(lambda x, y: x / y),
        lowering=_lower_where_nonzero(lambda onnx, x, y: onnx.op("Div", x, y)),
        gradient=lambda dz, x, y, z: (
            multiply(dz, xdivy(_mask(x), y)), multiply(dz, xdivy(negative(x), square(y))),
        ),
        allowed=INEXACT, lowered=ORT_FLOATS, cases=_LOGARITHMIC,
    )
)  # fmt: skip

# --- Sigmoids


def _sigmoid(x: Array) -> Array:
    if x.dtype.kind == "c":
        return np.asarray(1 / (1 + np.exp(-x)))
    decay = np.exp(-np.abs(x))
    one = np.asarray(1, x.dtype)
    return np.asarray(np.where(x >= 0, one, decay) / (one + decay))


sigmoid_op = define(
    Unary(
        "Sigmoid", _sigmoid, lowering="Sigmoid",
        gradient=lambda dy, x, y: multiply(dy, multiply(conj(y), one_minus(conj(y)))),
        allowed=INEXACT, cases=_SIGNED,
    )
)  # fmt: skip
tanh_op = define(
    Unary(
        "Tanh", np.tanh, lowering="Tanh",
        gradient=lambda dy, x, y: multiply(dy, one_minus(square(conj(y)))),
        allowed=INEXACT, cases=_SIGNED,
    )
)  # fmt: skip


def _lower_softplus(onnx: Emitter, x: Term) -> object:
    if x.dtype.name in ORT_SINGLE:
        return onnx.op("Softplus", x)
    # onnxruntime has no float64 Softplus: max(x, 0) + log1p(e**-|x|), whose argument is in (0, 1].
    decay = onnx.op("Exp", onnx.op("Neg", onnx.op("Abs", x)))
    tail = onnx.op("Log", onnx.op("Add", decay, _scalar(onnx, 1, x)))
    return onnx.op("Add", onnx.op("Max", x, _scalar(onnx, 0, x)), tail)


softplus_op = define(
    Unary(
        "Softplus", lambda x: np.logaddexp(x, np.zeros((), x.dtype)), lowering=_lower_softplus,
        gradient=lambda dy, x, y: multiply(dy, sigmoid(x)), allowed=FLOATS, cases=_SIGNED,
    )
)  # fmt: skip

# --- Public functions


def sqrt(x: object, name: str | None = None) -> Tensor:
    """The square root; nan below 0 (https://www.tensorflow.org/api_docs/python/tf/math/sqrt)."""
    return elementwise(sqrt_op, x, name=name)


def rsqrt(x: object, name: str | None = None) -> Tensor:
    """1 / sqrt(x) (https://www.tensorflow.org/api_docs/python/tf/math/rsqrt)."""
    return elementwise(rsqrt_op, x, name=name)


def reciprocal(x: object, name: str | None = None) -> Tensor:
    """1 / x of floats (https://www.tensorflow.org/api_docs/python/tf/math/reciprocal)."""
    return elementwise(reciprocal_op, x, name=name)


def exp(x: object, name: str | None = None) -> Tensor:
    """e**x (https://www.tensorflow.org/api_docs/python/tf/math/exp)."""
    return elementwise(exp_op, x, name=name)


def expm1(x: object, name: str | None = None) -> Tensor:
    """e**x - 1, exact near 0 (https://www.tensorflow.org/api_docs/python/tf/math/expm1)."""
    return elementwise(expm1_op, x, name=name)


def log(x: object, name: str | None = None) -> Tensor:
    """The natural logarithm (https://www.tensorflow.org/api_docs/python/tf/math/log)."""
    return elementwise(log_op, x, name=name)


def log1p(x: object, name: str | None = None) -> Tensor:
    """log(1 + x), exact near 0 (https://www.tensorflow.org/api_docs/python/tf/math/log1p)."""
    return elementwise(log1p_op, x, name=name)


def pow(x: object, y: object, name: str | None = None) -> Tensor:
    """x**y, elementwise (https://www.tensorflow.org/api_docs/python/tf/math/pow).

    Raises:
        InvalidArgumentError: an integer exponent is negative.
    """
    return elementwise(pow_op, x, y, name=name)


@operators.implements("pow")
def _double_star(x: object, y: object) -> Tensor:
    return elementwise(pow_op, reflected(x, y), y, name="pow")


def xlogy(x: object, y: object, name: str | None = None) -> Tensor:
    """`x log(y)`, and 0 where x is 0 (https://www.tensorflow.org/api_docs/python/tf/math/xlogy)."""
    return elementwise(xlogy_op, x, y, name=name)


def xlog1py(x: object, y: object, name: str | None = None) -> Tensor:
    """`x log(1 + y)`, and 0 where x is 0.

    https://www.tensorflow.org/api_docs/python/tf/math/xlog1py
    """
    return elementwise(xlog1py_op, x, y, name=name)


def xdivy(x: object, y: object, name: str | None = None) -> Tensor:
    """`x / y`, and 0 where x is 0 (https://www.tensorflow.org/api_docs/python/tf/math/xdivy)."""
    return elementwise(xdivy_op, x, y, name=name)


def sigmoid(x: object, name: str | None = None) -> Tensor:
    """1 / (1 + e**-x) (https://www.tensorflow.org/api_docs/python/tf/math/sigmoid)."""
    return elementwise(sigmoid_op, x, name=name)


def tanh(x: object, name: str | None = None) -> Tensor:
    """The hyperbolic tangent (https://www.tensorflow.org/api_docs/python/tf/math/tanh)."""
    return elementwise(tanh_op, x, name=name)


def softplus(features: object, name: str | None = None) -> Tensor:
    """log(1 + e**x) (https://www.tensorflow.org/api_docs/python/tf/math/softplus)."""
    return elementwise(softplus_op, features, name=name)


def log_sigmoid(x: object, name: str | None = None) -> Tensor:
    """log(sigmoid(x)), without under- or overflow.

    https://www.tensorflow.org/api_docs/python/tf/math/log_sigmoid
    """
    return negative(softplus(negative(convert_to_tensor(x))), name=name or "LogSigmoid")
