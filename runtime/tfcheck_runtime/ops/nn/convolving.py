"""`tf.nn.conv2d` and its kin: arguments in all the forms TensorFlow takes.

https://www.tensorflow.org/api_docs/python/tf/nn/convolution
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.packing import stack
from tfcheck_runtime.ops.array.squeezing import expand_dims, squeeze
from tfcheck_runtime.ops.math.operands import FLOATS, alike
from tfcheck_runtime.ops.nn.convolution import (
    CONV2D,
    CONV3D,
    DEPTHWISE,
    Family,
    by_filter_op,
    by_input_op,
    forward_op,
)
from tfcheck_runtime.ops.nn.windows import CHANNELS_FIRST
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply

_LAST: Final = {1: "NWC", 2: "NHWC", 3: "NDHWC"}


def attributes(
    rank: int,
    strides: object,
    padding: object,
    *,
    data_format: str | None,
    dilations: object = None,
) -> dict[str, Any]:
    """Strides, padding and dilations as ops take them: a number for each axis.

    Raises:
        ValueError: `padding` is unknown, or a list has a wrong length.
    """
    layout = data_format or _LAST[rank]
    name, explicit = _padding(padding, rank)
    return {
        "strides": expanded(strides, rank, layout, what="strides"),
        "padding": name,
        "explicit_paddings": explicit,
        "data_format": layout,
        "dilations": expanded(dilations, rank, layout, what="dilations"),
    }


def expanded(value: object, rank: int, data_format: str, *, what: str) -> tuple[int, ...]:
    """One number, or one for each spatial axis or each axis, as one for each axis.

    Raises:
        ValueError: there are more or fewer.
    """
    numbers = _numbers(1 if value is None else value)
    if len(numbers) == rank + 2:
        return tuple(numbers)
    if len(numbers) not in (1, rank):
        raise ValueError(
            f"{what} should be of length 1, {rank} or {rank + 2}, got {value!r} of length"
            f" {len(numbers)}"
        )
    inner = numbers * rank if len(numbers) == 1 else numbers
    return (1, 1, *inner) if data_format in CHANNELS_FIRST else (1, *inner, 1)


def _numbers(value: Any) -> list[int]:  # whatever users write for one integer or several
    return [int(v) for v in value] if isinstance(value, Sequence) else [int(value)]


def _padding(padding: object, rank: int) -> tuple[str, tuple[int, ...]]:
    if isinstance(padding, str) and padding.upper() in ("SAME", "VALID"):
        return padding.upper(), ()
    if not isinstance(padding, str) and isinstance(padding, Sequence) and len(padding) == rank + 2:
        return "EXPLICIT", tuple(int(p) for pair in padding for p in pair)
    raise ValueError(
        f"`padding` must be 'SAME', 'VALID' or a list of {rank + 2} pairs, got {padding!r}"
    )


def conv2d(
    input: object,
    filters: object,
    strides: object,
    padding: object,
    data_format: str = "NHWC",
    dilations: object = None,
    name: str | None = None,
) -> Tensor:
    """Convolve images (batch, height, width, channels) with (height, width, in, out) filters.

    https://www.tensorflow.org/api_docs/python/tf/nn/conv2d

    Raises:
        ValueError: in graphs, channels or sizes do not fit (eagerly InvalidArgumentError).
    """
    attrs = attributes(2, strides, padding, data_format=data_format, dilations=dilations)
    return _forward(CONV2D, input, filters, attrs=attrs, name=name or "Conv2D")


def conv3d(
    input: object,
    filters: object,
    strides: object,
    padding: object,
    data_format: str = "NDHWC",
    dilations: object = None,
    name: str | None = None,
) -> Tensor:
    """Convolve volumes (https://www.tensorflow.org/api_docs/python/tf/nn/conv3d)."""
    attrs = attributes(3, strides, padding, data_format=data_format, dilations=dilations)
    return _forward(CONV3D, input, filters, attrs=attrs, name=name or "Conv3D")


def conv1d(
    input: object,
    filters: object,
    stride: object,
    padding: object,
    data_format: str = "NWC",
    dilations: object = None,
    name: str | None = None,
) -> Tensor:
    """Convolve sequences (batch, width, channels) with (width, in, out) filters.

    https://www.tensorflow.org/api_docs/python/tf/nn/conv1d
    """
    axis, layout = _widened(data_format)
    label = name or "conv1d"
    result = conv2d(
        expand_dims(input, axis), expand_dims(filters, 0), _flat(stride, layout),
        _flat_padding(padding, axis), layout, _flat(dilations, layout), name=label,
    )  # fmt: skip
    return squeeze(result, [axis], name=f"{label}/Squeeze")


def _widened(data_format: str) -> tuple[int, str]:
    """Where a sequence gets an axis of size 1 to become an image, and the image's layout."""
    return (2, "NCHW") if data_format in CHANNELS_FIRST else (1, "NHWC")


def _flat(value: object, layout: str) -> tuple[int, ...]:
    """Strides or dilations of a sequence as those of an image of height 1."""
    given = expanded(value, 1, "NCW" if layout in CHANNELS_FIRST else "NWC", what="stride")
    return (*given[:2], 1, given[2]) if layout in CHANNELS_FIRST else (given[0], 1, *given[1:])


def _flat_padding(padding: object, axis: int) -> object:
    if isinstance(padding, str) or not isinstance(padding, Sequence):
        return padding
    return [*padding[:axis], (0, 0), *padding[axis:]]


def conv2d_transpose(
    input: object,
    filters: object,
    output_shape: object,
    strides: object,
    padding: object = "SAME",
    data_format: str = "NHWC",
    dilations: object = None,
    name: str | None = None,
) -> Tensor:
    """The gradient of `conv2d` by its input; filters are (height, width, out, in).

    https://www.tensorflow.org/api_docs/python/tf/nn/conv2d_transpose
    """
    attrs = attributes(2, strides, padding, data_format=data_format, dilations=dilations)
    return _transposed(
        CONV2D, input, filters, output_shape, attrs=attrs, name=name or "conv2d_transpose"
    )


def conv3d_transpose(
    input: object,
    filters: object,
    output_shape: object,
    strides: object,
    padding: object = "SAME",
    data_format: str = "NDHWC",
    dilations: object = None,
    name: str | None = None,
) -> Tensor:
    """The gradient of `conv3d` by its input.

    https://www.tensorflow.org/api_docs/python/tf/nn/conv3d_transpose
    """
    attrs = attributes(3, strides, padding, data_format=data_format, dilations=dilations)
    return _transposed(
        CONV3D, input, filters, output_shape, attrs=attrs, name=name or "conv3d_transpose"
    )


def conv1d_transpose(
    input: object,
    filters: object,
    output_shape: object,
    strides: object,
    padding: object = "SAME",
    data_format: str = "NWC",
    dilations: object = None,
    name: str | None = None,
) -> Tensor:
    """The gradient of `conv1d` by its input.

    https://www.tensorflow.org/api_docs/python/tf/nn/conv1d_transpose
    """
    axis, layout = _widened(data_format)
    sizes = known.integer_tensor(output_shape, what="output_shape")
    image = stack(
        [sizes[i] if i >= 0 else 1 for i in ((0, -1, 1, 2) if axis == 1 else (0, 1, -1, 2))]
    )
    result = conv2d_transpose(
        expand_dims(input, axis), expand_dims(filters, 0), image, _flat(strides, layout),
        padding, layout, _flat(dilations, layout), name=name or "conv1d_transpose",
    )  # fmt: skip
    return squeeze(result, [axis])


def depthwise_conv2d(
    input: object,
    filter: object,
    strides: object,
    padding: object,
    data_format: str | None = None,
    dilations: object = None,
    name: str | None = None,
) -> Tensor:
    """Each channel convolved with filters of its own, (height, width, in, multiplier).

    https://www.tensorflow.org/api_docs/python/tf/nn/depthwise_conv2d
    """
    attrs = attributes(2, strides, padding, data_format=data_format, dilations=dilations)
    return _forward(DEPTHWISE, input, filter, attrs=attrs, name=name or "depthwise")


def depthwise_conv2d_backprop_input(
    input_sizes: object,
    filter: object,
    out_backprop: object,
    strides: object,
    padding: object,
    data_format: str = "NHWC",
    dilations: object = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of `depthwise_conv2d` by its input.

    https://www.tensorflow.org/api_docs/python/tf/nn/depthwise_conv2d_backprop_input
    """
    attrs = attributes(2, strides, padding, data_format=data_format, dilations=dilations)
    return _transposed(DEPTHWISE, out_backprop, filter, input_sizes, attrs=attrs, name=name)


def depthwise_conv2d_backprop_filter(
    input: object,
    filter_sizes: object,
    out_backprop: object,
    strides: object,
    padding: object,
    data_format: str = "NHWC",
    dilations: object = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of `depthwise_conv2d` by its filters.

    https://www.tensorflow.org/api_docs/python/tf/nn/depthwise_conv2d_backprop_filter
    """
    attrs = attributes(2, strides, padding, data_format=data_format, dilations=dilations)
    sizes = known.integer_tensor(filter_sizes, what="filter_sizes")
    x, dy = alike("DepthwiseConv2dNativeBackpropFilter", (input, out_backprop), allowed=FLOATS)
    return apply(by_filter_op(DEPTHWISE), x, sizes, dy, name=name, **attrs)


def separable_conv2d(
    input: object,
    depthwise_filter: object,
    pointwise_filter: object,
    strides: object,
    padding: object,
    data_format: str | None = None,
    dilations: object = None,
    name: str | None = None,
) -> Tensor:
    """A depthwise convolution, then one that mixes the channels of each cell.

    https://www.tensorflow.org/api_docs/python/tf/nn/separable_conv2d
    """
    label = name or "separable_conv2d"
    apart = depthwise_conv2d(
        input, depthwise_filter, strides, padding, data_format, dilations, name=f"{label}/depthwise"
    )
    return conv2d(apart, pointwise_filter, 1, "VALID", data_format or "NHWC", name=label)


def atrous_conv2d(
    value: object, filters: object, rate: int, padding: object, name: str | None = None
) -> Tensor:
    """`conv2d` with dilated filters.

    https://www.tensorflow.org/api_docs/python/tf/nn/atrous_conv2d
    """
    return conv2d(value, filters, 1, padding, dilations=rate, name=name or "convolution")


def convolution(
    input: object,
    filters: object,
    strides: object = None,
    padding: object = "VALID",
    data_format: str | None = None,
    dilations: object = None,
    name: str | None = None,
) -> Tensor:
    """A convolution over one, two or three spatial axes, as many as the filters have.

    https://www.tensorflow.org/api_docs/python/tf/nn/convolution

    Raises:
        ValueError: the filters have another rank, or are dilated and strides exceed 1.
    """
    weights = convert_to_tensor(filters)
    functions = {3: conv1d, 4: conv2d, 5: conv3d}
    if weights.ndim not in functions:
        raise ValueError(
            f"`filters` must have rank 3, 4 or 5 (1 to 3 spatial axes), got shape {weights.shape}"
        )
    rank = weights.ndim - 2
    layout = data_format or _LAST[rank]
    steps, gaps = (
        expanded(v, rank, layout, what=w)
        for v, w in ((strides, "strides"), (dilations, "dilations"))
    )
    if max(steps) > 1 and max(gaps) > 1:
        raise ValueError(
            "`strides > 1` not supported in conjunction with `dilations > 1`. Received:"
            f" strides={strides} and dilations={dilations}"
        )
    return functions[weights.ndim](
        input, weights, strides, padding, data_format or _LAST[rank], dilations,
        name=name or "convolution",
    )  # fmt: skip


def conv_transpose(
    input: object,
    filters: object,
    output_shape: object,
    strides: object,
    padding: object = "SAME",
    data_format: str | None = None,
    dilations: object = None,
    name: str | None = None,
) -> Tensor:
    """A transposed convolution over as many spatial axes as the filters have.

    https://www.tensorflow.org/api_docs/python/tf/nn/conv_transpose

    Raises:
        ValueError: the filters have another rank than 3, 4 or 5.
    """
    weights = convert_to_tensor(filters)
    functions = {3: conv1d_transpose, 4: conv2d_transpose, 5: conv3d_transpose}
    if weights.ndim not in functions:
        raise ValueError(
            f"`filters` must have rank 3, 4 or 5 (1 to 3 spatial axes), got shape {weights.shape}"
        )
    rank = weights.ndim - 2
    return functions[weights.ndim](
        input, weights, output_shape, strides, padding, data_format or _LAST[rank], dilations,
        name=name or "conv_transpose",
    )  # fmt: skip


def _forward(
    family: Family, input: object, filters: object, *, attrs: dict[str, Any], name: str
) -> Tensor:
    operands = alike(family.forward, (input, filters), allowed=FLOATS)
    return apply(forward_op(family), *operands, name=name, **attrs)


def _transposed(
    family: Family,
    input: object,
    filters: object,
    output_shape: object,
    *,
    attrs: dict[str, Any],
    name: str | None,
) -> Tensor:
    sizes = known.integer_tensor(output_shape, what="output_shape")
    weights, dy = alike(family.by_input, (filters, input), allowed=FLOATS)
    return apply(by_input_op(family), sizes, weights, dy, name=name, **attrs)
