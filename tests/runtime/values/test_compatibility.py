"""`tf.compat`."""

from __future__ import annotations

import pytest

import tfcheck_runtime as tf


def test_text_and_bytes_turn_into_each_other() -> None:
    assert tf.compat.as_bytes("é") == b"\xc3\xa9"
    assert tf.compat.as_bytes(bytearray(b"x")) == b"x"
    assert (tf.compat.as_text(b"x"), tf.compat.as_str("y")) == ("x", "y")
    assert (tf.compat.as_str_any(3), tf.compat.as_str_any(b"x")) == ("3", "x")
    with pytest.raises(TypeError, match="Expected binary or unicode string, got 3"):
        tf.compat.as_bytes(3)


def test_dimensions_are_numbers() -> None:
    assert (tf.compat.dimension_value(3), tf.compat.dimension_value(None)) == (3, None)
    assert tf.compat.dimension_at_index(tf.TensorShape([1, None]), 0) == 1


def test_the_second_version_is_everything() -> None:
    assert tf.compat.v2 is tf
