"""The contents of a `tf.TensorArray` in eager code: a Python list, changed in place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

import numpy as np

from tfcheck_runtime.errors import OutOfRangeError, invalid_argument
from tfcheck_runtime.ops.array.filling import zeros
from tfcheck_runtime.ops.array.joining import concat
from tfcheck_runtime.ops.array.packing import stack, unstack
from tfcheck_runtime.ops.array.splitting import split
from tfcheck_runtime.specs.dtypes import DType
from tfcheck_runtime.specs.shapes import Shape, are_compatible, is_fully_defined, shape_text
from tfcheck_runtime.values.convert import constant, convert_to_tensor
from tfcheck_runtime.values.tensor import EagerTensor, Tensor


@dataclass
class EagerList:
    """Elements, None where nothing was written."""

    dtype: DType
    dynamic: bool
    clear: bool
    infer_shape: bool
    element_shape: Shape
    elements: list[Tensor | None]
    cleared: set[int] = field(default_factory=set)

    @classmethod
    def new(
        cls,
        dtype: DType,
        size: object,
        *,
        dynamic: bool,
        clear: bool,
        infer_shape: bool,
        element_shape: Shape,
    ) -> EagerList:
        """An empty list.

        Raises:
            ValueError: there is no size.
        """
        if size is None:
            raise ValueError(
                "Size must be declared for TensorArrays when eager execution is enabled."
            )
        elements: list[Tensor | None] = [None] * _int(size)
        return cls(dtype, dynamic, clear, infer_shape, element_shape, elements)

    def read(self, index: object) -> Tensor:
        """One element.

        Raises:
            OutOfRangeError: there is no such element.
            InvalidArgumentError: it was read before and is cleared.
        """
        i = _int(index)
        if i < 0:
            raise _out_of_range(f"Reading from negative indices (index {i}) is not allowed.")
        if i >= len(self.elements):
            raise _out_of_range(
                f"Tried to read from index {i} but array size is: {len(self.elements)}"
            )
        if i in self.cleared:
            raise invalid_argument(
                f"Could not read index {i} twice because it was cleared after a previous read"
                " (perhaps try setting clear_after_read = false?)"
            )
        element = self._filled(i)
        if self.clear:
            self.cleared.add(i)
            self.elements[i] = None
        return element

    def _filled(self, i: int) -> Tensor:
        element = self.elements[i]
        if element is None:
            if not is_fully_defined(self.element_shape):
                raise ValueError(
                    "Cannot convert a partially known TensorShape"
                    f" {shape_text(self.element_shape)} to a Tensor: element {i} was never written"
                )
            element = self.elements[i] = zeros(self.element_shape, self.dtype)
        return element

    def write(self, index: object, value: object) -> EagerList:
        """Replace one element.

        Raises:
            OutOfRangeError: there is no such element and the list does not grow.
            ValueError: the value's shape differs from the others'.
            InvalidArgumentError: the value has another dtype.
        """
        i = _int(index)
        if i < 0:
            raise _out_of_range(f"Writing to negative indices (index {i}) is not allowed.")
        if i >= len(self.elements):
            if not self.dynamic:
                raise _out_of_range(
                    f"Tried to write to index {i} but array is not resizeable and size is:"
                    f" {len(self.elements)}"
                )
            self.elements.extend([None] * (i + 1 - len(self.elements)))
        self.elements[i] = self._checked(value)
        self.cleared.discard(i)
        return self

    def _checked(self, value: object) -> Tensor:
        tensor = convert_to_tensor(value, dtype_hint=self.dtype)
        if tensor.dtype is not self.dtype:
            raise invalid_argument(
                f"TensorArray dtype is {self.dtype.name} but Op is trying to write dtype"
                f" {tensor.dtype.name}"
            )
        if not are_compatible(tensor.static_shape, self.element_shape):
            raise ValueError(
                f"Incompatible shape for value ({tensor.static_shape}), expected"
                f" ({self.element_shape})"
            )
        if self.infer_shape:
            self.element_shape = tensor.static_shape
        return tensor

    def stack(self) -> Tensor:
        """All elements as one tensor."""
        if not self.elements:
            shape = (0, *(d or 0 for d in self.element_shape or ()))
            return zeros(shape, self.dtype)
        return stack([self._filled(i) for i in range(len(self.elements))])

    def gather(self, indices: object) -> Tensor:
        """Some elements as one tensor."""
        picked = np.asarray(convert_to_tensor(indices)).reshape(-1).tolist()
        return stack([self._filled(int(i)) for i in picked])

    def concat(self) -> Tensor:
        """All elements joined along their first axis."""
        return concat([self._filled(i) for i in range(len(self.elements))], 0)

    def unstack(self, value: object) -> EagerList:
        """Fill the list with the rows of `value`.

        Raises:
            ValueError: there are more rows than elements, and the list does not grow.
        """
        rows = unstack(convert_to_tensor(value, dtype_hint=self.dtype))
        if len(rows) > len(self.elements) and not self.dynamic:
            raise ValueError(
                f"Cannot unstack {len(rows)} tensors into a TensorArray of static size"
                f" {len(self.elements)}"
            )
        self.elements = [self._checked(row) for row in rows]
        return self

    def scatter(self, indices: object, value: object) -> EagerList:
        """Write the rows of `value` at `indices`."""
        places = np.asarray(convert_to_tensor(indices)).reshape(-1).tolist()
        for i, row in zip(places, unstack(convert_to_tensor(value)), strict=True):
            self.write(i, row)
        return self

    def split(self, value: object, lengths: Sequence[int] | Tensor) -> EagerList:
        """Fill the list with pieces of `value`."""
        sizes = np.asarray(convert_to_tensor(lengths)).reshape(-1).tolist()
        self.elements = list(split(convert_to_tensor(value, dtype_hint=self.dtype), sizes))
        return self

    def size(self) -> Tensor:
        """The number of elements."""
        return constant(len(self.elements), "int32")

    def components(self) -> list[Tensor]:
        """The elements, where they can stand for the list."""
        return [self.stack()]

    def with_components(self, components: Sequence[Tensor]) -> EagerList:
        """A list like this with other elements."""
        rows: list[Tensor | None] = list(unstack(components[0]))
        return EagerList(
            self.dtype, self.dynamic, self.clear, self.infer_shape, self.element_shape, rows
        )


def _int(value: object) -> int:
    if isinstance(value, int | np.integer):
        return int(value)
    return int(cast("EagerTensor", convert_to_tensor(value)))


def _out_of_range(message: str) -> OutOfRangeError:
    return OutOfRangeError(None, None, message)
