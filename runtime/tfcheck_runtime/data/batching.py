"""Transformations that join elements into batches, and take batches apart."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tfcheck_runtime.data import columns
from tfcheck_runtime.data.columns import (
    Code,
    Dense,
    Ragged,
    Thin,
    Uneven,
    codes_for,
    codes_of,
    from_codes,
)
from tfcheck_runtime.data.elements import Spec
from tfcheck_runtime.data.parts import Parts, Source, count, flag, known_flag, known_int
from tfcheck_runtime.data.spec import NoneTensorSpec
from tfcheck_runtime.errors import DataLossError, invalid_argument
from tfcheck_runtime.op import Array, define
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.known import static_ints
from tfcheck_runtime.ops.control.iterating import INFINITE, UNKNOWN, DatasetOp, Pipeline, Through
from tfcheck_runtime.ops.ragged.spec import RaggedTensorSpec
from tfcheck_runtime.specs import dtypes, nest
from tfcheck_runtime.specs.shapes import TensorShape, shape_text
from tfcheck_runtime.specs.sparse_spec import SparseTensorSpec
from tfcheck_runtime.specs.tensor_spec import TensorSpec, TypeSpec
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.resource import Row
from tfcheck_runtime.values.tensor import Tensor, apply


class _Batch(Through):
    """Rows stacked, some at a time."""

    def __init__(
        self, source: Pipeline, size: Array, drop: Array, *, columns: Sequence[Code]
    ) -> None:
        if size <= 0:
            raise invalid_argument("Batch size must be greater than zero.", "BatchDatasetV2")
        super().__init__(source)
        self._size, self._drop = int(size), bool(drop)
        self._columns = from_codes(columns)

    def over(self, rows: Iterator[Row]) -> Iterator[Row]:
        while chunk := list(itertools.islice(rows, self._size)):
            if len(chunk) == self._size or not self._drop:
                yield self._join(chunk)

    def _join(self, chunk: list[Row]) -> Row:
        return columns.joined(chunk, self._columns)

    def cardinality(self) -> int:
        number = self._source.cardinality()
        if number < 0:
            return number
        return number // self._size if self._drop else -(-number // self._size)


class _PaddedBatch(_Batch):
    """Rows padded to a common shape and stacked."""

    def __init__(
        self, source: Pipeline, size: Array, drop: Array, *shapes_and_values: Array
    ) -> None:
        super().__init__(source, size, drop, columns=())
        number = len(shapes_and_values) // 2
        shapes = [_partial(shape.tolist()) for shape in shapes_and_values[:number]]
        self._padding = list(zip(shapes, shapes_and_values[number:], strict=True))

    def _join(self, chunk: list[Row]) -> Row:
        padded = zip(zip(*chunk, strict=True), self._padding, strict=True)
        return tuple(_pad_column(column, *how) for column, how in padded)


def _partial(sizes: Sequence[int]) -> tuple[int | None, ...]:
    """A shape from numbers in which -1 stands for any size."""
    return tuple(None if size == -1 else size for size in sizes)


def _pad_column(column: Sequence[Array], shape: Sequence[int | None], value: Array) -> Array:
    sizes = [a.shape for a in column]
    longest = [max(axis) for axis in zip(*sizes, strict=True)] if shape else []
    target = [have if want is None else want for want, have in zip(shape, longest, strict=True)]
    if any(have > want for want, have in zip(target, longest, strict=True)):
        raise DataLossError(
            None,
            None,
            "Attempted to pad to a smaller size than the input element:"
            f" {longest} does not fit {target}.",
        )
    return np.stack([_pad(a, target, value) for a in column])


def _pad(array: Array, target: Sequence[int], value: Array) -> Array:
    padded = np.full(target, value[()], dtype=array.dtype)
    padded[tuple(slice(size) for size in array.shape)] = array
    return padded


class _Unbatch(Through):
    """The rows inside each row's arrays."""

    def __init__(self, source: Pipeline, *, size: int | None, columns: Sequence[Code]) -> None:
        super().__init__(source)
        self._size, self._columns = size, from_codes(columns)

    def over(self, rows: Iterator[Row]) -> Iterator[Row]:
        return itertools.chain.from_iterable(columns.rows_in(r, self._columns) for r in rows)

    def cardinality(self) -> int:
        number = self._source.cardinality()
        if number < 0:
            return number
        return UNKNOWN if self._size is None else number * self._size


class _Rebatch(Through):
    """Batches of other sizes, which take turns."""

    def __init__(
        self, source: Pipeline, sizes: Array, drop: Array, *, columns: Sequence[Code],
        inside: Sequence[Code],
    ) -> None:  # fmt: skip
        super().__init__(_Unbatch(source, size=None, columns=columns))
        self._sizes, self._drop = [int(s) for s in sizes.reshape(-1)], bool(drop)
        self._columns = from_codes(inside)

    def over(self, rows: Iterator[Row]) -> Iterator[Row]:
        for size in itertools.cycle(self._sizes):
            chunk = list(itertools.islice(rows, size))
            if not chunk or (len(chunk) < size and self._drop):
                return
            yield columns.joined(chunk, self._columns)

    def cardinality(self) -> int:
        return INFINITE if self._source.cardinality() == INFINITE else UNKNOWN


batch_op = define(DatasetOp("BatchDatasetV2", _Batch))
padded_batch_op = define(DatasetOp("PaddedBatchDatasetV2", _PaddedBatch))
unbatch_op = define(DatasetOp("UnbatchDataset", _Unbatch))
rebatch_op = define(DatasetOp("RebatchDatasetV2", _Rebatch))


def batch(source: Source, batch_size: object, *, drop_remainder: object) -> Parts:
    """Stack some elements at a time."""
    size, drop = count(batch_size, "batch_size"), flag(drop_remainder)
    spec = columns.with_leading_axis(
        source.element_spec, known_int(size) if known_flag(drop) else None
    )
    variant = apply(
        batch_op,
        source.variant,
        size,
        drop,
        columns=codes_for(source.element_spec),
    )
    return Parts(variant, spec, "Batch")


def ragged_batch(source: Source, batch_size: object, *, drop_remainder: object) -> Parts:
    """Stack some elements at a time; tensors of unknown sizes become rows of ragged ones."""
    size, drop = count(batch_size, "batch_size"), flag(drop_remainder)
    uneven = nest.map_structure(_uneven, source.element_spec)
    spec = columns.with_leading_axis(uneven, known_int(size) if known_flag(drop) else None)
    own = columns.columns_of(source.element_spec)
    ragged = columns.columns_of(uneven)
    joining = tuple(
        Uneven(b.rank) if isinstance(b, Ragged) and isinstance(a, Dense) else a
        for a, b in zip(own, ragged, strict=True)
    )
    return Parts(
        apply(batch_op, source.variant, size, drop, columns=codes_of(joining)), spec, "Batch"
    )


def sparse_batch(source: Source, batch_size: object, row_shape: object) -> Parts:
    """Sparse tensors of some elements at a time.

    Raises:
        TypeError: the elements are no single tensors.
    """
    leaf = source.element_spec
    if not isinstance(leaf, TensorSpec):
        raise TypeError(f"sparse_batch: the elements must be single tensors, got {leaf}")
    shape = TensorShape(row_shape)
    joining = (Thin(tuple(shape.as_list())),)
    drop = flag(False)
    variant = apply(
        batch_op, source.variant, count(batch_size, "batch_size"), drop, columns=codes_of(joining)
    )
    return Parts(variant, SparseTensorSpec((None, *shape.as_list()), leaf.dtype), "SparseBatch")


def _uneven(leaf: TypeSpec) -> TypeSpec:
    """The type of a tensor of unknown sizes as one row of a ragged tensor."""
    if not isinstance(leaf, TensorSpec) or leaf.static_shape is None:
        return leaf
    unknown = [axis for axis, size in enumerate(leaf.static_shape) if size is None]
    return RaggedTensorSpec(leaf.static_shape, leaf.dtype, unknown[-1]) if unknown else leaf


def padded_batch(
    source: Source, batch_size: object, shapes: object, values: object, *, drop_remainder: object
) -> Parts:
    """Pad some elements to a common shape and stack them.

    Raises:
        ValueError: a shape is missing for a component of unknown rank, or does not fit.
        TypeError: a padding value has another dtype than its component.
    """
    specs: list[TensorSpec] = nest.flatten(source.element_spec)
    targets = _padded_shapes(source.element_spec, specs, shapes)
    padding = _padding_values(specs, values)
    static = [_static(target) for target in targets]
    padded = [TensorSpec(s, spec.dtype) for s, spec in zip(static, specs, strict=True)]
    size, drop = count(batch_size, "batch_size"), flag(drop_remainder)
    spec = columns.with_leading_axis(
        nest.pack_sequence_as(source.element_spec, padded),
        known_int(size) if known_flag(drop) else None,
    )
    variant = apply(padded_batch_op, source.variant, size, drop, *targets, *padding)
    return Parts(variant, spec, "PaddedBatch")


def _padded_shapes(spec: Spec, specs: Sequence[TensorSpec], given: object) -> list[Tensor]:
    """A vector for each component, with -1 for the longest size in the batch."""
    if given is None:
        for i, component in enumerate(specs):
            if component.static_shape is None:
                raise ValueError(
                    "You must provide `padded_shapes` argument because component"
                    f" {i} has unknown rank."
                )
        return [_target(s.static_shape) for s in specs]
    targets = [_target(shape) for shape in shapes_in(spec, given)]
    for target, component in zip(targets, specs, strict=True):
        own, wanted = component.static_shape, _static(target)
        if own is not None and not _fits(own, wanted):
            raise ValueError(
                f"The padded shape {shape_text(wanted)} is not compatible with the shape"
                f" {shape_text(own)} of the corresponding input component."
            )
    return targets


def _static(target: Tensor) -> tuple[int | None, ...]:
    """A shape as far as it is known now."""
    known = static_ints(target)
    rank = target.static_shape[0] if target.static_shape else None
    return _partial(known) if known is not None else (None,) * (rank or 0)


def _fits(own: tuple[int | None, ...], padded: tuple[int | None, ...]) -> bool:
    return len(own) == len(padded) and all(
        have is None or want is None or have <= want for have, want in zip(own, padded, strict=True)
    )


def shapes_in(spec: Spec, given: Any) -> list[object]:
    """The shapes of the leaves: a list or tuple for a leaf is a shape, not a structure."""
    if not nest.is_nested(spec):
        return [given]
    pairs = zip(nest.children(spec), nest.children(given), strict=True)
    return [shape for (_, s), (_, g) in pairs for shape in shapes_in(s, g)]


def _target(given: Any) -> Tensor:
    """A shape as a vector, from numbers, tensors and None, or a `TensorShape`."""
    if isinstance(given, Tensor):
        return cast(given, dtypes.int64)
    if isinstance(given, TensorShape):
        given = given.as_list()
    sizes = given if isinstance(given, list | tuple) else [given]
    whole = [-1 if d is None else cast(d, dtypes.int64) if isinstance(d, Tensor) else int(d)
             for d in sizes]  # fmt: skip
    return convert_to_tensor(whole, dtypes.int64)


def _padding_values(specs: Sequence[TensorSpec], given: object) -> list[Any]:
    if given is None:
        return [convert_to_tensor(_default_padding(s), s.dtype) for s in specs]
    flat = nest.flatten(given)
    values = flat * len(specs) if len(flat) == 1 and not nest.is_nested(given) else flat
    return [_padding(v, s) for v, s in zip(values, specs, strict=True)]


def _default_padding(spec: TensorSpec) -> object:
    return b"" if spec.dtype is dtypes.string else False if spec.dtype.is_bool else 0


def _padding(value: object, spec: TensorSpec) -> Any:
    if value is None:
        return convert_to_tensor(_default_padding(spec), spec.dtype)
    tensor = convert_to_tensor(value)
    if tensor.dtype is not spec.dtype:
        raise TypeError(
            f"Invalid `padding_values`. `padding_values` values type {tensor.dtype} does not match"
            f" type {spec.dtype} of the corresponding input component."
        )
    return tensor


def unbatch(source: Source) -> Parts:
    """One element per row of each element.

    Raises:
        ValueError: an element has a scalar component.
    """
    sizes: set[int | None] = set()
    for spec in nest.flatten(source.element_spec):
        if isinstance(spec, NoneTensorSpec):
            continue
        if spec.static_shape == ():
            raise ValueError("Cannot unbatch an input with scalar components.")
        sizes.add(spec.static_shape[0] if spec.static_shape else None)
    known = [s for s in sizes if s is not None]
    if len(known) > 1:
        raise ValueError(f"Dimensions {known[0]} and {known[1]} are not compatible")
    variant = apply(
        unbatch_op, source.variant, size=known[0] if known else None,
        columns=codes_for(source.element_spec),
    )  # fmt: skip
    return Parts(variant, columns.without_leading_axis(source.element_spec), "Unbatch")


def rebatch(source: Source, sizes: object, *, drop_remainder: object) -> Parts:
    """Batches of other sizes."""
    wanted, drop = convert_to_tensor(sizes, dtypes.int64), flag(drop_remainder)
    inner = columns.without_leading_axis(source.element_spec)
    size = known_int(wanted) if known_flag(drop) and wanted.static_shape in ((), (1,)) else None
    spec = columns.with_leading_axis(inner, size)
    variant = apply(
        rebatch_op, source.variant, wanted, drop,
        columns=codes_for(source.element_spec), inside=codes_for(inner),
    )  # fmt: skip
    return Parts(variant, spec, "Rebatch")
