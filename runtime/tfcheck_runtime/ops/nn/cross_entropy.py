"""Cross entropies between labels and logits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Attributes, Aval, Call, Emitter, Op, Term, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.examples import f32, f64, i32, i64
from tfcheck_runtime.ops.array.filling import zeros_like
from tfcheck_runtime.ops.array.permuting import transpose
from tfcheck_runtime.ops.array.reduction import reduce_sum
from tfcheck_runtime.ops.array.selection import where
from tfcheck_runtime.ops.array.shaping import reshape, shape as shape_of
from tfcheck_runtime.ops.array.squeezing import expand_dims
from tfcheck_runtime.ops.math.arithmetic import (
    abs as magnitude,
    add,
    multiply,
    negative,
    one_minus,
    subtract,
)
from tfcheck_runtime.ops.math.comparison import greater_equal
from tfcheck_runtime.ops.math.exponential import exp, log1p
from tfcheck_runtime.ops.math.families import ORT_FLOATS
from tfcheck_runtime.ops.math.operands import FLOATS, check_allowed
from tfcheck_runtime.ops.nn.activations import relu
from tfcheck_runtime.ops.nn.softmax import (
    log_softmax,
    log_softmax_array,
    softmax,
)
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.shapes import are_compatible, broadcast, merge
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply_n

_LOGITS: Final = f32([[1.0, 2.0, -1.0], [0.5, 0.0, 3.0]])
_TARGETS: Final = f32([[0.2, 0.5, 0.3], [1.0, 0.0, 0.0]])


class _CrossEntropy(Op):
    """Losses of rows of logits, and with them the gradient by the logits, ready for use."""

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        return inputs[0].dtype.name in ORT_FLOATS

    def by_logits(self, call: Call[Tensor], dloss: Tensor | None, dback: Tensor | None) -> Tensor:
        """The gradient by the logits, through both outputs."""
        logits, backprop = call.inputs[0], call.outputs[1]
        gradient = zeros_like(logits)
        if dloss is not None:
            gradient = multiply(expand_dims(dloss, -1), backprop)
        if dback is None:
            return gradient
        odds = softmax(logits)
        inner = reduce_sum(multiply(dback, odds), axis=-1, keepdims=True)
        return add(gradient, multiply(subtract(dback, inner), odds))


class _Dense(_CrossEntropy):
    """With a distribution over the classes for each row."""

    type = "SoftmaxCrossEntropyWithLogits"
    cases = (
        case(_LOGITS, _TARGETS, unknown=((0, 0), (1, 0))),
        case(f64(_LOGITS), f64(_TARGETS)),
    )

    def infer(self, features: Aval, labels: Aval) -> tuple[Aval, Aval]:
        shape = broadcast(features.shape, labels.shape)
        known.check_rank(Aval(features.dtype, shape), 2, "logits and labels together")
        return Aval(features.dtype, shape and shape[:1]), Aval(features.dtype, shape)

    def eager(self, features: Array, labels: Array) -> tuple[Array, Array]:
        logs = log_softmax_array(features)
        # A label of 0 counts nothing, however unlikely its class.
        with np.errstate(all="ignore"):
            losses = np.where(labels == 0, np.zeros((), logs.dtype), -labels * logs)
        return losses.sum(axis=-1), np.exp(logs) - labels

    def lower(self, onnx: Emitter, features: Term, labels: Term) -> tuple[object, object]:
        logs = onnx.op("LogSoftmax", features, axis=-1)
        total = onnx.op("ReduceSum", onnx.op("Mul", labels, logs), known.int64([-1]), keepdims=0)
        return onnx.op("Neg", total), onnx.op("Sub", onnx.op("Exp", logs), labels)

    def gradient(
        self, call: Call[Tensor], dloss: Tensor | None, dback: Tensor | None
    ) -> list[Tensor | None]:
        by_labels = None
        if dloss is not None:
            by_labels = multiply(expand_dims(dloss, -1), negative(log_softmax(call.inputs[0])))
        if dback is not None:
            by_labels = negative(dback) if by_labels is None else subtract(by_labels, dback)
        return [self.by_logits(call, dloss, dback), by_labels]


class _Sparse(_CrossEntropy):
    """With the number of one class for each row."""

    type = "SparseSoftmaxCrossEntropyWithLogits"
    cases = (
        case(_LOGITS, i64([2, 0]), unknown=((0, 0), (1, 0))),
        case(f64(_LOGITS), i32([1, 1])),
    )

    def infer(self, features: Aval, labels: Aval) -> tuple[Aval, Aval]:
        known.check_rank(features, 2, "logits")
        known.check_rank(labels, 1, "labels")
        rows = None if features.shape is None else features.shape[:1]
        return Aval(features.dtype, merge(rows, labels.shape)), Aval(features.dtype, features.shape)

    def eager(self, features: Array, labels: Array) -> tuple[Array, Array]:
        rows, classes = features.shape
        wrong = labels[(labels < 0) | (labels >= classes)]
        if wrong.size:
            raise invalid_argument(
                f"Received a label value of {wrong[0]} which is outside the valid range of"
                f" [0, {classes}).  Label values: {' '.join(map(str, labels.tolist()))}",
                self.type,
            )
        logs = log_softmax_array(features)
        places = np.arange(rows), labels
        backprop = np.exp(logs)
        backprop[places] -= 1
        return -logs[places], backprop

    def lower(self, onnx: Emitter, features: Term, labels: Term) -> tuple[object, object]:
        logs = onnx.op("LogSoftmax", features, axis=-1)
        classes = onnx.op("Shape", features, start=1, end=2)
        numbers = onnx.op("Unsqueeze", onnx.cast(labels, dtypes.int64), known.int64([-1]))
        # ONNX would count negative labels from the end; too large ones are refused.
        negative_label = onnx.op("Less", numbers, known.int64([0]))
        places = onnx.op("Where", negative_label, classes, numbers)
        chosen = onnx.op("GatherElements", logs, places, axis=-1)
        loss = onnx.op("Neg", onnx.op("Squeeze", chosen, known.int64([-1])))
        minus_one = onnx.constant(np.asarray(-1, features.dtype.numpy))
        updates = onnx.op("Expand", minus_one, onnx.op("Shape", places))
        backprop = onnx.op(
            "ScatterElements", onnx.op("Exp", logs), places, updates, axis=-1, reduction="add"
        )
        return loss, backprop

    def gradient(
        self, call: Call[Tensor], dloss: Tensor | None, dback: Tensor | None
    ) -> list[Tensor | None]:
        return [self.by_logits(call, dloss, dback), None]


dense_op = define(_Dense())
sparse_op = define(_Sparse())


def softmax_cross_entropy_with_logits(
    labels: object, logits: object, axis: int = -1, name: str | None = None
) -> Tensor:
    """The cross entropy between distributions and logits, for each row.

    https://www.tensorflow.org/api_docs/python/tf/nn/softmax_cross_entropy_with_logits

    Raises:
        InvalidArgumentError: eagerly, the shapes differ.
        ValueError: in graphs, the shapes differ.
    """
    label = name or "softmax_cross_entropy_with_logits"
    scores = convert_to_tensor(logits)
    targets = convert_to_tensor(labels, dtype_hint=scores.dtype)
    if targets.dtype is not scores.dtype:
        targets = cast(targets, scores.dtype)
    narrow = scores.dtype
    if narrow.name in ("float16", "bfloat16"):
        scores, targets = cast(scores, dtypes.float32), cast(targets, dtypes.float32)
    if axis not in (-1, (scores.ndim or 0) - 1):
        scores, targets = _moved_to_end(scores, axis), _moved_to_end(targets, axis)
    loss = _rowwise(scores, targets, name=label)
    return loss if loss.dtype is narrow else cast(loss, narrow)


def _moved_to_end(tensor: Tensor, axis: int) -> Tensor:
    if tensor.ndim is None:
        raise ValueError(f"`axis` = {axis} needs logits and labels of known rank")
    places = [i for i in range(tensor.ndim) if i != axis % tensor.ndim]
    return transpose(tensor, [*places, axis % tensor.ndim])


def _rowwise(logits: Tensor, labels: Tensor, *, name: str) -> Tensor:
    check_allowed(dense_op.type, logits, FLOATS)
    if logits.ndim == 2 and labels.ndim == 2:
        return apply_n(dense_op, logits, labels, name=name)[0]
    shape = logits.static_shape
    width = -1 if shape is None or shape[-1] is None else shape[-1]
    if width == -1:
        width = shape_of(logits)[-1]
    rows = reshape(logits, [-1, width]), reshape(labels, [-1, width])
    loss = apply_n(dense_op, *rows, name=name)[0]
    return reshape(loss, _leading(logits))


def _leading(logits: Tensor) -> object:
    """The shape without its last axis."""
    shape = logits.static_shape
    if shape is not None and None not in shape[:-1]:
        return list(shape[:-1])
    leading: Tensor = shape_of(logits)[:-1]
    return leading


def sparse_softmax_cross_entropy_with_logits(
    labels: object, logits: object, name: str | None = None
) -> Tensor:
    """The cross entropy between class numbers and logits, for each row.

    https://www.tensorflow.org/api_docs/python/tf/nn/sparse_softmax_cross_entropy_with_logits

    Args:
        labels: integers, of the shape of `logits` without its last axis.
        logits: a score for each class along the last axis.
        name: of the node.

    Raises:
        ValueError: the shapes do not fit.
        InvalidArgumentError: eagerly, a label is no class.
    """
    scope = "SparseSoftmaxCrossEntropyWithLogits"
    classes = convert_to_tensor(labels)
    scores = convert_to_tensor(logits)
    narrow = scores.dtype
    if narrow.name in ("float16", "bfloat16"):
        scores = cast(scores, dtypes.float32)
    check_allowed(sparse_op.type, scores, FLOATS)
    check_allowed(sparse_op.type, classes, ("int32", "int64"))
    _check_ranks(classes, scores)
    label = f"{name or scope}/{scope}"
    if scores.ndim == 2:
        loss = apply_n(sparse_op, scores, classes, name=label)[0]
    else:
        width = scores.static_shape[-1] if scores.static_shape else None
        rows = reshape(scores, [-1, shape_of(scores)[-1] if width is None else width])
        flat = apply_n(sparse_op, rows, reshape(classes, [-1]), name=label)[0]
        loss = reshape(flat, shape_of(classes))
    return loss if narrow is scores.dtype else cast(loss, narrow)


def _check_ranks(labels: Tensor, logits: Tensor) -> None:
    if logits.ndim == 0:
        raise ValueError(f"`logits` cannot be a scalar. Received logits={logits}`")
    if None not in (labels.ndim, logits.ndim) and labels.ndim != (logits.ndim or 0) - 1:
        raise ValueError(
            "`labels.shape.rank` must equal `logits.shape.rank - 1`. Received:"
            f" labels.shape={labels.shape} of rank {labels.ndim} and"
            f" logits.shape={logits.shape} of rank {logits.ndim}"
        )
    expected = None if logits.static_shape is None else logits.static_shape[:-1]
    if not are_compatible(labels.static_shape, expected):
        raise ValueError(
            "`labels.shape` must equal `logits.shape` except for the last dimension. Received:"
            f" labels.shape={labels.shape} and logits.shape={logits.shape}"
        )


def sigmoid_cross_entropy_with_logits(
    labels: object, logits: object, name: str | None = None
) -> Tensor:
    """The cross entropy of independent yes-or-no questions, elementwise.

    https://www.tensorflow.org/api_docs/python/tf/nn/sigmoid_cross_entropy_with_logits

    Raises:
        ValueError: the shapes differ.
    """
    scores, targets = _of_one_shape(labels, logits)
    zeros = zeros_like(scores)
    above = greater_equal(scores, zeros)
    linear = subtract(where(above, scores, zeros), multiply(scores, targets))
    decay = exp(where(above, negative(scores), scores))
    return add(linear, log1p(decay), name=name or "logistic_loss")


def weighted_cross_entropy_with_logits(
    labels: object, logits: object, pos_weight: object, name: str | None = None
) -> Tensor:
    """`sigmoid_cross_entropy_with_logits`, positive labels counted `pos_weight` times.

    https://www.tensorflow.org/api_docs/python/tf/nn/weighted_cross_entropy_with_logits

    Raises:
        ValueError: the shapes differ.
    """
    scores, targets = _of_one_shape(labels, logits)
    more: Any = pos_weight
    weight = add(multiply(targets, more - 1), 1)
    tail = add(log1p(exp(negative(magnitude(scores)))), relu(negative(scores)))
    linear = multiply(one_minus(targets), scores)
    return add(linear, multiply(weight, tail), name=name or "logistic_loss")


def _of_one_shape(labels: object, logits: object) -> tuple[Tensor, Tensor]:
    scores = convert_to_tensor(logits)
    targets = convert_to_tensor(labels, dtype_hint=scores.dtype)
    if not are_compatible(scores.static_shape, targets.static_shape):
        raise ValueError(
            "`logits` and `labels` must have the same shape, received"
            f" ({scores.shape} vs {targets.shape})."
        )
    return scores, targets
