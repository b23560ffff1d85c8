"""Images seen through a projective transform: rotated, sheared, moved, in perspective."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tfcheck_runtime.op import Array, Aval, Call, Op, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.examples import f32, i32
from tfcheck_runtime.ops.array.filling import ones_like, zeros_like
from tfcheck_runtime.ops.array.joining import concat
from tfcheck_runtime.ops.array.shaping import reshape, shape as shape_of
from tfcheck_runtime.ops.linalg.inverting import inv
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply

Fold = Callable[[Array, int], Array]
"""Brings coordinates outside of an axis of some length back inside."""


def _constant(places: Array, size: int) -> Array:
    return places


def _nearest(places: Array, size: int) -> Array:
    return np.clip(places, 0, size - 1)


def _reflected(places: Array, size: int) -> Array:
    """The axis there and back again, with its ends twice: `dcba|abcd|dcba`."""
    if size <= 1:
        return np.zeros_like(places)
    period = np.float32(2 * size)
    below = np.where(places < -period, period * np.trunc(-places / period) + places, places)
    below = np.where(below < -size, below + period, -below - 1)
    above = places - period * np.trunc(places / period)
    above = np.where(above >= size, period - above - 1, above)
    inside = np.where(places < 0, below, np.where(places > size - 1, above, places))
    return np.clip(inside, 0, size - 1)


def _wrapped(places: Array, size: int) -> Array:
    """The axis over and over: `abcd|abcd|abcd`."""
    if size <= 1:
        return np.zeros_like(places)
    span = np.float32(size - 1)
    below = places + np.float32(size) * (np.trunc(-places / span) + 1)
    above = places - np.float32(size) * np.trunc(places / span)
    inside = np.where(places < 0, below, np.where(places > size - 1, above, places))
    return np.clip(inside, 0, size - 1)


_FOLDS: Final[dict[str, Fold]] = {
    "CONSTANT": _constant,
    "NEAREST": _nearest,
    "REFLECT": _reflected,
    "WRAP": _wrapped,
}


class _ImageProjectiveTransform(Op):
    """Each pixel of the output is looked up where the transform sends it to in the input."""

    type = "ImageProjectiveTransformV3"

    def infer(
        self, images: Aval, transforms: Aval, size: Aval, fill: Aval, *, interpolation: str,
        fill_mode: str,
    ) -> Aval:  # fmt: skip
        known.check_rank(images, 4, "ImageProjectiveTransformV3: the images")
        known.check_rank(transforms, 2, "ImageProjectiveTransformV3: the transforms")
        whole = images.shape or (None,) * 4
        return Aval(images.dtype, (whole[0], *(known.as_shape(size) or (None, None)), whole[3]))

    def eager(
        self, images: Array, transforms: Array, size: Array, fill: Array, *, interpolation: str,
        fill_mode: str,
    ) -> Array:  # fmt: skip
        rows, columns = _sources(transforms, size, images.shape[0])
        inside = ~np.isnan(rows)
        fold = _FOLDS[fill_mode]
        with np.errstate(invalid="ignore"):
            rows, columns = fold(rows, images.shape[1]), fold(columns, images.shape[2])
        look = _nearest_pixels if interpolation == "NEAREST" else _between_pixels
        found = look(images, rows, columns, fill)
        found = np.where(inside[..., None], found, fill)
        made: Array = found.astype(images.dtype)
        return made

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        images, transforms, _, fill = call.inputs
        size = shape_of(images)
        back = apply(self, grad, _inverse(transforms), size[1:3], zeros_like(fill), **call.attrs)
        return [back, None, None, None]

    # Gradients are TensorFlow's: the inverse transform of what comes back, not the exact adjoint.
    cases = (
        case(
            np.arange(9, dtype=np.float32).reshape(1, 3, 3, 1),
            f32([[1, 0.3, -1.2, 0.1, 0.9, 0.7, 0, 0]]),
            i32([3, 4]),
            np.float32(7),
            interpolation="BILINEAR",
            fill_mode="REFLECT",
            differentiable=False,
            unknown=((0, 0), (0, 1)),
        ),
    )


def _sources(transforms: Array, size: Array, count: int) -> tuple[Array, Array]:
    """Rows and columns in the input for all pixels of the output; NaN behind the horizon."""
    y, x = np.meshgrid(*(np.arange(n, dtype=np.float32) for n in size), indexing="ij")
    t = np.broadcast_to(transforms, (count, 8)).T[..., None, None]
    depth = t[6] * x + t[7] * y + np.float32(1)
    with np.errstate(divide="ignore", invalid="ignore"):
        columns = np.where(depth == 0, np.nan, (t[0] * x + t[1] * y + t[2]) / depth)
        rows = np.where(depth == 0, np.nan, (t[3] * x + t[4] * y + t[5]) / depth)
    return rows, columns


def _pixels(images: Array, rows: Array, columns: Array, fill: Array) -> Array:
    """The pixels at whole coordinates, the fill value outside."""
    height, width = images.shape[1:3]
    inside = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
    y = np.where(inside, rows, 0).astype(np.int64)
    x = np.where(inside, columns, 0).astype(np.int64)
    found = images[np.arange(len(images))[:, None, None], y, x]
    return np.where(inside[..., None], found, fill.astype(images.dtype))


def _nearest_pixels(images: Array, rows: Array, columns: Array, fill: Array) -> Array:
    return _pixels(images, _rounded(rows), _rounded(columns), fill)


def _rounded(places: Array) -> Array:
    """To the nearest integer, halves away from zero."""
    return np.copysign(np.floor(np.abs(places) + np.float32(0.5)), places)


def _between_pixels(images: Array, rows: Array, columns: Array, fill: Array) -> Array:
    top, left = np.floor(rows), np.floor(columns)
    bottom, right = top + 1, left + 1

    def row(y: Array) -> Array:
        a, b = _pixels(images, y, left, fill), _pixels(images, y, right, fill)
        found: Array = (right - columns)[..., None] * a + (columns - left)[..., None] * b
        return found

    found: Array = (bottom - rows)[..., None] * row(top) + (rows - top)[..., None] * row(bottom)
    return found


def _inverse(transforms: Any) -> Tensor:
    """The transforms that lead back."""
    square = reshape(concat([transforms, ones_like(transforms[:, :1])], 1), [-1, 3, 3])
    back: Any = reshape(inv(square), [-1, 9])
    found: Tensor = back[:, :8] / back[:, 8:]
    return found


_op = define(_ImageProjectiveTransform())


def image_projective_transform_v3(
    *,
    images: object,
    transforms: object,
    output_shape: object,
    fill_value: object,
    interpolation: str,
    fill_mode: str = "CONSTANT",
    name: str | None = None,
) -> Tensor:
    """Images looked up through projective transforms.

    https://www.tensorflow.org/api_docs/python/tf/raw_ops/ImageProjectiveTransformV3

    Args:
        images: of shape [batch, height, width, channels].
        transforms: of shape [batch or 1, 8]: the pixel (x, y) of the result is that at
            `((t0 x + t1 y + t2) / k, (t3 x + t4 y + t5) / k)` with `k = t6 x + t7 y + 1`.
        output_shape: height and width of the result, int32.
        fill_value: of pixels outside the image.
        interpolation: NEAREST or BILINEAR.
        fill_mode: CONSTANT, NEAREST, REFLECT or WRAP: what lies outside the image.
        name: of the node.

    Raises:
        ValueError: an unknown mode.
    """
    if interpolation not in ("NEAREST", "BILINEAR") or fill_mode not in _FOLDS:
        raise ValueError(
            "ImageProjectiveTransformV3: interpolation is NEAREST or BILINEAR, fill_mode one of"
            f" {', '.join(_FOLDS)}; got {interpolation!r} and {fill_mode!r}"
        )
    return apply(
        _op,
        convert_to_tensor(images),
        convert_to_tensor(transforms, dtypes.float32),
        convert_to_tensor(output_shape, dtypes.int32),
        convert_to_tensor(fill_value, dtypes.float32),
        interpolation=interpolation,
        fill_mode=fill_mode,
        name=name,
    )
