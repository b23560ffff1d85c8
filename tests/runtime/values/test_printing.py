"""How tensors print."""

from __future__ import annotations

import tfcheck_runtime as tf


def test_several_lines_begin_on_a_line_of_their_own() -> None:
    matrix = tf.constant([[1, 2], [3, 4]])

    assert str(matrix) == "tf.Tensor(\n[[1 2]\n [3 4]], shape=(2, 2), dtype=int32)"
    assert repr(matrix) == (
        "<tf.Tensor: shape=(2, 2), dtype=int32, numpy=\narray([[1, 2],\n       [3, 4]],"
        " dtype=int32)>"
    )


def test_one_line_stays_on_its_line() -> None:
    row = tf.constant([[1, 2]])

    assert str(row) == "tf.Tensor([[1 2]], shape=(1, 2), dtype=int32)"
    assert repr(row) == (
        "<tf.Tensor: shape=(1, 2), dtype=int32, numpy=array([[1, 2]], dtype=int32)>"
    )


def test_scalars_show_the_digits_that_tensorflow_shows() -> None:
    tenth = tf.constant(0.1)

    assert str(tenth) == "tf.Tensor(0.1, shape=(), dtype=float32)"
    assert repr(tenth) == ("<tf.Tensor: shape=(), dtype=float32, numpy=0.10000000149011612>")


def test_formatting_is_that_of_numpy() -> None:
    assert f"{tf.constant(1.5):.2f} {tf.constant([1, 2])}" == "1.50 [1 2]"
