"""Differences of images: within one, and between two."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcheck_runtime.ops.array.broadcasting import tile
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.filling import zeros
from tfcheck_runtime.ops.array.joining import concat
from tfcheck_runtime.ops.array.padding import pad
from tfcheck_runtime.ops.array.reduction import reduce_mean, reduce_sum
from tfcheck_runtime.ops.array.shaping import reshape, shape as shape_of
from tfcheck_runtime.ops.image.colors import convert_image_dtype
from tfcheck_runtime.ops.image.shapes import three_or_four
from tfcheck_runtime.ops.math.arithmetic import (
    abs,
    add,
    multiply,
    square,
    squared_difference,
    subtract,
)
from tfcheck_runtime.ops.math.division import realdiv
from tfcheck_runtime.ops.math.exponential import log
from tfcheck_runtime.ops.nn.convolving import depthwise_conv2d
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.shapes import are_compatible
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor


def image_gradients(image: object) -> tuple[Tensor, Tensor]:
    """Differences between neighbouring rows and columns; zeros at the end.

    https://www.tensorflow.org/api_docs/python/tf/image/image_gradients

    Raises:
        ValueError: the rank is not 4.
    """
    value: Any = convert_to_tensor(image)
    if value.ndim != 4:
        raise ValueError(
            f"image_gradients expects a 4D tensor [batch_size, h, w, d], got shape {value.shape}"
        )
    batch, height, width, depth = (shape_of(value)[i] for i in range(4))
    down = concat([value[:, 1:] - value[:, :-1], zeros([batch, 1, width, depth], value.dtype)], 1)
    across = concat(
        [value[:, :, 1:] - value[:, :, :-1], zeros([batch, height, 1, depth], value.dtype)], 2
    )
    return down, across


def total_variation(images: object, name: str | None = None) -> Tensor:
    """The sum of absolute differences between neighbouring pixels, per image.

    https://www.tensorflow.org/api_docs/python/tf/image/total_variation

    Raises:
        ValueError: the rank is another than 3 or 4.
    """
    value: Any = convert_to_tensor(images)
    axes = None if three_or_four(value) == 3 else [1, 2, 3]
    rows = abs(value[..., 1:, :, :] - value[..., :-1, :, :])
    columns = abs(value[..., :, 1:, :] - value[..., :, :-1, :])
    return add(reduce_sum(rows, axes), reduce_sum(columns, axes), name=name)


_SOBEL = np.array([[-1, -2, -1], [0, 0, 0], [1, 2, 1]], np.float32)


def sobel_edges(image: object) -> Tensor:
    """Sobel's two edge maps in a new last axis: down and across.

    https://www.tensorflow.org/api_docs/python/tf/image/sobel_edges
    """
    value = convert_to_tensor(image)
    sizes: Any = shape_of(value)
    depth = (value.static_shape or (None,))[-1]
    if depth is None:
        raise ValueError(f"sobel_edges: the number of channels must be known: {value.shape}")
    filters = np.stack([_SOBEL, _SOBEL.T], -1)[:, :, None].repeat(depth, 2)
    framed = pad(value, [[0, 0], [1, 1], [1, 1], [0, 0]], "REFLECT")
    found = depthwise_conv2d(framed, convert_to_tensor(filters), [1, 1, 1, 1], "VALID")
    return reshape(found, concat([sizes, [2]], 0))


def psnr(a: object, b: object, max_val: object, name: str | None = None) -> Tensor:
    """The peak signal-to-noise ratio of two images in decibels, as float32.

    https://www.tensorflow.org/api_docs/python/tf/image/psnr

    Args:
        a: images of shape [..., height, width, channels].
        b: images of the same shape.
        max_val: what the values range over.
        name: of the node.

    Raises:
        ValueError: the shapes do not agree or have less than three axes.
    """
    first, second, peak = _as_floats(a, b, max_val)
    error = reduce_mean(squared_difference(first, second), [-3, -2, -1])
    return subtract(
        realdiv(multiply(log(peak), 20.0), float(np.float32(np.log(10)))),
        multiply(log(error), float(np.float32(10 / np.log(10)))),
        name=name,
    )


def _as_floats(a: object, b: object, max_val: object) -> tuple[Tensor, Tensor, Tensor]:
    """Two images and what they range over as float32."""
    left, right = convert_to_tensor(a), convert_to_tensor(b)
    peak = convert_image_dtype(cast(max_val, left.dtype), dtypes.float32)
    first, second = (convert_image_dtype(v, dtypes.float32) for v in (left, right))
    _check_images(first, second)
    return first, second, peak


def _check_images(first: Tensor, second: Tensor) -> None:
    if first.ndim is not None and first.ndim < 3:
        raise ValueError(f"images must have at least three axes, got shape {first.shape}")
    if not are_compatible(first.static_shape, second.static_shape):
        raise ValueError(f"The two images have shapes {first.shape} and {second.shape}")


def ssim(
    img1: object,
    img2: object,
    max_val: object,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
) -> Tensor:
    """The structural similarity of two images, as float32, per image.

    https://www.tensorflow.org/api_docs/python/tf/image/ssim

    Args:
        img1: images of shape [..., height, width, channels].
        img2: images of the same shape.
        max_val: what the values range over.
        filter_size: of the Gaussian window.
        filter_sigma: of the Gaussian window.
        k1: keeps the comparison of means stable.
        k2: keeps the comparison of contrasts stable.

    Raises:
        ValueError: the shapes do not agree or have less than three axes.
    """
    first, second, peak = _as_floats(img1, img2, max_val)
    window = _window(filter_size, filter_sigma)

    def local(x: Tensor) -> Tensor:
        return _filtered(x, window)

    floor1, floor2 = square(multiply(peak, k1)), square(multiply(peak, k2))
    mean1, mean2 = local(first), local(second)
    product = multiply(multiply(mean1, mean2), 2.0)
    squares = add(square(mean1), square(mean2))
    luminance = realdiv(add(product, floor1), add(squares, floor1))
    crossed = multiply(local(multiply(first, second)), 2.0)
    both = local(add(square(first), square(second)))
    contrast = realdiv(
        add(subtract(crossed, product), floor2), add(subtract(both, squares), floor2)
    )
    return reduce_mean(reduce_mean(multiply(luminance, contrast), [-3, -2]), -1)


def _window(size: int, sigma: float) -> Any:
    place = np.arange(size, dtype=np.float32) - np.float32((size - 1) / 2)
    exponent = -(place**2) / np.float32(2 * sigma**2)
    weights = np.exp(exponent[:, None] + exponent[None])
    return (weights / weights.sum()).astype(np.float32)[:, :, None, None]


def _filtered(x: Tensor, window: Any) -> Tensor:
    sizes: Any = shape_of(x)
    flat = reshape(x, concat([[-1], sizes[-3:]], 0))
    filters = tile(convert_to_tensor(window), [1, 1, sizes[-1], 1])
    found = depthwise_conv2d(flat, filters, [1, 1, 1, 1], "VALID")
    return reshape(found, concat([sizes[:-3], shape_of(found)[1:]], 0))
