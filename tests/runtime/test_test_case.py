"""`tf.test.TestCase`: its assertions hold and fail as they should."""

from __future__ import annotations

import pytest

import tfcheck_runtime as tf


def test_tensors_arrays_and_structures_compare() -> None:
    case = tf.test.TestCase()

    case.assertAllClose(tf.constant([1.0, 2.0]), [1.0, 2.0000001])
    case.assertAllClose({"a": tf.constant(1.0)}, {"a": 1.0})
    case.assertAllEqual(tf.constant(["x"]), ["x"])
    assert case.evaluate({"a": tf.constant(3)})["a"] == 3


@pytest.mark.parametrize("wrong", [[1.0, 2.1], [1.0]])
def test_what_is_not_close_fails(wrong: list[float]) -> None:
    with pytest.raises(AssertionError):
        tf.test.TestCase().assertAllClose(tf.constant([1.0, 2.0]), wrong)


def test_an_op_error_is_matched_by_its_message() -> None:
    with tf.test.TestCase().assertRaisesOpError("not in"):
        tf.gather([1], [5])
