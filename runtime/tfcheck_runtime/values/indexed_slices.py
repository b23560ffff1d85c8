"""`tf.IndexedSlices`: rows of a bigger tensor, and where they stand in it.

Follows https://www.tensorflow.org/api_docs/python/tf/IndexedSlices.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfcheck_runtime.specs.dtypes import DType
from tfcheck_runtime.specs.shapes import TensorShape
from tfcheck_runtime.specs.slices_spec import IndexedSlicesSpec
from tfcheck_runtime.values import operators
from tfcheck_runtime.values.composite import CompositeTensor
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, known_shape


class IndexedSlices(CompositeTensor):
    """Rows at some indices along the first axis; rows of equal indices add up.

    Args:
        values: the rows, shape [n, ...].
        indices: where they stand, shape [n].
        dense_shape: the shape of the whole, if it is known.
    """

    def __init__(self, values: object, indices: object, dense_shape: object = None) -> None:
        self._values = convert_to_tensor(values)
        self._indices = convert_to_tensor(indices)
        self._dense_shape = None if dense_shape is None else convert_to_tensor(dense_shape)

    @property
    def values(self) -> Tensor:
        """The rows."""
        return self._values

    @property
    def indices(self) -> Tensor:
        """Where they stand."""
        return self._indices

    @property
    def dense_shape(self) -> Tensor | None:
        """The shape of the whole."""
        return self._dense_shape

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self._values.dtype

    @property
    def shape(self) -> TensorShape:
        """What the dense shape says of the shape of the whole: nothing where there is none."""
        return TensorShape(None if self._dense_shape is None else known_shape(self._dense_shape))

    @property
    def name(self) -> str:
        """The name of the rows."""
        return str(getattr(self._values, "name", ""))

    @property
    def device(self) -> str:
        """Where the rows live."""
        return str(getattr(self._values, "device", ""))

    def with_rows(self, rows: Tensor) -> IndexedSlices:
        """Other rows at the same places."""
        return IndexedSlices(rows, self._indices, self._dense_shape)

    def consumers(self) -> list[object]:
        """What uses it: not kept."""
        return []

    def __neg__(self) -> IndexedSlices:
        return self.with_rows(-self._values)

    # How Functions, branches and loops see it.

    def __tf_tracing_type__(self, context: object) -> IndexedSlicesSpec:
        return self._type_spec

    def __tf_components__(self) -> tuple[Tensor, ...]:
        parts = self._values, self._indices
        return parts if self._dense_shape is None else (*parts, self._dense_shape)

    def __tf_from_components__(self, components: Sequence[Any]) -> IndexedSlices:
        return IndexedSlices(*components)

    @property
    def _type_spec(self) -> IndexedSlicesSpec:
        rows, whole = self._values.shape, self.shape
        if self._dense_shape is None and rows.rank is not None:
            whole = TensorShape([None, *rows[1:].as_list()])
        whole_dtype = None if self._dense_shape is None else self._dense_shape.dtype
        return IndexedSlicesSpec(
            whole, self.dtype, self._indices.dtype, whole_dtype, self._indices.shape
        )

    def __tf_tensor__(self, dtype: DType | None = None, name: str | None = None) -> Tensor:
        return _dense(self, dtype)

    def __str__(self) -> str:
        shape = "" if self._dense_shape is None else f", dense_shape={self._dense_shape!s}"
        return f"IndexedSlices(indices={self._indices!s}, values={self._values!s}{shape})"

    __repr__ = __str__


def _from_spec(spec: IndexedSlicesSpec, components: Sequence[Any]) -> IndexedSlices:
    return IndexedSlices(*components)


IndexedSlicesSpec.make = _from_spec
IndexedSlicesSpec.kind = IndexedSlices


def _dense(slices: IndexedSlices, dtype: DType | None) -> Tensor:
    if dtype is not None and dtype is not slices.dtype:
        raise ValueError(
            f"Incompatible tensor conversion requested to `dtype` {dtype.name} for IndexedSlices"
            f" ({slices}) with dtype {slices.dtype.name}"
        )
    if slices.dense_shape is None:
        raise ValueError(
            "Tensor conversion requested for IndexedSlices for argument `value` without"
            f" dense_shape: {slices}"
        )
    places = slices.indices[..., None]
    scatter = operators.implementation("scatter_nd")
    whole: Any = scatter(places, slices.values, slices.dense_shape)
    inner = slices.values.static_shape
    if inner is not None:
        whole.set_shape([None, *inner[1:]])
    made: Tensor = whole
    return made
