"""Moments, and normalisation by them or by norms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfcheck_runtime.op import Array, Attributes, Aval, Call, Emitter, Op, Term, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.examples import counting
from tfcheck_runtime.ops.array.filling import zeros_like
from tfcheck_runtime.ops.array.identity import stop_gradient
from tfcheck_runtime.ops.array.padding import pad
from tfcheck_runtime.ops.array.reduction import reduce_mean, reduce_sum
from tfcheck_runtime.ops.array.squeezing import squeeze
from tfcheck_runtime.ops.math.arithmetic import (
    abs,
    add,
    add_n,
    maximum,
    multiply,
    negative,
    square,
    squared_difference,
    subtract,
)
from tfcheck_runtime.ops.math.division import realdiv
from tfcheck_runtime.ops.math.exponential import pow, reciprocal, rsqrt
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply


def l2_normalize(
    x: object,
    axis: object = None,
    epsilon: object = 1e-12,
    name: str | None = None,
    dim: object = None,
) -> Tensor:
    """`x` over its L2 norm along an axis; `dim` is an old name of `axis`.

    https://www.tensorflow.org/api_docs/python/tf/math/l2_normalize
    """
    tensor = convert_to_tensor(x)
    along = dim if axis is None else axis
    size = abs(tensor) if tensor.dtype.is_complex else tensor
    total = reduce_sum(square(size), along, keepdims=True)
    scale = rsqrt(maximum(total, epsilon))
    return multiply(tensor, cast(scale, tensor.dtype), name=name or "l2_normalize")


def moments(
    x: object,
    axes: object,
    shift: object = None,
    keepdims: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Mean and variance over `axes`.

    https://www.tensorflow.org/api_docs/python/tf/nn/moments
    """
    del shift  # unused in TensorFlow 2
    label = name or "moments"
    tensor = convert_to_tensor(x)
    narrow = tensor.dtype
    wide = cast(tensor, dtypes.float32) if narrow.name in ("float16", "bfloat16") else tensor
    mean = reduce_mean(wide, axes, keepdims=True, name=f"{label}/mean")
    spread = squared_difference(wide, stop_gradient(mean))
    variance = reduce_mean(spread, axes, keepdims=True, name=f"{label}/variance")
    results = (mean, variance) if keepdims else (_without(mean, axes), _without(variance, axes))
    if narrow is wide.dtype:
        return results
    return cast(results[0], narrow), cast(results[1], narrow)


def _without(tensor: Tensor, axes: Any) -> Tensor:  # an int, ints, or a tensor of them
    return squeeze(tensor, axes)


def weighted_moments(
    x: object,
    axes: object,
    frequency_weights: object,
    keepdims: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Mean and variance of elements that count `frequency_weights` times.

    https://www.tensorflow.org/api_docs/python/tf/nn/weighted_moments
    """
    label = name or "weighted_moments"
    tensor = convert_to_tensor(x)
    weights = cast(frequency_weights, tensor.dtype)
    spread = add(weights, zeros_like(multiply(weights, tensor)))
    total = reduce_sum(spread, axes, keepdims=True)
    mean = realdiv(reduce_sum(multiply(weights, tensor), axes, keepdims=True), total,
                   name=f"{label}/mean")  # fmt: skip
    deviation = multiply(weights, squared_difference(tensor, mean))
    variance = realdiv(reduce_sum(deviation, axes, keepdims=True), total)
    if keepdims:
        return mean, variance
    return _without(mean, axes), _without(variance, axes)


def sufficient_statistics(
    x: object,
    axes: Sequence[int],
    shift: object = None,
    keepdims: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
    """Count, sum and sum of squares over `axes`, after subtracting `shift`.

    https://www.tensorflow.org/api_docs/python/tf/nn/sufficient_statistics
    """
    label = name or "sufficient_statistics"
    tensor = convert_to_tensor(x)
    ones = add(zeros_like(tensor), 1)
    count = reduce_sum(ones, axes)
    first = reduce_mean(reduce_sum(ones, axes)) if count.ndim else count
    origin = None if shift is None else convert_to_tensor(shift, tensor.dtype)
    centred = tensor if origin is None else subtract(tensor, origin)
    squares = square(tensor) if origin is None else squared_difference(tensor, origin)
    mean_sum = reduce_sum(centred, axes, keepdims=keepdims, name=f"{label}/mean_ss")
    return first, mean_sum, reduce_sum(squares, axes, keepdims=keepdims), origin


def normalize_moments(
    counts: object,
    mean_ss: object,
    variance_ss: object,
    shift: object,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Mean and variance from what `sufficient_statistics` gave.

    https://www.tensorflow.org/api_docs/python/tf/nn/normalize_moments
    """
    label = name or "normalize"
    divisor = reciprocal(counts)
    shifted = multiply(mean_ss, divisor)
    mean = shifted if shift is None else add(shifted, shift, name=f"{label}/mean")
    variance = subtract(multiply(variance_ss, divisor), square(shifted), name=f"{label}/variance")
    return mean, variance


def batch_normalization(
    x: object,
    mean: object,
    variance: object,
    offset: object,
    scale: object,
    variance_epsilon: object,
    name: str | None = None,
) -> Tensor:
    """Scale * (x - mean) / sqrt(variance + variance_epsilon) + offset.

    https://www.tensorflow.org/api_docs/python/tf/nn/batch_normalization
    """
    label = name or "batchnorm"
    tensor = convert_to_tensor(x)
    factor = rsqrt(add(variance, variance_epsilon))
    if scale is not None:
        factor = multiply(factor, scale)
    shifted = multiply(mean, factor)
    rest = negative(shifted) if offset is None else subtract(offset, shifted)
    return add(multiply(tensor, cast(factor, tensor.dtype)), cast(rest, tensor.dtype), name=label)


class _LocalResponse(Op):
    """Each element over a power of the sum of squares of its neighbours among the channels."""

    type = "LRN"
    cases = (
        case(
            np.sin(counting(1, 2, 2, 6)), depth_radius=2, bias=1.5, alpha=0.5, beta=0.75,
            unknown=((0, 0),),
        ),
    )  # fmt: skip

    def infer(
        self, input: Aval, *, depth_radius: int, bias: float, alpha: float, beta: float
    ) -> Aval:
        known.check_rank(input, 4, "input")
        return Aval(input.dtype, input.shape)

    def eager(
        self, input: Array, *, depth_radius: int, bias: float, alpha: float, beta: float
    ) -> Array:
        edges = [(0, 0)] * 3 + [(depth_radius, depth_radius)]
        squares = np.pad(np.square(input), edges)
        size = 2 * depth_radius + 1
        total = np.lib.stride_tricks.sliding_window_view(squares, size, axis=-1).sum(-1)
        return np.asarray(input / (bias + alpha * total) ** beta, input.dtype)

    def lower(
        self, onnx: Emitter, input: Term, *, depth_radius: int, bias: float, alpha: float,
        beta: float,
    ) -> object:  # fmt: skip
        size = 2 * depth_radius + 1
        source = onnx.op("Transpose", input, perm=[0, 3, 1, 2])
        # ONNX divides alpha by the size of the neighbourhood.
        result = onnx.op("LRN", source, size=size, bias=bias, alpha=alpha * size, beta=beta)
        return onnx.op("Transpose", result, perm=[0, 2, 3, 1])

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        return inputs[0].dtype.name == "float32"

    def gradient(self, call: Call[Tensor], dy: Tensor) -> list[Tensor]:
        x, attrs = call.inputs[0], call.attrs
        radius, alpha, beta = attrs["depth_radius"], attrs["alpha"], attrs["beta"]
        scale = add(multiply(_neighbours(square(x), radius), alpha), attrs["bias"])
        own = multiply(dy, pow(scale, -beta))
        shared = _neighbours(multiply(own, realdiv(x, scale)), radius)
        return [subtract(own, multiply(multiply(x, shared), 2 * alpha * beta))]


def _neighbours(x: Tensor, radius: int) -> Tensor:
    """For each element the sum over the channels up to `radius` away."""
    wide = pad(x, [[0, 0], [0, 0], [0, 0], [radius, radius]])
    end = 2 * radius
    return add_n([wide[..., i : -(end - i) if i < end else None] for i in range(end + 1)])


local_response_op = define(_LocalResponse())


def local_response_normalization(
    input: object,
    depth_radius: int = 5,
    bias: float = 1.0,
    alpha: float = 1.0,
    beta: float = 0.5,
    name: str | None = None,
) -> Tensor:
    """Each element over a power of the sum of squares of neighbouring channels.

    https://www.tensorflow.org/api_docs/python/tf/nn/local_response_normalization
    """
    return apply(
        local_response_op, convert_to_tensor(input), name=name, depth_radius=int(depth_radius),
        bias=float(bias), alpha=float(alpha), beta=float(beta),
    )  # fmt: skip


def lrn(
    input: object,
    depth_radius: int = 5,
    bias: float = 1.0,
    alpha: float = 1.0,
    beta: float = 0.5,
    name: str | None = None,
) -> Tensor:
    """`local_response_normalization` (https://www.tensorflow.org/api_docs/python/tf/nn/lrn)."""
    return local_response_normalization(input, depth_radius, bias, alpha, beta, name)
