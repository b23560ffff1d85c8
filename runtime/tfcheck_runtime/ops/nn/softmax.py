"""Softmax and its logarithm."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Attributes, Aval, Call, Emitter, Op, Term, case, define
from tfcheck_runtime.ops.array.examples import f32, f64
from tfcheck_runtime.ops.array.permuting import transpose
from tfcheck_runtime.ops.array.ranges import range_
from tfcheck_runtime.ops.array.reduction import reduce_sum
from tfcheck_runtime.ops.array.selection import where
from tfcheck_runtime.ops.array.shaping import rank
from tfcheck_runtime.ops.math.arithmetic import multiply, subtract
from tfcheck_runtime.ops.math.exponential import exp
from tfcheck_runtime.ops.math.families import ORT_FLOATS
from tfcheck_runtime.ops.math.operands import FLOATS, alike
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply

_CASES: Final = (
    case(f32([[1.0, 2.0, -1.0], [0.5, 0.0, 3.0]])),
    case(f64([[[0.2, 1.5]], [[3.0, -2.0]]]), unknown=((0, 0), (0, 2))),
    case(f32([[1000.0, 0.0, -1000.0]]), differentiable=False),
)


def log_softmax_array(logits: Array) -> Array:
    """The logarithm of the softmax along the last axis, without overflow."""
    with np.errstate(all="ignore"):
        shifted = logits - logits.max(axis=-1, keepdims=True, initial=-np.inf)
        total = np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
        return np.asarray(shifted - total, logits.dtype)


def softmax_array(logits: Array) -> Array:
    """The softmax along the last axis, without overflow."""
    with np.errstate(all="ignore"):
        odds = np.exp(logits - logits.max(axis=-1, keepdims=True, initial=-np.inf))
        return np.asarray(odds / odds.sum(axis=-1, keepdims=True), logits.dtype)


class _LastAxis(Op):
    """A function of the vectors along the last axis."""

    cases = _CASES

    def __init__(
        self,
        op_type: str,
        kernel: Callable[[Array], Array],
        gradient: Callable[[Tensor, Tensor], Tensor],
    ) -> None:
        self.type = op_type
        self.kernel = kernel
        self.vjp = gradient

    def infer(self, logits: Aval) -> Aval:
        if logits.shape == ():
            raise ValueError(f"{self.type}: logits must have one axis or more, got a scalar")
        return Aval(logits.dtype, logits.shape)

    def eager(self, logits: Array) -> Array:
        return self.kernel(logits)

    def lower(self, onnx: Emitter, logits: Term) -> object:
        return onnx.op(self.type, logits, axis=-1)

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        return inputs[0].dtype.name in ORT_FLOATS

    def gradient(self, call: Call[Tensor], dy: Tensor) -> list[Tensor]:
        return [self.vjp(dy, call.outputs[0])]


def _softmax_gradient(dy: Tensor, y: Tensor) -> Tensor:
    total = reduce_sum(multiply(dy, y), axis=-1, keepdims=True)
    return multiply(subtract(dy, total), y)


def _log_softmax_gradient(dy: Tensor, y: Tensor) -> Tensor:
    return subtract(dy, multiply(reduce_sum(dy, axis=-1, keepdims=True), exp(y)))


softmax_op = define(_LastAxis("Softmax", softmax_array, _softmax_gradient))
log_softmax_op = define(_LastAxis("LogSoftmax", log_softmax_array, _log_softmax_gradient))


def softmax(logits: object, axis: int | None = None, name: str | None = None) -> Tensor:
    """e**x over its sum along an axis, by default the last.

    https://www.tensorflow.org/api_docs/python/tf/nn/softmax

    Raises:
        InvalidArgumentError: eagerly, `logits` is no float tensor or has no such axis.
    """
    return _along(softmax_op, logits, axis, name=name)


def log_softmax(logits: object, axis: int | None = None, name: str | None = None) -> Tensor:
    """The logarithm of `softmax`, exact for small probabilities.

    https://www.tensorflow.org/api_docs/python/tf/nn/log_softmax
    """
    return _along(log_softmax_op, logits, axis, name=name)


def _along(op: Op, logits: object, axis: int | None, *, name: str | None) -> Tensor:
    (tensor,) = alike(op.type, [logits], allowed=FLOATS)
    place = -1 if axis is None else int(axis)
    size = tensor.ndim
    if place == -1 or (size is not None and place == size - 1):
        return apply(op, tensor, name=name)
    perm = last_swapped(tensor, place)
    return transpose(apply(op, transpose(tensor, perm), name=name), perm)


def last_swapped(tensor: Tensor, axis: int) -> Any:  # a list, or a tensor where the rank is unknown
    """The permutation that exchanges an axis with the last one; its own inverse.

    Raises:
        InvalidArgumentError: there is no such axis.
    """
    size = tensor.ndim
    if size is None:
        count = rank(tensor)
        places, last = range_(count), subtract(count, 1)
        own = convert_to_tensor(axis) if axis >= 0 else count + axis
        moved = where(places == own, last, places)
        return where(places == last, own, moved)
    if not -size <= axis < size:
        raise invalid_argument(
            f"`dim` must be in the range [{-size}, {size}) where {size} is the number of"
            f" dimensions in the input. Received: dim={axis}"
        )
    perm = list(range(size))
    perm[axis], perm[-1] = perm[-1], perm[axis]
    return perm
