"""Rounding, and tests for nan and infinity."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Final

import numpy as np

from tfcheck_runtime.op import Emitter, Term, case, define
from tfcheck_runtime.ops.array.examples import f32, f64, i32
from tfcheck_runtime.ops.math.families import (
    ORT_FLOATS,
    ORT_NUMBERS,
    Binary,
    Lowering,
    Unary,
    elementwise,
)
from tfcheck_runtime.ops.math.operands import COMPLEXES, FLOATS, HALVES, SIGNED_NUMBERS
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor

_CASES: Final = (
    case(f32([[-1.5, 0.5, 2.5], [1.2, -0.3, 3.7]]), differentiable=False),
    case(f64([2.5, -3.5]), unknown=((0, 0),), differentiable=False),
)
_SPECIAL: Final = (
    case(f32([1.0, np.nan, np.inf, -np.inf])),
    case(f64([np.nan]), unknown=((0, 0),)),
)


def _rounding(
    op_type: str, kernel: Callable[..., Any], onnx_type: str, *, kernelless: Collection[str] = ()
) -> Unary:
    """A step function: its gradient is none, as TensorFlow has it, not zero."""
    op = Unary(
        op_type, kernel, lowering=onnx_type, gradient=lambda dy, x, y: None,
        allowed=FLOATS, kernelless=kernelless, cases=_CASES,
    )  # fmt: skip
    define(op)
    return op


def _lower_round(onnx: Emitter, x: Term) -> object:
    return onnx.op("Round" if x.dtype.is_floating else "Identity", x)


floor_op = _rounding("Floor", np.floor, "Floor")
ceil_op = _rounding("Ceil", np.ceil, "Ceil")
rint_op = _rounding("Rint", np.rint, "Round", kernelless=HALVES)
round_op = define(
    Unary(
        "Round", lambda x: np.rint(x) if x.dtype.kind not in "iu" else x, lowering=_lower_round,
        gradient=lambda dy, x, y: None, allowed=SIGNED_NUMBERS, lowered=ORT_NUMBERS,
        kernelless=COMPLEXES, cases=(*_CASES, case(i32([3, -4]))),
    )
)  # fmt: skip


def _test(op_type: str, kernel: Callable[..., Any], lowering: Lowering) -> Unary:
    op = Unary(
        op_type, kernel, lowering=lowering, gradient=None, allowed=FLOATS,
        result=dtypes.bool, cases=_SPECIAL,
    )  # fmt: skip
    define(op)
    return op


def _lower_is_finite(onnx: Emitter, x: Term) -> object:
    return onnx.op("Not", onnx.op("Or", onnx.op("IsNaN", x), onnx.op("IsInf", x)))


is_nan_op = _test("IsNan", np.isnan, "IsNaN")
is_inf_op = _test("IsInf", np.isinf, "IsInf")
is_finite_op = _test("IsFinite", np.isfinite, _lower_is_finite)

nextafter_op = define(
    Binary(
        "NextAfter", np.nextafter, lowering=None,
        gradient=lambda dz, x, y, z: (dz, None), allowed=("float32", "float64"),
        lowered=ORT_FLOATS, cases=(case(f32([1.0, 2.0]), f32([2.0, 0.0]), differentiable=False),),
    )
)  # fmt: skip


def floor(x: object, name: str | None = None) -> Tensor:
    """The largest integer not above x (https://www.tensorflow.org/api_docs/python/tf/math/floor)."""
    return elementwise(floor_op, x, name=name)


def ceil(x: object, name: str | None = None) -> Tensor:
    """The smallest integer not below x (https://www.tensorflow.org/api_docs/python/tf/math/ceil)."""
    return elementwise(ceil_op, x, name=name)


def rint(x: object, name: str | None = None) -> Tensor:
    """The nearest integer (https://www.tensorflow.org/api_docs/python/tf/math/rint)."""
    return elementwise(rint_op, x, name=name)


def round(x: object, name: str | None = None) -> Tensor:
    """The nearest integer, halves to the even one.

    https://www.tensorflow.org/api_docs/python/tf/math/round
    """
    value = convert_to_tensor(x)
    return value if value.dtype.is_integer else elementwise(round_op, value, name=name)


def is_nan(x: object, name: str | None = None) -> Tensor:
    """Where x is nan (https://www.tensorflow.org/api_docs/python/tf/math/is_nan)."""
    return elementwise(is_nan_op, x, name=name)


def is_inf(x: object, name: str | None = None) -> Tensor:
    """Where x is infinite (https://www.tensorflow.org/api_docs/python/tf/math/is_inf)."""
    return elementwise(is_inf_op, x, name=name)


def is_finite(x: object, name: str | None = None) -> Tensor:
    """Where x is finite (https://www.tensorflow.org/api_docs/python/tf/math/is_finite)."""
    return elementwise(is_finite_op, x, name=name)


def nextafter(x1: object, x2: object, name: str | None = None) -> Tensor:
    """The next float after x1 towards x2.

    https://www.tensorflow.org/api_docs/python/tf/math/nextafter
    """
    return elementwise(nextafter_op, x1, x2, name=name)
