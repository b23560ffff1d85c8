"""Lookup tables of saved models."""

from __future__ import annotations

from tfcheck_runtime.checkpoint.storage import SavedValue
from tfcheck_runtime.ops.lookup.initializers import KeyValueTensorInitializer
from tfcheck_runtime.ops.lookup.tables import (
    DenseHashTable,
    MutableHashTable,
    StaticHashTable,
    Table,
)
from tfcheck_runtime.saved_model.encoding import Decoder, Encoder, Json
from tfcheck_runtime.values.tensor import EagerTensor


def describe(table: Table, encoder: Encoder) -> dict[str, Json]:
    """A table with its content."""
    keys, values = table.content()
    reserved = table.reserved if isinstance(table, DenseHashTable) else []
    return {
        "kind": "table",
        "class": type(table).__name__,
        "default": encoder.constant(table.default, table.value_dtype),
        "keys": encoder.constant(keys, table.key_dtype),
        "values": encoder.constant(values, table.value_dtype),
        "reserved": encoder.value(list(reserved)),
    }


def restore(data: Json, decoder: Decoder) -> Table:
    """A table that was described."""
    keys, values, default = (
        _tensor(decoder.constant(data[part]["constant"])) for part in ("keys", "values", "default")
    )
    if data["class"] == StaticHashTable.__name__:
        return StaticHashTable(KeyValueTensorInitializer(keys, values), default)
    kinds = keys.dtype, values.dtype
    reserved = decoder.value(data["reserved"])
    table = (
        DenseHashTable(*kinds, default, *reserved)
        if reserved
        else MutableHashTable(*kinds, default)
    )
    table.insert(keys, values)
    return table


def _tensor(saved: SavedValue) -> EagerTensor:
    return EagerTensor(saved.array, saved.dtype)
