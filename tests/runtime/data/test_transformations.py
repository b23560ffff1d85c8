"""What transformations make of elements; the values are TensorFlow's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tfcheck_runtime as tf

Dataset = tf.data.Dataset
Values = Callable[[Any], list[Any]]


def repeated(x: Any) -> Any:
    return Dataset.from_tensors(x).repeat(x + 1)


def growing(x: Any) -> Any:
    return tf.fill([x], x)


@pytest.mark.parametrize(
    ("cycle", "block", "expected"),
    [
        (1, 1, [1, 1, 2, 2, 2, 3, 3, 3, 3]),
        (2, 1, [1, 2, 1, 2, 2, 3, 3, 3, 3]),
        (2, 3, [1, 1, 2, 2, 2, 3, 3, 3, 3]),
        (3, 2, [1, 1, 2, 2, 3, 3, 2, 3, 3]),
    ],
)
def test_interleaving_takes_blocks_in_turn(
    cycle: int, block: int, expected: list[int], values: Values
) -> None:
    dataset = Dataset.range(1, 4).interleave(repeated, cycle_length=cycle, block_length=block)

    assert values(dataset) == expected


@pytest.mark.parametrize("name", ["flat_map", "interleave"])
def test_a_function_for_flattening_must_return_a_dataset(name: str) -> None:
    with pytest.raises(TypeError, match="`map_func` must return a `Dataset` object"):
        getattr(Dataset.range(3), name)(lambda x: (x, x))

    with pytest.raises(AttributeError, match="`map_func` must return a `Dataset`, not a tensor"):
        getattr(Dataset.range(3), name)(lambda x: x)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"size": 3}, [[0, 1, 2], [3, 4, 5], [6]]),
        ({"size": 3, "shift": 2, "stride": 2}, [[0, 2, 4], [2, 4, 6], [4, 6], [6]]),
        (
            {"size": 3, "shift": 1, "stride": 2, "drop_remainder": True},
            [[0, 2, 4], [1, 3, 5], [2, 4, 6]],
        ),
        ({"size": 2, "shift": 4}, [[0, 1], [4, 5]]),
    ],
)
def test_windows_are_datasets(
    arguments: dict[str, Any], expected: list[list[int]], values: Values
) -> None:
    windows = Dataset.range(7).window(**arguments)

    assert values(windows.flat_map(lambda w: w.batch(3))) == expected
    assert windows.cardinality().numpy() == len(expected)
    assert windows.element_spec == tf.data.DatasetSpec(tf.TensorSpec([], tf.int64))


def test_windows_of_dictionaries_are_dictionaries_of_datasets(values: Values) -> None:
    windows = Dataset.from_tensor_slices({"a": [1, 2, 3]}).window(2)

    assert [values(w["a"]) for w in windows] == [[1, 2], [3]]


def test_a_scan_passes_a_state_on(values: Values) -> None:
    zero = tf.constant(0, tf.int64)

    assert values(Dataset.range(5).scan(zero, lambda s, x: (s + x, s * x))) == [0, 0, 2, 9, 24]


def test_the_state_of_a_scan_may_change_its_shape(values: Values) -> None:
    start = tf.zeros([1], tf.int64)

    grown = Dataset.range(3).scan(start, lambda s, x: (tf.concat([s, [x]], 0), s))

    assert values(grown) == [[0], [0, 0], [0, 0, 1]]
    assert grown.element_spec == tf.TensorSpec([None], tf.int64)


def test_grouping_by_window_flushes_what_is_left_by_key(values: Values) -> None:
    grouped = Dataset.range(10).group_by_window(
        key_func=lambda x: x % 2, reduce_func=lambda _, group: group.batch(3), window_size=3
    )

    assert values(grouped) == [[0, 2, 4], [1, 3, 5], [6, 8], [7, 9]]


def test_buckets_hold_elements_of_similar_length(values: Values) -> None:
    lengths = Dataset.from_tensor_slices([1, 5, 3, 2, 8]).map(tf.range)

    batches = lengths.bucket_by_sequence_length(lambda e: tf.shape(e)[0], [3, 6], [2, 2, 2])

    assert values(batches) == [
        [[0, 1, 2, 3, 4], [0, 1, 2, 0, 0]],
        [[0, 0], [0, 1]],
        [[0, 1, 2, 3, 4, 5, 6, 7]],
    ]


def test_padded_batches_grow_to_the_longest_element(values: Values) -> None:
    padded = Dataset.range(1, 5).map(growing).padded_batch(2)

    assert values(padded) == [[[1, 0], [2, 2]], [[3, 3, 3, 0], [4, 4, 4, 4]]]
    assert padded.element_spec == tf.TensorSpec([None, None], tf.int64)


def test_padding_takes_a_shape_and_a_value(values: Values) -> None:
    value = tf.constant(-1, tf.int64)

    padded = Dataset.range(1, 3).map(growing).padded_batch(2, padded_shapes=3, padding_values=value)

    assert values(padded) == [[[1, -1, -1], [2, 2, -1]]]


def test_a_padding_value_has_the_dtype_of_its_component() -> None:
    with pytest.raises(
        TypeError, match="type <dtype: 'int32'> does not match type <dtype: 'int64'>"
    ):
        Dataset.range(1, 5).map(growing).padded_batch(2, padding_values=-1)


def test_an_element_longer_than_its_padding_is_an_error(values: Values) -> None:
    padded = Dataset.range(1, 5).map(growing).padded_batch(2, padded_shapes=[2])

    with pytest.raises(tf.errors.DataLossError, match="Attempted to pad to a smaller size"):
        values(padded)


def test_elements_of_different_shapes_do_not_batch(values: Values) -> None:
    batches = Dataset.range(1, 5).map(growing).batch(2)

    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match=r"Cannot add tensor to the batch: number of elements does not match. Shapes are:"
        r" \[tensor\]: \[2\], \[batch\]: \[1\]",
    ):
        values(batches)


def test_batches_can_be_taken_apart_and_made_anew(values: Values) -> None:
    batches = Dataset.range(7).batch(3)

    assert values(batches.unbatch().take(4)) == [0, 1, 2, 3]
    assert values(batches.rebatch(2)) == [[0, 1], [2, 3], [4, 5], [6]]
    assert values(batches.rebatch([2, 3])) == [[0, 1], [2, 3, 4], [5, 6]]


@pytest.mark.parametrize("name", ["filter", "take_while"])
def test_a_predicate_returns_one_bool(name: str) -> None:
    with pytest.raises(ValueError, match=r"`predicate` must return a `tf\.bool` scalar tensor"):
        getattr(Dataset.range(3), name)(lambda x: x)


def test_functions_are_converted_by_autograph(values: Values) -> None:
    def large(x: Any) -> Any:
        if x > 1:
            return x * 10
        return x

    assert values(Dataset.range(4).map(large)) == [0, 1, 20, 30]


def test_a_returned_list_is_a_tuple_at_the_top_and_a_tensor_inside(values: Values) -> None:
    assert values(Dataset.range(2).map(lambda x: [x, x + 1])) == [(0, 1), (1, 2)]
    assert values(Dataset.range(2).map(lambda x: (x, [x, x]))) == [(0, [0, 0]), (1, [1, 1])]


def test_a_function_must_return_tensors() -> None:
    with pytest.raises(TypeError, match=r"return value from function passed to Dataset\.map\(\)"):
        Dataset.range(3).map(lambda _: object())


def test_a_function_is_traced_once_and_sees_variables_as_they_are(values: Values) -> None:
    traces = []
    offset = tf.Variable(1, dtype=tf.int64)

    def shifted(x: Any) -> Any:
        traces.append(x)
        return x + offset

    dataset = Dataset.range(2).map(shifted)
    before = values(dataset)
    offset.assign(5)

    assert (before, values(dataset), len(traces)) == ([1, 2], [5, 6], 1)


def test_errors_name_the_transformation(values: Values) -> None:
    failing = Dataset.range(2).map(lambda x: tf.gather([1], x))

    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match=r"^Error in user-defined function passed to MapDataset transformation: ",
    ):
        values(failing)


def test_elements_that_fail_can_be_left_out(values: Values) -> None:
    failing = Dataset.range(3).map(lambda x: tf.gather([7, 8], x))

    assert values(failing.ignore_errors()) == [7, 8]


def test_missing_components_stay_missing(values: Values) -> None:
    dataset = Dataset.range(2).map(lambda x: (x, None))

    assert values(dataset) == [(0, None), (1, None)]
    assert values(dataset.map(lambda x, _: x)) == [0, 1]


def test_a_cache_runs_what_is_before_it_once(values: Values) -> None:
    calls = []

    def noted(x: Any) -> Any:
        calls.append(int(x))
        return x

    cached = Dataset.range(3).map(lambda x: tf.py_function(noted, [x], tf.int64)).cache()

    assert (values(cached), values(cached), calls) == ([0, 1, 2], [0, 1, 2], [0, 1, 2])


def test_concatenated_datasets_have_the_type_of_both() -> None:
    joined = Dataset.range(3).batch(2).concatenate(Dataset.range(2).batch(3, drop_remainder=True))

    assert joined.element_spec == tf.TensorSpec([None], tf.int64)
    with pytest.raises(TypeError, match="Incompatible dataset elements"):
        joined.concatenate(Dataset.from_tensor_slices([1.0]))


def test_zipping_refuses_lists() -> None:
    with pytest.raises(
        TypeError, match="Python `list` is not supported and you should use `tuple`"
    ):
        Dataset.zip([Dataset.range(3)])


def test_choices_come_from_a_dataset(values: Values) -> None:
    parts = [Dataset.range(3), Dataset.range(100, 110)]
    choices = Dataset.range(2).repeat(5)

    stopped = Dataset.choose_from_datasets(parts, choices)
    whole = Dataset.choose_from_datasets(parts, choices, stop_on_empty_dataset=False)

    assert values(stopped) == [0, 100, 1, 101, 2, 102]
    assert values(whole) == [0, 100, 1, 101, 2, 102, 103, 104]


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda d: d.batch(2), 3),
        (lambda d: d.batch(2, drop_remainder=True), 2),
        (lambda d: d.filter(lambda x: x > 1), -2),
        (lambda d: d.filter(lambda x: x > 1).take(3), -2),
        (lambda d: d.repeat(), -1),
        (lambda d: d.repeat().take(3), 3),
        (lambda d: d.repeat().skip(3), -1),
        (lambda d: d.filter(lambda x: x > 1).repeat(), -1),
        (lambda d: d.skip(9), 0),
        (lambda d: d.take(-1), 5),
        (lambda d: d.shard(2, 1), 2),
        (lambda d: d.enumerate(), 5),
        (lambda d: d.unique(), -2),
        (lambda d: d.flat_map(repeated), -2),
    ],
)
def test_cardinalities_are_tensorflows(make: Callable[[Any], Any], expected: int) -> None:
    assert make(Dataset.range(5)).cardinality().numpy() == expected


def test_the_length_must_be_known() -> None:
    assert len(Dataset.range(5).batch(2)) == 3
    with pytest.raises(TypeError, match=r"^The dataset is infinite\.$"):
        len(Dataset.range(5).repeat())
    with pytest.raises(TypeError, match=r"^The dataset length is unknown\.$"):
        len(Dataset.range(5).filter(lambda x: x > 1))


@pytest.mark.parametrize(("size", "expected"), [(1, 0), (2, None), (0, None)])
def test_the_single_element_is_the_only_one(size: int, expected: int | None) -> None:
    dataset = Dataset.range(size)

    if expected is not None:
        assert dataset.get_single_element().numpy() == expected
        return
    message = "Dataset had more than one element." if size else "Dataset was empty."
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        dataset.get_single_element()


def test_the_number_of_elements_can_be_asserted(values: Values) -> None:
    asserted = Dataset.range(5).apply(tf.data.experimental.assert_cardinality(4))

    assert asserted.cardinality().numpy() == 4
    with pytest.raises(tf.errors.FailedPreconditionError, match="contained at least 5 elements"):
        values(asserted)


def test_options_are_kept_and_unknown_ones_refused() -> None:
    options = tf.data.Options()
    options.deterministic = False
    options.threading.private_threadpool_size = 2

    assert Dataset.range(3).with_options(options).map(lambda x: x).options().deterministic is False
    with pytest.raises(AttributeError, match="Cannot set the property speed on Options"):
        options.speed = 3


def test_a_dataset_shows_how_it_was_made() -> None:
    assert repr(Dataset.range(3).map(lambda x: x)) == (
        "<_MapDataset element_spec=TensorSpec(shape=(), dtype=tf.int64, name=None)>"
    )
