"""What layers are made of besides convolutions: biases, embeddings, classes among the best."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tfcheck_runtime.op import Array, Attributes, Aval, Call, Emitter, Op, Term, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.agreement import INDICES, check_dtype, check_kind
from tfcheck_runtime.ops.array.examples import counting, f32, f64, i32
from tfcheck_runtime.ops.array.gathering import gather
from tfcheck_runtime.ops.array.reduction import reduce_sum
from tfcheck_runtime.ops.math.clipping import clip_by_norm
from tfcheck_runtime.ops.math.families import ORT_NUMBERS
from tfcheck_runtime.ops.math.operands import NUMBERS, alike
from tfcheck_runtime.ops.nn.windows import CHANNELS_FIRST, channels_of
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.shapes import are_compatible
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply


class _BiasAdd(Op):
    """A number for each channel added to all its elements."""

    type = "BiasAdd"
    cases = (
        case(f32([[1.0, 2.0], [3.0, 4.0]]), f32([0.5, -1.0]), unknown=((0, 0),),
             data_format="NHWC"),
        case(f64(counting(2, 3, 2, 2)), f64([1, 2, 3]), data_format="NCHW"),
    )  # fmt: skip

    def infer(self, value: Aval, bias: Aval, *, data_format: str) -> Aval:
        known.check_rank(bias, 1, "bias")
        if value.shape is None:
            return Aval(value.dtype, None)
        if len(value.shape) < 2:
            raise ValueError(f"Input tensor must be at least 2D: {list(value.shape)}")
        channels = channels_of(value.shape, data_format)
        size = None if bias.shape is None else bias.shape[0]
        if channels is not None and size is not None and channels != size:
            raise ValueError(
                f"Must provide as many biases as the channel dimension of the input tensor:"
                f" [{size}] vs. {channels} in {list(value.shape)}"
            )
        return Aval(value.dtype, value.shape)

    def eager(self, value: Array, bias: Array, *, data_format: str) -> Array:
        if data_format in CHANNELS_FIRST:
            bias = bias.reshape(-1, *[1] * (value.ndim - 2))
        return np.asarray(value + bias)

    def lower(self, onnx: Emitter, value: Term, bias: Term, *, data_format: str) -> object:
        shaped: object = bias
        if data_format in CHANNELS_FIRST:
            inner = len(value.shape or ()) - 2
            shaped = onnx.op("Reshape", bias, known.int64([-1, *[1] * inner]))
        return onnx.op("Add", value, shaped)

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        return inputs[0].shape is not None and inputs[0].dtype.name in ORT_NUMBERS

    def gradient(self, call: Call[Tensor], dy: Tensor) -> list[Tensor]:
        rank = len(call.inputs[0].static_shape or dy.static_shape or (None, None))
        channel = 1 if call.attrs["data_format"] in CHANNELS_FIRST else rank - 1
        return [dy, reduce_sum(dy, [a for a in range(rank) if a != channel])]


class _InTopK(Op):
    """Whether each row's target is among its k best; ties with the last of them count."""

    type = "InTopKV2"
    cases = (
        case(f32([[0.1, 0.9, 0.3], [0.5, 0.5, 0.2]]), i32([2, 1]), i32(2), unknown=((0, 0),)),
        case(f32([[0.1, np.nan, 0.3]]), i32([1]), i32(2)),
    )

    def infer(self, predictions: Aval, targets: Aval, k: Aval) -> Aval:
        known.check_rank(predictions, 2, "predictions")
        known.check_rank(targets, 1, "targets")
        check_dtype(self.type, predictions, dtypes.float32, "predictions")
        check_kind(self.type, targets, INDICES, "targets")
        rows = None if predictions.shape is None else predictions.shape[:1]
        if not are_compatible(rows, targets.shape):
            raise ValueError(
                f"First dimension of predictions {predictions.shape} must match length of targets"
                f" {targets.shape}"
            )
        return Aval(dtypes.bool, targets.shape)

    def eager(self, predictions: Array, targets: Array, k: Array) -> Array:
        classes = predictions.shape[1]
        valid = (targets >= 0) & (targets < classes)
        if not classes:
            return np.zeros(len(targets), np.bool_)
        places = np.where(valid, targets, 0).astype(np.int64)
        chosen = predictions[np.arange(len(targets)), places]
        finite = np.isfinite(predictions).all(axis=1) & np.isfinite(chosen)
        better = (predictions > chosen[:, None]).sum(axis=1)
        return np.asarray(valid & finite & (better < int(k)))


bias_add_op = define(_BiasAdd())
in_top_k_op = define(_InTopK())


def bias_add(
    value: object, bias: object, data_format: str | None = None, name: str | None = None
) -> Tensor:
    """A number for each channel added to all its elements.

    https://www.tensorflow.org/api_docs/python/tf/nn/bias_add

    Raises:
        ValueError: `data_format` is unknown, or in graphs the sizes do not fit.
    """
    layout = "NCHW" if (data_format or "N...C").startswith("NC") else "NHWC"
    if data_format is not None and not data_format.startswith("N"):
        raise ValueError(f"`data_format` must be of the form `N...C` or `NC...`, got {data_format}")
    operands = alike("BiasAdd", (value, bias), allowed=NUMBERS)
    return apply(bias_add_op, *operands, name=name, data_format=layout)


def embedding_lookup(
    params: object, ids: object, max_norm: object = None, name: str | None = None
) -> Tensor:
    """The rows of `params` that `ids` name, clipped to `max_norm` if given.

    https://www.tensorflow.org/api_docs/python/tf/nn/embedding_lookup

    Raises:
        NotImplementedError: `params` is a list of several parts.
        InvalidArgumentError: eagerly, there is no such row.
    """
    table = params
    if isinstance(params, list | tuple):
        if len(params) != 1:
            raise NotImplementedError(
                f"embedding_lookup in {len(params)} partitions is not supported; concatenate them"
            )
        table = params[0]
    rows = gather(table, ids, name=name or "embedding_lookup")
    if max_norm is None:
        return rows
    inner = list(range(convert_to_tensor(ids).ndim or 0, rows.ndim or 0))
    return clip_by_norm(rows, max_norm, axes=inner)


def in_top_k(targets: object, predictions: object, k: object, name: str | None = None) -> Tensor:
    """Whether each target is among the k best predictions of its row.

    https://www.tensorflow.org/api_docs/python/tf/math/in_top_k
    """
    classes = convert_to_tensor(targets)
    count = convert_to_tensor(k, classes.dtype)
    return apply(
        in_top_k_op, convert_to_tensor(predictions), classes, count,
        name=f"{name or 'in_top_k'}/InTopKV2",
    )  # fmt: skip
