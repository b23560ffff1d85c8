"""Where a condition holds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Attributes, Aval, Emitter, Op, Term, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.examples import f32
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply


class _Where(Op):
    """The indices of the elements that are true or not zero, one row each."""

    type = "Where"

    def infer(self, condition: Aval) -> Aval:
        return Aval(dtypes.int64, (None, known.rank_of(condition)))

    def eager(self, condition: Array) -> Array:
        if condition.ndim == 0:
            raise invalid_argument("WhereOp : Unhandled input dimensions: 0", self.type)
        return np.argwhere(condition).astype(np.int64)

    def lower(self, onnx: Emitter, condition: Term) -> object:
        return onnx.op("Transpose", onnx.op("NonZero", onnx.cast(condition, dtypes.bool)))

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        # Scalars are refused, which ONNX does not do.
        has_axes = inputs[0].shape is not None and len(inputs[0].shape) > 0
        return has_axes and super().lowers(inputs, outputs, attrs)

    cases = (
        case(np.array([[True, False], [True, True]]), unknown=((0, 0),)),
        case(f32([0.0, 1.5, np.nan]), differentiable=False),
        case(np.zeros((0, 2), np.int32)),
    )


where_op = define(_Where())


def indices_where(condition: object, name: str | None = None) -> Tensor:
    """The indices of the true elements, an int64 matrix with one row each.

    https://www.tensorflow.org/api_docs/python/tf/where
    """
    tensor = convert_to_tensor(condition, name="condition")
    return apply(where_op, tensor, name=name or "Where")
