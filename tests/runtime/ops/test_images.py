"""`tf.image` and `tf.signal` beyond the recorded calls: draws and gradients of TensorFlow."""

from __future__ import annotations

import numpy as np
import pytest

import tfcheck_runtime as tf

IMAGE = np.linspace(0, 1, 48, dtype=np.float32).reshape(4, 4, 3)


def test_random_adjustments_draw_as_tensorflow_does() -> None:
    found = [
        tf.image.stateless_random_brightness(IMAGE, 0.3, seed=[1, 2])[0, 0],
        tf.image.stateless_random_crop(IMAGE, [2, 2, 3], seed=[1, 2])[0, 0],
    ]

    np.testing.assert_allclose([f.numpy().tolist() for f in found], DRAWN, atol=1e-4)


DRAWN = [[0.20643628, 0.22771287, 0.24898946], [0.38297874, 0.40425533, 0.42553192]]


def test_the_gradient_of_a_spectrum_is_tensorflows() -> None:
    signal = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])

    with tf.GradientTape() as tape:
        tape.watch(signal)
        power = tf.reduce_sum(tf.abs(tf.signal.rfft(signal)) ** 2 * [1.0, 2.0, 3.0, 4.0])

    found = tape.gradient(power, signal).numpy()
    np.testing.assert_allclose(found, SLOPE, rtol=1e-5)


SLOPE = [-12.0, 42.0, 24.0, 60.0, 42.0, 96.0]


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(ValueError, match="Resize method is not implemented: cubic"):
        tf.image.resize(IMAGE, [2, 2], "cubic")
