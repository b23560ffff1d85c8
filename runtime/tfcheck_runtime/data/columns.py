"""The parts of elements side by side: how those of several rows join, and come apart again.

A leaf of an element's structure is a tensor of one array, or a ragged or sparse tensor of several.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import chain, islice, pairwise
from typing import Any, Final, TypeAlias

import numpy as np

from tfcheck_runtime.data.elements import Spec
from tfcheck_runtime.data.spec import NoneTensorSpec
from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array
from tfcheck_runtime.ops.ragged.spec import RaggedTensorSpec
from tfcheck_runtime.specs import nest
from tfcheck_runtime.specs.shapes import Shape
from tfcheck_runtime.specs.sparse_spec import SparseTensorSpec
from tfcheck_runtime.specs.tensor_spec import TensorSpec, TypeSpec
from tfcheck_runtime.values.resource import Row


class Column(ABC):
    """One leaf of the elements' structure."""

    @property
    def width(self) -> int:
        """Number of arrays."""
        return 1

    @abstractmethod
    def join(self, arrays: Sequence[Sequence[Array]]) -> Row:
        """The arrays of a batch, from those of the single values, each array's side by side.

        Raises:
            InvalidArgumentError: the values differ in shape.
        """

    @abstractmethod
    def size(self, arrays: Row) -> int:
        """The number of values in a batch."""

    @abstractmethod
    def values(self, arrays: Row) -> Iterator[Row]:
        """The values of a batch."""


@dataclass(frozen=True, slots=True)
class Dense(Column):
    """A tensor."""

    def join(self, arrays: Sequence[Sequence[Array]]) -> Row:
        """The tensors stacked."""
        (tensors,) = arrays
        shape = tensors[0].shape
        for tensor in tensors:
            if tensor.shape != shape:
                raise invalid_argument(
                    "Cannot add tensor to the batch: number of elements does not match. Shapes"
                    f" are: [tensor]: {list(tensor.shape)}, [batch]: {list(shape)}"
                )
        return (np.stack(tensors),)

    def size(self, arrays: Row) -> int:
        """The size of the first axis."""
        return len(arrays[0])

    def values(self, arrays: Row) -> Iterator[Row]:
        """The parts along the first axis, arrays also where they are scalars."""
        (array,) = arrays
        inner = array.shape[1:]
        return ((array[i : i + 1].reshape(inner),) for i in range(len(array)))


@dataclass(frozen=True, slots=True)
class Ragged(Column):
    """A ragged tensor: flat values, then the row splits of each ragged axis, outermost first."""

    rank: int
    """Number of ragged axes of one value."""

    @property
    def width(self) -> int:
        """One array for the flat values and one for each ragged axis."""
        return self.rank + 1

    def join(self, arrays: Sequence[Sequence[Array]]) -> Row:
        """The values as the rows of a ragged tensor with one more axis."""
        flat, *splits = arrays
        sizes = [len(s) - 1 for s in splits[0]] if splits else [len(f) for f in flat]
        kind = splits[0][0].dtype if splits else np.dtype(np.int64)
        outer = np.cumsum([0, *sizes], dtype=kind)
        return np.concatenate(flat), outer, *map(_joined_splits, splits)

    def size(self, arrays: Row) -> int:
        """The number of rows."""
        return len(arrays[1]) - 1

    def values(self, arrays: Row) -> Iterator[Row]:
        """The rows."""
        flat, outer, *inner = arrays
        for start, end in pairwise(outer):
            splits = []
            for level in inner:
                cut = level[start : end + 1]
                splits.append(cut - cut[0])
                start, end = cut[0], cut[-1]  # narrowed level by level
            yield (flat[start:end], *splits)


def _joined_splits(splits: Sequence[Array]) -> Array:
    offsets = np.cumsum([0, *(s[-1] for s in splits)], dtype=splits[0].dtype)
    moved = [s[1:] + offset for s, offset in zip(splits, offsets[:-1], strict=True)]
    return np.concatenate([offsets[:1], *moved])


@dataclass(frozen=True, slots=True)
class Uneven(Column):
    """A tensor whose sizes may differ from row to row: a batch of them is ragged."""

    rank: int
    """Number of axes, after the first, that are ragged in one value."""

    def join(self, arrays: Sequence[Sequence[Array]]) -> Row:
        """The tensors as the rows of a ragged tensor."""
        values = [self._ragged(array) for array in arrays[0]]
        return Ragged(self.rank).join(list(zip(*values, strict=True)))

    def _ragged(self, array: Array) -> Row:
        count, splits = array.shape[0], []
        for size in array.shape[1 : self.rank + 1]:
            splits.append(np.arange(count + 1, dtype=np.int64) * size)
            count *= size
        return array.reshape(count, *array.shape[self.rank + 1 :]), *splits

    def size(self, arrays: Row) -> int:
        """The size of the first axis."""
        return len(arrays[0])

    def values(self, arrays: Row) -> Iterator[Row]:
        """The parts along the first axis."""
        return Dense().values(arrays)


@dataclass(frozen=True, slots=True)
class Sparse(Column):
    """A sparse tensor: indices, values and dense shape."""

    @property
    def width(self) -> int:
        """Three arrays."""
        return 3

    def join(self, arrays: Sequence[Sequence[Array]]) -> Row:
        """The values along a new first axis, the whole as large as the largest."""
        indices, elements, shapes = arrays
        numbered = [
            np.column_stack([np.full(len(inside), i, np.int64), inside])
            for i, inside in enumerate(indices)
        ]
        whole = np.array([len(shapes), *np.max(shapes, axis=0)], np.int64)
        return np.concatenate(numbered), np.concatenate(elements), whole

    def size(self, arrays: Row) -> int:
        """The size of the first axis."""
        return int(arrays[2][0])

    def values(self, arrays: Row) -> Iterator[Row]:
        """The parts along the first axis."""
        indices, elements, shape = arrays
        for i in range(int(shape[0])):
            here = indices[:, 0] == i
            yield indices[here, 1:], elements[here], shape[1:]


@dataclass(frozen=True, slots=True)
class Thin(Dense):
    """A tensor of which a batch is sparse.

    Args:
        shape: that all values fit; None for the largest size in the batch.
    """

    shape: tuple[int | None, ...]

    def join(self, arrays: Sequence[Sequence[Array]]) -> Row:
        """The tensors as rows of a sparse one, which has all their elements, zeros included."""
        (tensors,) = arrays
        values = [self._sparse(tensor) for tensor in tensors]
        return Sparse().join(list(zip(*values, strict=True)))

    def _sparse(self, tensor: Array) -> Row:
        fits = len(self.shape) == tensor.ndim and all(
            most is None or size <= most
            for size, most in zip(tensor.shape, self.shape, strict=True)
        )
        if not fits:
            raise invalid_argument(
                f"Row shape {list(self.shape)} does not fit an element of shape"
                f" {list(tensor.shape)}",
                "DenseToSparseBatchDataset",
            )
        most = [s if m is None else m for s, m in zip(tensor.shape, self.shape, strict=True)]
        indices = np.indices(tensor.shape).reshape(tensor.ndim, -1).T.astype(np.int64)
        return indices, tensor.reshape(-1), np.array(most, np.int64)


Code: TypeAlias = tuple[Any, ...]
"""A column as an attribute of nodes: its kind and what it was made of."""

_KINDS: Final[Mapping[str, type[Column]]] = {
    kind.__name__: kind for kind in (Dense, Ragged, Uneven, Sparse, Thin)
}


def codes_of(columns: Iterable[Column]) -> tuple[Code, ...]:
    """Columns in a plain form."""
    return tuple((type(c).__name__, *(getattr(c, f.name) for f in fields(c))) for c in columns)  # type: ignore[arg-type]  # all are dataclasses


def from_codes(codes: Iterable[Code]) -> tuple[Column, ...]:
    """The columns that `codes_of` was given."""
    return tuple(_KINDS[name](*rest) for name, *rest in codes)


def columns_of(spec: Spec) -> tuple[Column, ...]:
    """How the leaves of elements of type `spec` join.

    Raises:
        NotImplementedError: they hold something else than tensors, such as datasets.
    """
    leaves = nest.flatten(spec)
    return tuple(_column(leaf) for leaf in leaves if not isinstance(leaf, NoneTensorSpec))


def _column(leaf: TypeSpec) -> Column:
    if isinstance(leaf, TensorSpec):
        return Dense()
    if isinstance(leaf, RaggedTensorSpec):
        return Ragged(leaf.ragged_rank)
    if isinstance(leaf, SparseTensorSpec):
        return Sparse()
    raise NotImplementedError(f"batches of {leaf!r} are not in the embedded runtime")


def joined(rows: Sequence[Row], columns: Sequence[Column]) -> Row:
    """The row of a batch of rows.

    Raises:
        InvalidArgumentError: they differ in shape.
    """
    arrays = iter(zip(*rows, strict=True))
    parts = [column.join(list(islice(arrays, column.width))) for column in columns]
    return tuple(chain.from_iterable(parts))


def rows_in(batch: Row, columns: Sequence[Column]) -> Iterator[Row]:
    """The rows of a batch.

    Raises:
        InvalidArgumentError: its leaves differ in size.
    """
    arrays = iter(batch)
    leaves = [(column, tuple(islice(arrays, column.width))) for column in columns]
    sizes = [column.size(leaf) for column, leaf in leaves]
    if len(set(sizes)) > 1:
        raise invalid_argument(
            f"Input element must have the same batch size in each component, got sizes {sizes}"
        )
    values = zip(*(column.values(leaf) for column, leaf in leaves), strict=True)
    return (tuple(chain.from_iterable(value)) for value in values)


def codes_for(spec: Spec) -> tuple[Code, ...]:
    """The columns of elements of type `spec` in a plain form.

    Raises:
        NotImplementedError: they hold something else than tensors, such as datasets.
    """
    return codes_of(columns_of(spec))


def with_leading_axis(spec: Spec, size: int | None) -> Spec:
    """Types of batches of `size` elements (None: any number).

    Raises:
        NotImplementedError: the elements hold something else than tensors, such as datasets.
    """

    def batched(leaf: TypeSpec) -> TypeSpec:
        if isinstance(leaf, NoneTensorSpec):
            return leaf
        column = _column(leaf)
        shape = _longer(leaf, size)
        if isinstance(leaf, RaggedTensorSpec) and isinstance(column, Ragged):
            return RaggedTensorSpec(shape, leaf.dtype, column.rank + 1, leaf.row_splits_dtype)
        return type(leaf)(shape, leaf.dtype)  # type: ignore[call-arg, attr-defined]

    return nest.map_structure(batched, spec)


def _longer(leaf: TypeSpec, size: int | None) -> Shape:
    shape: Shape = leaf.static_shape  # type: ignore[attr-defined]
    return None if shape is None else (size, *shape)


def without_leading_axis(spec: Spec) -> Spec:
    """Types of the parts, along the first axis, of what `spec` describes."""

    def first(leaf: TypeSpec) -> TypeSpec:
        if isinstance(leaf, NoneTensorSpec):
            return leaf
        shape: Shape = leaf.static_shape  # type: ignore[attr-defined]
        inner = None if shape is None else shape[1:]
        if isinstance(leaf, RaggedTensorSpec):
            return RaggedTensorSpec(
                inner, leaf.dtype, max(leaf.ragged_rank - 1, 0), leaf.row_splits_dtype
            )
        return type(leaf)(inner, leaf.dtype)  # type: ignore[call-arg, attr-defined]

    return nest.map_structure(first, spec)
