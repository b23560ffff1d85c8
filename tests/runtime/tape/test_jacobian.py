"""Jacobians, row by row."""

from __future__ import annotations

import numpy as np
import pytest

from tfcheck_runtime.api import root as tf

MATRIX = tf.constant([[1.0, 2.0], [3.0, 4.0]])


def test_a_jacobian_has_the_target_s_axes_then_the_source_s() -> None:
    with tf.GradientTape() as tape:
        tape.watch(MATRIX)
        y = MATRIX * MATRIX

    jacobian = tape.jacobian(y, MATRIX).numpy()

    expected = np.zeros((2, 2, 2, 2))
    for (i, j), value in np.ndenumerate(MATRIX.numpy()):
        expected[i, j, i, j] = 2 * value
    assert jacobian.tolist() == expected.tolist()


def test_a_batch_jacobian_keeps_examples_apart() -> None:
    with tf.GradientTape() as tape:
        tape.watch(MATRIX)
        y = MATRIX * MATRIX

    assert tape.batch_jacobian(y, MATRIX).numpy().tolist() == [
        [[2.0, 0.0], [0.0, 4.0]],
        [[6.0, 0.0], [0.0, 8.0]],
    ]


def test_a_source_without_influence_gives_none_or_zeros() -> None:
    x = tf.constant([1.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, MATRIX])
        y = MATRIX * 2.0

    assert tape.jacobian(y, x) is None
    assert tape.jacobian(y, x, unconnected_gradients="zero").shape == (2, 2, 1)


def test_a_batch_jacobian_needs_a_batch() -> None:
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(MATRIX)
        y = tf.reduce_sum(MATRIX)

    with pytest.raises(ValueError, match=r"need a batch axis and examples of known shape"):
        tape.batch_jacobian(y, MATRIX)
