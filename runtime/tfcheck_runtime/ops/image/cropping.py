"""Parts of images, and images with a margin."""

from __future__ import annotations

from typing import Any

from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.padding import pad
from tfcheck_runtime.ops.image.shapes import Size, height_and_width, image_of, three_or_four
from tfcheck_runtime.ops.math.arithmetic import maximum, minimum, multiply, subtract
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor


def crop_to_bounding_box(
    image: object, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """The rows and columns of a box.

    https://www.tensorflow.org/api_docs/python/tf/image/crop_to_bounding_box

    Args:
        image: of shape [height, width, channels] or [batch, height, width, channels].
        offset_height: the first row.
        offset_width: the first column.
        target_height: how many rows.
        target_width: how many columns.

    Raises:
        ValueError: the rank is another, or the box lies outside the image.
    """
    value: Any = image_of(image)
    three_or_four(value, "image")
    _check_box(height_and_width(value), (offset_height, offset_width),
               (target_height, target_width))  # fmt: skip
    rows = slice(offset_height, offset_height + target_height)
    columns = slice(offset_width, offset_width + target_width)
    found: Tensor = value[..., rows, columns, :]
    return found


def _check_box(
    sizes: tuple[Size, Size], offsets: tuple[object, object], wanted: tuple[object, object]
) -> None:
    for size, offset, count, what in zip(sizes, offsets, wanted, ("height", "width"), strict=True):
        if isinstance(offset, int) and offset < 0:
            raise ValueError(f"offset_{what} must be >= 0, got {offset}")
        if isinstance(count, int) and count <= 0:
            raise ValueError(f"target_{what} must be > 0, got {count}")
        known = isinstance(size, int) and isinstance(offset, int) and isinstance(count, int)
        if known and offset + count > size:  # type: ignore[operator]  # `known` says so
            raise ValueError(f"{what} must be >= target + offset, got {size} < {count} + {offset}")


def pad_to_bounding_box(
    image: object, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """An image inside a larger one of zeros.

    https://www.tensorflow.org/api_docs/python/tf/image/pad_to_bounding_box

    Args:
        image: of shape [height, width, channels] or [batch, height, width, channels].
        offset_height: how many rows of zeros come first.
        offset_width: how many columns of zeros come first.
        target_height: the height of the result.
        target_width: the width of the result.

    Raises:
        ValueError: the rank is another, or the image does not fit.
    """
    value = image_of(image)
    rank = three_or_four(value, "image")
    margins = []
    for size, offset, target, what in zip(
        height_and_width(value), (offset_height, offset_width), (target_height, target_width),
        ("height", "width"), strict=True,
    ):  # fmt: skip
        after: Any = target - offset - size
        if isinstance(offset, int) and offset < 0:
            raise ValueError(f"offset_{what} must be >= 0, got {offset}")
        if isinstance(after, int) and after < 0:
            raise ValueError(f"{what} must be <= target - offset, got {size} > {target} - {offset}")
        margins.append([offset, after])
    none: list[list[Any]] = [[0, 0]]
    return pad(value, none * (rank - 3) + margins + none)


def resize_with_crop_or_pad(image: object, target_height: Any, target_width: Any) -> Tensor:
    """The middle of an image, or the image in the middle of zeros, axis by axis.

    https://www.tensorflow.org/api_docs/python/tf/image/resize_with_crop_or_pad

    Raises:
        ValueError: a size is not positive, or the rank is another than 3 or 4.
    """
    value = image_of(image)
    three_or_four(value, "image")
    targets = (target_height, target_width)
    for target, what in zip(targets, ("height", "width"), strict=True):
        if isinstance(target, int) and target <= 0:
            raise ValueError(f"target_{what} must be > 0, got {target}")
    sizes = height_and_width(value)
    gaps: list[Any] = [t - s for t, s in zip(targets, sizes, strict=True)]
    kept = [_smaller(t, s) for t, s in zip(targets, sizes, strict=True)]
    cropped = crop_to_bounding_box(value, *[_larger(-g // 2, 0) for g in gaps], *kept)
    rows, columns = (_larger(g // 2, 0) for g in gaps)
    return pad_to_bounding_box(cropped, rows, columns, target_height, target_width)


def _smaller(a: Any, b: Any) -> Any:
    return min(a, b) if isinstance(a, int) and isinstance(b, int) else minimum(a, b)


def _larger(a: Any, b: Any) -> Any:
    return max(a, b) if isinstance(a, int) and isinstance(b, int) else maximum(a, b)


def central_crop(image: object, central_fraction: Any) -> Tensor:
    """The middle of images: a share of their height and width.

    https://www.tensorflow.org/api_docs/python/tf/image/central_crop

    Raises:
        ValueError: the share is not in (0, 1], or the rank is another than 3 or 4.
    """
    value: Any = convert_to_tensor(image, name="image")
    if not 0.0 < central_fraction <= 1.0:
        raise ValueError(f"central_fraction must be within (0, 1], got {central_fraction}")
    three_or_four(value, "image")
    if central_fraction == 1.0:
        found: Tensor = value
        return found
    starts = [_margin(size, central_fraction) for size in height_and_width(value)]
    counts = [s - 2 * m for s, m in zip(height_and_width(value), starts, strict=True)]
    return crop_to_bounding_box(value, *starts, *counts)


def _margin(size: Any, share: float) -> Any:
    """How many pixels go away at each end."""
    if isinstance(size, int):
        return int((size - size * share) / 2)
    double = cast(size, dtypes.float64)
    return cast(multiply(subtract(double, multiply(double, share)), 0.5), dtypes.int32)
