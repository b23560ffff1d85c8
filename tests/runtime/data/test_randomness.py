"""Shuffles and random functions: TensorFlow's order for a seed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tfcheck_runtime as tf

Dataset = tf.data.Dataset
Values = Callable[[Any], list[Any]]


@pytest.fixture(autouse=True)
def _no_global_seed() -> None:
    tf.random.set_seed(87654321)  # what stands for none when an op has a seed


def drawn(x: Any) -> Any:
    return tf.random.uniform([], 0, 100, tf.int64, seed=1)


def test_each_epoch_has_an_order_of_its_own(values: Values) -> None:
    shuffled = Dataset.range(10).shuffle(4, seed=7)

    assert values(shuffled) == [0, 4, 2, 3, 5, 6, 1, 8, 7, 9]
    assert values(shuffled) == [1, 3, 0, 4, 6, 5, 7, 8, 9, 2]
    assert values(shuffled) == [3, 2, 4, 6, 1, 8, 5, 7, 0, 9]


def test_the_order_stays_when_asked_for(values: Values) -> None:
    shuffled = Dataset.range(10).shuffle(4, seed=7, reshuffle_each_iteration=False)

    assert values(shuffled) == values(shuffled) == [3, 4, 0, 5, 1, 8, 2, 7, 6, 9]


def test_repetitions_are_epochs(values: Values) -> None:
    shuffled = Dataset.range(10).shuffle(10, seed=7).batch(4).repeat(2)

    assert values(shuffled) == [
        [2, 8, 6, 5], [9, 1, 0, 3], [7, 4],
        [9, 1, 3, 0], [6, 4, 7, 8], [2, 5],
    ]  # fmt: skip


def test_the_global_seed_decides_where_there_is_no_other(values: Values) -> None:
    tf.random.set_seed(5)
    first, second = Dataset.range(10).shuffle(10), Dataset.range(10).shuffle(10)

    assert values(first) == [7, 5, 4, 1, 0, 9, 6, 3, 8, 2]
    assert values(second) == [1, 7, 4, 2, 3, 0, 8, 9, 5, 6]


def test_a_shuffle_made_in_a_function_starts_again_with_each_call() -> None:
    tf.random.set_seed(9)

    @tf.function
    def order() -> Any:
        found = tf.TensorArray(tf.int64, 10)
        for i, x in Dataset.range(10).shuffle(10).enumerate():
            found = found.write(tf.cast(i, tf.int32), x)
        return found.stack()

    expected = [3, 9, 2, 7, 1, 5, 4, 6, 8, 0]
    assert order().numpy().tolist() == order().numpy().tolist() == expected


def test_the_buffer_has_a_place() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be greater than zero"):
        Dataset.range(3).shuffle(0)


def test_samples_are_drawn_by_weight(values: Values) -> None:
    tf.random.set_seed(9)
    parts = [Dataset.range(100), Dataset.range(100, 200)]

    sampled = Dataset.sample_from_datasets(parts, weights=[0.3, 0.7], seed=3).take(10)

    assert values(sampled) == [0, 100, 101, 102, 1, 103, 2, 3, 104, 105]


def test_a_seeded_function_draws_the_same_in_each_iteration_and_goes_on_when_repeated(
    values: Values,
) -> None:
    dataset = Dataset.range(3).map(drawn)

    assert values(dataset) == values(dataset) == [91, 41, 34]
    assert values(dataset.repeat(2)) == [91, 41, 34, 16, 99, 13]


def test_random_ops_in_a_loop_over_a_dataset_start_anew_with_each_call() -> None:
    @tf.function
    def draws(dataset: Any) -> Any:
        result = tf.constant(0, tf.int64)
        for x in dataset:
            result = result * 100 + drawn(x)
        return result

    assert [int(draws(Dataset.range(3))) for _ in range(2)] == [914134, 914134]


def test_two_iterators_draw_for_themselves() -> None:
    dataset = Dataset.range(3).map(drawn)
    one, other = iter(dataset), iter(dataset)

    assert [int(next(i)) for i in (one, other, one, other)] == [91, 91, 41, 41]
