"""`tf.IndexedSlicesSpec`.

Follows https://www.tensorflow.org/api_docs/python/tf/IndexedSlicesSpec.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.composite_spec import CompositeSpec
from tfcheck_runtime.specs.dtypes import DType, as_dtype
from tfcheck_runtime.specs.shapes import Shape, TensorShape, as_shape
from tfcheck_runtime.specs.tensor_spec import TensorSpec


class IndexedSlicesSpec(CompositeSpec):
    """The type of slices of a bigger tensor.

    Args:
        shape: of the whole.
        dtype: the element type.
        indices_dtype: int32 or int64.
        dense_shape_dtype: type of the values' `dense_shape`; None when they have none.
        indices_shape: of the indices; a vector of unknown length by default.
    """

    def __init__(
        self,
        shape: object = None,
        dtype: object = dtypes.float32,
        indices_dtype: object = dtypes.int64,
        dense_shape_dtype: object = None,
        indices_shape: object = None,
    ) -> None:
        self._shape = as_shape(shape)
        self._dtype = as_dtype(dtype)
        self._indices_dtype = as_dtype(indices_dtype)
        self._whole_dtype: DType | None = None
        if dense_shape_dtype is not None:
            self._whole_dtype = as_dtype(dense_shape_dtype)
        self._indices_shape = as_shape([None] if indices_shape is None else indices_shape)

    @property
    def value_type(self) -> type:
        """The class of the values."""
        return self.kind

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """The shape of the whole, and that of the indices."""
        return self._shape, self._indices_shape

    @property
    def properties(self) -> tuple[Any, ...]:
        """The dtypes."""
        return self._dtype, self._indices_dtype, self._whole_dtype

    def with_shapes(self, shapes: Sequence[Shape]) -> IndexedSlicesSpec:
        """The same type with other shapes."""
        whole, indices = shapes
        return IndexedSlicesSpec(
            whole, self._dtype, self._indices_dtype, self._whole_dtype, indices
        )

    @property
    def components(self) -> tuple[TensorSpec, ...]:
        """Rows, indices, and the dense shape if there is one."""
        rows: Shape = None
        if self._shape is not None and self._indices_shape is not None:
            rows = (*self._indices_shape, *self._shape[1:])
        parts = (
            TensorSpec(rows, self._dtype),
            TensorSpec(self._indices_shape, self._indices_dtype),
        )
        if self._whole_dtype is None:
            return parts
        rank = None if self._shape is None else len(self._shape)
        return (*parts, TensorSpec((rank,), self._whole_dtype))

    def __repr__(self) -> str:
        return (
            f"IndexedSlicesSpec({TensorShape(self._shape)!r}, {self._dtype!r},"
            f" {self._indices_dtype!r}, {self._whole_dtype!r},"
            f" {TensorShape(self._indices_shape)!r})"
        )
