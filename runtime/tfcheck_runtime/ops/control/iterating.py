"""The ops of datasets and iterators in graphs; all of them run on the host.

A dataset is a tensor of type `variant` that holds a `Pipeline`, an iterator is a resource.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final, TypeAlias

import numpy as np

from tfcheck_runtime.errors import OutOfRangeError, invalid_argument
from tfcheck_runtime.op import Array, Aval, Op, define
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import DType
from tfcheck_runtime.specs.shapes import Shape, are_compatible, shape_text
from tfcheck_runtime.values.instances import Memory, remembering
from tfcheck_runtime.values.resource import IteratorResource, Row

Kinds: TypeAlias = tuple[tuple[DType, Shape], ...]
"""The types of the arrays of a row."""

INFINITE: Final = -1
UNKNOWN: Final = -2


class Pipeline(ABC):
    """What a dataset tensor holds: rows, made anew for each iteration."""

    stateful: str | None = None
    """The type of an op in its functions whose state no checkpoint keeps, if there is one."""
    keeps_state: bool = True
    """Whether checkpoints must keep the state of functions."""

    @abstractmethod
    def rows(self) -> Iterator[Row]:
        """The elements, one after the other.

        An iteration begins when it is asked for, not with its first element: that is when a
        shuffle among the sources takes the order of its next epoch.
        """

    @abstractmethod
    def cardinality(self) -> int:
        """Their number; `INFINITE` or `UNKNOWN` if there is none."""


class Through(Pipeline):
    """Rows made of those of another pipeline, whose iteration begins with its own."""

    def __init__(self, source: Pipeline) -> None:
        self._source = source

    def rows(self) -> Iterator[Row]:  # noqa: D102
        return self.over(self._source.rows())

    def over(self, rows: Iterator[Row]) -> Iterator[Row]:
        """What becomes of the other's rows."""
        return rows

    def cardinality(self) -> int:  # noqa: D102
        return self._source.cardinality()


def boxed(content: object) -> Array:
    """The array of a `variant` scalar that holds any object."""
    array = np.empty((), dtype=object)
    array[()] = content
    return array


def unboxed(array: Array) -> Any:
    """What `boxed` put in; any other array as it is."""
    if isinstance(array, np.ndarray) and array.dtype == object and array.ndim == 0:
        content = array.item()
        return array if isinstance(content, bytes) else content
    return array


class DatasetOp(Op):
    """Makes a dataset of other datasets and tensors.

    `make` takes the inputs, pipelines for datasets, and the attributes, which may hold functions.
    """

    any_types = True
    foldable = False  # each run has a dataset of its own: some remember how often they ran

    def __init__(self, op_type: str, make: Callable[..., Pipeline]) -> None:
        self.type = op_type
        self._make = make

    def infer(self, *inputs: Aval, **attrs: object) -> Aval:  # noqa: D102
        return Aval(dtypes.variant, ())

    def eager(self, *inputs: Any, **attrs: object) -> Array:  # noqa: D102
        given = [unboxed(i) for i in inputs]
        made = self._make(*given, **attrs)
        if made.keeps_state and made.stateful is None:
            made.stateful = _stateful_in(given, attrs)
        return boxed(made)


class Stateful(ABC):
    """A function whose ops may have a state: the value of an attribute of a `DatasetOp`."""

    @property
    @abstractmethod
    def stateful(self) -> str | None:
        """The type of the first op with a state that no checkpoint keeps."""


def _stateful_in(inputs: Sequence[Any], attrs: Mapping[str, object]) -> str | None:
    flat = chain.from_iterable(a if isinstance(a, tuple) else (a,) for a in attrs.values())
    parts = [p for p in (*inputs, *flat) if isinstance(p, Pipeline | Stateful)]
    return next((p.stateful for p in parts if p.stateful is not None), None)


class _Reduce(Op):
    """Folds the rows into a state; inputs: the dataset, the state, what the function captures."""

    type = "ReduceDataset"
    stateful = True

    def infer(self, *inputs: Aval, fold: Fold, kinds: Kinds, row_kinds: Kinds) -> tuple[Aval, ...]:
        return avals(kinds)

    def eager(
        self, dataset: Array, *inputs: Any, fold: Fold, kinds: Kinds, row_kinds: Kinds
    ) -> Row:
        state: Row = inputs[: len(kinds)]
        step = fold(inputs[len(kinds) :])
        with remembering(Memory()):
            for row in pipeline_of(dataset).rows():
                state = step((*state, *checked(row, row_kinds)))
        return state


Fold: TypeAlias = Callable[[Sequence[Any]], Callable[[Row], Row]]
"""Gives the step for values of what it captures."""


class _SingleElement(Op):
    """The only row."""

    type = "DatasetToSingleElement"
    stateful = True

    def infer(self, dataset: Aval, *, kinds: Kinds) -> tuple[Aval, ...]:
        return avals(kinds)

    def eager(self, dataset: Array, *, kinds: Kinds) -> Row:
        with remembering(Memory()):
            rows = [row for row, _ in zip(pipeline_of(dataset).rows(), range(2), strict=False)]
        if len(rows) != 1:
            raise invalid_argument(
                "Dataset had more than one element." if rows else "Dataset was empty.", self.type
            )
        return rows[0]


class _Cardinality(Op):
    """The number of rows."""

    type = "DatasetCardinality"
    foldable = False

    def infer(self, dataset: Aval) -> Aval:
        return Aval(dtypes.int64, ())

    def eager(self, dataset: Array) -> Array:
        return np.array(pipeline_of(dataset).cardinality(), np.int64)


class _AnonymousIterator(Op):
    """An iterator at the start of nothing."""

    type = "AnonymousIteratorV3"
    stateful = True

    def infer(self) -> Aval:
        return Aval(dtypes.resource, ())

    def eager(self) -> Array:
        return boxed(IteratorResource())


class _MakeIterator(Op):
    """Sends an iterator to the start of a dataset."""

    type = "MakeIterator"
    stateful = True

    def infer(self, dataset: Aval, iterator: Aval) -> tuple[Aval, ...]:
        return ()

    def eager(self, dataset: Array, iterator: object) -> tuple[Array, ...]:
        iterator_of(iterator).start(pipeline_of(dataset))
        return ()


class _GetNext(Op):
    """The next row."""

    type = "IteratorGetNext"
    stateful = True

    def infer(self, iterator: Aval, *, kinds: Kinds) -> tuple[Aval, ...]:
        return avals(kinds)

    def eager(self, iterator: object, *, kinds: Kinds) -> Row:
        row = iterator_of(iterator).next_row()
        if row is None:
            raise OutOfRangeError(None, None, f"End of sequence [Op:{self.type}]")
        return checked(row, kinds)


class _HasNext(Op):
    """Whether another row follows; false, without looking, where the loop ends anyway."""

    type = "IteratorHasNext"
    stateful = True

    def infer(self, iterator: Aval, wanted: Aval) -> Aval:
        return Aval(dtypes.bool, ())

    def eager(self, iterator: object, wanted: Array) -> Array:
        return np.array(bool(wanted) and iterator_of(iterator).has_next())


class _GetNextAsOptional(Op):
    """The next row, or nothing."""

    type = "IteratorGetNextAsOptional"
    stateful = True

    def infer(self, iterator: Aval) -> Aval:
        return Aval(dtypes.variant, ())

    def eager(self, iterator: object) -> Array:
        return boxed(Held(iterator_of(iterator).next_row()))


class _OptionalOf(Op):
    """A row, or nothing, as one value."""

    type = "OptionalFromValue"
    foldable = False

    def infer(self, *row: Aval) -> Aval:
        return Aval(dtypes.variant, ())

    def eager(self, *row: Array) -> Array:
        return boxed(Held(row or None))


class _OptionalHasValue(Op):
    """Whether there is a row."""

    type = "OptionalHasValue"
    foldable = False

    def infer(self, optional: Aval) -> Aval:
        return Aval(dtypes.bool, ())

    def eager(self, optional: Array) -> Array:
        return np.array(optional.item().row is not None)


class _OptionalGetValue(Op):
    """The row."""

    type = "OptionalGetValue"
    stateful = True

    def infer(self, optional: Aval, *, kinds: Kinds) -> tuple[Aval, ...]:
        return avals(kinds)

    def eager(self, optional: Array, *, kinds: Kinds) -> Row:
        row: Row | None = optional.item().row
        if row is None:
            raise invalid_argument("The given optional does not have a value.", self.type)
        return checked(row, kinds)


@dataclass(frozen=True, slots=True)
class Held:
    """What an optional holds."""

    row: Row | None


def avals(kinds: Kinds) -> tuple[Aval, ...]:
    """What is known of the arrays of a row."""
    return tuple(Aval(dtype, shape) for dtype, shape in kinds)


def pipeline_of(dataset: Array) -> Pipeline:
    """The pipeline that a dataset tensor holds."""
    found: Pipeline = dataset.item()
    return found


def iterator_of(iterator: object) -> IteratorResource:
    """The iterator behind a resource, which one made inside the graph reaches in an array."""
    found = iterator.item() if isinstance(iterator, np.ndarray) else iterator
    if not isinstance(found, IteratorResource):
        raise invalid_argument(f"expected an iterator, got {found!r}")
    return found


def checked(row: Row, kinds: Kinds) -> Row:
    """`row`, whose arrays have the shapes of `kinds`.

    Raises:
        InvalidArgumentError: one does not.
    """
    for i, (array, (_, shape)) in enumerate(zip(row, kinds, strict=True)):
        if not are_compatible(array.shape, shape):
            expected, found = (shape_text(s).replace("(", "[").replace(")", "]").replace(",]", "]")
                               for s in (shape, array.shape))  # fmt: skip
            raise invalid_argument(
                f"Incompatible shapes at component {i}: expected {expected} but got {found}."
            )
    return row


reduce_op = define(_Reduce())
single_element_op = define(_SingleElement())
cardinality_op = define(_Cardinality())
anonymous_iterator_op = define(_AnonymousIterator())
make_iterator_op = define(_MakeIterator())
get_next_op = define(_GetNext())
has_next_op = define(_HasNext())
get_next_as_optional_op = define(_GetNextAsOptional())
optional_of_op = define(_OptionalOf())
optional_has_value_op = define(_OptionalHasValue())
optional_get_value_op = define(_OptionalGetValue())
