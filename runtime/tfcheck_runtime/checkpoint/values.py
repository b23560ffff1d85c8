"""Values of objects: what is stored of them, and how it is put back."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tfcheck_runtime.checkpoint.storage import SavedValue
from tfcheck_runtime.data.iterator import OwnedIterator
from tfcheck_runtime.errors import InvalidArgumentError
from tfcheck_runtime.op import Array
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.shapes import are_compatible
from tfcheck_runtime.values.instances import Epoch
from tfcheck_runtime.values.resource import Place, Resource
from tfcheck_runtime.values.variable import Variable


def value_of(holder: Any) -> SavedValue:
    """What is stored of a variable, or of an iterator: how far it got.

    Raises:
        FailedPreconditionError: a function of the iterator's dataset has a state.
        NotImplementedError: it belongs to a graph that is being traced.
    """
    if isinstance(holder, OwnedIterator):
        return SavedValue(dtypes.int64, _as_numbers(holder.place))
    if not isinstance(holder, Variable) or not isinstance(holder.handle, Resource):
        raise NotImplementedError(
            f"{holder!r} has no value while a function is traced; save checkpoints outside of"
            " tf.function"
        )
    return SavedValue(holder.dtype, holder.handle.content)


_EPOCH_SIZE: Final = 4
_WORD: Final = 1 << 64


def _as_numbers(place: Place) -> Array:
    """A place as int64: the position, then four numbers for each epoch."""
    numbers = [place.position]
    for epoch in place.epochs:
        numbers += [epoch.number, epoch.begun, *epoch.seeds]
    return np.array([n % _WORD for n in numbers], np.uint64).view(np.int64)


def _as_place(numbers: Array) -> Place:
    position, *rest = numbers.view(np.uint64).tolist()
    groups = [rest[i : i + _EPOCH_SIZE] for i in range(0, len(rest), _EPOCH_SIZE)]
    epochs = tuple(Epoch(n, (seed, seed2), begun) for n, begun, seed, seed2 in groups)
    return Place(position, epochs)


def put_back(holder: Any, saved: SavedValue, key: str) -> None:
    """Give a variable or iterator the value that was stored of it.

    Raises:
        ValueError: the shape differs.
        InvalidArgumentError: the dtype differs.
    """
    if isinstance(holder, OwnedIterator):
        holder.go_to(_as_place(saved.array))
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
