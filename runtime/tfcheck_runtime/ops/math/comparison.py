"""Comparisons: elementwise, with a boolean result and no gradient."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from tfcheck_runtime.op import Array, Aval, Emitter, Op, Term, case, define
from tfcheck_runtime.ops.array.examples import f32, f64, i32, i64
from tfcheck_runtime.ops.math.families import ORT_NUMBERS, Binary, elementwise
from tfcheck_runtime.ops.math.operands import NUMBERS, REALS, alike
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.shapes import broadcast
from tfcheck_runtime.values import operators
from tfcheck_runtime.values.tensor import Tensor, apply

_CASES = (
    case(f32([1.0, 2.0, np.nan]), f32([2.0, 2.0, np.nan])),
    case(i32([[1], [3]]), i32([1, 2, 3]), unknown=((0, 0),)),
    case(f64([1, 2]), f64(2)),
    case(i64([]), i64([])),
)
_BOOLEANS = (case([True, False], [True, True]),)


def _ordered(op_type: str, kernel: Callable[..., Any], onnx_type: str) -> Binary:
    comparison = Binary(
        op_type, kernel, lowering=onnx_type, gradient=None,
        allowed=REALS, result=dtypes.bool, cases=_CASES,
    )  # fmt: skip
    define(comparison)
    return comparison


less_op = _ordered("Less", np.less, "Less")
less_equal_op = _ordered("LessEqual", np.less_equal, "LessOrEqual")
greater_op = _ordered("Greater", np.greater, "Greater")
greater_equal_op = _ordered("GreaterEqual", np.greater_equal, "GreaterOrEqual")


class _Equality(Op):
    """Equal or not; `incompatible_shape_error` False gives one answer for shapes that differ."""

    allowed: Collection[str] = (*NUMBERS, "bool", "string")

    def __init__(self, op_type: str, kernel: Callable[..., Any], *, unequal: bool) -> None:
        self.type = op_type
        self.kernel = kernel
        self.unequal = unequal
        self.cases = tuple(
            case(*c.inputs, unknown=c.unknown, incompatible_shape_error=True)
            for c in (*_CASES, *_BOOLEANS)
        )

    def infer(self, x: Aval, y: Aval, *, incompatible_shape_error: bool) -> Aval:
        if incompatible_shape_error:
            return Aval(dtypes.bool, broadcast(x.shape, y.shape))
        try:
            return Aval(dtypes.bool, broadcast(x.shape, y.shape))
        except ValueError:
            return Aval(dtypes.bool, ())

    def eager(self, x: Array, y: Array, *, incompatible_shape_error: bool) -> Array:
        try:
            np.broadcast_shapes(x.shape, y.shape)
        except ValueError:
            return np.asarray(self.unequal)
        return np.asarray(self.kernel(x, y), bool)

    def lower(self, onnx: Emitter, x: Term, y: Term, *, incompatible_shape_error: bool) -> object:
        equal = onnx.op("Equal", x, y)
        return onnx.op("Not", equal) if self.unequal else equal

    def lowers(self, inputs: Any, outputs: Any, attrs: Any) -> bool:
        if inputs[0].dtype.name not in {*ORT_NUMBERS, "bool"}:
            return False
        try:
            broadcast(inputs[0].shape, inputs[1].shape)
        except ValueError:
            return False
        return True


equal_op = define(_Equality("Equal", np.equal, unequal=False))
not_equal_op = define(_Equality("NotEqual", np.not_equal, unequal=True))


@operators.implements("less")
def less(x: object, y: object, name: str | None = None) -> Tensor:
    """`x < y`, elementwise (https://www.tensorflow.org/api_docs/python/tf/math/less)."""
    return elementwise(less_op, x, y, name=name)


@operators.implements("less_equal")
def less_equal(x: object, y: object, name: str | None = None) -> Tensor:
    """`x <= y`, elementwise (https://www.tensorflow.org/api_docs/python/tf/math/less_equal)."""
    return elementwise(less_equal_op, x, y, name=name)


@operators.implements("greater")
def greater(x: object, y: object, name: str | None = None) -> Tensor:
    """`x > y`, elementwise (https://www.tensorflow.org/api_docs/python/tf/math/greater)."""
    return elementwise(greater_op, x, y, name=name)


@operators.implements("greater_equal")
def greater_equal(x: object, y: object, name: str | None = None) -> Tensor:
    """`x >= y`, elementwise (https://www.tensorflow.org/api_docs/python/tf/math/greater_equal)."""
    return elementwise(greater_equal_op, x, y, name=name)


def equal(x: object, y: object, name: str | None = None) -> Tensor:
    """`x == y`, elementwise (https://www.tensorflow.org/api_docs/python/tf/math/equal).

    Raises:
        ValueError: an operand is None.
        InvalidArgumentError: the shapes do not broadcast (in graphs ValueError).
    """
    return _equality(equal_op, x, y, name=name)


def not_equal(x: object, y: object, name: str | None = None) -> Tensor:
    """`x != y`, elementwise (https://www.tensorflow.org/api_docs/python/tf/math/not_equal)."""
    return _equality(not_equal_op, x, y, name=name)


@operators.implements("equal")
def tensor_equal(x: object, y: object) -> object:
    """`x == y`: False, not an error, for None or a shape that does not broadcast."""
    return False if y is None else _equality(equal_op, x, y, strict=False)


@operators.implements("not_equal")
def tensor_not_equal(x: object, y: object) -> object:
    """`x != y`: True, not an error, for None or a shape that does not broadcast."""
    return True if y is None else _equality(not_equal_op, x, y, strict=False)


def _equality(
    op: Op, x: object, y: object, *, name: str | None = None, strict: bool = True
) -> Tensor:
    operands = alike(op.type, (x, y), allowed=_Equality.allowed)
    return apply(op, *operands, name=name, incompatible_shape_error=strict)
