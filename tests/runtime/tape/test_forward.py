"""Products of jacobians with vectors."""

from __future__ import annotations

from typing import Any

import pytest

import tfcheck_runtime as tf

X = tf.constant([3.0, 4.0])
ALONG_FIRST = tf.constant([1.0, 0.0])


def test_a_result_changes_along_the_tangent() -> None:
    with tf.autodiff.ForwardAccumulator(X, ALONG_FIRST) as accumulator:
        y = X**2

    assert accumulator.jvp(y).numpy().tolist() == [6.0, 0.0]


def test_a_primal_changes_by_its_tangent_and_what_is_unconnected_not_at_all() -> None:
    v = tf.Variable([1.0, 2.0])

    with tf.autodiff.ForwardAccumulator(v, ALONG_FIRST) as accumulator:
        y = tf.reduce_sum(v * X)

    assert accumulator.jvp(v).numpy().tolist() == [1.0, 0.0]
    assert accumulator.jvp(y).numpy() == 3.0
    assert accumulator.jvp(X) is None
    assert accumulator.jvp(X, unconnected_gradients="zero").numpy().tolist() == [0.0, 0.0]


def test_structures_of_primals_add_up() -> None:
    primals, tangents = [X, {"k": tf.constant(2.0)}], [ALONG_FIRST, {"k": tf.constant(1.0)}]

    with tf.autodiff.ForwardAccumulator(primals, tangents) as accumulator:
        y = X * primals[1]["k"]

    assert accumulator.jvp([y])[0].numpy().tolist() == [5.0, 4.0]


def test_a_gradient_taken_inside_gives_a_product_with_the_hessian() -> None:
    with tf.autodiff.ForwardAccumulator(X, ALONG_FIRST) as accumulator:
        with tf.GradientTape() as tape:
            tape.watch(X)
            y = tf.reduce_sum(X**3)
        gradient = tape.gradient(y, X)

    assert accumulator.jvp(gradient).numpy().tolist() == [18.0, 0.0]


def test_accumulators_nest() -> None:
    ones = tf.ones_like(X)

    with tf.autodiff.ForwardAccumulator(X, ones) as outer:
        with tf.autodiff.ForwardAccumulator(X, ones) as inner:
            y = X**3
        first = inner.jvp(y)

    assert first.numpy().tolist() == [27.0, 48.0]
    assert outer.jvp(first).numpy().tolist() == [18.0, 24.0]


def test_functions_are_differentiated_and_may_hold_accumulators() -> None:
    @tf.function
    def cubes(x: Any) -> Any:
        return x**3

    @tf.function
    def product(x: Any) -> Any:
        with tf.autodiff.ForwardAccumulator(x, ALONG_FIRST) as inside:
            y = cubes(x)
        return inside.jvp(y)

    with tf.autodiff.ForwardAccumulator(X, ALONG_FIRST) as accumulator:
        y = cubes(X)

    assert accumulator.jvp(y).numpy().tolist() == [27.0, 0.0]
    assert product(X).numpy().tolist() == [27.0, 0.0]


def test_a_tangent_of_another_shape_or_dtype_is_refused() -> None:
    with pytest.raises(ValueError, match=r"has shape \(1,\), its primal \(2,\)"):
        tf.autodiff.ForwardAccumulator(X, tf.constant([1.0]))

    with pytest.raises(ValueError, match="requested dtype float32 for Tensor with dtype int32"):
        tf.autodiff.ForwardAccumulator(X, tf.constant([1, 2]))
