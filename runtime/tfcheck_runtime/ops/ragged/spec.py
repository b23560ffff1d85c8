"""`tf.RaggedTensorSpec`.

Follows https://www.tensorflow.org/api_docs/python/tf/RaggedTensorSpec.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.composite_spec import CompositeSpec
from tfcheck_runtime.specs.dtypes import DType, as_dtype
from tfcheck_runtime.specs.shapes import Shape, TensorShape, as_shape
from tfcheck_runtime.specs.tensor_spec import ShapedSpec, TensorSpec


class RaggedTensorSpec(ShapedSpec, CompositeSpec):
    """Shape, dtype and number of ragged axes of a ragged tensor.

    Args:
        shape: of the whole; None for an unknown rank, which needs `ragged_rank`.
        dtype: the element type.
        ragged_rank: how many axes are partitioned into rows; all but the first by default. With 0
            the values are plain tensors.
        row_splits_dtype: int32 or int64.
        flat_values_spec: not supported, must be None.
    """

    def __init__(
        self,
        shape: object = None,
        dtype: object = dtypes.float32,
        ragged_rank: int | None = None,
        row_splits_dtype: object = dtypes.int64,
        flat_values_spec: None = None,
    ) -> None:
        if flat_values_spec is not None:
            raise NotImplementedError("RaggedTensorSpec: flat_values_spec must be None here")
        self._shape = as_shape(shape)
        self._dtype = as_dtype(dtype)
        self._splits = _checked_splits(as_dtype(row_splits_dtype))
        self._rank = _checked_rank(ragged_rank, self._shape)

    @classmethod
    def from_value(cls, value: Any) -> RaggedTensorSpec:
        """The type of a ragged tensor."""
        return cls(value.shape, value.dtype, value.ragged_rank, value.row_splits.dtype)

    @property
    def ragged_rank(self) -> int:
        """How many axes are partitioned into rows."""
        return self._rank

    @property
    def row_splits_dtype(self) -> DType:
        """int32 or int64."""
        return self._splits

    @property
    def flat_values_spec(self) -> None:
        """The type of values that are no tensors: not supported."""
        return None

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
        """All but the shape."""
        return self._dtype, self._rank, self._splits

    def with_shapes(self, shapes: Sequence[Shape]) -> RaggedTensorSpec:
        """The same type with another shape."""
        return RaggedTensorSpec(shapes[0], self._dtype, self._rank, self._splits)

    @property
    def components(self) -> tuple[TensorSpec, ...]:
        """The flat values and the splits, outermost first."""
        if self._rank == 0:
            return (TensorSpec(self._shape, self._dtype),)
        return (
            TensorSpec(self._flat_shape(), self._dtype),
            *(TensorSpec((n,), self._splits) for n in self._split_sizes()),
        )

    def _flat_shape(self) -> Shape:
        if self._shape is None:
            return None
        outer, inner = self._shape[: self._rank + 1], self._shape[self._rank + 1 :]
        return (_product(outer), *inner)

    def _split_sizes(self) -> list[int | None]:
        """One more than the number of rows, per ragged axis."""
        if self._shape is None:
            return [None] * self._rank
        counts = [_product(self._shape[:axis]) for axis in range(1, self._rank + 1)]
        return [None if n is None else n + 1 for n in counts]

    def __repr__(self) -> str:
        return (
            f"RaggedTensorSpec({TensorShape(self._shape)!r}, {self._dtype!r}, {self._rank},"
            f" {self._splits!r})"
        )


def _product(sizes: Sequence[int | None]) -> int | None:
    total = 1
    for size in sizes:
        if size is None:
            return None
        total *= size
    return total


def _checked_splits(dtype: DType) -> DType:
    if dtype.name not in ("int32", "int64"):
        raise ValueError(f"row_splits_dtype must be int32 or int64, got {dtype!r}")
    return dtype


def _checked_rank(ragged_rank: int | None, shape: Shape) -> int:
    rank = None if shape is None else len(shape)
    if ragged_rank is None:
        if rank is None:
            raise ValueError("Must specify ragged_rank or a shape with a known rank.")
        return rank - 1
    if not isinstance(ragged_rank, int):
        raise TypeError(f"Argument `ragged_rank` must be an int. Received {ragged_rank}.")
    if rank is not None and ragged_rank >= rank:
        raise ValueError(f"Argument `ragged_rank` ({ragged_rank}) must be less than rank ({rank}).")
    return ragged_rank
