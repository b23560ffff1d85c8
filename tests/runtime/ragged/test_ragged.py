"""Ragged tensors: made, printed, indexed, computed with and passed through Functions.

The values are TensorFlow 2.21's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tfcheck_runtime as tf

MADE: list[tuple[Callable[[], Any], str]] = [
    (lambda: tf.ragged.constant([[[1, 2], [3]], [], [[4]]]), "[[[1, 2], [3]], [], [[4]]]"),
    (lambda: tf.ragged.constant([["a", b"b"], ["c"]]), "[[b'a', b'b'], [b'c']]"),
    (lambda: tf.ragged.constant([[], []]), "[[], []]"),
    (lambda: tf.RaggedTensor.from_row_splits([1, 2, 3], [0, 2, 2, 3]), "[[1, 2], [], [3]]"),
    (lambda: tf.RaggedTensor.from_row_lengths([1, 2, 3], [2, 0, 1]), "[[1, 2], [], [3]]"),
    (
        lambda: tf.RaggedTensor.from_value_rowids([1, 2, 3], [0, 0, 2], nrows=4),
        "[[1, 2], [], [3], []]",
    ),
    (lambda: tf.RaggedTensor.from_row_starts([1, 2, 3], [0, 1]), "[[1], [2, 3]]"),
    (lambda: tf.RaggedTensor.from_row_limits([1, 2], [0, 2]), "[[], [1, 2]]"),
    (lambda: tf.RaggedTensor.from_uniform_row_length([1, 2, 3, 4], 2), "[[1, 2],\n [3, 4]]"),
    (
        lambda: tf.RaggedTensor.from_nested_row_splits([1, 2, 3], [[0, 2], [0, 1, 3]]),
        "[[[1], [2, 3]]]",
    ),
    (lambda: tf.RaggedTensor.from_tensor([[1, 2], [3, 4]], lengths=[1, 0]), "[[1], []]"),
    (lambda: tf.RaggedTensor.from_tensor([[1, 2, 0], [3, 0, 0]], padding=0), "[[1, 2], [3]]"),
]


@pytest.mark.parametrize(("make", "text"), MADE, ids=[text for _, text in MADE])
def test_ragged_tensors_are_made_and_print_as_in_tensorflow(
    make: Callable[[], Any], text: str
) -> None:
    assert repr(make()) == f"<tf.RaggedTensor {text}>"


COMPUTED: list[tuple[Callable[[Any], Any], list[list[Any]]]] = [
    (lambda x: x + 1, [[2.0, 3.0], [], [4.0]]),
    (lambda x: 2 * x, [[2.0, 4.0], [], [6.0]]),
    (lambda x: tf.constant(2.0) * x, [[2.0, 4.0], [], [6.0]]),
    (lambda x: x * x, [[1.0, 4.0], [], [9.0]]),
    (lambda x: x + tf.constant([[1.0], [2.0], [3.0]]), [[2.0, 3.0], [], [6.0]]),
    (lambda x: tf.add(x, y=x), [[2.0, 4.0], [], [6.0]]),
    (lambda x: x > 1, [[False, True], [], [True]]),
    (lambda x: -x, [[-1.0, -2.0], [], [-3.0]]),
    (lambda x: tf.cast(x, tf.int32), [[1, 2], [], [3]]),
    (lambda x: x[1:], [[], [3.0]]),
    (lambda x: x[:2], [[1.0, 2.0], []]),
]


@pytest.mark.parametrize(("compute", "expected"), COMPUTED)
def test_elementwise_functions_and_rows_agree_eagerly_and_in_graphs(
    compute: Callable[[Any], Any], expected: list[list[Any]]
) -> None:
    ragged = tf.ragged.constant([[1.0, 2.0], [], [3.0]])
    traced = tf.function(compute, autograph=False)

    assert compute(ragged).to_list() == expected
    assert traced(ragged).to_list() == expected


def test_rows_of_unlike_lengths_do_not_broadcast() -> None:
    ragged = tf.ragged.constant([[1.0, 2.0], [], [3.0]])

    with pytest.raises(tf.errors.InvalidArgumentError, match="Unable to broadcast"):
        ragged + tf.ragged.constant([[1.0], [2.0], [3.0]])


def test_calls_with_other_row_lengths_share_a_trace() -> None:
    traces: list[str] = []

    @tf.function
    def double(x: Any) -> Any:
        traces.append(repr(x.shape))
        return x * 2, x.to_tensor(-1.0)

    first = double(tf.ragged.constant([[1.0, 2.0], [3.0]]))
    double(tf.ragged.constant([[1.0], [2.0]]))

    assert first[0].to_list() == [[2.0, 4.0], [6.0]]
    assert first[1].numpy().tolist() == [[1.0, 2.0], [3.0, -1.0]]
    assert traces == ["TensorShape([2, None])"]


def test_an_input_signature_takes_ragged_tensors_through_a_loop() -> None:
    @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.int32)])
    def add_three(x: Any) -> Any:
        for _ in tf.range(3):
            x = x + 1
        return x

    assert add_three(tf.ragged.constant([[1], [2, 3]])).to_list() == [[4], [5, 6]]
    with pytest.raises(TypeError, match="RaggedTensorSpec"):
        add_three(tf.ragged.constant([[1.0]]))


def test_gradients_with_respect_to_a_ragged_tensor_have_its_rows() -> None:
    ragged = tf.ragged.constant([[1.0, 2.0], [], [3.0]])

    with tf.GradientTape() as tape:
        tape.watch(ragged)
        total = tf.reduce_sum((ragged * ragged).flat_values)
    gradient = tape.gradient(total, ragged)

    assert gradient.to_list() == [[2.0, 4.0], [], [6.0]]


def test_composites_open_into_flat_values_and_splits_outermost_first() -> None:
    ragged = tf.ragged.constant([[[1, 2], [3]], [], [[4]]])

    parts = tf.nest.flatten(ragged, expand_composites=True)

    assert [p.numpy().tolist() for p in parts] == [[1, 2, 3, 4], [0, 2, 2, 3], [0, 2, 3, 4]]
    assert repr(tf.type_spec_from_value(ragged)) == (
        "RaggedTensorSpec(TensorShape([3, None, None]), tf.int32, 2, tf.int64)"
    )
    assert ragged.to_tensor().numpy().tolist() == [[[1, 2], [3, 0]], [[0, 0], [0, 0]],
                                                   [[4, 0], [0, 0]]]  # fmt: skip
    assert ragged.bounding_shape().numpy().tolist() == [3, 2, 2]


def test_other_indices_are_refused_by_name() -> None:
    with pytest.raises(NotImplementedError, match="only a row and slices of rows"):
        tf.ragged.constant([[1], [2, 3]])[:, 0]
