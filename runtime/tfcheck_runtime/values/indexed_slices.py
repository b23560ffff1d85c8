"""`tf.IndexedSlices`: rows of a bigger tensor, and where they stand in it.

Follows https://www.tensorflow.org/api_docs/python/tf/IndexedSlices.
"""

from __future__ import annotations

from typing import Any

from tfcheck_runtime.specs.dtypes import DType
from tfcheck_runtime.specs.shapes import TensorShape
from tfcheck_runtime.values import operators
from tfcheck_runtime.values.convert import convert_to_tensor, register_converter
from tfcheck_runtime.values.tensor import EagerTensor, Tensor


class IndexedSlices:
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
        """What is known of the shape of the whole."""
        if isinstance(self._dense_shape, EagerTensor):
            return TensorShape(self._dense_shape.array.tolist())
        return TensorShape([None, *self._values.shape[1:].as_list()])

    @property
    def name(self) -> str:
        """The name of the rows."""
        return str(getattr(self._values, "name", ""))

    @property
    def device(self) -> str:
        """Where the rows live."""
        return str(getattr(self._values, "device", ""))

    def consumers(self) -> list[object]:
        """What uses it: not kept."""
        return []

    def __neg__(self) -> IndexedSlices:
        return IndexedSlices(-self._values, self._indices, self._dense_shape)

    # How Functions, branches and loops see it.

    def __tf_components__(self) -> tuple[Tensor, Tensor, Tensor | None]:
        return self._values, self._indices, self._dense_shape

    def __tf_from_components__(self, components: Any) -> IndexedSlices:
        return IndexedSlices(*components)

    def __tf_tensor__(self, dtype: DType | None = None, name: str | None = None) -> Tensor:
        return _dense(self, dtype)

    def __str__(self) -> str:
        shape = "" if self._dense_shape is None else f", dense_shape={self._dense_shape!s}"
        return f"IndexedSlices(indices={self._indices!s}, values={self._values!s}{shape})"

    __repr__ = __str__


def _dense(slices: IndexedSlices, dtype: DType | None) -> Tensor:
    if slices.dense_shape is None:
        raise ValueError(
            "Tensor conversion requested for IndexedSlices for argument `value` without"
            f" dense_shape: {slices}"
        )
    places = slices.indices[..., None]
    scatter = operators.implementation("scatter_nd")
    whole: Tensor = scatter(places, slices.values, slices.dense_shape)
    return whole


register_converter(IndexedSlices, _dense)
