"""Division: true, floored, truncated, and safe where the divisor is zero."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Emitter, Term, case, define
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.examples import f32, f64, i32, i64
from tfcheck_runtime.ops.array.guarding import guarded
from tfcheck_runtime.ops.math.arithmetic import multiply, negative
from tfcheck_runtime.ops.math.complexes import conj
from tfcheck_runtime.ops.math.families import ORT_FLOATS, Binary, elementwise
from tfcheck_runtime.ops.math.operands import (
    COMPLEXES,
    FLOATS,
    HALVES,
    INEXACT,
    NUMBERS,
    REALS,
    hinted,
    reflected,
)
from tfcheck_runtime.specs.dtypes import DType, as_dtype
from tfcheck_runtime.values import operators
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply

_FLOAT_CASES = (
    case(f32([[3.0, -1.0]]), f32([[2.0], [-0.5]])),
    case(f64([1.5, -2.5]), f64([0.5, 4.0]), unknown=((0, 0), (1, 0))),
)
_KINK_CASES = (
    case(f32([7.5, -7.5, 7.5, -7.5]), f32([2.0, 2.0, -2.0, -2.0]), differentiable=False),
    case(f64([[-1.0], [5.0]]), f64([3.0]), unknown=((0, 0),), differentiable=False),
    case(i32([7, -7, 7, -7, 6]), i32([2, 2, -2, -2, 3])),
    case(i64([-9]), i64(4), unknown=((0, 0),)),
)
_ZERO_CASES = (
    case(f32([1.0, 0.0, -3.0]), f32([0.0, 0.0, 2.0]), differentiable=False),
    case(f64([[2.0]]), f64([4.0, 0.5]), unknown=((1, 0),)),
)


def _checked(op_type: str, kernel: Callable[..., Any]) -> Callable[[Array, Array], Array]:
    """The kernel, refusing integers to be divided by zero as TensorFlow does."""

    def divide_or_refuse(x: Array, y: Array) -> Array:
        if y.dtype.kind in "iu" and x.size and not y.all():
            raise invalid_argument("Integer division by zero", op_type)
        return np.asarray(kernel(x, y))

    return divide_or_refuse


def _floor(x: Array, y: Array) -> Array:
    # NumPy gives nan for floats divided by 0, TensorFlow infinity.
    return np.asarray(np.floor_divide(x, y) if x.dtype.kind in "iu" else np.floor(x / y))


def _truncate(x: Array, y: Array) -> Array:
    if x.dtype.kind not in "iu":
        return np.asarray(np.trunc(x / y))
    quotient = np.floor_divide(x, y)
    return np.asarray(quotient + ((quotient < 0) & (quotient * y != x)), x.dtype)


def _no_nan(x: Array, y: Array) -> Array:
    return np.where(y == 0, np.zeros((), x.dtype), x / np.where(y == 0, np.ones((), y.dtype), y))


# --- Lowerings


def _nonzero(onnx: Emitter, y: Term) -> object:
    """A divisor that fails when it holds a 0, by which onnxruntime would end the process."""
    content = y.constant()
    if y.dtype.is_floating or (content is not None and content.all()):
        return y
    zero = onnx.constant(np.zeros((), y.dtype.numpy))
    return guarded(onnx, y, onnx.op("Equal", y, zero), dtype=y.dtype)


def _lower_floor_divide(onnx: Emitter, x: Term, y: Term) -> object:
    if x.dtype.is_floating:
        return onnx.op("Floor", onnx.op("Div", x, y))
    quotient = onnx.op("Div", x, _nonzero(onnx, y))
    remainder = onnx.op("Sub", x, onnx.op("Mul", quotient, y))
    return onnx.op("Sub", quotient, onnx.cast(_wrong_sign(onnx, remainder, y), x.dtype))


def _lower_floor_mod(onnx: Emitter, x: Term, y: Term) -> object:
    if not x.dtype.is_floating:
        return onnx.op("Mod", x, _nonzero(onnx, y))
    remainder = onnx.op("Mod", x, y, fmod=1)
    shifted = onnx.op("Add", remainder, y)
    return onnx.op("Where", _wrong_sign(onnx, remainder, y), shifted, remainder)


def _wrong_sign(onnx: Emitter, remainder: object, y: Term) -> object:
    """Whether a remainder is not zero and its sign is not the divisor's."""
    zero = onnx.constant(np.zeros((), y.dtype.numpy))
    differs = onnx.op("Xor", onnx.op("Less", remainder, zero), onnx.op("Less", y, zero))
    return onnx.op("And", differs, onnx.op("Not", onnx.op("Equal", remainder, zero)))


def _lower_no_nan(onnx: Emitter, x: Term, y: Term) -> object:
    zero = onnx.constant(np.zeros((), x.dtype.numpy))
    one = onnx.constant(np.ones((), x.dtype.numpy))
    is_zero = onnx.op("Equal", y, zero)
    return onnx.op("Where", is_zero, zero, onnx.op("Div", x, onnx.op("Where", is_zero, one, y)))


def _lower_multiply_no_nan(onnx: Emitter, x: Term, y: Term) -> object:
    zero = onnx.constant(np.zeros((), x.dtype.numpy))
    return onnx.op("Where", onnx.op("Equal", y, zero), zero, onnx.op("Mul", x, y))


def _lower_truncate_mod(onnx: Emitter, x: Term, y: Term) -> object:
    return onnx.op("Mod", x, _nonzero(onnx, y), fmod=1)


def _lower_truncate_divide(onnx: Emitter, x: Term, y: Term) -> object:
    return onnx.op("Div", x, _nonzero(onnx, y))


# --- Gradients


def _quotient_gradient(dz: Tensor, x: Tensor, y: Tensor, z: Tensor) -> tuple[Tensor, Tensor]:
    x, y = conj(x), conj(y)
    return realdiv(dz, y), multiply(dz, realdiv(realdiv(negative(x), y), y))


def _no_nan_gradient(dz: Tensor, x: Tensor, y: Tensor, z: Tensor) -> tuple[Tensor, Tensor]:
    inner = divide_no_nan(divide_no_nan(negative(x), y), y)
    return divide_no_nan(dz, y), multiply(dz, inner)


def _remainder_gradient(dz: Tensor, x: Tensor, y: Tensor, z: Tensor) -> tuple[Tensor, Tensor]:
    return dz, multiply(dz, negative(floordiv(x, y)))


# --- Definitions

real_divide_op = define(
    Binary(
        "RealDiv", np.true_divide, lowering="Div", gradient=_quotient_gradient,
        allowed=INEXACT, lowered=ORT_FLOATS, cases=_FLOAT_CASES,
    )
)  # fmt: skip
floor_divide_op = define(
    Binary(
        "FloorDiv", _checked("FloorDiv", _floor),
        lowering=_lower_floor_divide, gradient=lambda dz, x, y, z: (None, None),
        allowed=NUMBERS, kernelless=COMPLEXES, cases=_KINK_CASES,
    )
)  # fmt: skip
floor_mod_op = define(
    Binary(
        "FloorMod", _checked("FloorMod", np.mod), lowering=_lower_floor_mod,
        gradient=_remainder_gradient, allowed=REALS, cases=_KINK_CASES,
    )
)  # fmt: skip
truncate_divide_op = define(
    Binary(
        "TruncateDiv", _checked("TruncateDiv", _truncate), lowering=_lower_truncate_divide,
        gradient=lambda dz, x, y, z: (None, None), allowed=NUMBERS, kernelless=COMPLEXES,
        lowered=("int32", "int64"), cases=_KINK_CASES[2:],
    )
)  # fmt: skip
truncate_mod_op = define(
    Binary(
        "TruncateMod", _checked("TruncateMod", np.fmod), lowering=_lower_truncate_mod,
        gradient=None, allowed=(*FLOATS, "int32", "int64"), kernelless=HALVES,
        cases=_KINK_CASES,
    )
)  # fmt: skip
divide_no_nan_op = define(
    Binary(
        "DivNoNan", _no_nan, lowering=_lower_no_nan, gradient=_no_nan_gradient,
        allowed=INEXACT, lowered=ORT_FLOATS, cases=_ZERO_CASES,
    )
)  # fmt: skip
multiply_no_nan_op = define(
    Binary(
        "MulNoNan", lambda x, y: np.where(y == 0, np.zeros((), x.dtype), x * y),
        lowering=_lower_multiply_no_nan,
        gradient=lambda dz, x, y, z: (multiply_no_nan(dz, y), multiply_no_nan(x, dz)),
        allowed=INEXACT, lowered=ORT_FLOATS,
        cases=(
            case(f32([1.0, np.nan, np.inf]), f32([2.0, 0.0, 0.0]), differentiable=False),
            case(f64([2.0]), f64([[3.0]])),
        ),
    )
)  # fmt: skip

# --- Public functions

_TRUE_DIVISION: Final = {
    "uint8": "float32", "int8": "float32", "uint16": "float32", "int16": "float32",
    "uint32": "float64", "int32": "float64", "uint64": "float64", "int64": "float64",
}  # fmt: skip


def truediv(x: object, y: object, name: str | None = None) -> Tensor:
    """`x / y`, elementwise; integers are divided as floats (int32 and int64 as float64).

    https://www.tensorflow.org/api_docs/python/tf/math/truediv

    Raises:
        TypeError: the dtypes differ.
    """
    return _true_divide(*hinted(x, y), name=name)


@operators.implements("truediv")
def _slash(x: object, y: object) -> Tensor:
    return _true_divide(*hinted(reflected(x, y), y), name=None)


def _true_divide(x: Tensor, y: Tensor, *, name: str | None) -> Tensor:
    if x.dtype is not y.dtype:
        raise TypeError(f"`x` and `y` must have the same dtype, got {x.dtype!r} != {y.dtype!r}.")
    if x.dtype.name in _TRUE_DIVISION:
        result = as_dtype(_TRUE_DIVISION[x.dtype.name])
        x, y = cast(x, result), cast(y, result)
    elif x.dtype.name not in INEXACT:
        raise TypeError(
            f"Invalid dtype {x.dtype!r} in __truediv__. Expected one of a number type: {NUMBERS}"
        )
    return apply(real_divide_op, x, y, name=name or "truediv")


def divide(x: object, y: object, name: str | None = None) -> Tensor:
    """`x / y` as Python divides (https://www.tensorflow.org/api_docs/python/tf/math/divide)."""
    if name is not None:
        return truediv(x, y, name=name)
    left = convert_to_tensor(x, dtype_hint=_dtype_of(y)) if not isinstance(x, Tensor) else x
    return _slash(left, y)


def _dtype_of(value: object) -> DType | None:
    return value.dtype if isinstance(value, Tensor) else None


def realdiv(x: object, y: object, name: str | None = None) -> Tensor:
    """`x / y` for floats and complex numbers.

    https://www.tensorflow.org/api_docs/python/tf/realdiv
    """
    return elementwise(real_divide_op, x, y, name=name)


def floordiv(x: object, y: object, name: str | None = None) -> Tensor:
    """The floor of x / y (https://www.tensorflow.org/api_docs/python/tf/math/floordiv).

    Raises:
        InvalidArgumentError: an integer is divided by zero.
    """
    return elementwise(floor_divide_op, x, y, name=name or "floordiv")


@operators.implements("floordiv")
def _double_slash(x: object, y: object) -> Tensor:
    return floordiv(reflected(x, y), y)


def floormod(x: object, y: object, name: str | None = None) -> Tensor:
    """The remainder of floored division: its sign is the divisor's.

    https://www.tensorflow.org/api_docs/python/tf/math/floormod

    Raises:
        InvalidArgumentError: an integer is divided by zero.
    """
    return elementwise(floor_mod_op, x, y, name=name)


def mod(x: object, y: object, name: str | None = None) -> Tensor:
    """`floormod` (https://www.tensorflow.org/api_docs/python/tf/math/mod)."""
    return floormod(x, y, name)


@operators.implements("mod")
def _percent(x: object, y: object) -> Tensor:
    return elementwise(floor_mod_op, reflected(x, y), y, name="mod")


def truncatediv(x: object, y: object, name: str | None = None) -> Tensor:
    """`x / y` rounded towards zero (https://www.tensorflow.org/api_docs/python/tf/truncatediv)."""
    return elementwise(truncate_divide_op, x, y, name=name)


def truncatemod(x: object, y: object, name: str | None = None) -> Tensor:
    """The remainder of truncated division: its sign is the dividend's.

    https://www.tensorflow.org/api_docs/python/tf/truncatemod
    """
    return elementwise(truncate_mod_op, x, y, name=name)


def divide_no_nan(x: object, y: object, name: str | None = None) -> Tensor:
    """`x / y`, and 0 where y is 0.

    https://www.tensorflow.org/api_docs/python/tf/math/divide_no_nan
    """
    left, right = hinted(x, y)
    if left.dtype is right.dtype and left.dtype.name in _TRUE_DIVISION:
        result = as_dtype(_TRUE_DIVISION[left.dtype.name])
        left, right = cast(left, result), cast(right, result)
    return elementwise(divide_no_nan_op, left, right, name=name or "div_no_nan")


def multiply_no_nan(x: object, y: object, name: str | None = None) -> Tensor:
    """`x * y`, and 0 where y is 0 even if x is not finite.

    https://www.tensorflow.org/api_docs/python/tf/math/multiply_no_nan
    """
    return elementwise(multiply_no_nan_op, *hinted(x, y), name=name or "multiply_no_nan")


def reciprocal_no_nan(x: object, name: str | None = None) -> Tensor:
    """1 / x, and 0 where x is 0.

    https://www.tensorflow.org/api_docs/python/tf/math/reciprocal_no_nan
    """
    tensor = convert_to_tensor(x)
    one = convert_to_tensor(1, tensor.dtype)
    return elementwise(divide_no_nan_op, one, tensor, name=name or "reciprocal_no_nan")
