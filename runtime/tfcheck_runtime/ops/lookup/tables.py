"""Tables that are filled once, and tables that change."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tfcheck_runtime.errors import FailedPreconditionError, invalid_argument
from tfcheck_runtime.graph.operation import Operation
from tfcheck_runtime.op import Array, Aval, Op, define
from tfcheck_runtime.ops.lookup.initializers import TableInitializer
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import DType, as_dtype
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import EagerTensor, Tensor, apply, apply_n, performed
from tfcheck_runtime.values.trackable import Trackable


class _Find(Op):
    """The values of keys."""

    type = "LookupTableFindV2"
    stateful = True

    def infer(self, keys: Aval, *, table: Table) -> Aval:
        shape = None if keys.shape is None else (*keys.shape, *table.value_shape)
        return Aval(table.value_dtype, shape)

    def eager(self, keys: Array, *, table: Table) -> Array:
        return table.found(keys)


class _Insert(Op):
    """Sets the values of keys."""

    type = "LookupTableInsertV2"
    stateful = True

    def infer(self, keys: Aval, values: Aval, *, table: Table) -> tuple[Aval, ...]:
        return ()

    def eager(self, keys: Array, values: Array, *, table: Table) -> tuple[Array, ...]:
        rows = values.reshape(-1, *table.value_shape)
        table.entries.update(zip(keys.reshape(-1).tolist(), rows, strict=True))
        return ()


class _Remove(Op):
    """Forgets keys."""

    type = "LookupTableRemoveV2"
    stateful = True

    def infer(self, keys: Aval, *, table: Table) -> tuple[Aval, ...]:
        return ()

    def eager(self, keys: Array, *, table: Table) -> tuple[Array, ...]:
        for key in keys.reshape(-1).tolist():
            table.entries.pop(key, None)
        return ()


class _Size(Op):
    """How many keys there are."""

    type = "LookupTableSizeV2"
    stateful = True

    def infer(self, *, table: Table) -> Aval:
        return Aval(dtypes.int64, ())

    def eager(self, *, table: Table) -> Array:
        return np.array(len(table.entries), np.int64)


find_op = define(_Find())
insert_op = define(_Insert())
remove_op = define(_Remove())
size_op = define(_Size())


class Table(Trackable):
    """Keys and their values; a default value stands for what has none."""

    value_shape: tuple[int, ...] = ()

    def __init__(self, key_dtype: DType, value_dtype: DType, default: Array) -> None:
        self._key_dtype, self._value_dtype = key_dtype, value_dtype
        self.default = default
        self.entries: dict[Any, Any] = {}

    @property
    def key_dtype(self) -> DType:
        """Type of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """Type of the values."""
        return self._value_dtype

    def found(self, keys: Array) -> Array:
        """The values of keys."""
        out = np.empty((keys.size, *self.value_shape), self._value_dtype.numpy)
        for i, key in enumerate(keys.reshape(-1).tolist()):
            out[i] = self.entries.get(key, self.default)
        return out.reshape(*keys.shape, *self.value_shape)

    def content(self) -> tuple[Array, Array]:
        """All keys and values, in the order they came."""
        keys = np.empty(len(self.entries), self._key_dtype.numpy)
        keys[:] = list(self.entries)
        return keys, self.found(keys)

    def size(self, name: str | None = None) -> Tensor:
        """How many keys there are, as int64."""
        return apply(size_op, table=self, name=name)

    def lookup(self, keys: object, name: str | None = None) -> Tensor:
        """The values of keys.

        Raises:
            TypeError: the keys are of another type.
        """
        return apply(find_op, self._keys(keys), table=self, name=name)

    def __getitem__(self, keys: object) -> Tensor:
        return self.lookup(keys)

    def _keys(self, keys: object) -> Tensor:
        tensor = convert_to_tensor(keys, dtype_hint=self._key_dtype)
        if tensor.dtype is not self._key_dtype:
            raise TypeError(
                f"Dtype of argument `keys` must be {self._key_dtype.name}, received:"
                f" {tensor.dtype.name}"
            )
        return tensor


def _scalar(value: object, dtype: DType) -> Array:
    tensor = convert_to_tensor(value, dtype)
    if not isinstance(tensor, EagerTensor):
        raise NotImplementedError(f"tables are made outside tf.function, got {tensor}")
    return tensor.array


class StaticHashTable(Table):
    """A table that an initializer fills.

    https://www.tensorflow.org/api_docs/python/tf/lookup/StaticHashTable

    Args:
        initializer: where keys and values come from.
        default_value: for keys that are not there.
        name: of the table.

    Raises:
        FailedPreconditionError: a key has two values.
    """

    def __init__(
        self,
        initializer: TableInitializer,
        default_value: object,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        del experimental_is_anonymous
        self.name = name or "hash_table"
        kind = initializer.value_dtype
        super().__init__(initializer.key_dtype, kind, _scalar(default_value, kind))
        self._filled = False
        initializer.initialize(self)

    def fill(self, keys: Array, values: Array) -> None:
        """Enter keys and their values; for initializers.

        Raises:
            FailedPreconditionError: a key has two values.
        """
        self._filled = True
        for key, value in zip(keys.tolist(), values.tolist(), strict=True):
            if self.entries.setdefault(key, value) != value:
                raise FailedPreconditionError(
                    None, None, f"HashTable has different value for same key. Key {key} has"
                    f" {self.entries[key]} and trying to add value {value}",
                )  # fmt: skip

    def found(self, keys: Array) -> Array:
        """The values of keys.

        Raises:
            FailedPreconditionError: no initializer has filled the table.
        """
        if not self._filled:
            raise FailedPreconditionError(None, None, f"Table not initialized. [{self.name}]")
        return super().found(keys)

    @property
    def default_value(self) -> Tensor:
        """What stands for keys that are not there."""
        return convert_to_tensor(self.default, self.value_dtype)


class MutableHashTable(Table):
    """A table that changes.

    https://www.tensorflow.org/api_docs/python/tf/lookup/experimental/MutableHashTable
    """

    def __init__(
        self,
        key_dtype: object,
        value_dtype: object,
        default_value: object,
        name: str = "MutableHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        del checkpoint, experimental_is_anonymous
        self.name = name
        kind = as_dtype(value_dtype)
        default = _scalar(default_value, kind)
        self.value_shape = default.shape
        super().__init__(as_dtype(key_dtype), kind, default)

    def insert(self, keys: object, values: object, name: str | None = None) -> Operation | None:
        """Set the values of keys."""
        apply_n(
            insert_op, self._keys(keys), convert_to_tensor(values, self.value_dtype), table=self,
            name=name,
        )  # fmt: skip
        return performed()

    def replace(self, keys: Array, values: Array) -> None:
        """Hold these keys and values, and no others."""
        rows = values.reshape(-1, *self.value_shape)
        self.entries = dict(zip(keys.tolist(), rows, strict=True))

    def remove(self, keys: object, name: str | None = None) -> Operation | None:
        """Forget keys."""
        apply_n(remove_op, self._keys(keys), table=self, name=name)
        return performed()

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """All keys and values, in the order they came."""
        del name
        keys, values = self.content()
        return convert_to_tensor(keys), convert_to_tensor(values)


class DenseHashTable(MutableHashTable):
    """A table that changes, with keys set aside for what is empty or deleted.

    https://www.tensorflow.org/api_docs/python/tf/lookup/experimental/DenseHashTable
    """

    def __init__(
        self,
        key_dtype: object,
        value_dtype: object,
        default_value: object,
        empty_key: object,
        deleted_key: object,
        initial_num_buckets: int | None = None,
        name: str = "MutableDenseHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        del initial_num_buckets
        super().__init__(
            key_dtype, value_dtype, default_value, name, checkpoint, experimental_is_anonymous
        )
        kind = as_dtype(key_dtype)
        self.reserved: Final = [_scalar(k, kind).tolist() for k in (empty_key, deleted_key)]

    def insert(self, keys: object, values: object, name: str | None = None) -> None:
        """Set the values of keys.

        Raises:
            InvalidArgumentError: a key is set aside.
        """
        tensor = self._keys(keys)
        if isinstance(tensor, EagerTensor):
            for key in tensor.array.reshape(-1).tolist():
                if key in self.reserved:
                    raise invalid_argument(f"Using the empty_key or deleted_key: {key}")
        super().insert(tensor, values, name)
