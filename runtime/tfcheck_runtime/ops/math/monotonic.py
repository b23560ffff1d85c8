"""Whether elements rise."""

from __future__ import annotations

from typing import Any

from tfcheck_runtime.ops.array.quantifiers import reduce_all
from tfcheck_runtime.ops.array.shaping import reshape
from tfcheck_runtime.ops.math.comparison import less, less_equal
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor


def _neighbours(x: object) -> tuple[Any, Any]:
    flat: Any = reshape(convert_to_tensor(x), [-1])
    return flat[:-1], flat[1:]


def is_non_decreasing(x: object, name: str | None = None) -> Tensor:
    """Whether no element is less than the one before.

    https://www.tensorflow.org/api_docs/python/tf/math/is_non_decreasing
    """
    return reduce_all(less_equal(*_neighbours(x)), name=name)


def is_strictly_increasing(x: object, name: str | None = None) -> Tensor:
    """Whether each element is greater than the one before.

    https://www.tensorflow.org/api_docs/python/tf/math/is_strictly_increasing
    """
    return reduce_all(less(*_neighbours(x)), name=name)
