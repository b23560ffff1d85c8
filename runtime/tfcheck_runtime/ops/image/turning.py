"""Images mirrored and turned."""

from __future__ import annotations

import operator
from typing import Any

from tfcheck_runtime.ops.array.permuting import transpose as permuted
from tfcheck_runtime.ops.array.reversing import reverse
from tfcheck_runtime.ops.image.shapes import image_of, three_or_four
from tfcheck_runtime.values.tensor import Tensor


def _mirrored(image: object, axis_from_end: int) -> Tensor:
    value = image_of(image)
    rank = three_or_four(value, "image")
    return reverse(value, [rank - axis_from_end])


def flip_left_right(image: object) -> Tensor:
    """Columns in reverse order.

    https://www.tensorflow.org/api_docs/python/tf/image/flip_left_right

    Raises:
        ValueError: the rank is another than 3 or 4.
    """
    return _mirrored(image, 2)


def flip_up_down(image: object) -> Tensor:
    """Rows in reverse order; for errors see `flip_left_right`.

    https://www.tensorflow.org/api_docs/python/tf/image/flip_up_down
    """
    return _mirrored(image, 3)


def transpose(image: object, name: str | None = None) -> Tensor:
    """Rows as columns; for errors see `flip_left_right`.

    https://www.tensorflow.org/api_docs/python/tf/image/transpose
    """
    value = image_of(image)
    order = [1, 0, 2] if three_or_four(value, "image") == 3 else [0, 2, 1, 3]
    return permuted(value, order, name=name or "transpose")


def rot90(image: object, k: Any = 1, name: str | None = None) -> Tensor:
    """Images turned counter-clockwise by `k` quarter turns; for errors see `flip_left_right`.

    https://www.tensorflow.org/api_docs/python/tf/image/rot90

    Raises:
        NotImplementedError: `k` is a tensor.
    """
    del name
    value = image_of(image)
    three_or_four(value, "image")
    if isinstance(k, Tensor):
        raise NotImplementedError(f"tf.image.rot90 needs a Python int as k, got {k}")
    turns = operator.index(k) % 4
    if turns == 1:
        return transpose(flip_left_right(value))
    if turns == 2:
        return flip_left_right(flip_up_down(value))
    return flip_left_right(transpose(value)) if turns == 3 else value
