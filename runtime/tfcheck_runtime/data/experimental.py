"""`tf.data.experimental`: older spellings of what datasets do by methods.

Follows https://www.tensorflow.org/api_docs/python/tf/data/experimental.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfcheck_runtime.data import ordering, sources
from tfcheck_runtime.data.dataset import Dataset
from tfcheck_runtime.data.elements import Spec
from tfcheck_runtime.data.iterator import OwnedIterator
from tfcheck_runtime.data.optional import Optional
from tfcheck_runtime.data.parts import Parts
from tfcheck_runtime.errors import OutOfRangeError
from tfcheck_runtime.ops.files.record_writer import TFRecordWriter as FileWriter
from tfcheck_runtime.specs import dtypes, nest
from tfcheck_runtime.specs.tensor_spec import TensorSpec
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor

Transformation = Callable[[Dataset], Dataset]


def cardinality(dataset: Dataset) -> Tensor:
    """The number of elements of a dataset, -1 if infinite, -2 if unknown; int64."""
    return dataset.cardinality()


def assert_cardinality(expected_cardinality: object) -> Transformation:
    """Says how many elements there are; iterating over more or fewer is an error."""

    def transform(dataset: Dataset) -> Dataset:
        return Dataset.of(
            ordering.counted(
                dataset, ordering.assert_cardinality_op, "AssertCardinality",
                expected_cardinality=expected_cardinality,
            )
        )  # fmt: skip

    return transform


def Counter(  # noqa: N802  # TensorFlow's name
    start: object = 0, step: object = 1, dtype: object = dtypes.int64
) -> Dataset:
    """Numbers from `start` on, `step` apart, without end."""
    return Dataset.counter(start, step, dtype)


def get_structure(dataset_or_iterator: Any) -> Spec:
    """The type of the elements."""
    spec: Spec = dataset_or_iterator.element_spec
    return spec


def get_single_element(dataset: Dataset) -> Any:
    """The only element of a dataset."""
    return dataset.get_single_element()


def get_next_as_optional(iterator: OwnedIterator) -> Optional:
    """The next element of an iterator, or nothing."""
    return iterator.get_next_as_optional()


def ignore_errors(log_warning: bool = False) -> Transformation:
    """The elements that can be made without an error."""
    return lambda dataset: dataset.ignore_errors(log_warning)


def unique() -> Transformation:
    """Each element when it comes first."""
    return lambda dataset: dataset.unique()


def unbatch() -> Transformation:
    """One element per row of each element."""
    return lambda dataset: dataset.unbatch()


def take_while(predicate: Callable[..., Any]) -> Transformation:
    """The elements before the first for which the function gives False."""
    return lambda dataset: dataset.take_while(predicate)


def scan(initial_state: object, scan_func: Callable[..., Any]) -> Transformation:
    """Elements made by a function of a state and each element."""
    return lambda dataset: dataset.scan(initial_state, scan_func)


def enumerate_dataset(start: object = 0) -> Transformation:
    """Pairs of a number and the element."""
    return lambda dataset: dataset.enumerate(start)


def shuffle_and_repeat(
    buffer_size: object, count: object = None, seed: object = None
) -> Transformation:
    """Shuffle, then repeat."""
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


def map_and_batch(
    map_func: Callable[..., Any], batch_size: object, num_parallel_batches: object = None,
    drop_remainder: bool = False, num_parallel_calls: object = None,
) -> Transformation:  # fmt: skip
    """Map, then batch."""
    return lambda dataset: dataset.map(map_func).batch(batch_size, drop_remainder)


def group_by_window(
    key_func: Callable[..., Any], reduce_func: Callable[..., Any], window_size: object = None,
    window_size_func: Callable[..., Any] | None = None,
) -> Transformation:  # fmt: skip
    """The elements of datasets that a function makes of elements that agree in a key."""
    return lambda dataset: dataset.group_by_window(
        key_func, reduce_func, window_size, window_size_func
    )


def from_list(elements: list[Any], name: str | None = None) -> Dataset:
    """One element per item of a list.

    Raises:
        ValueError: the list is empty.
        TypeError: its items differ in structure.
    """
    if not elements:
        raise ValueError("Invalid `elements`. `elements` should not be empty.")
    for element in elements[1:]:
        nest.assert_same_structure(elements[0], element)
    columns = zip(*map(nest.flatten, elements), strict=True)
    return Dataset.from_tensor_slices(
        nest.pack_sequence_as(elements[0], [convert_to_tensor(list(c)) for c in columns])
    )


def at(dataset: Dataset, index: object) -> Any:
    """The element at `index`.

    Raises:
        OutOfRangeError: there are fewer elements.
    """
    element = next(iter(dataset.skip(index).take(1)), None)
    if element is None:
        raise OutOfRangeError(None, None, f"Index out of range [0, {len(dataset)}):{index}")
    return element


def bucket_by_sequence_length(
    element_length_func: Callable[..., Any], bucket_boundaries: list[int],
    bucket_batch_sizes: list[int], padded_shapes: object = None, padding_values: object = None,
    pad_to_bucket_boundary: bool = False, no_padding: bool = False, drop_remainder: bool = False,
) -> Transformation:  # fmt: skip
    """Batches of elements of similar length."""
    return lambda dataset: dataset.bucket_by_sequence_length(
        element_length_func, bucket_boundaries, bucket_batch_sizes, padded_shapes, padding_values,
        pad_to_bucket_boundary, no_padding, drop_remainder,
    )  # fmt: skip


def dense_to_ragged_batch(
    batch_size: object, drop_remainder: bool = False, row_splits_dtype: object = dtypes.int64
) -> Transformation:
    """Batches in which tensors of differing sizes become ragged."""
    return lambda dataset: dataset.ragged_batch(batch_size, drop_remainder, row_splits_dtype)


def dense_to_sparse_batch(batch_size: object, row_shape: object) -> Transformation:
    """Batches as sparse tensors, for elements of differing sizes."""
    return lambda dataset: dataset.sparse_batch(batch_size, row_shape)


def parallel_interleave(
    map_func: Callable[..., Any], cycle_length: int, block_length: int = 1,
    sloppy: bool | None = False, buffer_output_elements: int | None = None,
    prefetch_input_elements: int | None = None,
) -> Transformation:  # fmt: skip
    """The elements of several datasets in turn."""
    return lambda dataset: dataset.interleave(map_func, cycle_length, block_length)


def rejection_resample(
    class_func: Callable[..., Any], target_dist: object, initial_dist: object = None,
    seed: object = None,
) -> Transformation:  # fmt: skip
    """Pairs of a class and an element, some left out, so that classes come as often as said."""
    return lambda dataset: dataset.rejection_resample(class_func, target_dist, initial_dist, seed)


def copy_to_device(target_device: str, source_device: str = "/cpu:0") -> Transformation:
    """The same elements; placement is the runtime's own."""
    return lambda dataset: dataset.prefetch(-1)


def prefetch_to_device(device: str, buffer_size: object = None) -> Transformation:
    """The same elements; placement is the runtime's own."""
    return lambda dataset: dataset.prefetch(-1)


def sample_from_datasets(
    datasets: list[Dataset], weights: object = None, seed: object = None,
    stop_on_empty_dataset: bool = False,
) -> Dataset:  # fmt: skip
    """Elements from several datasets, each from one drawn at random."""
    return Dataset.sample_from_datasets(datasets, weights, seed, stop_on_empty_dataset)


def choose_from_datasets(
    datasets: list[Dataset], choice_dataset: Dataset, stop_on_empty_dataset: bool = False
) -> Dataset:
    """Elements from several datasets, each from the one that `choice_dataset` names."""
    return Dataset.choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset)


class TFRecordWriter:
    """Writes the elements of a dataset of strings to a TFRecord file.

    Args:
        filename: of the file.
        compression_type: "", "GZIP" or "ZLIB".
    """

    def __init__(self, filename: object, compression_type: str | None = None) -> None:
        self._filename, self._compression = filename, compression_type

    def write(self, dataset: Dataset) -> None:
        """Write all elements, each as a record.

        Raises:
            TypeError: the elements are no scalar strings.
        """
        if dataset.element_spec != TensorSpec((), dtypes.string):
            raise TypeError(
                "Invalid `dataset`. `dataset` must be a dataset of scalar `tf.string` tensors, got"
                f" {dataset.element_spec}."
            )
        with FileWriter(self._filename, self._compression) as writer:
            for record in dataset:
                writer.write(record.numpy())


def save(
    dataset: Dataset, path: object, compression: str | None = None,
    shard_func: Callable[..., Any] | None = None, checkpoint_args: object = None,
) -> None:  # fmt: skip
    """Write the elements to a folder, which `load` reads."""
    dataset.save(path, compression, shard_func, checkpoint_args)


def load(
    path: object, element_spec: object = None, compression: str | None = None,
    reader_func: Callable[..., Any] | None = None,
) -> Dataset:  # fmt: skip
    """The dataset that `save` wrote."""
    return Dataset.load(path, element_spec, compression, reader_func)


def snapshot(
    path: object, compression: str = "AUTO", reader_func: Callable[..., Any] | None = None,
    shard_func: Callable[..., Any] | None = None,
) -> Transformation:  # fmt: skip
    """Keep the elements of the first complete iteration in a folder, and read them later on."""
    return lambda dataset: dataset.snapshot(path, compression, reader_func, shard_func)


class RandomDataset(Dataset):
    """Random numbers below 2**32, without end."""

    def __init__(self, seed: object = None, name: str | None = None) -> None:
        super().__init__(*_random(seed))

    @classmethod
    def of(cls, parts: Parts) -> Dataset:  # type: ignore[override]  # transformations are others
        """A dataset of other parts."""
        return Dataset.of(parts)


def _random(seed: object) -> tuple[Any, Any, str]:
    parts = sources.random_words(seed, again=False)
    return parts.variant, parts.spec, parts.kind
