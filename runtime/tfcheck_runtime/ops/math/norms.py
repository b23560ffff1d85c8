"""L2 norms: half the squared norm of a tensor, and the norm over many tensors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tfcheck_runtime.op import Array, Attributes, Aval, Call, Emitter, Op, Term, case, define
from tfcheck_runtime.ops.array.examples import f32, f64
from tfcheck_runtime.ops.array.packing import stack
from tfcheck_runtime.ops.array.reduction import reduce_sum
from tfcheck_runtime.ops.math.arithmetic import multiply
from tfcheck_runtime.ops.math.exponential import sqrt
from tfcheck_runtime.ops.math.families import ORT_FLOATS
from tfcheck_runtime.ops.math.operands import FLOATS, alike
from tfcheck_runtime.values.indexed_slices import IndexedSlices
from tfcheck_runtime.values.tensor import Tensor, apply


class _L2Loss(Op):
    """Half the sum of squares."""

    type = "L2Loss"
    cases = (case(f32([[1.0, -2.0]])), case(f64([0.5, 3.0]), unknown=((0, 0),)))

    def infer(self, t: Aval) -> Aval:
        return Aval(t.dtype, ())

    def eager(self, t: Array) -> Array:
        flat = t.reshape(-1)
        return np.asarray(flat @ flat / 2, t.dtype)

    def lower(self, onnx: Emitter, t: Term) -> object:
        half = onnx.constant(np.asarray(0.5, t.dtype.numpy))
        return onnx.op("Mul", onnx.op("ReduceSumSquare", t, keepdims=0), half)

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        return inputs[0].dtype.name in ORT_FLOATS

    def gradient(self, call: Call[Tensor], dy: Tensor) -> list[Tensor]:
        return [multiply(call.inputs[0], dy)]


l2_loss_op = define(_L2Loss())


def l2_loss(t: object, name: str | None = None) -> Tensor:
    """Half the sum of squares (https://www.tensorflow.org/api_docs/python/tf/nn/l2_loss)."""
    return apply(l2_loss_op, *alike("L2Loss", [t], allowed=FLOATS), name=name)


def global_norm(t_list: Sequence[object], name: str | None = None) -> Tensor:
    """The L2 norm of all elements of many tensors; None among them counts nothing.

    https://www.tensorflow.org/api_docs/python/tf/linalg/global_norm

    Raises:
        TypeError: `t_list` is not a sequence.
    """
    if isinstance(t_list, str | Tensor) or not isinstance(t_list, Sequence):
        raise TypeError(f"`t_list` should be a sequence of tensors. Received {type(t_list)}.")
    # Of slices, the rows as they are: those of equal indices count one by one.
    rows = [t.values if isinstance(t, IndexedSlices) else t for t in t_list]
    halves = [l2_loss(t) for t in rows if t is not None]
    total = multiply(reduce_sum(stack(halves)), 2.0)
    return sqrt(total, name=name or "global_norm")
