"""Images cropped and mirrored at random."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.agreement import refuse_value
from tfcheck_runtime.ops.array.part import slice_
from tfcheck_runtime.ops.array.selection import where
from tfcheck_runtime.ops.array.shaping import reshape, shape as shape_of
from tfcheck_runtime.ops.image.shapes import image_of, three_or_four
from tfcheck_runtime.ops.image.turning import flip_left_right, flip_up_down
from tfcheck_runtime.ops.math.comparison import greater, less
from tfcheck_runtime.ops.math.division import floormod
from tfcheck_runtime.ops.random.stateful import uniform
from tfcheck_runtime.ops.random.stateless import stateless_uniform
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor

_WHOLE = dtypes.int32.max
"""Offsets are drawn below this and reduced, as in TensorFlow, so that the draws agree."""


def random_crop(
    value: object, size: object, seed: int | None = None, name: str | None = None
) -> Tensor:
    """A part of `size` at a random place.

    https://www.tensorflow.org/api_docs/python/tf/image/random_crop

    Raises:
        InvalidArgumentError: `size` exceeds the shape of `value` (ValueError in a graph).
    """
    del name
    return _cropped(value, size, lambda shape: uniform(
        shape, maxval=_WHOLE, dtype=dtypes.int32, seed=seed))  # fmt: skip


def stateless_random_crop(
    value: object, size: object, seed: object, name: str | None = None
) -> Tensor:
    """`random_crop` that depends on `seed`, two integers, alone.

    https://www.tensorflow.org/api_docs/python/tf/image/stateless_random_crop
    """
    del name
    return _cropped(value, size, lambda shape: stateless_uniform(
        shape, seed, maxval=_WHOLE, dtype=dtypes.int32))  # fmt: skip


def _cropped(value: object, size: object, draw: Callable[[object], Tensor]) -> Tensor:
    tensor, wanted = convert_to_tensor(value), known.integer_tensor(size, what="size")
    have, want = tensor.static_shape, known.static_ints(wanted)
    if have is not None and want is not None and len(have) == len(want):
        short = [a for a, b in zip(have, want, strict=True) if a is not None and b > a]
        if short:
            refuse_value(f"random_crop: need value.shape >= size, got {have} vs {want}")
    limit: Any = shape_of(tensor) - wanted + 1
    return slice_(tensor, floormod(draw(shape_of(wanted)), limit), wanted)


def random_flip_left_right(image: object, seed: int | None = None) -> Tensor:
    """Each image mirrored or not, with equal chance.

    https://www.tensorflow.org/api_docs/python/tf/image/random_flip_left_right

    Raises:
        ValueError: the rank is another than 3 or 4.
    """
    return _flipped(image, flip_left_right, lambda shape: uniform(shape, seed=seed))


def random_flip_up_down(image: object, seed: int | None = None) -> Tensor:
    """Each image upside down or not, with equal chance; see `random_flip_left_right`.

    https://www.tensorflow.org/api_docs/python/tf/image/random_flip_up_down
    """
    return _flipped(image, flip_up_down, lambda shape: uniform(shape, seed=seed))


def stateless_random_flip_left_right(image: object, seed: object) -> Tensor:
    """`random_flip_left_right` that depends on `seed`, two integers, alone.

    https://www.tensorflow.org/api_docs/python/tf/image/stateless_random_flip_left_right
    """
    return _flipped(image, flip_left_right, lambda shape: stateless_uniform(shape, seed))


def stateless_random_flip_up_down(image: object, seed: object) -> Tensor:
    """`random_flip_up_down` that depends on `seed`, two integers, alone.

    https://www.tensorflow.org/api_docs/python/tf/image/stateless_random_flip_up_down
    """
    return _flipped(image, flip_up_down, lambda shape: stateless_uniform(shape, seed))


def _flipped(
    image: object, flip: Callable[[object], Tensor], draw: Callable[[object], Tensor]
) -> Tensor:
    value = image_of(image)
    if three_or_four(value, "image") == 3:
        return where(less(draw([]), 0.5), flip(value), value)
    sizes: Any = shape_of(value)
    # Of a batch the draws above one half are mirrored, of one image those below.
    chosen = greater(draw([sizes[0]]), 0.5)
    return where(reshape(chosen, [-1, 1, 1, 1]), flip(value), value)
