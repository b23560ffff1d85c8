"""Gradients of picked rows are slices until something needs the whole."""

from __future__ import annotations

from typing import Any

import tfcheck_runtime as tf


def table() -> Any:
    return tf.Variable([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])


def parts(slices: Any) -> tuple[Any, Any, Any]:
    assert isinstance(slices, tf.IndexedSlices)
    return (
        slices.indices.numpy().tolist(),
        slices.values.numpy().tolist(),
        slices.dense_shape.numpy().tolist(),
    )


def test_a_gather_gives_slices() -> None:
    v = table()

    with tf.GradientTape() as tape:
        y = tf.gather(v, [0, 2, 0]) * 2.0

    rows = [[2.0, 2.0]] * 3
    assert parts(tape.gradient(y, v)) == ([0, 2, 0], rows, [3, 2])


def test_slices_of_several_paths_stand_side_by_side() -> None:
    v = table()

    with tf.GradientTape() as tape:
        y = tf.gather(v, [0]), tf.nn.embedding_lookup(v, [2]) * 3.0

    assert parts(tape.gradient(y, v)) == ([0, 2], [[1.0, 1.0], [3.0, 3.0]], [3, 2])


def test_slices_and_a_tensor_add_up_to_a_tensor() -> None:
    v = table()

    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(v, [1, 1])) + tf.reduce_sum(v)

    assert tape.gradient(y, v).numpy().tolist() == [[1.0, 1.0], [3.0, 3.0], [1.0, 1.0]]


def test_an_op_before_the_gather_gets_a_tensor() -> None:
    x = tf.constant([1.0, 2.0, 3.0])

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.gather(x * 2.0, [2, 2])

    assert tape.gradient(y, x).numpy().tolist() == [0.0, 0.0, 4.0]


def test_slices_come_out_of_functions() -> None:
    v = table()
    pick = tf.function(lambda: tf.gather(v, [1]))

    @tf.function
    def inside() -> Any:
        with tf.GradientTape() as tape:
            y = pick() * 4.0
        return tape.gradient(y, v)

    with tf.GradientTape() as tape:
        y = pick()

    assert parts(tape.gradient(y, v)) == ([1], [[1.0, 1.0]], [3, 2])
    assert parts(inside()) == ([1], [[4.0, 4.0]], [3, 2])


def test_loops_and_branches_give_tensors() -> None:
    v = table()

    @tf.function
    def f(n: Any) -> Any:
        y = tf.zeros([2])
        for i in tf.range(n):
            y += tf.gather(v, i)
        return y

    with tf.GradientTape() as tape:
        y = f(tf.constant(2))

    assert tape.gradient(y, v).numpy().tolist() == [[1.0, 1.0], [1.0, 1.0], [0.0, 0.0]]
