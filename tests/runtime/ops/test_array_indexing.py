"""What `tensor[...]` takes and gives, and what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tfcheck_runtime as tf

NUMBERS = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
INDICES: list[Any] = [
    0,
    -1,
    np.int64(1),
    (1, 2, 3),
    (0, slice(1, None), slice(None, None, 2)),
    (Ellipsis, 0),
    (slice(None, None, -1), 0, slice(None, None, -2)),
    (slice(None), None),
    (0, None, 1),
    slice(5, None),
    slice(2, 0, -1),
    slice(-1, -10, -1),
    (None, Ellipsis, None),
    (1, slice(None, -1), slice(1, 3)),
    np.array([True, False]),
]


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_an_index_picks_what_numpy_picks(index: Any) -> None:
    picked = tf.constant(NUMBERS)[index]

    assert picked.numpy().tolist() == NUMBERS[index].tolist()


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_an_index_picks_the_same_in_a_graph_of_unknown_sizes(index: Any) -> None:
    spec = tf.TensorSpec([None, None, None], tf.int32)
    pick = tf.function(lambda x: x[index], input_signature=[spec], autograph=False)

    assert pick(NUMBERS).numpy().tolist() == NUMBERS[index].tolist()


def test_tensors_are_bounds_and_elements() -> None:
    x, one = tf.constant(NUMBERS), tf.constant(1)

    assert x[one].numpy().tolist() == NUMBERS[1].tolist()
    assert x[one:, 0, :one].numpy().tolist() == NUMBERS[1:, 0, :1].tolist()
    assert x[0, one, one + 1].numpy() == NUMBERS[0, 1, 2]
    assert x[:, -one].numpy().tolist() == NUMBERS[:, -1].tolist()


def test_int64_bounds_mix_with_python_integers() -> None:
    picked = tf.constant([1, 2, 3])[tf.constant(1, tf.int64) : 2]

    assert picked.numpy().tolist() == [2]


def test_a_list_counts_as_one_part_per_element() -> None:
    assert tf.constant([[1, 2], [3, 4]])[[1, 0]].numpy() == 3


@pytest.mark.parametrize(
    ("index", "message"),
    [
        (2, "slice index 2 of dimension 0 out of bounds. [Op:StridedSlice]"),
        (-3, "slice index -1 of dimension 0 out of bounds. [Op:StridedSlice]"),
        ((0, 0, 0, 0), "Index out of range using input dim 3; input has only 3 dims"
         " [Op:StridedSlice]"),
        ((Ellipsis, Ellipsis), "Multiple ellipses in slice spec not allowed [Op:StridedSlice]"),
        (slice(None, None, 0), "strides[0] must be non-zero [Op:StridedSlice]"),
    ],
    ids=str,
)  # fmt: skip
def test_an_index_that_does_not_fit_is_refused(index: Any, message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError) as raised:
        tf.constant(NUMBERS)[index]

    assert raised.value.message == message


@pytest.mark.parametrize("index", ["a", 1.5, [[0]], tf.constant(1.0), tf.constant([0, 1])])
def test_parts_of_other_types_are_refused(index: Any) -> None:
    with pytest.raises(TypeError, match="are valid indices, got"):
        tf.constant(NUMBERS)[index]


def test_a_scalar_has_no_elements() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="slice scalar input"):
        tf.constant(1)[0]


def test_a_python_bool_is_no_mask() -> None:
    with pytest.raises(ValueError, match="mask cannot be scalar"):
        tf.constant([1, 2])[True]


def test_an_element_out_of_reach_is_refused_when_the_graph_runs() -> None:
    pick = tf.function(lambda x, i: x[i], autograph=False)

    with pytest.raises(tf.errors.InvalidArgumentError):
        pick(tf.constant([1, 2]), tf.constant(5))


def test_while_tracing_an_index_that_does_not_fit_is_a_value_error() -> None:
    pick = tf.function(lambda x: x[7], autograph=False)

    with pytest.raises(ValueError, match="slice index 7 of dimension 0 out of bounds"):
        pick(tf.constant([1, 2]))


@pytest.mark.parametrize("index", [slice(None, None, 2), slice(1, -1), -1, (0, None)], ids=str)
def test_the_gradient_goes_where_the_elements_came_from(index: Any) -> None:
    x = tf.constant(np.arange(5, dtype=np.float32))
    expected = np.zeros(5, np.float32)
    expected[index] = 1

    with tf.GradientTape() as tape:
        tape.watch(x)
        total = tf.reduce_sum(x[index])

    assert tape.gradient(total, x).numpy().tolist() == expected.tolist()
