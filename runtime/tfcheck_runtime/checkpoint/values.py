"""Values of objects: what is stored of them, and how it is put back."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcheck_runtime.checkpoint.storage import SavedValue
from tfcheck_runtime.data.iterator import OwnedIterator
from tfcheck_runtime.errors import InvalidArgumentError
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.shapes import are_compatible
from tfcheck_runtime.values.resource import Resource
from tfcheck_runtime.values.variable import Variable


def value_of(holder: Any) -> SavedValue:
    """What is stored of a variable, or of an iterator: how many elements it handed out.

    Raises:
        NotImplementedError: it belongs to a graph that is being traced.
    """
    if isinstance(holder, OwnedIterator):
        return SavedValue(dtypes.int64, np.array(holder.position, np.int64))
    if not isinstance(holder, Variable) or not isinstance(holder.handle, Resource):
        raise NotImplementedError(
            f"{holder!r} has no value while a function is traced; save checkpoints outside of"
            " tf.function"
        )
    return SavedValue(holder.dtype, holder.handle.content)


def put_back(holder: Any, saved: SavedValue, key: str) -> None:
    """Give a variable or iterator the value that was stored of it.

    Raises:
        ValueError: the shape differs.
        InvalidArgumentError: the dtype differs.
    """
    if isinstance(holder, OwnedIterator):
        holder.go_to(int(saved.array))
        return
    if saved.dtype is not holder.dtype:
        raise InvalidArgumentError(
            None,
            None,
            f"tensor_name = {key}; expected dtype {holder.dtype.name} does not equal original dtype"
            f" {saved.dtype.name} [Op:RestoreV2]",
        )
    if not are_compatible(saved.array.shape, holder.static_shape):
        raise ValueError(
            f"Received incompatible tensor with shape {saved.array.shape} when attempting to"
            f" restore variable with shape {holder.shape} and name {holder.name}."
        )
    holder.handle.replace(saved.array)
