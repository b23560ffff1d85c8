"""Datasets made of data."""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfcheck_runtime as tf

Dataset = tf.data.Dataset
Values = Callable[[Any], list[Any]]
Pair = collections.namedtuple("Pair", "a b")


def test_slices_keep_the_structure_of_what_they_are_taken_from(values: Values) -> None:
    dataset = Dataset.from_tensor_slices(([1, 2], {"s": ["x", "y"]}))

    assert values(dataset) == [(1, {"s": b"x"}), (2, {"s": b"y"})]
    assert dataset.element_spec == (
        tf.TensorSpec([], tf.int32),
        {"s": tf.TensorSpec([], tf.string)},
    )


def test_named_tuples_reach_functions_whole(values: Values) -> None:
    dataset = Dataset.from_tensor_slices(Pair([1, 2], [3.0, 4.0])).map(lambda pair: pair.a)

    assert values(dataset) == [1, 2]


def test_arrays_of_different_length_have_no_slices() -> None:
    with pytest.raises(ValueError, match=r"^Dimensions 2 and 3 are not compatible$"):
        Dataset.from_tensor_slices(([1, 2], [1, 2, 3]))


def test_a_scalar_has_no_slices() -> None:
    with pytest.raises(ValueError, match="Unbatching a tensor is only supported for rank >= 1"):
        Dataset.from_tensor_slices(5)


def test_the_slices_of_nothing_are_float32(values: Values) -> None:
    dataset = Dataset.from_tensor_slices([])

    assert (values(dataset), dataset.element_spec) == ([], tf.TensorSpec([], tf.float32))


@pytest.mark.parametrize(
    ("bounds", "expected"), [((3,), [0, 1, 2]), ((1, 5, 2), [1, 3]), ((5, 0, -2), [5, 3, 1])]
)
def test_a_range_takes_the_arguments_of_pythons(
    bounds: tuple[int, ...], expected: list[int], values: Values
) -> None:
    assert values(Dataset.range(*bounds)) == expected


def test_a_range_needs_a_step() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="step must be a non-zero integer"):
        Dataset.range(1, 5, 0)


def test_a_generator_is_called_again_for_each_iteration(values: Values) -> None:
    dataset = Dataset.from_generator(lambda: range(3), output_signature=tf.TensorSpec([], tf.int32))

    assert (values(dataset), values(dataset)) == ([0, 1, 2], [0, 1, 2])
    assert dataset.cardinality().numpy() == tf.data.UNKNOWN_CARDINALITY


def test_a_generator_gets_its_arguments_as_numpy_data(values: Values) -> None:
    def numbers(count: int, name: bytes) -> Iterator[dict[str, object]]:
        yield {"count": count, "name": name, "kind": type(count).__name__}

    signature = {
        "count": tf.TensorSpec([], tf.int32),
        "name": tf.TensorSpec([], tf.string),
        "kind": tf.TensorSpec([], tf.string),
    }
    dataset = Dataset.from_generator(numbers, args=(2, "hi"), output_signature=signature)

    assert values(dataset) == [{"count": 2, "name": b"hi", "kind": b"int32"}]


@pytest.mark.parametrize(
    ("yielded", "shape", "message"),
    [
        ("a", [], "could not be converted to the expected type. The expected type was int32"),
        ([1], [2], r"of shape \(1,\) where an element of shape \(2,\) was expected"),
    ],
)
def test_what_a_generator_yields_must_fit(
    yielded: object, shape: list[int], message: str, values: Values
) -> None:
    dataset = Dataset.from_generator(lambda: iter([yielded]), tf.int32, shape)

    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        values(dataset)


def test_an_error_inside_a_generator_is_told_as_one_of_the_pipeline(values: Values) -> None:
    dataset = Dataset.from_generator(lambda: (1 // 0 for _ in range(1)), tf.int32)

    with pytest.raises(tf.errors.UnknownError, match="ZeroDivisionError"):
        values(dataset)


@pytest.mark.parametrize("given", [{}, {"output_signature": tf.int32}])
def test_a_generator_needs_a_signature_of_specs(given: dict[str, object]) -> None:
    with pytest.raises(TypeError, match="output_signature"):
        Dataset.from_generator(lambda: range(3), **given)


def test_random_words_are_tensorflows(values: Values) -> None:
    tf.random.set_seed(9)

    fixed = Dataset.random(seed=4).take(3)
    again = Dataset.random(seed=4, rerandomize_each_iteration=True).take(3)

    assert values(fixed) == values(fixed) == [4068724908, 2894038555, 85430303]
    assert values(again) == [1286743330, 1646459388, 1645179298]
    assert values(again) == [3509210505, 511909093, 3865914966]


def test_text_lines_lose_their_ends(tmp_path: Path, values: Values) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes(b"one\r\ntwo\nthree")

    assert values(tf.data.TextLineDataset(str(file))) == [b"one", b"two", b"three"]


def test_files_are_listed_in_order_when_not_shuffled(tmp_path: Path, values: Values) -> None:
    for name in ("b", "a"):
        (tmp_path / f"{name}.txt").write_text("")

    listed = values(Dataset.list_files(str(tmp_path / "*.txt"), shuffle=False))

    assert [Path(n.decode()).name for n in listed] == ["a.txt", "b.txt"]


def test_arrays_are_copied(values: Values) -> None:
    array = np.array([1, 2])
    dataset = Dataset.from_tensor_slices(array)
    array[0] = 9

    assert values(dataset) == [1, 2]
