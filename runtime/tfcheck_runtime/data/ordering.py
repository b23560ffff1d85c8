"""Transformations that choose and order elements, and join datasets."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from tfcheck_runtime.data import elements
from tfcheck_runtime.data.parts import Parts, Source, count
from tfcheck_runtime.data.words import Epochs, Words
from tfcheck_runtime.errors import FailedPreconditionError, invalid_argument
from tfcheck_runtime.op import Array, define
from tfcheck_runtime.ops.control.iterating import INFINITE, UNKNOWN, DatasetOp, Pipeline, Through
from tfcheck_runtime.ops.random.philox import Philox
from tfcheck_runtime.ops.random.seeds import next_seeds
from tfcheck_runtime.specs import dtypes, nest
from tfcheck_runtime.specs.tensor_spec import TensorSpec
from tfcheck_runtime.values.resource import Row
from tfcheck_runtime.values.tensor import apply


class _Take(Through):
    """The first rows."""

    def __init__(self, source: Pipeline, limit: Array) -> None:
        super().__init__(source)
        self._limit = None if limit < 0 else int(limit)

    def rows(self) -> Iterator[Row]:
        # As in TensorFlow, no iteration of the source begins for no rows.
        return iter(()) if self._limit == 0 else super().rows()

    def over(self, rows: Iterator[Row]) -> Iterator[Row]:
        return itertools.islice(rows, self._limit)

    def cardinality(self) -> int:
        size, limit = self._source.cardinality(), self._limit
        if limit is None or size == UNKNOWN:
            return UNKNOWN if size == UNKNOWN and limit != 0 else 0 if limit == 0 else size
        return limit if size == INFINITE else min(size, limit)


class _Skip(Through):
    """All but the first rows."""

    def __init__(self, source: Pipeline, start: Array) -> None:
        super().__init__(source)
        self._start = int(start)

    def rows(self) -> Iterator[Row]:
        return iter(()) if self._start < 0 else super().rows()

    def over(self, rows: Iterator[Row]) -> Iterator[Row]:
        return itertools.islice(rows, self._start, None)

    def cardinality(self) -> int:
        size = self._source.cardinality()
        if self._start < 0:
            return 0
        return size if size < 0 else max(size - self._start, 0)


class _Shard(Through):
    """Every n-th row."""

    def __init__(self, source: Pipeline, shards: Array, index: Array) -> None:
        super().__init__(source)
        if shards < 1:
            raise invalid_argument(
                f"Number of shards must be greater than zero (currently num_shards = {shards}).",
                "ShardDataset",
            )
        if not 0 <= index < shards:
            raise invalid_argument(
                f"Index must be between 0 and {shards - 1} (currently index = {index}).",
                "ShardDataset",
            )
        self._shards, self._index = int(shards), int(index)

    def over(self, rows: Iterator[Row]) -> Iterator[Row]:
        return itertools.islice(rows, self._index, None, self._shards)

    def cardinality(self) -> int:
        size = self._source.cardinality()
        return size if size < 0 else len(range(self._index, size, self._shards))


class _Repeat(Through):
    """The rows several times over."""

    def __init__(self, source: Pipeline, times: Array) -> None:
        super().__init__(source)
        self._times = int(times)

    def rows(self) -> Iterator[Row]:
        if self._times == 0 and self._repeats_shuffle:
            raise invalid_argument(
                "count must be greater than zero or equal to -1.", "ShuffleAndRepeatDataset"
            )
        return iter(()) if self._times == 0 else super().rows()

    def over(self, rows: Iterator[Row]) -> Iterator[Row]:
        for number in itertools.count(1):
            found = False
            for row in rows:
                found = True
                yield row
            if number != self._times and (found or self._times > 0):
                rows = self._source.rows()
                continue
            if self._times > 1 and not self._repeats_shuffle:
                # As in TensorFlow, one more begins that gives nothing. What is repeated once is
                # no repetition there.
                self._source.rows()
            return

    @property
    def _repeats_shuffle(self) -> bool:
        """Whether TensorFlow makes one dataset of this one and its source."""
        return isinstance(self._source, _Shuffle)

    def cardinality(self) -> int:
        size = self._source.cardinality()
        if self._times < 0:
            return 0 if size == 0 else INFINITE
        return 0 if self._times == 0 else size if size < 0 else size * self._times


class _Shuffle(Through):
    """Rows drawn from a buffer, in TensorFlow's order for the seeds."""

    def __init__(
        self, source: Pipeline, size: Array, *, seed: int, seed2: int, again: bool
    ) -> None:
        super().__init__(source)
        if size <= 0 and size != UNKNOWN:
            raise invalid_argument(
                f"buffer_size must be greater than zero or UNKNOWN_CARDINALITY, got {size}",
                "ShuffleDatasetV3",
            )
        self._size = None if size == UNKNOWN else int(size)
        self._start = Philox.from_seeds(seed, seed2) if seed or seed2 else Philox.from_entropy()
        self._epochs = Epochs(self._start) if again else None

    def rows(self) -> Iterator[Row]:
        return self._shuffled(self._start if self._epochs is None else self._epochs.begin())

    def _shuffled(self, start: Philox) -> Iterator[Row]:
        # As in TensorFlow, the source begins with the first row.
        words, source = Words(start), self._source.rows()
        buffer = list(itertools.islice(source, self._size))
        first = 0
        for row in source:
            yield self._drawn(buffer, first, len(buffer), next(words))
            # The place of the drawn row is free: the buffer is a ring.
            buffer[first] = row
            first = (first + 1) % len(buffer)
        for left in range(len(buffer), 0, -1):
            yield self._drawn(buffer, first, left, next(words))
            first = (first + 1) % len(buffer)

    @staticmethod
    def _drawn(buffer: list[Row], first: int, left: int, word: int) -> Row:
        """One of the `left` rows from `first` on, which `first` takes the place of."""
        chosen = (first + word % left) % len(buffer)
        row, buffer[chosen] = buffer[chosen], buffer[first]
        return row


class _Prefetch(Through):
    """The same rows: nothing is made ahead."""

    def __init__(self, source: Pipeline, size: Array) -> None:
        super().__init__(source)
        if size < -1:
            raise invalid_argument(
                "buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning",
                "PrefetchDataset",
            )


class _Cache(Through):
    """The rows of the first complete iteration, kept in memory."""

    def __init__(self, source: Pipeline) -> None:
        super().__init__(source)
        self._kept: list[Row] | None = None

    def rows(self) -> Iterator[Row]:
        return super().rows() if self._kept is None else iter(self._kept)

    def over(self, rows: Iterator[Row]) -> Iterator[Row]:
        fresh: list[Row] = []
        for row in rows:
            fresh.append(row)
            yield row
        self._kept = fresh


class _Configured(Through):
    """The same rows, by other rules for checkpoints."""

    def __init__(self, source: Pipeline, *, keeps_state: bool) -> None:
        super().__init__(source)
        self.keeps_state = keeps_state


class _Unique(Through):
    """Each row when it comes first."""

    def over(self, rows: Iterator[Row]) -> Iterator[Row]:
        seen: set[Any] = set()
        for row in rows:
            key = tuple(a.item() if a.ndim == 0 else (a.shape, a.tobytes()) for a in row)
            if key not in seen:
                seen.add(key)
                yield row

    def cardinality(self) -> int:
        return UNKNOWN


class _AssertCardinality(Through):
    """The rows, which must be as many as was said."""

    def __init__(self, source: Pipeline, expected: Array) -> None:
        super().__init__(source)
        self._expected = int(expected)

    def over(self, rows: Iterator[Row]) -> Iterator[Row]:
        number = 0
        for row in rows:
            number += 1
            if number > self._expected != INFINITE:
                self._fail(f"at least {number}")
            yield row
        if number < self._expected or self._expected == INFINITE:
            self._fail(f"only {number}")

    def _fail(self, found: str) -> None:
        wanted = "an infinite number of" if self._expected < 0 else str(self._expected)
        raise FailedPreconditionError(
            None,
            None,
            f"Input dataset was expected to contain {wanted} elements but contained {found}"
            " elements.",
        )

    def cardinality(self) -> int:
        return self._expected


class _Concatenate(Pipeline):
    """The rows of one pipeline, then of another."""

    def __init__(self, first: Pipeline, second: Pipeline) -> None:
        self._parts = first, second

    def rows(self) -> Iterator[Row]:
        first, *others = self._parts
        return itertools.chain(first.rows(), _in_turn(others))

    def cardinality(self) -> int:
        sizes = [p.cardinality() for p in self._parts]
        if INFINITE in sizes:
            return INFINITE
        return UNKNOWN if UNKNOWN in sizes else sum(sizes)


def _in_turn(parts: Sequence[Pipeline]) -> Iterator[Row]:
    return itertools.chain.from_iterable(p.rows() for p in parts)


class _Zip(Pipeline):
    """Rows side by side, until the shortest pipeline ends."""

    def __init__(self, *parts: Pipeline) -> None:
        self._parts = parts

    def rows(self) -> Iterator[Row]:
        together = zip(*[p.rows() for p in self._parts], strict=False)
        return (tuple(itertools.chain.from_iterable(rows)) for rows in together)

    def cardinality(self) -> int:
        finite = [size for size in (p.cardinality() for p in self._parts) if size != INFINITE]
        return UNKNOWN if UNKNOWN in finite else min(finite, default=INFINITE)


class _Directed(Pipeline):
    """From each of several pipelines in turn, as another one of numbers says."""

    def __init__(self, selector: Pipeline, *parts: Pipeline, stop: bool) -> None:
        self._selector, self._parts, self._stop = selector, parts, stop

    def rows(self) -> Iterator[Row]:
        return self._chosen(self._selector.rows(), [p.rows() for p in self._parts])

    def _chosen(self, choices: Iterator[Row], parts: list[Iterator[Row]]) -> Iterator[Row]:
        open_ = dict(enumerate(parts))
        for (choice,) in choices:
            index = int(choice)
            if not 0 <= index < len(self._parts):
                raise invalid_argument(
                    f"Selector index out of range: {index} >= {len(self._parts)}"
                )
            row = next(open_[index], None) if index in open_ else None
            if row is not None:
                yield row
                continue
            open_.pop(index, None)
            if self._stop or not open_:
                return

    def cardinality(self) -> int:
        sizes = [p.cardinality() for p in self._parts]
        if self._selector.cardinality() == INFINITE and all(s == INFINITE for s in sizes):
            return INFINITE
        return UNKNOWN


take_op = define(DatasetOp("TakeDataset", _Take))
skip_op = define(DatasetOp("SkipDataset", _Skip))
shard_op = define(DatasetOp("ShardDataset", _Shard))
repeat_op = define(DatasetOp("RepeatDataset", _Repeat))
shuffle_op = define(DatasetOp("ShuffleDatasetV3", _Shuffle))
cache_op = define(DatasetOp("CacheDatasetV2", _Cache))
prefetch_op = define(DatasetOp("PrefetchDataset", _Prefetch))
options_op = define(DatasetOp("OptionsDataset", _Configured))
unique_op = define(DatasetOp("UniqueDataset", _Unique))
assert_cardinality_op = define(DatasetOp("AssertCardinalityDataset", _AssertCardinality))
concatenate_op = define(DatasetOp("ConcatenateDataset", _Concatenate))
zip_op = define(DatasetOp("ZipDataset", _Zip))
directed_op = define(DatasetOp("DirectedInterleaveDataset", _Directed))


_UNIQUE_KINDS: Final = (dtypes.int32, dtypes.int64, dtypes.string)


def unique(source: Source) -> Parts:
    """Each element when it comes first.

    Raises:
        TypeError: the elements are of a type that TensorFlow does not compare.
        InvalidArgumentError: they have several components.
    """
    flat = nest.flatten(source.element_spec)
    for spec in flat:
        if spec.dtype not in _UNIQUE_KINDS:
            raise TypeError(
                f"`tf.data.Dataset.unique` does not support type {spec.dtype!r} -- only `tf.int32`,"
                " `tf.int64`, and `tf.string` are supported."
            )
    if len(flat) != 1:
        raise invalid_argument(
            "UniqueDataset only supports inputs with a single component.", "UniqueDataset"
        )
    return counted(source, unique_op, "Unique")


def counted(source: Source, op: DatasetOp, kind: str, **numbers: object) -> Parts:
    """A transformation that takes numbers and keeps the type of the elements."""
    tensors = [count(value, name) for name, value in numbers.items()]
    return Parts(apply(op, source.variant, *tensors), source.element_spec, kind)


def shuffle(source: Source, buffer_size: object, *, seed: object, again: bool | None) -> Parts:
    """Draw elements at random from a buffer."""
    seeds = next_seeds(seed)
    variant = apply(
        shuffle_op, source.variant, count(buffer_size, "buffer_size"),
        seed=seeds.seed, seed2=seeds.seed2, again=again is not False,
    )  # fmt: skip
    return Parts(variant, source.element_spec, "Shuffle")


def configured(source: Source, *, keeps_state: bool) -> Parts:
    """The same elements.

    Args:
        source: a dataset.
        keeps_state: whether checkpoints of iterators must keep all state; without, they leave out
            that of functions.
    """
    variant = apply(options_op, source.variant, keeps_state=keeps_state)
    return Parts(variant, source.element_spec, "Options")


def concatenate(source: Source, other: Source) -> Parts:
    """The elements of one dataset, then of another.

    Raises:
        TypeError: their elements differ in structure or dtype.
    """
    try:
        spec = elements.merged_spec(source.element_spec, other.element_spec)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"Incompatible dataset elements:\n  {source.element_spec} vs.   {other.element_spec}"
        ) from error
    return Parts(apply(concatenate_op, source.variant, other.variant), spec, "Concatenate")


def zip_(structure: Any, is_dataset: Callable[[object], bool]) -> Parts:
    """Elements of several datasets side by side.

    Raises:
        TypeError: something in the structure is not a dataset.
    """
    expected = (
        "Invalid input to `zip`. Inputs are expected to be (nested) structures of"
        " `tf.data.Dataset` objects"
    )
    if isinstance(structure, list):
        raise TypeError(
            f"{expected}. Python `list` is not supported and you should use `tuple` instead."
        )
    parts = nest.flatten(structure)
    for part in parts:
        if not is_dataset(part):
            raise TypeError(f"{expected} but encountered object of type {type(part)}.")
    return joined(structure)


def joined(structure: Any) -> Parts:
    """Elements of the sources in a structure side by side."""
    spec = nest.map_structure(lambda part: part.element_spec, structure)
    variants = [part.variant for part in nest.flatten(structure)]
    return Parts(apply(zip_op, *variants), spec, "Zip")


def directed(selector: Source, parts: Sequence[Source], *, stop: bool) -> Parts:
    """Elements from several datasets in the order that `selector` says.

    Raises:
        ValueError: there are no datasets.
        TypeError: they differ in their elements, or the selector's are no int64 scalars.
    """
    if not parts:
        raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
    if selector.element_spec != TensorSpec((), dtypes.int64):
        raise TypeError(
            "Invalid `choice_dataset`. Elements of `choice_dataset` must be scalar `tf.int64`"
            f" tensors but are {selector.element_spec}."
        )
    spec = parts[0].element_spec
    for number, part in enumerate(parts[1:], 1):
        try:
            spec = elements.merged_spec(spec, part.element_spec)
        except (TypeError, ValueError) as error:
            raise TypeError(
                "Invalid `datasets`. `datasets` must have compatible element specs.\n Dataset 0"
                f" element_spec={spec}.\nDataset {number} element_spec={part.element_spec}."
            ) from error
    variants = [p.variant for p in parts]
    variant = apply(directed_op, selector.variant, *variants, stop=stop)
    return Parts(variant, spec, "DirectedInterleave")
