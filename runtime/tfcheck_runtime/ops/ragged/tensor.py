"""`tf.RaggedTensor`: rows of different lengths.

Follows https://www.tensorflow.org/api_docs/python/tf/RaggedTensor: values laid end to end, and
the splits between their rows; the values may be ragged again.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from tfcheck_runtime import dispatch
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.known import static_ints
from tfcheck_runtime.ops.array.shaping import shape as shape_of
from tfcheck_runtime.ops.ragged import making, partition
from tfcheck_runtime.ops.ragged.spec import RaggedTensorSpec
from tfcheck_runtime.ops.ragged.text import ragged_text
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import DType, as_dtype
from tfcheck_runtime.specs.shapes import Shape, TensorShape
from tfcheck_runtime.values import operators
from tfcheck_runtime.values.composite import CompositeTensor
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import EagerTensor, Tensor

Values = Any  # a tensor, or a ragged tensor again


class RaggedTensor(CompositeTensor, operators.OverloadedOperators, making.RowConstructors):
    """Rows of different lengths; make one with `tf.ragged.constant` or a `from_…` method.

    Args:
        values: of all rows, end to end.
        row_splits: where each row starts, and where the last one ends.
        uniform_row_length: of all rows, when it is the same by construction.
    """

    # Libraries tell TensorFlow's classes by the module.
    __module__ = "tensorflow.python.ops.ragged.ragged_tensor"

    def __init__(
        self, values: Values, row_splits: Tensor, uniform_row_length: int | None = None
    ) -> None:
        self._values = values
        self._row_splits = row_splits
        self._uniform = uniform_row_length

    @classmethod
    def _of(
        cls, values: object, splits: Tensor, uniform_row_length: int | None = None
    ) -> RaggedTensor:
        kept = values if isinstance(values, RaggedTensor) else convert_to_tensor(values)
        if isinstance(kept, RaggedTensor) and kept.row_splits.dtype is not splits.dtype:
            wide = dtypes.int64
            kept, splits = kept.with_row_splits_dtype(wide), cast(splits, wide)
        return cls(kept, splits, uniform_row_length)

    # What it is made of.

    @property
    def values(self) -> Values:
        """Of all rows, end to end."""
        return self._values

    @property
    def flat_values(self) -> Tensor:
        """The innermost values."""
        inner = self._values
        return inner.flat_values if isinstance(inner, RaggedTensor) else inner

    @property
    def row_splits(self) -> Tensor:
        """Where each row starts, and where the last one ends."""
        return self._row_splits

    @property
    def nested_row_splits(self) -> tuple[Tensor, ...]:
        """The splits of all ragged axes, outermost first."""
        inner = self._values
        rest = inner.nested_row_splits if isinstance(inner, RaggedTensor) else ()
        return (self._row_splits, *rest)

    @property
    def uniform_row_length(self) -> Tensor | None:
        """The length of all rows, when it is the same by construction."""
        if self._uniform is None:
            return None
        return convert_to_tensor(self._uniform, self._row_splits.dtype)

    @property
    def static_row_length(self) -> int | None:
        """The length of all rows as a number, when it is the same by construction."""
        return self._uniform

    @property
    def ragged_rank(self) -> int:
        """How many axes are partitioned into rows."""
        return len(self.nested_row_splits)

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self.flat_values.dtype

    @property
    def static_shape(self) -> Shape:
        """The shape, None for axes whose size varies."""
        splits, inner = self._row_splits.static_shape, self._values.static_shape
        count = None if not splits or splits[0] is None else splits[0] - 1
        return None if inner is None else (count, self._uniform, *inner[1:])

    @property
    def shape(self) -> TensorShape:
        """The shape, None for axes whose size varies."""
        return TensorShape(self.static_shape)

    def get_shape(self) -> TensorShape:
        """The shape, None for axes whose size varies."""
        return self.shape

    # Rows.

    def row_lengths(self, axis: int = 1, name: str | None = None) -> Any:
        """The lengths of the rows of an axis; ragged for inner axes."""
        if axis > 1:
            return self.with_values(self._values.row_lengths(axis - 1))
        splits: Any = self._row_splits
        return splits[1:] - splits[:-1]

    def nested_row_lengths(self, name: str | None = None) -> tuple[Tensor, ...]:
        """The lengths of the rows of all ragged axes, outermost first."""
        both = ((s[:-1], s[1:]) for s in map(_indexable, self.nested_row_splits))
        return tuple(ends - starts for starts, ends in both)

    def row_starts(self, name: str | None = None) -> Tensor:
        """Where each row starts."""
        starts: Tensor = _indexable(self._row_splits)[:-1]
        return starts

    def row_limits(self, name: str | None = None) -> Tensor:
        """Where each row ends."""
        limits: Tensor = _indexable(self._row_splits)[1:]
        return limits

    def value_rowids(self, name: str | None = None) -> Tensor:
        """The row of each value."""
        return partition.places_of(self._row_splits).rows

    def nested_value_rowids(self, name: str | None = None) -> tuple[Tensor, ...]:
        """The row of each value, for all ragged axes, outermost first."""
        return tuple(partition.places_of(s).rows for s in self.nested_row_splits)

    def nrows(self, out_type: object = None, name: str | None = None) -> Tensor:
        """How many rows there are."""
        count: Tensor = partition.row_count(self._row_splits, out_type and as_dtype(out_type))
        return count

    def nvals(self, out_type: object = None, name: str | None = None) -> Tensor:
        """How many values the rows have together."""
        kind = as_dtype(out_type) if out_type else self._row_splits.dtype
        inner = self._values
        if isinstance(inner, RaggedTensor):
            return inner.nrows(kind)
        count: Tensor = _indexable(shape_of(inner, out_type=kind))[0]
        return count

    # The same rows around other values.

    def with_values(self, new_values: object) -> RaggedTensor:
        """The same rows around other values, as many as there are."""
        made = RaggedTensor._of(new_values, self._row_splits, self._uniform)
        _check_count(self.values, made.values)
        return made

    def with_flat_values(self, new_values: object) -> RaggedTensor:
        """The same rows around other innermost values."""
        inner = self._values
        if isinstance(inner, RaggedTensor):
            return self.with_values(inner.with_flat_values(new_values))
        return self.with_values(new_values)

    def with_row_splits_dtype(self, dtype: object) -> RaggedTensor:
        """The same rows with splits of another integer type."""
        kind = as_dtype(dtype)
        if kind.name not in ("int32", "int64"):
            raise ValueError(f"Argument `row_splits` dtype must be int32 or int64, got {kind!r}")
        inner = self._values
        if isinstance(inner, RaggedTensor):
            inner = inner.with_row_splits_dtype(kind)
        return RaggedTensor(inner, cast(self._row_splits, kind), self._uniform)

    # Other forms.

    def to_list(self) -> list[Any]:
        """Nested lists of the values.

        Raises:
            ValueError: there are none while a function is traced.
        """
        self._check_eager("to_list")
        inner = self._values
        values = inner.to_list() if isinstance(inner, RaggedTensor) else inner.array.tolist()
        splits = _eager(self._row_splits)
        return [values[a:b] for a, b in pairwise(splits)]

    def numpy(self) -> Any:
        """An array of the values, of arrays where rows differ in length.

        Raises:
            ValueError: there are no values while a function is traced.
        """
        self._check_eager("numpy")
        splits = _eager(self._row_splits)
        inner = self._values.numpy()
        rows = [inner[a:b] for a, b in pairwise(splits)]
        if not rows:
            return np.array([], dtype=inner.dtype)
        differ = any(len(row) != len(rows[0]) for row in rows)
        return np.array(rows, dtype=np.object_ if differ else None)

    def _check_eager(self, method: str) -> None:
        if not all(isinstance(t, EagerTensor) for t in self.__tf_components__()):
            raise ValueError(f"RaggedTensor.{method}() is only supported in eager mode.")

    def to_tensor(
        self, default_value: object = None, name: str | None = None, shape: object = None
    ) -> Tensor:
        """A tensor with rows filled up to the longest, or to `shape`.

        https://www.tensorflow.org/api_docs/python/tf/RaggedTensor#to_tensor
        """
        made: Tensor = operators.implementation("ragged.to_tensor")(self, default_value, shape)
        return made

    def bounding_shape(
        self, axis: object = None, name: str | None = None, out_type: object = None
    ) -> Tensor:
        """The shape of the smallest tensor that holds it.

        https://www.tensorflow.org/api_docs/python/tf/RaggedTensor#bounding_shape
        """
        made: Tensor = operators.implementation("ragged.bounding_shape")(self, axis, out_type)
        return made

    def merge_dims(self, outer_axis: int, inner_axis: int) -> Any:
        """Neighbouring axes made one."""
        return operators.implementation("ragged.merge_dims")(self, outer_axis, inner_axis)

    def consumers(self) -> list[Any]:
        """The nodes that use its tensors."""
        found: list[list[Any]] = [getattr(t, "consumers", list)() for t in self.__tf_components__()]
        return [node for nodes in found for node in nodes]

    def to_sparse(self, name: str | None = None) -> Any:
        """A sparse tensor of the values, where they stand.

        https://www.tensorflow.org/api_docs/python/tf/RaggedTensor#to_sparse
        """
        return operators.implementation("ragged.to_sparse")(self)

    @classmethod
    def from_sparse(
        cls, st_input: object, name: str | None = None, row_splits_dtype: object = dtypes.int64
    ) -> RaggedTensor:
        """The rows of a sparse matrix without gaps.

        https://www.tensorflow.org/api_docs/python/tf/RaggedTensor#from_sparse
        """
        make = operators.implementation("ragged.from_sparse")
        made: RaggedTensor = make(st_input, row_splits_dtype)
        return made

    def __getitem__(self, key: Any) -> Values:
        """Rows, slices of rows of any axis, and new axes.

        https://www.tensorflow.org/api_docs/python/tf/RaggedTensor#__getitem__
        """
        return operators.implementation("ragged.getitem")(self, key)

    def __iter__(self) -> Any:
        if dispatch.current_graph() is not None:
            raise TypeError("Iterating over a RaggedTensor is only supported in eager mode.")
        return (self[i] for i in range(len(_eager(self._row_splits)) - 1))

    def __bool__(self) -> bool:
        raise TypeError(
            "RaggedTensor may not be used as a boolean; use `tf.reduce_any` or `tf.reduce_all`"
        )

    # How Functions, branches and loops see it.

    def __tf_tracing_type__(self, context: object) -> RaggedTensorSpec:
        return RaggedTensorSpec.from_value(self)

    def __tf_components__(self) -> tuple[Tensor, ...]:
        return (self.flat_values, *self.nested_row_splits)

    def __tf_from_components__(self, components: Sequence[Any]) -> RaggedTensor:
        lengths = [level.static_row_length for level in _levels(self)]
        made: RaggedTensor = _nested(components, lengths)
        return made

    def __tf_gradient_components__(self) -> Tensor:
        return self.flat_values

    def __tf_with_gradients__(self, components: Any) -> RaggedTensor | None:
        return None if components is None else self.with_flat_values(components)

    @property
    def _type_spec(self) -> RaggedTensorSpec:
        return RaggedTensorSpec.from_value(self)

    def __repr__(self) -> str:
        if all(isinstance(t, EagerTensor) for t in self.__tf_components__()):
            return f"<tf.RaggedTensor {ragged_text(self.numpy())}>"
        return f"tf.RaggedTensor(values={self._values}, row_splits={self._row_splits})"

    __str__ = __repr__


def _levels(ragged: Values) -> list[RaggedTensor]:
    found: list[RaggedTensor] = []
    while isinstance(ragged, RaggedTensor):
        found.append(ragged)
        ragged = ragged.values
    return found


def _nested(components: Sequence[Any], lengths: Sequence[int | None]) -> Any:
    """The value around flat values and splits."""
    made, *splits = components
    for row_splits, length in zip(reversed(splits), reversed(lengths), strict=True):
        made = RaggedTensor(made, row_splits, length)
    return made


def _from_spec(spec: RaggedTensorSpec, components: Sequence[Any]) -> Any:
    sizes = spec.static_shape or (None,) * (spec.ragged_rank + 1)
    return _nested(components, sizes[1 : spec.ragged_rank + 1])


RaggedTensorSpec.make = _from_spec
RaggedTensorSpec.kind = RaggedTensor


def _indexable(tensor: Tensor) -> Any:
    return tensor


def _eager(splits: Tensor) -> list[int]:
    found = static_ints(splits)
    assert found is not None  # the caller has checked that it is eager
    return list(found)


def _check_count(before: Values, after: Values) -> None:
    """Check that new values are as many as the old ones, where that is known."""
    old, new = before.static_shape, after.static_shape
    if old and new and None not in (old[0], new[0]) and old[0] != new[0]:
        raise ValueError(
            f"Shapes ({old[0]},) and ({new[0]},) are incompatible: one value per place"
        )
    if after.static_shape == ():
        raise ValueError(f"the values of rows must have an axis, got {after!r}")
