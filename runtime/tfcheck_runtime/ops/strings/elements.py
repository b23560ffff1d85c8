"""Arrays of `bytes`, element by element."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tfcheck_runtime.op import Array
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import DType
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor


def each(function: Callable[..., bytes], *arrays: Array) -> Array:
    """The strings that `function` makes of the elements of arrays that broadcast."""
    result = np.frompyfunc(function, len(arrays), 1)(*arrays)
    return np.asarray(result, object)


def each_as(dtype: DType, function: Callable[..., object], *arrays: Array) -> Array:
    """The values of type `dtype` that `function` makes of each element."""
    result = np.frompyfunc(function, len(arrays), 1)(*arrays)
    return np.asarray(result).astype(dtype.numpy)


def strings(*values: bytes) -> Array:
    """A vector of strings."""
    return np.array(values, object)


def string_tensor(value: object) -> Tensor:
    """An argument that must be a string tensor.

    Raises:
        TypeError: it is Python data of another kind.
        ValueError: it is a tensor of another type.
    """
    return convert_to_tensor(value, dtypes.string)
