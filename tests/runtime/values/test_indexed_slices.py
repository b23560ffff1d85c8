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
