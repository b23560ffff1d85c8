"""Transformations that run a function on each element."""

from __future__ import annotations

import builtins
import itertools
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tfcheck_runtime.data import elements
from tfcheck_runtime.data.elements import Spec
from tfcheck_runtime.data.functions import (
    ElementFunction,
    arguments_of,
    is_scalar_bool,
    traced,
)
from tfcheck_runtime.data.parts import Parts, Source, count
from tfcheck_runtime.data.spec import DatasetSpec
from tfcheck_runtime.errors import OpError, invalid_argument
from tfcheck_runtime.op import Array, define
from tfcheck_runtime.ops.control.iterating import (
    UNKNOWN,
    DatasetOp,
    Pipeline,
    Through,
    boxed,
    pipeline_of,
)
from tfcheck_runtime.specs import nest
from tfcheck_runtime.specs.shapes import common_supershape, is_subshape
from tfcheck_runtime.specs.tensor_spec import TensorSpec
from tfcheck_runtime.values.resource import Row
from tfcheck_runtime.values.tensor import apply


def _restored(values: Sequence[Any]) -> list[Any]:
    # Captured datasets come as pipelines; a graph takes them as tensors.
    return [boxed(v) if isinstance(v, Pipeline) else v for v in values]


class _Map(Through):
    """What a function makes of each row."""

    def __init__(self, source: Pipeline, *captured: Any, function: ElementFunction) -> None:
        super().__init__(source)
        self._call = function.bind(_restored(captured))

    def over(self, rows: Iterator[Row]) -> Iterator[Row]:
        # Not a generator: the iteration can go on after an error.
        return builtins.map(self._call, rows)


class _Filter(_Map):
    """The rows for which a function gives True."""

    def over(self, rows: Iterator[Row]) -> Iterator[Row]:
        return builtins.filter(lambda row: bool(self._call(row)[0]), rows)

    def cardinality(self) -> int:
        return UNKNOWN


class _TakeWhile(_Filter):
    """The rows before the first for which a function gives False."""

    def over(self, rows: Iterator[Row]) -> Iterator[Row]:
        return itertools.takewhile(lambda row: bool(self._call(row)[0]), rows)


class _Scan(Through):
    """What a function makes of each row and a state that it passes on."""

    def __init__(self, source: Pipeline, *inputs: Any, function: ElementFunction, size: int):
        super().__init__(source)
        self._state: Row = tuple(_restored(inputs[:size]))
        self._call = function.bind(_restored(inputs[size:]))

    def over(self, rows: Iterator[Row]) -> Iterator[Row]:
        state, size = self._state, len(self._state)
        for row in rows:
            made = self._call((*state, *row))
            state = made[:size]
            yield made[size:]


class _Interleave(_Map):
    """The rows of datasets that a function makes, some from each in turn."""

    def __init__(
        self, source: Pipeline, cycle: Array, block: Array, *captured: Any,
        function: ElementFunction,
    ) -> None:  # fmt: skip
        super().__init__(source, *captured, function=function)
        for value, name in ((cycle, "cycle_length"), (block, "block_length")):
            if value <= 0:
                raise invalid_argument(f"`{name}` must be > 0", "InterleaveDataset")
        self._cycle, self._block = int(cycle), int(block)

    def over(self, rows: Iterator[Row]) -> Iterator[Row]:
        sources = super().over(rows)
        slots: list[Iterator[Row] | None] = [None] * self._cycle
        exhausted = False
        for position in itertools.cycle(range(self._cycle)):
            if slots[position] is None and not exhausted:
                following = next(sources, None)
                exhausted = following is None
                if following is not None:
                    slots[position] = pipeline_of(following[0]).rows()
            current = slots[position]
            if current is not None:
                taken = 0
                for row in itertools.islice(current, self._block):
                    taken += 1
                    yield row
                # A finished slot is filled when its turn comes again.
                slots[position] = current if taken == self._block else None
            elif exhausted and not any(slots):
                return

    def cardinality(self) -> int:
        return UNKNOWN


class _IgnoreErrors(Through):
    """The rows that could be made."""

    def over(self, rows: Iterator[Row]) -> Iterator[Row]:
        while True:
            try:
                yield next(rows)
            except OpError:
                continue
            except StopIteration:
                return

    def cardinality(self) -> int:
        return UNKNOWN


map_op = define(DatasetOp("MapDataset", _Map))
parallel_map_op = define(DatasetOp("ParallelMapDatasetV2", _Map))
filter_op = define(DatasetOp("FilterDataset", _Filter))
take_while_op = define(DatasetOp("TakeWhileDataset", _TakeWhile))
scan_op = define(DatasetOp("ScanDataset", _Scan))
flat_map_op = define(DatasetOp("FlatMapDataset", _Interleave))
interleave_op = define(DatasetOp("InterleaveDataset", _Interleave))
parallel_interleave_op = define(DatasetOp("ParallelInterleaveDatasetV4", _Interleave))
ignore_errors_op = define(DatasetOp("IgnoreErrorsDataset", _IgnoreErrors))


def map_(source: Source, function: Callable[..., Any], *, parallel: bool) -> Parts:
    """Apply a function to every element.

    Raises:
        TypeError: it returns something that has no tensor form.
        InvalidArgumentError: it returns no tensor.
    """
    label = "ParallelMapDatasetV2" if parallel else "MapDataset"
    made = traced(function, *arguments_of(source.element_spec), what="Dataset.map()", label=label)
    if not elements.kinds_of(made.spec):
        raise invalid_argument(
            "the function passed to Dataset.map() returned no tensor; elements need at least one",
            label,
        )
    op = parallel_map_op if parallel else map_op
    variant = apply(op, source.variant, *made.externals, function=made)
    return Parts(variant, made.spec, "ParallelMap" if parallel else "Map")


def filter_(source: Source, predicate: Callable[..., Any]) -> Parts:
    """Keep the elements for which a function gives True.

    Raises:
        ValueError: the function does not return one bool.
    """
    made = _predicate(source, predicate, "Dataset.filter()", "FilterDataset")
    variant = apply(filter_op, source.variant, *made.externals, function=made)
    return Parts(variant, source.element_spec, "Filter")


def take_while(source: Source, predicate: Callable[..., Any]) -> Parts:
    """Stop before the first element for which a function gives False.

    Raises:
        ValueError: the function does not return one bool.
    """
    made = _predicate(source, predicate, "Dataset.take_while()", "TakeWhileDataset")
    variant = apply(take_while_op, source.variant, *made.externals, function=made)
    return Parts(variant, source.element_spec, "TakeWhile")


def _predicate(
    source: Source, predicate: Callable[..., Any], what: str, label: str
) -> ElementFunction:
    made = traced(predicate, *arguments_of(source.element_spec), what=what, label=label)
    if not is_scalar_bool(made):
        raise ValueError(
            "Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, but its return"
            f" type is {made.spec}."
        )
    return made


def scan(source: Source, initial_state: object, function: Callable[..., Any]) -> Parts:
    """Elements that depend on those before through a state.

    Raises:
        TypeError: the function does not return a state like the initial one and an output.
    """
    start = elements.as_element(initial_state)
    state = elements.spec_of(start)
    made, state = stable(
        function, state, source.element_spec, what="Dataset.scan()", label="ScanDataset",
        new_state=_scan_state,
    )  # fmt: skip
    tensors = elements.tensors_of(start)
    variant = apply(
        scan_op, source.variant, *tensors, *made.externals, function=made, size=len(tensors)
    )
    return Parts(variant, made.spec[1], "Scan")


def _scan_state(spec: Spec) -> Spec:
    if not isinstance(spec, tuple) or len(spec) != 2:
        raise TypeError(
            "Invalid `scan_func`. `scan_func` should return a pair consisting of new state and the"
            f" output value but its return type is {spec}."
        )
    return spec[0]


def stable(
    function: Callable[..., Any], state: Spec, element: Spec, *, what: str, label: str,
    new_state: Callable[[Spec], Spec],
) -> tuple[ElementFunction, Spec]:  # fmt: skip
    """Trace a function from a state and an element, and again while shapes of the state grow.

    Raises:
        TypeError: the new state differs from the old in structure or dtype.
    """
    while True:
        made = traced(function, state, element, what=what, label=label)
        after = new_state(made.spec)
        _check_state(state, after)
        wider = nest.map_structure(_wider, state, after)
        if wider == state:
            return made, state
        state = wider


def _check_state(before: Spec, after: Spec) -> None:
    try:
        nest.assert_same_structure(before, after, check_types=False)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"The element structure for the new state must match the initial state. {error}"
        ) from error
    for old, new in zip(nest.flatten(before), nest.flatten(after), strict=True):
        if isinstance(old, TensorSpec) and old.dtype is not new.dtype:
            raise TypeError(
                "The element types for the new state must match the initial state. Expected"
                f" {old.dtype} but got {new.dtype}."
            )


def _wider(old: Any, new: Any) -> Any:
    if not isinstance(old, TensorSpec) or is_subshape(new.static_shape, old.static_shape):
        return old
    return TensorSpec(common_supershape(old.static_shape, new.static_shape), old.dtype)


def interleave(
    source: Source, function: Callable[..., Any], cycle: object, *, block: object, parallel: object
) -> Parts:
    """The elements of several datasets, some from each in turn.

    Args:
        source: what the datasets are made of.
        function: makes a dataset of an element.
        cycle: number of datasets to read from at a time; None or -1 for as many as fit the machine.
        block: number of elements to take from each in turn.
        parallel: number of calls at a time; changes only how many fit the machine.

    Raises:
        AttributeError: the function returns a tensor.
        TypeError: it returns something else than a dataset.
    """
    made, inner = _flattened(source, function, "Dataset.interleave()")
    if cycle is None or cycle == -1:
        cycle = _fitting_cycle(parallel)
    op = interleave_op if parallel is None else parallel_interleave_op
    sizes = count(cycle, "cycle_length"), count(1 if block is None else block, "block_length")
    variant = apply(op, source.variant, *sizes, *made.externals, function=made)
    return Parts(variant, inner, "Interleave" if parallel is None else "ParallelInterleave")


def _fitting_cycle(parallel: object) -> int:
    cores = os.cpu_count() or 1
    if parallel is None:
        return cores
    # As TensorFlow: each dataset read takes two threads that prepare the following ones.
    return -(-cores // 3) if parallel == -1 else min(int(parallel), cores)  # type: ignore[call-overload]  # an int or a scalar tensor


def flat_map(source: Source, function: Callable[..., Any]) -> Parts:
    """The elements of the datasets that a function makes, one dataset after the other.

    Raises:
        AttributeError: the function returns a tensor.
        TypeError: it returns something else than a dataset.
    """
    made, inner = _flattened(source, function, "Dataset.flat_map()")
    one = count(1, "cycle_length")
    variant = apply(flat_map_op, source.variant, one, one, *made.externals, function=made)
    return Parts(variant, inner, "FlatMap")


def _flattened(
    source: Source, function: Callable[..., Any], what: str
) -> tuple[ElementFunction, Spec]:
    made = traced(function, *arguments_of(source.element_spec), what=what, label="FlatMapDataset")
    if isinstance(made.spec, TensorSpec):
        # TensorFlow stumbles over a tensor before it looks at the type.
        raise AttributeError(f"{what}: `map_func` must return a `Dataset`, not a tensor")
    if not isinstance(made.spec, DatasetSpec):
        raise TypeError(
            f"Invalid `map_func`. `map_func` must return a `Dataset` object. Got {made.spec}."
        )
    return made, made.spec.element_spec


def ignore_errors(source: Source) -> Parts:
    """Leave out the elements that cannot be made."""
    return Parts(apply(ignore_errors_op, source.variant), source.element_spec, "IgnoreErrors")
