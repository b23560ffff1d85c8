"""Logic on booleans, and the same on the bits of integers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfcheck_runtime.op import case, define
from tfcheck_runtime.ops.array.examples import i32, i64
from tfcheck_runtime.ops.math.families import Binary, Unary, elementwise
from tfcheck_runtime.ops.math.operands import INTEGERS, reflected
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values import operators
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor

_BOOLEANS = (
    case([[True], [False]], [True, False], unknown=((0, 0),)),
    case(True, [False]),
)
_BITS = (
    case(i32([5, -6, 12]), i32([3]), unknown=((0, 0),)),
    case(i64([[5], [1 << 40]]), i64([3, -1])),
    case(np.array([255], np.uint8), np.array([6], np.uint8)),
)
_ORT_BOOL = ("bool",)
_ORT_BITS = ("int32", "int64")


def _logical(op_type: str, kernel: Callable[..., Any], onnx_type: str) -> Binary:
    op = Binary(
        op_type, kernel, lowering=onnx_type, gradient=None, allowed=_ORT_BOOL,
        lowered=_ORT_BOOL, cases=_BOOLEANS,
    )  # fmt: skip
    define(op)
    return op


def _bitwise(op_type: str, kernel: Callable[..., Any], onnx_type: str | None) -> Binary:
    op = Binary(
        op_type, kernel, lowering=onnx_type, gradient=None, allowed=INTEGERS,
        lowered=_ORT_BITS, cases=_BITS,
    )  # fmt: skip
    define(op)
    return op


logical_and_op = _logical("LogicalAnd", np.logical_and, "And")
logical_or_op = _logical("LogicalOr", np.logical_or, "Or")
logical_not_op = Unary(
    "LogicalNot", np.logical_not, lowering="Not", gradient=None, allowed=_ORT_BOOL,
    lowered=_ORT_BOOL, cases=(case([True, False], unknown=((0, 0),)),),
)  # fmt: skip
define(logical_not_op)

bitwise_and_op = _bitwise("BitwiseAnd", np.bitwise_and, "BitwiseAnd")
bitwise_or_op = _bitwise("BitwiseOr", np.bitwise_or, "BitwiseOr")
bitwise_xor_op = _bitwise("BitwiseXor", np.bitwise_xor, "BitwiseXor")
# ONNX shifts unsigned integers only, and TensorFlow's shifts are mostly of signed ones.
left_shift_op = _bitwise("LeftShift", np.left_shift, None)
right_shift_op = _bitwise("RightShift", np.right_shift, None)
invert_op = Unary(
    "Invert", np.invert, lowering="BitwiseNot", gradient=None, allowed=INTEGERS,
    lowered=_ORT_BITS, cases=(case(i32([5, -6]), unknown=((0, 0),)), case(np.uint8(1))),
)  # fmt: skip
define(invert_op)


def logical_and(x: object, y: object, name: str | None = None) -> Tensor:
    """`x and y`, elementwise (https://www.tensorflow.org/api_docs/python/tf/math/logical_and)."""
    return _apply_logical(logical_and_op, x, y, name=name)


def logical_or(x: object, y: object, name: str | None = None) -> Tensor:
    """`x or y`, elementwise (https://www.tensorflow.org/api_docs/python/tf/math/logical_or)."""
    return _apply_logical(logical_or_op, x, y, name=name)


def logical_not(x: object, name: str | None = None) -> Tensor:
    """Not x, elementwise (https://www.tensorflow.org/api_docs/python/tf/math/logical_not)."""
    tensor = convert_to_tensor(x, None if isinstance(x, Tensor) else dtypes.bool)
    return elementwise(logical_not_op, tensor, name=name)


def logical_xor(x: object, y: object, name: str | None = "LogicalXor") -> Tensor:
    """One of x and y but not both, elementwise.

    https://www.tensorflow.org/api_docs/python/tf/math/logical_xor
    """
    return logical_and(logical_or(x, y), logical_not(logical_and(x, y)), name=name)


def bitwise_and(x: object, y: object, name: str | None = None) -> Tensor:
    """The bits set in both (https://www.tensorflow.org/api_docs/python/tf/bitwise/bitwise_and)."""
    return elementwise(bitwise_and_op, x, y, name=name)


def bitwise_or(x: object, y: object, name: str | None = None) -> Tensor:
    """The bits set in either (https://www.tensorflow.org/api_docs/python/tf/bitwise/bitwise_or)."""
    return elementwise(bitwise_or_op, x, y, name=name)


def bitwise_xor(x: object, y: object, name: str | None = None) -> Tensor:
    """The bits set in one (https://www.tensorflow.org/api_docs/python/tf/bitwise/bitwise_xor)."""
    return elementwise(bitwise_xor_op, x, y, name=name)


def invert(x: object, name: str | None = None) -> Tensor:
    """All bits flipped (https://www.tensorflow.org/api_docs/python/tf/bitwise/invert)."""
    return elementwise(invert_op, x, name=name)


def left_shift(x: object, y: object, name: str | None = None) -> Tensor:
    """Bits moved left (https://www.tensorflow.org/api_docs/python/tf/bitwise/left_shift)."""
    return elementwise(left_shift_op, x, y, name=name)


def right_shift(x: object, y: object, name: str | None = None) -> Tensor:
    """Bits moved right (https://www.tensorflow.org/api_docs/python/tf/bitwise/right_shift)."""
    return elementwise(right_shift_op, x, y, name=name)


@operators.implements("invert")
def _tilde(x: object) -> Tensor:
    tensor = convert_to_tensor(x)
    return logical_not(tensor) if tensor.dtype.is_bool else invert(tensor)


@operators.implements("and")
def _ampersand(x: object, y: object) -> Tensor:
    return _either(x, y, logical_and, bitwise_and, name="and")


@operators.implements("or")
def _bar(x: object, y: object) -> Tensor:
    return _either(x, y, logical_or, bitwise_or, name="or")


@operators.implements("xor")
def _caret(x: object, y: object) -> Tensor:
    return _either(x, y, logical_xor, bitwise_xor, name="xor")


def _either(
    x: object,
    y: object,
    logical: Callable[..., Tensor],
    bitwise: Callable[..., Tensor],
    *,
    name: str,
) -> Tensor:
    left = convert_to_tensor(reflected(x, y))
    return (logical if left.dtype.is_bool else bitwise)(left, y, name=name)


def _apply_logical(op: Binary, x: object, y: object, *, name: str | None) -> Tensor:
    operands = [v if isinstance(v, Tensor) else convert_to_tensor(v, dtypes.bool) for v in (x, y)]
    return elementwise(op, *operands, name=name)
