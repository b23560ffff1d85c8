"""Where the content of a table comes from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

import numpy as np

from tfcheck_runtime.errors import InvalidArgumentError
from tfcheck_runtime.op import Array
from tfcheck_runtime.ops.files import gfile
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import DType, as_dtype
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import EagerTensor
from tfcheck_runtime.values.trackable import Trackable


class TextFileIndex:
    """What of a line is a key or value: its number, all of it, or a column from 0 on.

    https://www.tensorflow.org/api_docs/python/tf/lookup/TextFileIndex
    """

    WHOLE_LINE: Final = -2
    LINE_NUMBER: Final = -1


class Fillable(Protocol):
    """A table that is being made."""

    def fill(self, keys: Array, values: Array) -> None:
        """Enter keys and their values."""


class TableInitializer(Trackable):
    """Where the content of a table comes from.

    https://www.tensorflow.org/api_docs/python/tf/lookup/experimental (libraries derive from it)

    Args:
        key_dtype: type of the keys.
        value_dtype: type of the values.
    """

    def __init__(self, key_dtype: object, value_dtype: object) -> None:
        self._key_dtype, self._value_dtype = as_dtype(key_dtype), as_dtype(value_dtype)

    @property
    def key_dtype(self) -> DType:
        """Type of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """Type of the values."""
        return self._value_dtype

    def initialize(self, table: Fillable) -> None:
        """Fill a table that is being made; one that is not filled cannot be asked."""
        table.fill(*self.content())

    def content(self) -> tuple[Array, Array]:
        """Keys and values."""
        raise NotImplementedError


class KeyValueTensorInitializer(TableInitializer):
    """Keys and values given as tensors.

    https://www.tensorflow.org/api_docs/python/tf/lookup/KeyValueTensorInitializer

    Raises:
        ValueError: there are not as many values as keys.
    """

    def __init__(
        self,
        keys: object,
        values: object,
        key_dtype: object = None,
        value_dtype: object = None,
        name: str | None = None,
    ) -> None:
        del name
        self._content = _content(keys, key_dtype), _content(values, value_dtype)
        super().__init__(*map(_dtype_of, self._content))
        shapes = [array.shape for array in self._content]
        if shapes[0][0] != shapes[1][0]:
            raise ValueError(f"keys of shape {shapes[0]} and values of shape {shapes[1]} differ")

    def content(self) -> tuple[Array, Array]:
        """Keys and values."""
        return self._content


def _content(value: object, dtype: object) -> Array:
    # As in TensorFlow, int32 keys of Python data stay int32.
    tensor = convert_to_tensor(value, dtype)
    if not isinstance(tensor, EagerTensor):
        raise NotImplementedError(f"tables are made outside tf.function, got {tensor}")
    return tensor.array


def _dtype_of(array: Array) -> DType:
    return dtypes.string if array.dtype.kind == "O" else as_dtype(array.dtype)


class TextFileInitializer(TableInitializer):
    """Keys and values from the lines of a file.

    https://www.tensorflow.org/api_docs/python/tf/lookup/TextFileInitializer

    Args:
        filename: of a text file.
        key_dtype: type of the keys.
        key_index: a column, or one of `TextFileIndex`.
        value_dtype: type of the values.
        value_index: a column, or one of `TextFileIndex`.
        vocab_size: how many lines are read; all by default.
        delimiter: between columns.
        name: of the initializer.
        value_index_offset: added to line numbers that are values.
    """

    def __init__(
        self,
        filename: object,
        key_dtype: object,
        key_index: int,
        value_dtype: object,
        value_index: int,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = None,
        value_index_offset: int = 0,
    ) -> None:
        del name
        self.filename = filename
        super().__init__(key_dtype, value_dtype)
        self.indices = key_index, value_index
        self.vocab_size = vocab_size
        self.delimiter = delimiter
        self.value_index_offset = value_index_offset

    def content(self) -> tuple[Array, Array]:
        """Keys and values.

        Raises:
            NotFoundError: there is no such file.
            InvalidArgumentError: a line has too few columns, or the file too few lines.
        """
        with gfile.GFile(self.filename, "rb") as file:
            lines = [bytes(line).rstrip(b"\r\n") for line in file]  # type: ignore[arg-type]
        if self.vocab_size is not None and len(lines) < self.vocab_size:
            raise InvalidArgumentError(
                None, None, f"Invalid vocab_size in {self.filename}: expected {self.vocab_size}"
                f" but got {len(lines)}",
            )  # fmt: skip
        lines = lines[: self.vocab_size]
        keys = [self._part(line, i, self.indices[0], 0) for i, line in enumerate(lines)]
        values = [
            self._part(line, i, self.indices[1], self.value_index_offset)
            for i, line in enumerate(lines)
        ]
        return _parsed(keys, self.key_dtype), _parsed(values, self.value_dtype)

    def _part(self, line: bytes, number: int, index: int, offset: int) -> bytes | int:
        if index == TextFileIndex.LINE_NUMBER:
            return number + offset
        if index == TextFileIndex.WHOLE_LINE:
            return line
        columns = line.split(self.delimiter.encode())
        if index >= len(columns):
            raise InvalidArgumentError(
                None, None, f"Invalid number of columns in {self.filename} line {number}:"
                f" expected at least {index + 1}, got {len(columns)}",
            )  # fmt: skip
        return columns[index]


def _parsed(parts: list[bytes | int], dtype: DType) -> Array:
    if dtype is dtypes.string:
        out = np.empty(len(parts), object)
        out[:] = parts
        return out
    read: Callable[..., float] = int if dtype.is_integer else float
    return np.array([read(p) for p in parts], dtype.numpy)
