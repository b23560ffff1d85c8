"""`tf.data.Dataset`: lazily transformed sequences of elements.

Follows https://www.tensorflow.org/api_docs/python/tf/data/Dataset, the order of seeded shuffles
included. Elements are made one at a time when they are asked for: arguments about parallelism,
prefetching and determinism are accepted and change nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from tfcheck_runtime.data import (
    batching,
    elements,
    elementwise,
    folding,
    grouping,
    ordering,
    sampling,
    saving,
    sources,
)
from tfcheck_runtime.data.base import BaseDataset, on_builtins
from tfcheck_runtime.data.bucketing import Buckets
from tfcheck_runtime.data.elements import Element
from tfcheck_runtime.data.options import ExternalStatePolicy, Options
from tfcheck_runtime.data.parts import Parts
from tfcheck_runtime.data.spec import DatasetSpec
from tfcheck_runtime.specs import dtypes, nest
from tfcheck_runtime.specs.dtypes import as_dtype
from tfcheck_runtime.values.convert import convert_to_tensor

AUTOTUNE: Final = -1


class Dataset(BaseDataset):
    """A sequence of elements, each a structure of tensors; iterate it, or transform it.

    Every transformation returns a new dataset; nothing runs before iteration.
    """

    # Libraries tell TensorFlow's classes by their module and name.
    __module__ = "tensorflow.python.data.ops.dataset_ops"

    # Sources

    @staticmethod
    def from_tensors(tensors: object, name: str | None = None) -> Dataset:
        """One element."""
        return Dataset.of(sources.tensors(tensors))

    @staticmethod
    def from_tensor_slices(tensors: object, name: str | None = None) -> Dataset:
        """One element per row of the given arrays.

        Raises:
            ValueError: an array is a scalar, or they differ in their number of rows.
        """
        return Dataset.of(sources.slices(tensors))

    @staticmethod
    def from_generator(
        generator: Callable[..., Iterable[object]], output_types: object = None,
        output_shapes: object = None, args: tuple[object, ...] | None = None,
        output_signature: object = None, name: str | None = None,
    ) -> Dataset:  # fmt: skip
        """The elements a Python generator yields.

        Raises:
            TypeError: `generator` is not callable, or no types are given.
        """
        spec = sources.generator_spec(output_types, output_shapes, output_signature)
        return Dataset.of(sources.generated(generator, spec, args or ()))

    @staticmethod
    def range(
        *args: object, output_type: object = dtypes.int64, name: str | None = None
    ) -> Dataset:
        """Numbers, with the arguments of Python's `range`."""
        return Dataset.of(sources.numbers(args, output_type))

    @staticmethod
    def random(
        seed: object = None, rerandomize_each_iteration: bool | None = None,
        name: str | None = None,
    ) -> Dataset:  # fmt: skip
        """Random numbers below 2**32, without end."""
        return Dataset.of(sources.random_words(seed, again=bool(rerandomize_each_iteration)))

    @staticmethod
    def counter(
        start: object = 0, step: object = 1, dtype: object = dtypes.int64, name: str | None = None
    ) -> Dataset:
        """Numbers from `start` on, `step` apart, without end."""
        first = convert_to_tensor(start, dtype)

        def following(state: Any, _: Any) -> tuple[Any, Any]:
            return state + convert_to_tensor(step, dtype), state

        return Dataset.from_tensors(0).repeat().scan(first, following)

    @staticmethod
    def list_files(
        file_pattern: object, shuffle: bool | None = None, seed: int | None = None,
        name: str | None = None,
    ) -> Dataset:  # fmt: skip
        """The names of the files that match a pattern or one of several.

        Raises:
            InvalidArgumentError: no file matches.
        """
        names = sources.matching_files(file_pattern)
        made = Dataset.from_tensor_slices(convert_to_tensor(names, dtypes.string))
        return made if shuffle is False else made.shuffle(len(names), seed=seed)

    @staticmethod
    def zip(*args: object, datasets: object = None, name: str | None = None) -> Dataset:
        """Elements of several datasets side by side, until the shortest ends.

        Raises:
            TypeError: something given is not a dataset.
        """
        given = datasets if datasets is not None else args[0] if len(args) == 1 else args
        parts = ordering.zip_(given, lambda part: isinstance(part, Dataset))
        first, *others = nest.flatten(given)
        made: Dataset = first._then(parts, *others)
        return made

    @staticmethod
    def choose_from_datasets(
        datasets: Sequence[Dataset], choice_dataset: Dataset, stop_on_empty_dataset: bool = True
    ) -> Dataset:
        """Elements from several datasets, each from the one that `choice_dataset` names.

        Raises:
            ValueError: there are no datasets.
            TypeError: they differ in their elements.
        """
        parts = ordering.directed(choice_dataset, datasets, stop=stop_on_empty_dataset)
        return datasets[0]._then(parts, *datasets[1:], choice_dataset)

    @staticmethod
    def sample_from_datasets(
        datasets: Sequence[Dataset], weights: object = None, seed: object = None,
        stop_on_empty_dataset: bool = False, rerandomize_each_iteration: bool | None = None,
    ) -> Dataset:  # fmt: skip
        """Elements from several datasets, each from one drawn at random.

        Raises:
            ValueError: there are no datasets, or not one weight for each.
        """
        parts = sampling.mixed(
            datasets, weights, seed, stop=stop_on_empty_dataset,
            again=bool(rerandomize_each_iteration),
        )  # fmt: skip
        return datasets[0]._then(parts, *datasets[1:])

    # Transformations by a function

    def map(
        self, map_func: Callable[..., Any], num_parallel_calls: object = None,
        deterministic: object = None, synchronous: object = None,
        use_unbounded_threadpool: bool = False, name: str | None = None,
    ) -> Dataset:  # fmt: skip
        """Apply a function, traced once, to every element."""
        parallel = num_parallel_calls is not None
        return self._then(elementwise.map_(self, map_func, parallel=parallel))

    def filter(self, predicate: Callable[..., Any], name: str | None = None) -> Dataset:
        """Keep the elements for which a function, traced once, gives True."""
        return self._then(elementwise.filter_(self, predicate))

    def flat_map(self, map_func: Callable[..., Any], name: str | None = None) -> Dataset:
        """The elements of the datasets that a function makes of each element."""
        return self._then(elementwise.flat_map(self, map_func))

    def interleave(
        self, map_func: Callable[..., Any], cycle_length: object = None,
        block_length: object = None, num_parallel_calls: object = None,
        deterministic: object = None, name: str | None = None,
    ) -> Dataset:  # fmt: skip
        """Like `flat_map`, taking `block_length` elements in turn from `cycle_length` datasets."""
        return self._then(
            elementwise.interleave(
                self, map_func, cycle_length, block=block_length, parallel=num_parallel_calls
            )
        )

    def scan(
        self, initial_state: object, scan_func: Callable[..., Any], name: str | None = None
    ) -> Dataset:
        """Elements made by a function of a state and each element; it returns both anew."""
        return self._then(elementwise.scan(self, initial_state, scan_func))

    def take_while(self, predicate: Callable[..., Any], name: str | None = None) -> Dataset:
        """The elements before the first for which the function gives False."""
        return self._then(elementwise.take_while(self, predicate))

    def group_by_window(
        self, key_func: Callable[..., Any], reduce_func: Callable[..., Any],
        window_size: object = None, window_size_func: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> Dataset:  # fmt: skip
        """The elements of datasets that a function makes of elements that agree in a key.

        Raises:
            ValueError: not exactly one of `window_size` and `window_size_func` is given.
        """
        if (window_size is None) == (window_size_func is None):
            raise ValueError(
                "Either the `window_size` argument or the `window_size_func` argument must be"
                " specified, and not both."
            )
        size = window_size_func or (lambda _: convert_to_tensor(window_size, dtypes.int64))
        return self._then(grouping.group_by_window(self, key_func, reduce_func, size))

    def bucket_by_sequence_length(
        self, element_length_func: Callable[..., Any], bucket_boundaries: Sequence[int],
        bucket_batch_sizes: Sequence[int], padded_shapes: object = None,
        padding_values: object = None, pad_to_bucket_boundary: bool = False,
        no_padding: bool = False, drop_remainder: bool = False, name: str | None = None,
    ) -> Dataset:  # fmt: skip
        """Batches of elements of similar length.

        Raises:
            ValueError: there is not one batch size more than boundaries.
        """
        buckets = Buckets(
            element_length_func, bucket_boundaries, bucket_batch_sizes, exact=pad_to_bucket_boundary
        )

        def batched(key: Any, group: Dataset) -> Dataset:
            if no_padding:
                return group.batch(buckets.batch_size(key), drop_remainder)
            shapes = buckets.padded_shapes(group.element_spec, padded_shapes, key)
            return group.padded_batch(
                buckets.batch_size(key), shapes, padding_values, drop_remainder
            )

        return self.group_by_window(buckets.number, batched, window_size_func=buckets.batch_size)

    def reduce(
        self, initial_state: object, reduce_func: Callable[..., Any], name: str | None = None
    ) -> Element:
        """Fold the elements into a state with a function that is traced once."""
        return folding.reduce(self, initial_state, reduce_func)

    def apply(self, transformation_func: Callable[[Dataset], Dataset]) -> Dataset:
        """What a function makes of this dataset.

        Raises:
            TypeError: it makes something else than a dataset.
        """
        made = transformation_func(self)
        if not isinstance(made, Dataset):
            raise TypeError(
                f"`transformation_func` must return a `tf.data.Dataset` object. Got {type(made)}."
            )
        return made

    # Batches and windows

    def batch(
        self, batch_size: object, drop_remainder: object = False,
        num_parallel_calls: object = None, deterministic: object = None, name: str | None = None,
    ) -> Dataset:  # fmt: skip
        """Stack `batch_size` elements at a time; the last batch may be shorter."""
        return self._then(batching.batch(self, batch_size, drop_remainder=drop_remainder))

    def padded_batch(
        self, batch_size: object, padded_shapes: object = None, padding_values: object = None,
        drop_remainder: object = False, name: str | None = None,
    ) -> Dataset:  # fmt: skip
        """Stack `batch_size` elements at a time, padded to a common shape."""
        return self._then(
            batching.padded_batch(
                self, batch_size, padded_shapes, padding_values, drop_remainder=drop_remainder
            )
        )

    def ragged_batch(
        self, batch_size: object, drop_remainder: object = False,
        row_splits_dtype: object = dtypes.int64, name: str | None = None,
    ) -> Dataset:  # fmt: skip
        """Stack `batch_size` elements at a time; tensors of differing sizes become ragged ones.

        Raises:
            NotImplementedError: `row_splits_dtype` is not int64.
        """
        if as_dtype(row_splits_dtype) is not dtypes.int64:
            raise NotImplementedError(
                f"ragged_batch(row_splits_dtype={row_splits_dtype!r}) is not in the embedded"
                " runtime; use tf.int64"
            )
        return self._then(batching.ragged_batch(self, batch_size, drop_remainder=drop_remainder))

    def sparse_batch(
        self, batch_size: object, row_shape: object, name: str | None = None
    ) -> Dataset:
        """Stack `batch_size` elements of differing sizes at a time as sparse tensors."""
        return self._then(batching.sparse_batch(self, batch_size, row_shape))

    def unbatch(self, name: str | None = None) -> Dataset:
        """One element per row of each element."""
        return self._then(batching.unbatch(self))

    def rebatch(
        self, batch_size: object, drop_remainder: object = False, name: str | None = None
    ) -> Dataset:
        """Batches of another size, or of several that take turns."""
        return self._then(batching.rebatch(self, batch_size, drop_remainder=drop_remainder))

    def window(
        self, size: object, shift: object = None, stride: object = 1,
        drop_remainder: object = False, name: str | None = None,
    ) -> Dataset:  # fmt: skip
        """Datasets of `size` neighbouring elements, `shift` apart."""
        return self._then(grouping.window(self, size, shift, stride, drop_remainder=drop_remainder))

    # Order and number

    def shuffle(
        self, buffer_size: object, seed: object = None,
        reshuffle_each_iteration: bool | None = None, name: str | None = None,
    ) -> Dataset:  # fmt: skip
        """Draw elements at random from a buffer; in another order each time unless told."""
        again = reshuffle_each_iteration
        return self._then(ordering.shuffle(self, buffer_size, seed=seed, again=again))

    def repeat(self, count: object = None, name: str | None = None) -> Dataset:
        """The elements `count` times over; without end for None or -1."""
        times = -1 if count is None else count
        return self._then(ordering.counted(self, ordering.repeat_op, "Repeat", count=times))

    def take(self, count: object, name: str | None = None) -> Dataset:
        """The first `count` elements; all for -1."""
        return self._then(ordering.counted(self, ordering.take_op, "Take", count=count))

    def skip(self, count: object, name: str | None = None) -> Dataset:
        """All but the first `count` elements; none for -1."""
        return self._then(ordering.counted(self, ordering.skip_op, "Skip", count=count))

    def shard(self, num_shards: object, index: object, name: str | None = None) -> Dataset:
        """Every `num_shards`-th element, from `index` on."""
        return self._then(
            ordering.counted(self, ordering.shard_op, "Shard", num_shards=num_shards, index=index)
        )

    def enumerate(self, start: object = 0, name: str | None = None) -> Dataset:
        """Pairs of an int64 number and the element."""
        most = dtypes.int64.max
        return self._then(Dataset.zip((Dataset.range(start, most), self))._parts)

    def concatenate(self, dataset: Dataset, name: str | None = None) -> Dataset:
        """These elements, then those of `dataset`."""
        return self._then(ordering.concatenate(self, dataset), dataset)

    def unique(self, name: str | None = None) -> Dataset:
        """Each element when it comes first."""
        return self._then(ordering.unique(self))

    def ignore_errors(self, log_warning: bool = False, name: str | None = None) -> Dataset:
        """The elements that can be made without an error."""
        return self._then(elementwise.ignore_errors(self))

    def cache(self, filename: object = "", name: str | None = None) -> Dataset:
        """Keep the elements of the first complete iteration, in memory or in a folder.

        The folder `filename` keeps them for other datasets and runs; it is not TensorFlow's.
        """
        if filename == "":
            return self._then(ordering.counted(self, ordering.cache_op, "Cache"))
        return self._then(saving.kept(self, filename, saving.cached_op, "Cache", ""))

    def snapshot(
        self, path: object, compression: str = "AUTO",
        reader_func: Callable[..., Any] | None = None,
        shard_func: Callable[..., Any] | None = None, name: str | None = None,
    ) -> Dataset:  # fmt: skip
        """Keep the elements of the first complete iteration in a folder, and read them later on.

        Raises:
            NotImplementedError: `reader_func` or `shard_func` is given.
        """
        _refuse("snapshot", reader_func=reader_func, shard_func=shard_func)
        kind = "" if compression in ("AUTO", None, "SNAPPY") else compression
        return self._then(saving.kept(self, path, saving.snapshot_op, "Snapshot", kind))

    def save(
        self, path: object, compression: str | None = None,
        shard_func: Callable[..., Any] | None = None, checkpoint_args: object = None,
    ) -> None:  # fmt: skip
        """Write the elements to a folder, which `load` reads; not TensorFlow's files.

        Raises:
            NotImplementedError: `shard_func` or `checkpoint_args` is given.
        """
        _refuse("save", shard_func=shard_func, checkpoint_args=checkpoint_args)
        rows = map(elements.row_of, iter(self))
        saving.save(rows, path, self.element_spec, compression)

    @staticmethod
    def load(
        path: object, element_spec: object = None, compression: str | None = None,
        reader_func: Callable[..., Any] | None = None, wait: bool = False,
    ) -> Dataset:  # fmt: skip
        """The dataset that `save` wrote.

        Raises:
            NotFoundError: there is none.
            NotImplementedError: `reader_func` is given.
        """
        _refuse("load", reader_func=reader_func)
        return Dataset.of(saving.load(path, element_spec, compression))

    def prefetch(self, buffer_size: object, name: str | None = None) -> Dataset:
        """The same elements; nothing is prepared ahead here."""
        return self._then(
            ordering.counted(self, ordering.prefetch_op, "Prefetch", buffer_size=buffer_size)
        )

    def rejection_resample(
        self, class_func: Callable[..., Any], target_dist: object, initial_dist: object = None,
        seed: object = None, name: str | None = None,
    ) -> Dataset:  # fmt: skip
        """Pairs of a class and an element, some left out, so that classes come as often as said."""
        return self._then(sampling.resampled(self, class_func, target_dist, initial_dist, seed))

    def with_options(self, options: Options, name: str | None = None) -> Dataset:
        """The same elements.

        Options tune TensorFlow's executor, which is not used here; only the policy for external
        state decides something: what checkpoints of iterators must keep.
        """
        policy = options.experimental_external_state_policy
        keeps = policy in (None, ExternalStatePolicy.FAIL)
        made = self._then(ordering.configured(self, keeps_state=keeps))
        made._options = self._options.merge(options)
        return made

    def get_single_element(self, name: str | None = None) -> Element:
        """The only element.

        Raises:
            InvalidArgumentError: there is none, or more than one.
        """
        return folding.single_element(self)

    @property
    def _parts(self) -> Parts:
        return Parts(self.variant, self.element_spec, self._kind)


DatasetSpec.make = staticmethod(Dataset)
on_builtins(
    {
        "all": lambda dataset: folding.all_(dataset),
        "any": lambda dataset: folding.any_(dataset),
        "enumerate": lambda dataset, start=0: dataset.enumerate(start),
        "filter": lambda function, dataset: dataset.filter(function),
        "len": lambda dataset: folding.length(dataset),
        "map": lambda function, *datasets: _together(datasets).map(function),
        "zip": lambda *datasets, strict=False: Dataset.zip(datasets),
    }
)


def _refuse(method: str, **arguments: object) -> None:
    for name, value in arguments.items():
        if value is not None:
            raise NotImplementedError(
                f"Dataset.{method}({name}=...) is not in the embedded runtime; leave it out"
            )


def _together(datasets: tuple[Dataset, ...]) -> Dataset:
    return datasets[0] if len(datasets) == 1 else Dataset.zip(datasets)


Dataset.__name__ = Dataset.__qualname__ = "DatasetV2"
