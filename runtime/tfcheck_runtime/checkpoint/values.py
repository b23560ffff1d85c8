"""Values of objects: what is stored of them, and how it is put back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from tfcheck_runtime.checkpoint.storage import SavedValue
from tfcheck_runtime.data.iterator import OwnedIterator
from tfcheck_runtime.errors import InvalidArgumentError
from tfcheck_runtime.op import Array
from tfcheck_runtime.ops.lookup.tables import MutableHashTable
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.shapes import are_compatible
from tfcheck_runtime.values.instances import Epoch
from tfcheck_runtime.values.resource import Place, Resource
from tfcheck_runtime.values.variable import Variable

VALUE: Final = "VARIABLE_VALUE"
POSITION: Final = "ITERATOR_STATE"
KEYS: Final = "table-keys"
VALUES: Final = "table-values"


def attributes_of(value: object) -> tuple[str, ...]:
    """The names of the values that an object itself has."""
    if isinstance(value, Variable):
        return (VALUE,)
    if isinstance(value, OwnedIterator):
        return (POSITION,)
    return (KEYS, VALUES) if isinstance(value, MutableHashTable) else ()


def values_of(holder: Any) -> dict[str, SavedValue]:
    """What is stored of a variable, a table, or an iterator: how far it got.

    Raises:
        FailedPreconditionError: a function of the iterator's dataset has a state.
        NotImplementedError: it belongs to a graph that is being traced.
    """
    if isinstance(holder, OwnedIterator):
        return {POSITION: SavedValue(dtypes.int64, _as_numbers(holder.place))}
    if isinstance(holder, MutableHashTable):
        keys, values = holder.content()
        return {
            KEYS: SavedValue(holder.key_dtype, keys),
            VALUES: SavedValue(holder.value_dtype, values),
        }
    if not isinstance(holder, Variable):
        return {}
    if not isinstance(holder.handle, Resource):
        raise NotImplementedError(
            f"{holder!r} has no value while a function is traced; save checkpoints outside of"
            " tf.function"
        )
    return {VALUE: SavedValue(holder.dtype, holder.handle.content)}


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


def put_back(holder: Any, values: Mapping[str, SavedValue], keys: Mapping[str, str]) -> None:
    """Give a variable, iterator or table the values that were stored of it.

    Args:
        holder: what gets them.
        values: by attribute.
        keys: those of the checkpoint, by attribute, for messages.

    Raises:
        ValueError: the shape differs.
        InvalidArgumentError: the dtype differs.
    """
    if isinstance(holder, OwnedIterator):
        holder.go_to(_as_place(values[POSITION].array))
    elif isinstance(holder, MutableHashTable):
        for attribute, dtype in ((KEYS, holder.key_dtype), (VALUES, holder.value_dtype)):
            _check_dtype(values[attribute], dtype, keys[attribute])
        holder.replace(values[KEYS].array, values[VALUES].array)
    else:
        _put_back_variable(holder, values[VALUE], keys[VALUE])


def _put_back_variable(variable: Variable, saved: SavedValue, key: str) -> None:
    _check_dtype(saved, variable.dtype, key)
    if not are_compatible(saved.array.shape, variable.static_shape):
        raise ValueError(
            f"Received incompatible tensor with shape {saved.array.shape} when attempting to"
            f" restore variable with shape {variable.shape} and name {variable.name}."
        )
    if not isinstance(variable.handle, Resource):
        raise NotImplementedError(
            f"{variable!r} belongs to a function that is being traced; restore checkpoints outside"
            " of tf.function"
        )
    variable.handle.replace(saved.array)


def _check_dtype(saved: SavedValue, dtype: dtypes.DType, key: str) -> None:
    if saved.dtype is not dtype:
        raise InvalidArgumentError(
            None,
            None,
            f"tensor_name = {key}; expected dtype {dtype.name} does not equal original dtype"
            f" {saved.dtype.name} [Op:RestoreV2]",
        )
