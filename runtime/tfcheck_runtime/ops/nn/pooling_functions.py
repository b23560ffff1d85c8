"""`tf.nn.max_pool` and its kin: arguments in all the forms TensorFlow takes.

https://www.tensorflow.org/api_docs/python/tf/nn/pool
"""

from __future__ import annotations

from typing import Any, Final

from tfcheck_runtime.op import Op
from tfcheck_runtime.ops.array.agreement import refuse_value
from tfcheck_runtime.ops.array.squeezing import expand_dims, squeeze
from tfcheck_runtime.ops.math.operands import FLOATS, REALS, check_allowed
from tfcheck_runtime.ops.nn.convolving import attributes, expanded
from tfcheck_runtime.ops.nn.pooling import (
    avg_pool_3d_op,
    avg_pool_op,
    max_pool_3d_op,
    max_pool_op,
)
from tfcheck_runtime.ops.nn.windows import CHANNELS_FIRST
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply

_LAST: Final = {1: "NWC", 2: "NHWC", 3: "NDHWC"}
_MAX: Final[dict[int, Op]] = {1: max_pool_op, 2: max_pool_op, 3: max_pool_3d_op}
_AVG: Final[dict[int, Op]] = {1: avg_pool_op, 2: avg_pool_op, 3: avg_pool_3d_op}


def max_pool(
    input: object,
    ksize: object,
    strides: object,
    padding: object,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The largest cell of each window, over one to three spatial axes.

    https://www.tensorflow.org/api_docs/python/tf/nn/max_pool

    Raises:
        ValueError: the input has another rank than 3, 4 or 5.
    """
    return _pool(_MAX, input, ksize, strides, padding=padding, data_format=data_format,
                 name=name or "MaxPool2d")  # fmt: skip


def avg_pool(
    input: object,
    ksize: object,
    strides: object,
    padding: object,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The mean of each window, padding left out, over one to three spatial axes.

    https://www.tensorflow.org/api_docs/python/tf/nn/avg_pool

    Raises:
        ValueError: the input has another rank than 3, 4 or 5.
    """
    return _pool(_AVG, input, ksize, strides, padding=padding, data_format=data_format,
                 name=name or "AvgPool")  # fmt: skip


def max_pool2d(
    input: object,
    ksize: object,
    strides: object,
    padding: object,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """`max_pool` of images (https://www.tensorflow.org/api_docs/python/tf/nn/max_pool2d).

    Raises:
        InvalidArgumentError: the rank is not 4 (ValueError in a graph).
    """
    _check_image(input)
    return max_pool(input, ksize, strides, padding, data_format, name or "MaxPool2d")


def avg_pool2d(
    input: object,
    ksize: object,
    strides: object,
    padding: object,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """`avg_pool` of images (https://www.tensorflow.org/api_docs/python/tf/nn/avg_pool2d).

    Raises:
        InvalidArgumentError: the rank is not 4 (ValueError in a graph).
    """
    _check_image(input)
    return avg_pool(input, ksize, strides, padding, data_format, name or "AvgPool2D")


def _check_image(input: object) -> None:
    rank = convert_to_tensor(input).ndim
    if rank is not None and rank != 4:
        refuse_value(f"Input must have 4 axes, got {rank}")


def max_pool1d(
    input: object,
    ksize: object,
    strides: object,
    padding: object,
    data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:
    """`max_pool` of sequences (https://www.tensorflow.org/api_docs/python/tf/nn/max_pool1d)."""
    return max_pool(input, ksize, strides, padding, data_format, name or "MaxPool1d")


def avg_pool1d(
    input: object,
    ksize: object,
    strides: object,
    padding: object,
    data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:
    """`avg_pool` of sequences (https://www.tensorflow.org/api_docs/python/tf/nn/avg_pool1d)."""
    return avg_pool(input, ksize, strides, padding, data_format, name or "AvgPool1D")


def max_pool3d(
    input: object,
    ksize: object,
    strides: object,
    padding: object,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """`max_pool` of volumes (https://www.tensorflow.org/api_docs/python/tf/nn/max_pool3d)."""
    return max_pool(input, ksize, strides, padding, data_format, name or "MaxPool3D")


def avg_pool3d(
    input: object,
    ksize: object,
    strides: object,
    padding: object,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """`avg_pool` of volumes (https://www.tensorflow.org/api_docs/python/tf/nn/avg_pool3d)."""
    return avg_pool(input, ksize, strides, padding, data_format, name or "AvgPool3D")


def pool(
    input: object,
    window_shape: object,
    pooling_type: str,
    strides: object = None,
    padding: object = "VALID",
    data_format: str | None = None,
    dilations: object = None,
    name: str | None = None,
) -> Tensor:
    """Pooling of the kind `pooling_type`, "AVG" or "MAX".

    https://www.tensorflow.org/api_docs/python/tf/nn/pool

    Raises:
        ValueError: `pooling_type` is another one, or dilated windows come with strides or padding.
    """
    if dilations is not None:
        rank = _rank(input)
        layout = data_format or _LAST[rank]
        steps = expanded(strides, rank, layout, what="strides")
        dilated = max(expanded(dilations, rank, layout, what="dilations")) > 1
        if dilated and (max(steps) > 1 or padding != "VALID"):
            raise ValueError(
                "tf.nn.pool takes dilations > 1 with strides of 1 and padding 'VALID' alone, got"
                f" dilations={dilations!r}, strides={strides!r}, padding={padding!r}"
            )
    if pooling_type not in ("AVG", "MAX"):
        raise ValueError(f"`pooling_type` must be 'AVG' or 'MAX', got {pooling_type!r}")
    label = name or f"{pooling_type.lower()}_pool"
    ops = _AVG if pooling_type == "AVG" else _MAX
    return _pool(ops, input, window_shape, strides, padding=padding, data_format=data_format,
                 name=label, dilations=dilations)  # fmt: skip


def _rank(input: object) -> int:
    rank = convert_to_tensor(input).ndim
    if rank not in (3, 4, 5):
        raise ValueError(f"Input tensor must be of rank 3, 4 or 5 but was {rank}.")
    return rank - 2


def _pool(
    ops: dict[int, Op],
    input: object,
    ksize: object,
    strides: object,
    *,
    padding: object,
    data_format: str | None,
    name: str,
    dilations: object = None,
) -> Tensor:
    x = convert_to_tensor(input)
    rank = _rank(x)
    layout = data_format or _LAST[rank]
    attrs = attributes(rank, strides, padding, data_format=layout, dilations=dilations)
    attrs["ksize"] = expanded(ksize, rank, layout, what="ksize")
    if max(attrs["dilations"]) == 1:
        del attrs["dilations"]
    explicit = attrs.pop("explicit_paddings")
    op = ops[rank]
    if explicit and op is not max_pool_op:
        raise ValueError(
            f"`padding` of {op.type} must be 'SAME' or 'VALID', got {padding!r}; explicit padding"
            " is for max_pool of images"
        )
    if op is max_pool_op:
        attrs["explicit_paddings"] = explicit
    check_allowed(op.type, x, REALS if ops is _MAX else FLOATS)
    if rank == 1:
        return _of_sequence(op, x, attrs, name=name)
    return apply(op, x, name=name, **attrs)


def _of_sequence(op: Op, x: Tensor, attrs: dict[str, Any], *, name: str) -> Tensor:
    """Pooling of a sequence as of an image of height 1."""
    first = attrs["data_format"] in CHANNELS_FIRST
    axis = 2 if first else 1
    for key in attrs.keys() & {"ksize", "strides", "dilations"}:
        attrs[key] = (*attrs[key][:axis], 1, *attrs[key][axis:])
    attrs["data_format"] = "NCHW" if first else "NHWC"
    return squeeze(apply(op, expand_dims(x, axis), name=name, **attrs), [axis])
