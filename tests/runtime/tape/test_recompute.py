"""Gradients that are computed again, passed through, or taken twice."""

from __future__ import annotations

from typing import Any

import pytest

import tfcheck_runtime as tf

X = tf.constant([0.5, 1.6])


def test_a_recomputed_function_runs_again_for_its_gradient() -> None:
    runs: list[int] = []
    scale = tf.Variable(3.0)

    def f(x: Any) -> Any:
        runs.append(1)
        return x * x * scale

    with tf.GradientTape() as tape:
        tape.watch(X)
        y = tf.recompute_grad(f)(X)
    before = len(runs)
    gradients = tape.gradient(y, [X, scale])

    assert [g.numpy().tolist() for g in gradients] == [
        pytest.approx([3.0, 9.6]),
        pytest.approx(2.81),
    ]
    assert len(runs) == before + 1


def test_a_gradient_passes_through_what_has_none() -> None:
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = tf.grad_pass_through(tf.round)(X * 2.0)

    assert y.numpy().tolist() == [1.0, 3.0]
    assert tape.gradient(y, X).numpy().tolist() == [2.0, 2.0]


def test_hessians_of_all_sources() -> None:
    @tf.function
    def second(x: Any, y: Any) -> Any:
        return tf.hessians(tf.reduce_sum(x**3) * y, [x, y])

    of_x, of_y = second(tf.constant([1.0, 2.0]), tf.constant(2.0))

    assert of_x.numpy().tolist() == [[12.0, 0.0], [0.0, 24.0]]
    assert of_y.numpy() == 0.0


def test_hessians_need_a_graph() -> None:
    with pytest.raises(RuntimeError, match="not supported when eager execution is enabled"):
        tf.hessians(tf.reduce_sum(X), X)


def test_the_ways_to_aggregate_have_the_numbers_of_tensorflow() -> None:
    assert (tf.AggregationMethod.DEFAULT, tf.AggregationMethod.EXPERIMENTAL_TREE) == (0, 1)
