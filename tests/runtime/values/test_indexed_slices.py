"""`tf.IndexedSlices`."""

from __future__ import annotations

from typing import Any

import pytest

import tfcheck_runtime as tf


def rows(dense: bool = True) -> Any:
    shape = tf.constant([3, 2]) if dense else None
    return tf.IndexedSlices(tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([1, 1]), shape)


def test_rows_of_equal_indices_add_up() -> None:
    assert tf.convert_to_tensor(rows()).numpy().tolist() == [[0.0, 0.0], [4.0, 6.0], [0.0, 0.0]]


def test_they_stand_for_a_tensor_in_arithmetic() -> None:
    assert (tf.constant(2.0) * rows()).numpy()[1].tolist() == [8.0, 12.0]
    assert tf.is_tensor(rows())


def test_without_a_shape_there_is_no_tensor() -> None:
    with pytest.raises(ValueError, match="without dense_shape"):
        tf.convert_to_tensor(rows(dense=False))


def test_functions_take_and_return_them() -> None:
    @tf.function
    def negative(given: Any) -> Any:
        return -given

    result = negative(rows())

    assert isinstance(result, tf.IndexedSlices)
    assert result.values.numpy().tolist() == [[-1.0, -2.0], [-3.0, -4.0]]
    assert result.shape.as_list() == [3, 2]


def test_a_signature_takes_slices_with_and_without_a_shape() -> None:
    spec = tf.IndexedSlicesSpec([None, 2], tf.float32, tf.int32)
    double = tf.function(lambda s: tf.math.scalar_mul(2.0, s), input_signature=[spec])

    result = double(rows(dense=False))

    assert repr(tf.type_spec_from_value(rows(dense=False))) == (
        "IndexedSlicesSpec(TensorShape([None, 2]), tf.float32, tf.int32, None, TensorShape([2]))"
    )
    assert result.values.numpy().tolist() == [[2.0, 4.0], [6.0, 8.0]]
    assert result.dense_shape is None
    assert result.shape.rank is None
    with pytest.raises(TypeError):
        double(rows())


def test_some_functions_keep_slices_and_work_on_their_rows() -> None:
    clipped, norm = tf.clip_by_global_norm([rows()], 1.0)

    assert float(norm) == pytest.approx(30**0.5)
    assert clipped[0].values.numpy()[1].tolist() == pytest.approx([3 / 30**0.5, 4 / 30**0.5])
    assert tf.cast(rows(), tf.int32).values.numpy().tolist() == [[1, 2], [3, 4]]
    assert tf.clip_by_value(rows(), 0.0, 2.0).values.numpy().tolist() == [[1.0, 2.0], [2.0, 2.0]]
    assert tf.clip_by_norm(rows(), 1.0).indices.numpy().tolist() == [1, 1]


def test_gradients_of_rows_that_were_picked_in_a_function_stay_slices() -> None:
    table = tf.Variable([[1.0], [2.0], [3.0]])

    @tf.function
    def gradient(i: Any) -> Any:
        with tf.GradientTape() as tape:
            picked = tf.gather(table, i)
            loss = tf.reduce_sum(picked**2)
        return tape.gradient(loss, table)

    assert str(gradient(tf.constant([0, 1]))) == (
        "IndexedSlices(indices=tf.Tensor([0 1], shape=(2,), dtype=int32), values=tf.Tensor(\n"
        "[[2.]\n [4.]], shape=(2, 1), dtype=float32), dense_shape=tf.Tensor([3 1], shape=(2,),"
        " dtype=int32))"
    )
