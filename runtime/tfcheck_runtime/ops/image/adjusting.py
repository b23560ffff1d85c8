"""Brightness, contrast, saturation, hue and gamma, given or drawn at random."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.packing import stack, unstack
from tfcheck_runtime.ops.array.reduction import reduce_mean
from tfcheck_runtime.ops.array.shaping import size as count_of
from tfcheck_runtime.ops.image.colors import as_floats, convert_image_dtype, hsv_to_rgb, rgb_to_hsv
from tfcheck_runtime.ops.image.shapes import check_channels, image_of
from tfcheck_runtime.ops.math.arithmetic import add, maximum, multiply, square, subtract
from tfcheck_runtime.ops.math.clipping import clip_by_value
from tfcheck_runtime.ops.math.division import floormod, realdiv
from tfcheck_runtime.ops.math.exponential import pow, rsqrt, sqrt
from tfcheck_runtime.ops.random.stateful import uniform
from tfcheck_runtime.ops.random.stateless import stateless_uniform
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor


def adjust_brightness(image: object, delta: object) -> Tensor:
    """`delta` added to images in [0, 1]; integers are scaled there and back.

    https://www.tensorflow.org/api_docs/python/tf/image/adjust_brightness
    """
    value = convert_to_tensor(image, name="image")
    floats = as_floats(value)
    found = add(floats, cast(delta, floats.dtype))
    return convert_image_dtype(found, value.dtype, saturate=True)


def adjust_contrast(images: object, contrast_factor: object) -> Tensor:
    """Each channel's distance from its mean times a factor.

    https://www.tensorflow.org/api_docs/python/tf/image/adjust_contrast

    Raises:
        ValueError: the rank is less than 3.
    """
    value = image_of(images)
    floats = cast(as_floats(value), dtypes.float32)
    mean = reduce_mean(floats, [-3, -2], keepdims=True)
    found = add(multiply(subtract(floats, mean), cast(contrast_factor, dtypes.float32)), mean)
    return convert_image_dtype(found, value.dtype, saturate=True)


def adjust_gamma(image: object, gamma: Any = 1, gain: Any = 1) -> Tensor:
    """`gain * image ** gamma` of images in [0, 1].

    https://www.tensorflow.org/api_docs/python/tf/image/adjust_gamma

    Raises:
        ValueError: `gamma` is a negative number.
    """
    if isinstance(gamma, int | float) and gamma < 0:
        raise ValueError(f"Gamma should be a non-negative real number, got {gamma}")
    value = convert_to_tensor(image, name="image")
    floats = as_floats(value)
    found = multiply(pow(floats, cast(gamma, floats.dtype)), cast(gain, floats.dtype))
    return convert_image_dtype(found, value.dtype, saturate=True)


def adjust_saturation(image: object, saturation_factor: object, name: str | None = None) -> Tensor:
    """The saturation of colours times a factor.

    https://www.tensorflow.org/api_docs/python/tf/image/adjust_saturation

    Raises:
        InvalidArgumentError: the last axis has not size 3 (ValueError in a graph).
    """
    del name

    def change(hue: Tensor, saturation: Tensor) -> tuple[Tensor, Tensor]:
        factor = cast(saturation_factor, saturation.dtype)
        return hue, clip_by_value(multiply(saturation, factor), 0.0, 1.0)

    return _changed(image, change)


def adjust_hue(image: object, delta: object, name: str | None = None) -> Tensor:
    """The hue of colours turned by `delta`, a share of the circle; see `adjust_saturation`.

    https://www.tensorflow.org/api_docs/python/tf/image/adjust_hue
    """
    del name
    return _changed(image, lambda h, s: (floormod(add(h, cast(delta, h.dtype)), 1.0), s))


def _changed(image: object, change: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]) -> Tensor:
    value = image_of(image)
    check_channels(value, 3, "adjust")
    hsv = rgb_to_hsv(cast(as_floats(value), dtypes.float32))
    hue, saturation, top = unstack(hsv, 3, -1)
    found = hsv_to_rgb(stack([*change(hue, saturation), top], axis=-1))
    return convert_image_dtype(found, value.dtype, saturate=not value.dtype.is_floating)


def per_image_standardization(image: object) -> Tensor:
    """Images of mean 0 and variance 1, as float32.

    https://www.tensorflow.org/api_docs/python/tf/image/per_image_standardization

    Raises:
        ValueError: the rank is less than 3.
    """
    value = image_of(image)
    floats = cast(value, dtypes.float32)
    axes = [-1, -2, -3]
    mean = reduce_mean(floats, axes, keepdims=True)
    spread = reduce_mean(square(subtract(floats, mean)), axes, keepdims=True)
    one: Any = floats
    pixels = count_of(one[(0,) * ((floats.ndim or 3) - 3)])
    least = rsqrt(cast(pixels, floats.dtype))
    return realdiv(subtract(floats, mean), maximum(sqrt(spread), least))


Draw = Callable[[float, float], Tensor]


def _drawing(seed: object, *, stateless: bool) -> Draw:
    """Draws a float32 between two bounds."""
    if stateless:
        return lambda low, high: stateless_uniform([], seed, low, high)
    return lambda low, high: uniform([], low, high, seed=seed)


def _random_brightness(image: object, max_delta: float, draw: Draw) -> Tensor:
    if max_delta < 0:
        raise ValueError(f"max_delta must be non-negative, got {max_delta}")
    return adjust_brightness(image, draw(-max_delta, max_delta))


def _random_hue(image: object, max_delta: float, draw: Draw) -> Tensor:
    if not 0 <= max_delta <= 0.5:
        raise ValueError(f"max_delta must be within [0, 0.5], got {max_delta}")
    return adjust_hue(image, draw(-max_delta, max_delta))


def _check_bounds(lower: float, upper: float) -> None:
    if upper <= lower:
        raise ValueError(f"upper must be > lower, got {upper} <= {lower}")
    if lower < 0:
        raise ValueError(f"lower must be non-negative, got {lower}")


def random_brightness(image: object, max_delta: float, seed: int | None = None) -> Tensor:
    """`adjust_brightness` by up to `max_delta`, up or down.

    https://www.tensorflow.org/api_docs/python/tf/image/random_brightness

    Raises:
        ValueError: `max_delta` is negative.
    """
    return _random_brightness(image, max_delta, _drawing(seed, stateless=False))


def stateless_random_brightness(image: object, max_delta: float, seed: object) -> Tensor:
    """`random_brightness` that depends on `seed`, two integers, alone.

    https://www.tensorflow.org/api_docs/python/tf/image/stateless_random_brightness
    """
    return _random_brightness(image, max_delta, _drawing(seed, stateless=True))


def random_contrast(image: object, lower: float, upper: float, seed: int | None = None) -> Tensor:
    """`adjust_contrast` by a factor between two bounds.

    https://www.tensorflow.org/api_docs/python/tf/image/random_contrast

    Raises:
        ValueError: the bounds are negative or not in order.
    """
    _check_bounds(lower, upper)
    return adjust_contrast(image, _drawing(seed, stateless=False)(lower, upper))


def stateless_random_contrast(image: object, lower: float, upper: float, seed: object) -> Tensor:
    """`random_contrast` that depends on `seed`, two integers, alone.

    https://www.tensorflow.org/api_docs/python/tf/image/stateless_random_contrast
    """
    _check_bounds(lower, upper)
    return adjust_contrast(image, _drawing(seed, stateless=True)(lower, upper))


def random_saturation(image: object, lower: float, upper: float, seed: int | None = None) -> Tensor:
    """`adjust_saturation` by a factor between two bounds; for errors see `random_contrast`.

    https://www.tensorflow.org/api_docs/python/tf/image/random_saturation
    """
    _check_bounds(lower, upper)
    return adjust_saturation(image, _drawing(seed, stateless=False)(lower, upper))


def stateless_random_saturation(image: object, lower: float, upper: float, seed: object) -> Tensor:
    """`random_saturation` that depends on `seed`, two integers, alone.

    https://www.tensorflow.org/api_docs/python/tf/image/stateless_random_saturation
    """
    _check_bounds(lower, upper)
    return adjust_saturation(image, _drawing(seed, stateless=True)(lower, upper))


def random_hue(image: object, max_delta: float, seed: int | None = None) -> Tensor:
    """`adjust_hue` by up to `max_delta`, either way.

    https://www.tensorflow.org/api_docs/python/tf/image/random_hue

    Raises:
        ValueError: `max_delta` lies outside [0, 0.5].
    """
    return _random_hue(image, max_delta, _drawing(seed, stateless=False))


def stateless_random_hue(image: object, max_delta: float, seed: object) -> Tensor:
    """`random_hue` that depends on `seed`, two integers, alone.

    https://www.tensorflow.org/api_docs/python/tf/image/stateless_random_hue
    """
    return _random_hue(image, max_delta, _drawing(seed, stateless=True))
