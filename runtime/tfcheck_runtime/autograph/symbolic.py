"""What makes a condition symbolic, and what values look like to the checks of control flow."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcheck_runtime import dispatch
from tfcheck_runtime.autograph.places import here
from tfcheck_runtime.ops.array.shaping import reshape
from tfcheck_runtime.specs import nest
from tfcheck_runtime.specs.dtypes import DType, as_dtype
from tfcheck_runtime.specs.shapes import Shape
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.python_data import to_array
from tfcheck_runtime.values.tensor import Tensor, is_tensor


def is_symbolic(value: object) -> bool:
    """Whether control flow on `value` belongs into the graph being built."""
    return dispatch.current_graph() is not None and is_tensor(value)


def condition(value: object, what: str) -> Tensor:
    """The condition of a branch or loop; one element in any number of axes will do.

    Raises:
        ValueError: it is not boolean, or has several elements.
    """
    tensor = convert_to_tensor(value)
    if not tensor.dtype.is_bool:
        hint = "to use as boolean Tensor, use `tf.cast` or compare it with something"
    elif any(size not in (None, 1) for size in tensor.static_shape or ()):
        hint = "use tf.reduce_any or tf.reduce_all"
    else:
        return tensor if tensor.static_shape == () else reshape(tensor, [])
    raise ValueError(
        f"condition of {what} expected to be `tf.bool` scalar, got {tensor}; {hint}; to check for"
        f" None, use `is not None` ({here()})"
    )


def dtype_of(leaf: object) -> DType | None:
    """The dtype that a value has, or gets as a tensor; None when it has no tensor form."""
    if is_tensor(leaf):
        return as_dtype(leaf.dtype)  # type: ignore[attr-defined]  # tensors and variables
    if isinstance(leaf, bool | int | float | complex | str | bytes | np.ndarray | np.generic):
        return to_array(leaf, None)[1]
    return None


def shape_of(leaf: Any) -> Shape:
    """The static shape that a value has, or gets as a tensor."""
    if is_tensor(leaf):
        shape: Shape = leaf.shape.as_tuple()
        return shape
    return tuple(np.shape(leaf))


def difference(first: object, second: object) -> str | None:
    """How two values differ in structure, or None."""
    try:
        nest.assert_same_structure(first, second, expand_composites=True)
    except (TypeError, ValueError) as error:
        return str(error)
    return None
