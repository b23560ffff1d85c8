"""Random numbers of functions that other functions call."""

from __future__ import annotations

from typing import Any

import tfcheck_runtime as tf


def test_each_place_that_calls_a_function_has_its_own_stream() -> None:
    tf.random.set_seed(5)

    @tf.function
    def draw() -> Any:
        return tf.random.uniform([])

    @tf.function
    def twice() -> Any:
        return tf.stack([draw(), draw()])

    first, second = twice().numpy().tolist(), twice().numpy().tolist()

    # As in TensorFlow: two places start alike, and each goes on from call to call.
    assert first[0] == first[1]
    assert second[0] == second[1]
    assert first != second
    assert draw().numpy() == first[0]
