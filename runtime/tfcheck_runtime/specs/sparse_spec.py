"""`tf.SparseTensorSpec`.

Follows https://www.tensorflow.org/api_docs/python/tf/SparseTensorSpec.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.composite_spec import CompositeSpec
from tfcheck_runtime.specs.dtypes import as_dtype
from tfcheck_runtime.specs.shapes import Shape, TensorShape, as_shape
from tfcheck_runtime.specs.tensor_spec import ShapedSpec, TensorSpec


class SparseTensorSpec(ShapedSpec, CompositeSpec):
    """Dense shape and dtype of a sparse tensor.

    Args:
        shape: of the whole; None for an unknown rank.
        dtype: the element type.
    """

    def __init__(self, shape: object = None, dtype: object = dtypes.float32) -> None:
        self._shape = as_shape(shape)
        self._dtype = as_dtype(dtype)

    @classmethod
    def from_value(cls, value: Any) -> SparseTensorSpec:
        """The type of a sparse tensor.

        Raises:
            TypeError: `value` is none.
        """
        if not isinstance(value, cls.kind):
            raise TypeError(
                f"Expected SparseTensor or SparseTensorValue. Received: {value} of type"
                f" {type(value).__name__}."
            )
        sparse: Any = value
        return cls(sparse.shape, sparse.dtype)

    @property
    def value_type(self) -> type:
        """The class of the values."""
        return self.kind

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """The shape."""
        return (self._shape,)

    @property
    def properties(self) -> tuple[Any, ...]:
        """The dtype."""
        return (self._dtype,)

    def with_shapes(self, shapes: Sequence[Shape]) -> SparseTensorSpec:
        """The same type with another shape."""
        return SparseTensorSpec(shapes[0], self._dtype)

    @property
    def components(self) -> tuple[TensorSpec, ...]:
        """Indices, values and dense shape."""
        rank = None if self._shape is None else len(self._shape)
        return (
            TensorSpec((None, rank), dtypes.int64),
            TensorSpec((None,), self._dtype),
            TensorSpec((rank,), dtypes.int64),
        )

    def __repr__(self) -> str:
        return f"SparseTensorSpec({TensorShape(self._shape)!r}, {self._dtype!r})"
