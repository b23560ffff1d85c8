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


PICKED: list[tuple[Callable[[Any], Any], str]] = [
    (lambda x: x[:, 1:], "[[[3]], [], []]"),
    (lambda x: x[:, :, ::-1], "[[[2, 1], [3]], [], [[6, 5, 4]]]"),
    (lambda x: x[::-1, ..., -1:], "[[[6]], [], [[2], [3]]]"),
    (lambda x: x[:, None], "[[[[1, 2], [3]]], [[]], [[[4, 5, 6]]]]"),
    (lambda x: x[0, :, :1], "[[1], [3]]"),
    (lambda x: tf.gather(x, [2, 0]), "[[[4, 5, 6]], [[1, 2], [3]]]"),
    (lambda x: tf.concat([x, x], 1), "[[[1, 2], [3], [1, 2], [3]], [], [[4, 5, 6], [4, 5, 6]]]"),
    (lambda x: tf.reduce_sum(x, 2), "[[3, 3], [], [15]]"),
    (lambda x: tf.reduce_max(x, [0, 2]), "[6, 3]"),
    (lambda x: tf.reverse(x, [1]), "[[[3], [1, 2]], [], [[4, 5, 6]]]"),
    (lambda x: tf.where(x > 2, x, 0), "[[[0, 0], [3]], [], [[4, 5, 6]]]"),
    (lambda x: tf.map_fn(lambda row: row * 2, x), "[[[2, 4], [6]], [], [[8, 10, 12]]]"),
    (lambda x: tf.RaggedTensor.from_sparse(x[0].to_sparse()), "[[1, 2], [3]]"),
    (lambda x: tf.cumsum(x, 2), "[[[1, 3], [3]], [], [[4, 9, 15]]]"),
]


@pytest.mark.parametrize(("pick", "expected"), PICKED, ids=[text for _, text in PICKED])
def test_rows_are_picked_joined_and_reduced_eagerly_and_in_graphs(
    pick: Callable[[Any], Any], expected: str
) -> None:
    ragged = tf.ragged.constant([[[1, 2], [3]], [], [[4, 5, 6]]])
    traced = tf.function(pick, autograph=False)

    for made in (pick(ragged), traced(ragged)):
        listed = made.to_list() if isinstance(made, tf.RaggedTensor) else made.numpy().tolist()
        assert str(listed) == expected


def test_a_number_is_no_index_where_rows_differ() -> None:
    with pytest.raises(ValueError, match="Cannot index into an inner ragged dimension"):
        tf.ragged.constant([[1], [2, 3]])[:, 0]


def test_rows_are_checked_when_the_graph_runs() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None], tf.int64)])
    def rows(splits: Any) -> Any:
        return tf.RaggedTensor.from_row_splits([1, 2, 3], splits)

    assert rows([0, 1, 3]).to_list() == [[1], [2, 3]]
    for wrong in ([0, 1], [0, 2, 1, 3], [1, 3]):
        with pytest.raises(tf.errors.InvalidArgumentError, match="do not form a valid"):
            rows(wrong)


def test_gradients_flow_through_rows() -> None:
    values = tf.Variable([1.0, 2.0, 3.0])

    @tf.function
    def gradient() -> Any:
        with tf.GradientTape() as tape:
            ragged = tf.RaggedTensor.from_row_splits(values, [0, 2, 2, 3])
            loss = tf.reduce_sum(tf.concat([ragged[:, :1], ragged * 2.0], 1).values ** 2)
        return tape.gradient(loss, values)

    assert tf.convert_to_tensor(gradient()).numpy().tolist() == [10.0, 16.0, 30.0]


def test_rows_are_iterated_over_in_a_traced_function() -> None:
    @tf.function
    def longest(ragged: Any) -> Any:
        most = 0
        for row in ragged:
            most = tf.maximum(most, tf.size(row))
        return most

    assert longest(tf.ragged.constant([[1, 2], [], [3, 4, 5]])).numpy() == 3
