"""Sums, differences, products, signs and extremes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from tfcheck_runtime.op import Array, Aval, Call, Emitter, Op, Term, case, define
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.examples import f32, f64, i32, i64
from tfcheck_runtime.ops.array.filling import zeros_like
from tfcheck_runtime.ops.array.identity import identity
from tfcheck_runtime.ops.array.selection import where
from tfcheck_runtime.ops.math.comparison import greater_equal, less_equal
from tfcheck_runtime.ops.math.complexes import complex_abs, conj
from tfcheck_runtime.ops.math.families import ORT_NUMBERS, Binary, Unary, elementwise
from tfcheck_runtime.ops.math.operands import (
    FLOATS,
    NUMBERS,
    REALS,
    SIGNED,
    SIGNED_NUMBERS,
    alike,
    check_alike,
    check_allowed,
    hinted,
    reflected,
)
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.shapes import are_compatible, merge, shape_text
from tfcheck_runtime.values import operators
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply

_PAIRS = (
    case(f32([[1.0, -2.0, 3.5]]), f32([[2.0], [0.5]])),
    case(f32([1.0, -2.0, 3.5]), f32([2.0, 0.25, -1.0]), unknown=((0, 0), (1, 0))),
    case(f64([[0.3, 1.2]]), f64([0.7]), unknown=((0, 0),)),
    case(i32([7, -8, 3]), i32([2])),
    case(i64(5), i64(-3)),
)
_SINGLES = (
    case(f32([[1.0, -2.0, 3.5]])),
    case(f64([0.25, -1.5]), unknown=((0, 0),)),
    case(i32([3, -4, 0]), differentiable=False),
    case(i64(-5)),
)

# --- Sums, differences and products

add_op = define(
    Binary(
        "AddV2", np.add, lowering="Add", gradient=lambda dz, x, y, z: (dz, dz),
        allowed=NUMBERS, cases=_PAIRS,
    )
)  # fmt: skip
subtract_op = define(
    Binary(
        "Sub", np.subtract, lowering="Sub", gradient=lambda dz, x, y, z: (dz, negative(dz)),
        allowed=NUMBERS, cases=_PAIRS,
    )
)  # fmt: skip
multiply_op = define(
    Binary(
        "Mul", np.multiply, lowering="Mul",
        gradient=lambda dz, x, y, z: (multiply(dz, conj(y)), multiply(dz, conj(x))),
        allowed=NUMBERS, cases=_PAIRS,
    )
)  # fmt: skip
squared_difference_op = define(
    Binary(
        "SquaredDifference", lambda x, y: np.conj(x - y) * (x - y),
        lowering=lambda onnx, x, y: _square(onnx, onnx.op("Sub", x, y)),
        gradient=lambda dz, x, y, z: _squared_difference_gradient(dz, x, y),
        allowed=(*FLOATS, "int32", "int64", "complex64", "complex128"), cases=_PAIRS,
    )
)  # fmt: skip
concatenate_strings_op = define(
    # Numbers are added by AddV2; TensorFlow kept Add for strings.
    Binary(
        "Add", np.add, lowering=None, gradient=None, allowed=("string",),
        cases=(case(np.array([b"a", b"b"], object), np.array(b"c", object)),),
    )
)  # fmt: skip


def _square(onnx: Emitter, x: object) -> object:
    return onnx.op("Mul", x, x)


def _squared_difference_gradient(dz: Tensor, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    dx = multiply(dz, multiply(subtract(x, y), 2))
    return dx, negative(dx)


# --- Signs

negative_op = define(
    Unary(
        "Neg", np.negative, lowering="Neg", gradient=lambda dy, x, y: negative(dy),
        allowed=SIGNED_NUMBERS, lowered=ORT_NUMBERS, cases=_SINGLES,
    )
)  # fmt: skip
abs_op = define(
    Unary(
        "Abs", np.abs, lowering="Abs", gradient=lambda dy, x, y: multiply(dy, sign(x)),
        allowed=(*FLOATS, *SIGNED), lowered=ORT_NUMBERS, cases=_SINGLES,
    )
)  # fmt: skip
sign_op = define(
    Unary(
        "Sign", np.sign, lowering="Sign", gradient=lambda dy, x, y: zeros_like(x),
        allowed=(*FLOATS, "int8", "int16", "int32", "int64", "complex64", "complex128"),
        lowered=ORT_NUMBERS, cases=_SINGLES,
    )
)  # fmt: skip
square_op = define(
    Unary(
        "Square", np.square, lowering=lambda onnx, x: onnx.op("Mul", x, x),
        gradient=lambda dy, x, y: multiply(dy, multiply(conj(x), 2)),
        allowed=NUMBERS, lowered=ORT_NUMBERS, cases=_SINGLES,
    )
)  # fmt: skip

# --- Extremes


def _extreme(
    op_type: str, kernel: Callable[..., Any], onnx_type: str, keeps: Callable[..., Tensor]
) -> Binary:
    def gradient(dz: Tensor, x: Tensor, y: Tensor, z: Tensor) -> tuple[Tensor, Tensor]:
        left, zeros = keeps(x, y), zeros_like(dz)
        return where(left, dz, zeros), where(left, zeros, dz)

    op = Binary(op_type, kernel, lowering=onnx_type, gradient=gradient, allowed=REALS, cases=_PAIRS)
    define(op)
    return op


maximum_op = _extreme("Maximum", np.maximum, "Max", greater_equal)
minimum_op = _extreme("Minimum", np.minimum, "Min", less_equal)

# --- Sums of many


class _AddN(Op):
    """The sum of tensors of one shape."""

    type = "AddN"
    allowed = NUMBERS
    cases = (
        case(f32([1.0, 2.0]), f32([3.0, 4.0]), f32([0.5, -1.0])),
        case(i32([[1, 2]]), i32([[3, 4]]), unknown=((0, 0),)),
        case(f64([1.5])),
    )

    def infer(self, *inputs: Aval) -> Aval:
        shape = inputs[0].shape
        for i, other in enumerate(inputs[1:], start=1):
            if not are_compatible(shape, other.shape):
                raise ValueError(
                    f"Inputs to operation AddN must have the same size and shape. Input 0:"
                    f" {shape_text(shape)} != input {i}: {shape_text(other.shape)}"
                )
            shape = merge(shape, other.shape)
        return Aval(inputs[0].dtype, shape)

    def eager(self, *inputs: Array) -> Array:
        total = inputs[0]
        with np.errstate(all="ignore"):
            for other in inputs[1:]:
                total = total + other
        return np.asarray(total)

    def lower(self, onnx: Emitter, *inputs: Term) -> object:
        total: object = inputs[0]
        for other in inputs[1:]:
            total = onnx.op("Add", total, other)
        return onnx.op("Identity", total) if len(inputs) == 1 else total

    def gradient(self, call: Call[Tensor], dy: Tensor) -> list[Tensor]:
        return [dy] * len(call.inputs)


add_n_op = define(_AddN())

# --- Public functions


def add(x: object, y: object, name: str | None = None) -> Tensor:
    """`x + y`, elementwise; strings are concatenated.

    https://www.tensorflow.org/api_docs/python/tf/math/add. Shapes broadcast.

    Raises:
        InvalidArgumentError: eagerly, dtypes differ or shapes do not broadcast.
        TypeError: in a graph, dtypes differ.
    """
    return _add(*hinted(x, y), name=name or "Add")


@operators.implements("add")
def _plus(x: object, y: object) -> Tensor:
    return _add(*hinted(reflected(x, y), y), name="add")


def _add(x: Tensor, y: Tensor, *, name: str) -> Tensor:
    op = concatenate_strings_op if x.dtype is dtypes.string else add_op
    check_alike(op.type, (x, y))
    check_allowed(op.type, x, op.allowed)
    return apply(op, x, y, name=name)


def subtract(x: object, y: object, name: str | None = None) -> Tensor:
    """`x - y`, elementwise (https://www.tensorflow.org/api_docs/python/tf/math/subtract)."""
    return elementwise(subtract_op, x, y, name=name)


@operators.implements("subtract")
def _minus(x: object, y: object) -> Tensor:
    return elementwise(subtract_op, reflected(x, y), y, name="sub")


def multiply(x: object, y: object, name: str | None = None) -> Tensor:
    """`x * y`, elementwise (https://www.tensorflow.org/api_docs/python/tf/math/multiply)."""
    return elementwise(multiply_op, x, y, name=name)


@operators.implements("multiply")
def _times(x: object, y: object) -> Tensor:
    if any(isinstance(v, Tensor) and v.dtype.is_bool for v in (x, y)):
        # Beside a boolean tensor anything counts as the integer it is cast to.
        whole = multiply(cast(x, dtypes.int32), cast(y, dtypes.int32), name="mul")
        return cast(whole, dtypes.bool)
    return elementwise(multiply_op, reflected(x, y), y, name="mul")


def one_minus(x: Tensor) -> Tensor:
    """1 - x, where `subtract(1, x)` would take the 1 for an int32 in a graph."""
    return subtract(convert_to_tensor(1, x.dtype), x)


def squared_difference(x: object, y: object, name: str | None = None) -> Tensor:
    """(x - y)², elementwise.

    https://www.tensorflow.org/api_docs/python/tf/math/squared_difference
    """
    return elementwise(squared_difference_op, x, y, name=name)


def scalar_mul(scalar: object, x: object, name: str | None = None) -> Tensor:
    """A scalar times a tensor.

    https://www.tensorflow.org/api_docs/python/tf/math/scalar_mul

    Raises:
        ValueError: `scalar` has axes.
    """
    tensor = convert_to_tensor(x)
    factor = convert_to_tensor(scalar, tensor.dtype)
    if factor.ndim not in (0, None):
        raise ValueError(f"The input scalar must be a 0-D value. Received shape {factor.shape}.")
    return multiply(factor, tensor, name=name)


def negative(x: object, name: str | None = None) -> Tensor:
    """-x, elementwise (https://www.tensorflow.org/api_docs/python/tf/math/negative)."""
    return elementwise(negative_op, x, name=name)


def abs(x: object, name: str | None = None) -> Tensor:
    """|x|, elementwise; of complex numbers the modulus, which is real.

    https://www.tensorflow.org/api_docs/python/tf/math/abs
    """
    tensor = convert_to_tensor(x)
    if tensor.dtype.is_complex:
        return complex_abs(tensor, name=name)
    return elementwise(abs_op, tensor, name=name)


def sign(x: object, name: str | None = None) -> Tensor:
    """-1, 0 or 1, elementwise (https://www.tensorflow.org/api_docs/python/tf/math/sign)."""
    return elementwise(sign_op, x, name=name)


def square(x: object, name: str | None = None) -> Tensor:
    """x², elementwise (https://www.tensorflow.org/api_docs/python/tf/math/square)."""
    return elementwise(square_op, x, name=name)


def maximum(x: object, y: object, name: str | None = None) -> Tensor:
    """The larger of x and y, elementwise; nan if one is.

    https://www.tensorflow.org/api_docs/python/tf/math/maximum. Where both are equal, the gradient
    goes to `x`.
    """
    return elementwise(maximum_op, x, y, name=name)


def minimum(x: object, y: object, name: str | None = None) -> Tensor:
    """The smaller of x and y, elementwise; nan if one is.

    https://www.tensorflow.org/api_docs/python/tf/math/minimum
    """
    return elementwise(minimum_op, x, y, name=name)


def add_n(inputs: Sequence[object], name: str | None = None) -> Tensor:
    """The sum of tensors of one shape and dtype.

    https://www.tensorflow.org/api_docs/python/tf/math/add_n

    Raises:
        ValueError: there are none.
        InvalidArgumentError: eagerly, shapes or dtypes differ.
    """
    if isinstance(inputs, Tensor) or not isinstance(inputs, Iterable):
        inputs = list(iter(inputs))
    if not inputs:
        raise ValueError(
            "Inputs must be an iterable of at least one Tensor/IndexedSlices with the same dtype"
            " and shape."
        )
    tensors = alike("AddN", list(inputs), allowed=NUMBERS)
    return identity(tensors[0]) if len(tensors) == 1 else apply(add_n_op, *tensors, name=name)


def accumulate_n(
    inputs: Sequence[object],
    shape: object = None,
    tensor_dtype: object = None,
    name: str | None = None,
) -> Tensor:
    """The sum of tensors, as `add_n`.

    https://www.tensorflow.org/api_docs/python/tf/math/accumulate_n
    """
    del shape, tensor_dtype  # hints that TensorFlow checks only
    return add_n(inputs, name=name)


# As decorators these would hide the functions' types from the definitions above.
operators.implements("negative")(negative)
operators.implements("abs")(abs)
