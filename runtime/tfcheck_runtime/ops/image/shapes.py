"""What image functions ask of the shapes of their arguments."""

from __future__ import annotations

from tfcheck_runtime.ops.array.agreement import refuse_value
from tfcheck_runtime.ops.array.shaping import shape as shape_of
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor

Size = int | Tensor
"""A number of pixels: an int where it is known, else a scalar tensor."""


def image_of(value: object) -> Tensor:
    """`value` as images: height, width and channels are the last three axes.

    Raises:
        ValueError: the rank is known and less than 3.
    """
    tensor = convert_to_tensor(value, name="image")
    if tensor.ndim is not None and tensor.ndim < 3:
        raise ValueError(f"'image' must be at least three-dimensional, got shape {tensor.shape}")
    return tensor


def three_or_four(tensor: Tensor, what: str = "images") -> int:
    """The rank, which must be 3 or 4.

    Raises:
        ValueError: it is another, or not known.
    """
    if tensor.ndim is None:
        raise ValueError(f"'{what}' contains no shape")
    if tensor.ndim not in (3, 4):
        raise ValueError(f"'{what}' must have either 3 or 4 dimensions, got shape {tensor.shape}")
    return tensor.ndim


def height_and_width(tensor: Tensor) -> tuple[Size, Size]:
    """The two sizes, as ints where they are known."""
    shape = tensor.static_shape
    known = (None, None) if shape is None else (shape[-3], shape[-2])
    dynamic = shape_of(tensor) if None in known else ()
    rows, columns = (
        dynamic[place] if size is None else size
        for place, size in zip((-3, -2), known, strict=True)
    )
    return rows, columns


def check_channels(tensor: Tensor, count: int, what: str) -> None:
    """Check the size of the last axis where it is known.

    Raises:
        InvalidArgumentError: it is another (ValueError in a graph).
    """
    shape = tensor.static_shape
    if shape is not None and (not shape or shape[-1] not in (None, count)):
        refuse_value(f"{what}: the last axis must have size {count}, got shape {tensor.shape}")
