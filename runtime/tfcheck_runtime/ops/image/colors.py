"""Images in other data types and colour spaces."""

from __future__ import annotations

from typing import Any, Final

from tfcheck_runtime.ops.array.broadcasting import tile
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.extremes import reduce_max, reduce_min
from tfcheck_runtime.ops.array.filling import zeros_like
from tfcheck_runtime.ops.array.packing import stack, unstack
from tfcheck_runtime.ops.array.selection import where
from tfcheck_runtime.ops.array.squeezing import expand_dims
from tfcheck_runtime.ops.image.shapes import check_channels
from tfcheck_runtime.ops.linalg.products import tensordot
from tfcheck_runtime.ops.math.arithmetic import abs, multiply, subtract
from tfcheck_runtime.ops.math.clipping import clip_by_value, saturate_cast
from tfcheck_runtime.ops.math.comparison import equal, greater, less
from tfcheck_runtime.ops.math.division import divide_no_nan, floordiv
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import DType, as_dtype
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor


def convert_image_dtype(
    image: object, dtype: object, saturate: bool = False, name: str | None = None
) -> Tensor:
    """`image` as another type, scaled so that 1.0 and the largest integer mean the same.

    https://www.tensorflow.org/api_docs/python/tf/image/convert_image_dtype

    Args:
        image: floats in [0, 1], or integers.
        dtype: the type wanted.
        saturate: whether to clip to the range of `dtype` first.
        name: of the node.

    Raises:
        AttributeError: `dtype` is neither of floats nor of integers.
    """
    value, target = convert_to_tensor(image, name="image"), as_dtype(dtype)
    source = value.dtype
    if not (target.is_floating or target.is_integer):
        raise AttributeError("dtype must be either floating point or integer")
    if source is target:
        return value
    narrow = saturate_cast if saturate else cast
    if source.is_integer and target.is_integer:
        return _between_integers(value, target, saturate=saturate, name=name)
    if source.is_floating and target.is_floating:
        return cast(value, target, name=name)
    if source.is_integer:
        return multiply(cast(value, target), 1.0 / float(source.max), name=name)
    return narrow(multiply(value, float(target.max) + 0.5), target, name=name)


def _between_integers(value: Tensor, target: DType, *, saturate: bool, name: str | None) -> Tensor:
    inner, outer = int(value.dtype.max), int(target.max)
    if inner > outer:
        scaled = floordiv(value, (inner + 1) // (outer + 1))
        return (saturate_cast if saturate else cast)(scaled, target, name=name)
    wide = (saturate_cast if saturate else cast)(value, target)
    return multiply(wide, (outer + 1) // (inner + 1), name=name)


def as_floats(value: Tensor) -> Tensor:
    """`value` itself if it is of float16 or float32, else as float32 in [0, 1]."""
    if value.dtype.name in ("float16", "float32"):
        return value
    return convert_image_dtype(value, dtypes.float32)


_GRAY: Final = (0.2989, 0.587, 0.114)


def rgb_to_grayscale(images: object, name: str | None = None) -> Tensor:
    """The luminance of colours.

    https://www.tensorflow.org/api_docs/python/tf/image/rgb_to_grayscale

    Raises:
        InvalidArgumentError: the last axis has not size 3 (ValueError in a graph).
    """
    value = convert_to_tensor(images, name="images")
    check_channels(value, 3, "rgb_to_grayscale")
    floats = convert_image_dtype(value, dtypes.float32)
    gray = tensordot(floats, convert_to_tensor(_GRAY), [-1, -1])
    return convert_image_dtype(expand_dims(gray, -1), value.dtype, name=name)


def grayscale_to_rgb(images: object, name: str | None = None) -> Tensor:
    """Gray three times.

    https://www.tensorflow.org/api_docs/python/tf/image/grayscale_to_rgb

    Raises:
        InvalidArgumentError: the last axis has not size 1 (ValueError in a graph).
    """
    value = convert_to_tensor(images, name="images")
    check_channels(value, 1, "grayscale_to_rgb")
    return tile(value, [1] * ((value.ndim or 3) - 1) + [3], name=name)


def rgb_to_hsv(images: object, name: str | None = None) -> Tensor:
    """Hue, saturation and value, each in [0, 1], of colours in [0, 1].

    https://www.tensorflow.org/api_docs/python/tf/image/rgb_to_hsv

    Raises:
        InvalidArgumentError: the last axis has not size 3 (ValueError in a graph).
    """
    value = convert_to_tensor(images, name="images")
    check_channels(value, 3, "rgb_to_hsv")
    red, green, blue = unstack(value, 3, -1)
    top, bottom = reduce_max(value, -1), reduce_min(value, -1)
    extent: Any = subtract(top, bottom)
    norm = divide_no_nan(convert_to_tensor(1 / 6, value.dtype), extent)
    hue: Any = where(
        equal(red, top), multiply(norm, subtract(green, blue)),
        where(equal(green, top), _shifted(norm, subtract(blue, red), 2 / 6),
              _shifted(norm, subtract(red, green), 4 / 6)),
    )  # fmt: skip
    hue = where(greater(extent, 0), hue, zeros_like(hue))
    hue = where(less(hue, 0), hue + convert_to_tensor(1, hue.dtype), hue)
    return stack([hue, divide_no_nan(extent, top), top], axis=-1, name=name or "rgb_to_hsv")


def _shifted(norm: Tensor, difference: Tensor, by: float) -> Any:
    scaled: Any = multiply(norm, difference)
    return scaled + convert_to_tensor(by, scaled.dtype)


def hsv_to_rgb(images: object, name: str | None = None) -> Tensor:
    """Colours of hue, saturation and value in [0, 1]; for errors see `rgb_to_hsv`.

    https://www.tensorflow.org/api_docs/python/tf/image/hsv_to_rgb
    """
    value = convert_to_tensor(images, name="images")
    check_channels(value, 3, "hsv_to_rgb")
    hue, saturation, top = unstack(value, 3, -1)
    turn: Any = multiply(hue, 6)
    shares: list[Any] = [abs(turn - 3) - 1, 2 - abs(turn - 2), 2 - abs(turn - 4)]
    one: Any = convert_to_tensor(1, value.dtype)
    parts = [
        multiply(one - saturation + multiply(saturation, clip_by_value(s, 0, 1)), top)
        for s in shares
    ]
    return stack(parts, axis=-1, name=name or "hsv_to_rgb")


_YUV: Final = (
    (0.299, -0.14714119, 0.61497538),
    (0.587, -0.28886916, -0.51496512),
    (0.114, 0.43601035, -0.10001026),
)
_RGB_OF_YUV: Final = (
    (1, 1, 1),
    (0, -0.394642334, 2.03206185),
    (1.13988303, -0.58062185, 0),
)
_YIQ: Final = (
    (0.299, 0.59590059, 0.2115),
    (0.587, -0.27455667, -0.52273617),
    (0.114, -0.32134392, 0.31119955),
)
_RGB_OF_YIQ: Final = (
    (1, 1, 1),
    (0.95598634, -0.27201283, -1.10674021),
    (0.6208248, -0.64720424, 1.70423049),
)


def _mixed(images: object, matrix: Any) -> Tensor:
    value = convert_to_tensor(images, name="images")
    return tensordot(value, convert_to_tensor(matrix, value.dtype), [[(value.ndim or 3) - 1], [0]])


def rgb_to_yuv(images: object) -> Tensor:
    """Luma and chroma, by TensorFlow's matrix.

    https://www.tensorflow.org/api_docs/python/tf/image/rgb_to_yuv
    """
    return _mixed(images, _YUV)


def yuv_to_rgb(images: object) -> Tensor:
    """The inverse of `rgb_to_yuv` (https://www.tensorflow.org/api_docs/python/tf/image/yuv_to_rgb)."""
    return _mixed(images, _RGB_OF_YUV)


def rgb_to_yiq(images: object) -> Tensor:
    """Luma and the axes I and Q.

    https://www.tensorflow.org/api_docs/python/tf/image/rgb_to_yiq
    """
    return _mixed(images, _YIQ)


def yiq_to_rgb(images: object) -> Tensor:
    """The inverse of `rgb_to_yiq` (https://www.tensorflow.org/api_docs/python/tf/image/yiq_to_rgb)."""
    return _mixed(images, _RGB_OF_YIQ)
