"""Transformations that join elements into batches and windows, and take batches apart."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from tfcheck_runtime.data import elements
from tfcheck_runtime.data.elements import Spec
from tfcheck_runtime.data.functions import ElementFunction, arguments_of, traced
from tfcheck_runtime.data.parts import Parts, Source, count, flag, known_flag, known_int
from tfcheck_runtime.data.spec import DatasetSpec
from tfcheck_runtime.errors import DataLossError, invalid_argument
from tfcheck_runtime.op import Array, define
from tfcheck_runtime.ops.control.iterating import (
    INFINITE,
    UNKNOWN,
    DatasetOp,
    Pipeline,
    Through,
    boxed,
    pipeline_of,
)
from tfcheck_runtime.specs import dtypes, nest
from tfcheck_runtime.specs.shapes import TensorShape, shape_text
from tfcheck_runtime.specs.tensor_spec import TensorSpec
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.resource import Row
from tfcheck_runtime.values.tensor import EagerTensor, apply

Shapes = tuple[tuple[int | None, ...], ...]


class _Batch(Through):
    """Rows stacked, some at a time."""

    def __init__(self, source: Pipeline, size: Array, drop: Array) -> None:
        if size <= 0:
            raise invalid_argument("Batch size must be greater than zero.", "BatchDatasetV2")
        super().__init__(source)
        self._size, self._drop = int(size), bool(drop)

    def over(self, rows: Iterator[Row]) -> Iterator[Row]:
        while chunk := list(itertools.islice(rows, self._size)):
            if len(chunk) == self._size or not self._drop:
                yield self._join(chunk)

    def _join(self, chunk: list[Row]) -> Row:
        return tuple(map(_stack, zip(*chunk, strict=True)))

    def cardinality(self) -> int:
        number = self._source.cardinality()
        if number < 0:
            return number
        return number // self._size if self._drop else -(-number // self._size)


def _stack(column: Sequence[Array]) -> Array:
    shape = column[0].shape
    for array in column:
        if array.shape != shape:
            raise invalid_argument(
                "Cannot add tensor to the batch: number of elements does not match. Shapes are:"
                f" [tensor]: {list(array.shape)}, [batch]: {list(shape)}"
            )
    return np.stack(column)


class _PaddedBatch(_Batch):
    """Rows padded to a common shape and stacked."""

    def __init__(
        self, source: Pipeline, size: Array, drop: Array, *values: Array, shapes: Shapes
    ) -> None:
        super().__init__(source, size, drop)
        self._columns = list(zip(shapes, values, strict=True))

    def _join(self, chunk: list[Row]) -> Row:
        columns = zip(zip(*chunk, strict=True), self._columns, strict=True)
        return tuple(_pad_column(column, *how) for column, how in columns)


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

    def __init__(self, source: Pipeline, *, size: int | None) -> None:
        super().__init__(source)
        self._size = size

    def over(self, rows: Iterator[Row]) -> Iterator[Row]:
        for row in rows:
            if len({len(array) for array in row}) > 1:
                raise invalid_argument(
                    "Input element must have the same batch size in each component, got sizes"
                    f" {[len(array) for array in row]}"
                )
            for i in range(len(row[0])):
                yield tuple(np.asarray(array[i]) for array in row)

    def cardinality(self) -> int:
        number = self._source.cardinality()
        if number < 0:
            return number
        return UNKNOWN if self._size is None else number * self._size


class _Rebatch(Through):
    """Batches of other sizes, which take turns."""

    def __init__(self, source: Pipeline, sizes: Array, drop: Array) -> None:
        super().__init__(_Unbatch(source, size=None))
        self._sizes, self._drop = [int(s) for s in sizes.reshape(-1)], bool(drop)

    def over(self, rows: Iterator[Row]) -> Iterator[Row]:
        for size in itertools.cycle(self._sizes):
            chunk = list(itertools.islice(rows, size))
            if not chunk or (len(chunk) < size and self._drop):
                return
            yield tuple(map(_stack, zip(*chunk, strict=True)))

    def cardinality(self) -> int:
        return INFINITE if self._source.cardinality() == INFINITE else UNKNOWN


class _Listed(Pipeline):
    """Rows at hand."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = rows

    def rows(self) -> Iterator[Row]:
        return iter(self._rows)

    def cardinality(self) -> int:
        return len(self._rows)


class _Window(Through):
    """Datasets of neighbouring rows, one for each array of the rows."""

    def __init__(
        self, source: Pipeline, size: Array, shift: Array, stride: Array, drop: Array
    ) -> None:
        names = ("size", size), ("shift", shift), ("stride", stride)
        for name, value in names:
            if value <= 0:
                raise invalid_argument(f"Window {name} must be greater than zero.", "WindowDataset")
        super().__init__(source)
        self._drop = bool(drop)
        self._size, self._shift, self._stride = int(size), int(shift), int(stride)

    def over(self, rows: Iterator[Row]) -> Iterator[Row]:
        span = (self._size - 1) * self._stride + 1
        buffer = list(itertools.islice(rows, span))
        while len(buffer) == span or (buffer and not self._drop):
            columns = zip(*buffer[:: self._stride], strict=True)
            yield tuple(boxed(_Listed([(array,) for array in column])) for column in columns)
            gap = max(self._shift - len(buffer), 0)
            del buffer[: self._shift]
            skipped = sum(1 for _ in itertools.islice(rows, gap))
            if skipped < gap:
                return
            buffer += itertools.islice(rows, span - len(buffer))

    def cardinality(self) -> int:
        number = self._source.cardinality()
        if number < 0:
            return number
        span = (self._size - 1) * self._stride + 1
        usable = number - span + self._shift if self._drop else number + self._shift - 1
        return max(usable // self._shift, 0)


class _GroupByWindow(Through):
    """Datasets that a function makes of rows that agree in a key."""

    def __init__(
        self, source: Pipeline, *captured: Any, functions: Sequence[ElementFunction]
    ) -> None:
        super().__init__(source)
        rest = iter(boxed(c) if isinstance(c, Pipeline) else c for c in captured)
        self._key, self._reduce, self._size = (
            f.bind([next(rest) for _ in f.externals]) for f in functions
        )

    def over(self, rows: Iterator[Row]) -> Iterator[Row]:
        groups: dict[int, list[Row]] = {}
        sizes: dict[int, int] = {}
        for row in rows:
            key = self._key(row)[0]
            group = groups.setdefault(int(key), [])
            if int(key) not in sizes:
                sizes[int(key)] = self._size_for(key)
            group.append(row)
            if len(group) == sizes[int(key)]:
                yield from self._reduced(int(key), groups.pop(int(key)))
                del sizes[int(key)]
        for number in sorted(groups):
            yield from self._reduced(number, groups[number])

    def _size_for(self, key: Array) -> int:
        size = int(self._size((key,))[0])
        if size <= 0:
            raise invalid_argument(f"Window size must be greater than zero, but got {size}.")
        return size

    def _reduced(self, key: int, group: list[Row]) -> Iterator[Row]:
        made = self._reduce((np.array(key, np.int64), boxed(_Listed(group))))
        return pipeline_of(made[0]).rows()

    def cardinality(self) -> int:
        return UNKNOWN


batch_op = define(DatasetOp("BatchDatasetV2", _Batch))
padded_batch_op = define(DatasetOp("PaddedBatchDatasetV2", _PaddedBatch))
unbatch_op = define(DatasetOp("UnbatchDataset", _Unbatch))
rebatch_op = define(DatasetOp("RebatchDatasetV2", _Rebatch))
window_op = define(DatasetOp("WindowDataset", _Window))
group_op = define(DatasetOp("GroupByWindowDataset", _GroupByWindow))


def batch(source: Source, batch_size: object, *, drop_remainder: object) -> Parts:
    """Stack some elements at a time."""
    size, drop = count(batch_size, "batch_size"), flag(drop_remainder)
    spec = elements.with_leading_axis(
        source.element_spec, known_int(size) if known_flag(drop) else None
    )
    return Parts(apply(batch_op, source.variant, size, drop), spec, "Batch")


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
    padded = [TensorSpec(s, spec.dtype) for s, spec in zip(targets, specs, strict=True)]
    size, drop = count(batch_size, "batch_size"), flag(drop_remainder)
    spec = elements.with_leading_axis(
        nest.pack_sequence_as(source.element_spec, padded),
        known_int(size) if known_flag(drop) else None,
    )
    variant = apply(padded_batch_op, source.variant, size, drop, *padding, shapes=tuple(targets))
    return Parts(variant, spec, "PaddedBatch")


def _padded_shapes(spec: Spec, specs: Sequence[TensorSpec], given: object) -> Shapes:
    if given is None:
        for i, component in enumerate(specs):
            if component.static_shape is None:
                raise ValueError(
                    "You must provide `padded_shapes` argument because component"
                    f" {i} has unknown rank."
                )
        return tuple(s.static_shape or () for s in specs)
    shapes = [_as_shape(shape) for shape in _shapes_in(spec, given)]
    for shape, component in zip(shapes, specs, strict=True):
        own = component.static_shape
        if own is not None and not _fits(own, shape):
            raise ValueError(
                f"The padded shape {shape_text(shape)} is not compatible with the shape"
                f" {shape_text(own)} of the corresponding input component."
            )
    return tuple(shapes)


def _fits(own: tuple[int | None, ...], padded: tuple[int | None, ...]) -> bool:
    return len(own) == len(padded) and all(
        have is None or want is None or have <= want for have, want in zip(own, padded, strict=True)
    )


def _shapes_in(spec: Spec, given: Any) -> list[object]:
    """The shapes of the leaves: a list or tuple for a leaf is a shape, not a structure."""
    if not nest.is_nested(spec):
        return [given]
    pairs = zip(nest.children(spec), nest.children(given), strict=True)
    return [shape for (_, s), (_, g) in pairs for shape in _shapes_in(s, g)]


def _as_shape(given: Any) -> tuple[int | None, ...]:
    if isinstance(given, EagerTensor):
        given = given.array.reshape(-1).tolist()
    if isinstance(given, int):
        given = [given]
    if isinstance(given, list | tuple):
        given = [None if d is None or d == -1 else int(d) for d in given]
    return tuple(TensorShape(given).as_list())


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
        if spec.static_shape == ():
            raise ValueError("Cannot unbatch an input with scalar components.")
        sizes.add(spec.static_shape[0] if spec.static_shape else None)
    known = [s for s in sizes if s is not None]
    if len(known) > 1:
        raise ValueError(f"Dimensions {known[0]} and {known[1]} are not compatible")
    variant = apply(unbatch_op, source.variant, size=known[0] if known else None)
    return Parts(variant, elements.without_leading_axis(source.element_spec), "Unbatch")


def rebatch(source: Source, sizes: object, *, drop_remainder: object) -> Parts:
    """Batches of other sizes."""
    wanted, drop = convert_to_tensor(sizes, dtypes.int64), flag(drop_remainder)
    inner = elements.without_leading_axis(source.element_spec)
    size = known_int(wanted) if known_flag(drop) and wanted.static_shape in ((), (1,)) else None
    spec = elements.with_leading_axis(inner, size)
    return Parts(apply(rebatch_op, source.variant, wanted, drop), spec, "Rebatch")


def window(
    source: Source, size: object, shift: object, stride: object, *, drop_remainder: object
) -> Parts:
    """Datasets of neighbouring elements."""
    numbers = (
        count(size, "size"),
        count(size if shift is None else shift, "shift"),
        count(stride, "stride"),
    )
    variant = apply(window_op, source.variant, *numbers, flag(drop_remainder))
    return Parts(variant, nest.map_structure(DatasetSpec, source.element_spec), "Window")


def group_by_window(
    source: Source, key: Callable[..., Any], reduce: Callable[..., Any], size: Callable[..., Any]
) -> Parts:
    """Datasets that a function makes of elements that agree in a key.

    Raises:
        ValueError: a function returns something else than it should.
    """
    number = TensorSpec((), dtypes.int64)
    what, label = "Dataset.group_by_window()", "GroupByWindowDataset"
    keyed = traced(key, *arguments_of(source.element_spec), what=what, label=label)
    if not isinstance(keyed.spec, TensorSpec) or keyed.spec != number:
        raise ValueError(
            "Invalid `key_func`. `key_func` must return a single `tf.int64` scalar tensor but its"
            f" return type is {keyed.spec}."
        )
    sized = traced(size, number, what=what, label=label)
    reduced = traced(reduce, number, DatasetSpec(source.element_spec), what=what, label=label)
    if not isinstance(reduced.spec, DatasetSpec):
        raise TypeError(
            "Invalid `reduce_func`. `reduce_func` must return a single `tf.data.Dataset` object but"
            f" its return type is {reduced.spec}."
        )
    functions = keyed, reduced, sized
    captured = [e for f in functions for e in f.externals]
    variant = apply(group_op, source.variant, *captured, functions=functions)
    return Parts(variant, reduced.spec.element_spec, "GroupByWindow")
