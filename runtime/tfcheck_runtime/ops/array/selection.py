"""Elements of one tensor or another, as a condition says."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tfcheck_runtime.op import Array, Attributes, Aval, Call, Emitter, Op, Term, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.agreement import check_dtype, check_same_dtypes
from tfcheck_runtime.ops.array.broadcasting import sum_to
from tfcheck_runtime.ops.array.examples import f32, i32
from tfcheck_runtime.ops.array.filling import zeros_like
from tfcheck_runtime.ops.array.locating import indices_where
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.shapes import broadcast
from tfcheck_runtime.values.convert import convert_pair, convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply


class _Select(Op):
    """Where the condition holds the second operand, elsewhere the third; all broadcast."""

    type = "SelectV2"

    def infer(self, condition: Aval, t: Aval, e: Aval) -> Aval:
        check_dtype(self.type, condition, dtypes.bool, "condition")
        check_same_dtypes(self.type, (t, e))
        try:
            shape = broadcast(condition.shape, broadcast(t.shape, e.shape))
        except ValueError:
            raise ValueError(
                f"condition {condition.shape}, then {t.shape}, and else {e.shape} must be"
                " broadcastable"
            ) from None
        scalars = condition.shape == t.shape == e.shape == ()
        contents = _chosen(condition, t, e) if scalars and t.dtype.is_integer else None
        return known.integers(t.dtype, shape, contents)

    def eager(self, condition: Array, t: Array, e: Array) -> Array:
        return np.where(condition, t, e)

    def lower(self, onnx: Emitter, condition: Term, t: Term, e: Term) -> object:
        if t.dtype is not dtypes.bool:
            return onnx.op("Where", condition, t, e)
        # onnxruntime has no Where of booleans.
        taken = onnx.op("And", condition, t)
        return onnx.op("Or", taken, onnx.op("And", onnx.op("Not", condition), e))

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        return inputs[1].dtype is dtypes.uint8 or super().lowers(inputs, outputs, attrs)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        condition, t, e = call.inputs
        zero = zeros_like(grad)
        taken = apply(select_op, condition, grad, zero)
        left = apply(select_op, condition, zero, grad)
        return [None, sum_to(taken, t), sum_to(left, e)]

    cases = (
        case([True, False], f32([1, 2]), f32([3, 4])),
        case([[True], [False]], f32([1, 2]), f32(3), unknown=((0, 0), (1, 0))),
        case(True, [True, False], [False, False]),
        case(np.zeros((0, 2), np.bool_), i32(1), i32([1, 2])),
    )


def _chosen(condition: Aval, x: Aval, y: Aval) -> known.Elements | None:
    holds = condition.constant()
    if holds is None:
        return None
    return known.elements(x if holds else y)


select_op = define(_Select())


def where(condition: object, x: object = None, y: object = None, name: str | None = None) -> Tensor:
    """Elements of `x` where `condition` holds, else of `y`; without these, where it holds.

    https://www.tensorflow.org/api_docs/python/tf/where

    Args:
        condition: booleans; without `x` and `y` also numbers, which hold unless 0.
        x: broadcasts with the others.
        y: has the dtype of `x`.
        name: of the node.

    Returns:
        The chosen elements, or the indices of true elements, an int64 matrix with a row each.

    Raises:
        ValueError: only one of `x` and `y` is given.
        InvalidArgumentError: shapes do not broadcast (ValueError in a graph), or dtypes differ
            (TypeError in a graph).
    """
    if x is None and y is None:
        return indices_where(condition, name)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    first, second = convert_pair(x, y)
    held = convert_to_tensor(condition, dtype_hint=dtypes.bool, name="condition")
    return apply(select_op, held, first, second, name=name or "SelectV2")
