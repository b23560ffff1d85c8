"""Transformations that make datasets of neighbouring or similar elements."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from tfcheck_runtime.data.functions import ElementFunction, arguments_of, traced
from tfcheck_runtime.data.parts import Parts, Source, count, flag
from tfcheck_runtime.data.spec import DatasetSpec
from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, define
from tfcheck_runtime.ops.control.iterating import (
    UNKNOWN,
    DatasetOp,
    Pipeline,
    Through,
    boxed,
    pipeline_of,
)
from tfcheck_runtime.specs import dtypes, nest
from tfcheck_runtime.specs.tensor_spec import TensorSpec
from tfcheck_runtime.values.resource import Row
from tfcheck_runtime.values.tensor import apply


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


window_op = define(DatasetOp("WindowDataset", _Window))
group_op = define(DatasetOp("GroupByWindowDataset", _GroupByWindow))


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
