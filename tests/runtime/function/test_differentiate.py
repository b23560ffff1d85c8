"""Gradients through calls of Functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tfcheck_runtime.api import root as tf

X = tf.constant(2.0)


def gradients(f: Any, sources: list[Any], *args: Any) -> list[float | None]:
    """The gradients of `f(*args)` with respect to `sources`."""
    with tf.GradientTape() as tape:
        tape.watch(sources)
        y = f(*args)
    return [None if g is None else float(g) for g in tape.gradient(y, sources)]


def test_they_flow_to_arguments_and_captured_variables() -> None:
    v = tf.Variable(6.0)
    f = tf.function(lambda x: x * x * v)

    assert gradients(f, [X, v], X) == [24.0, 4.0]
    assert f.experimental_get_tracing_count() == 1


def test_they_flow_to_captured_tensors() -> None:
    large = tf.ones([200])
    f = tf.function(lambda x: tf.reduce_sum(large * large) * x)

    with tf.GradientTape() as tape:
        tape.watch(large)
        y = f(X)

    assert np.allclose(tape.gradient(y, large), np.full(200, 4.0))


def test_they_flow_to_variable_arguments() -> None:
    v = tf.Variable(3.0)
    f = tf.function(lambda w, x: w * w * x)

    assert gradients(f, [v, X], v, X) == [12.0, 9.0]


def test_they_flow_through_nested_functions() -> None:
    v = tf.Variable(6.0)
    inner = tf.function(lambda x: x * x * v)
    outer = tf.function(lambda x: inner(x) + inner(x + 1.0) * x)

    assert gradients(outer, [X, v], X) == [150.0, 22.0]


def test_the_value_that_a_variable_had_in_the_call_counts() -> None:
    v = tf.Variable(2.0)

    @tf.function
    def f(x: Any) -> Any:
        y = x * v
        v.assign(100.0)
        return y * v

    assert gradients(f, [X], X) == [200.0]


def test_an_output_left_unused_does_not_matter() -> None:
    f = tf.function(lambda x: (x * x, x * 3.0, tf.cast(x, tf.int32)))

    assert gradients(lambda x: f(x)[0], [X], X) == [4.0]
    assert gradients(lambda x: f(x)[1], [X], X) == [3.0]


def test_integer_results_carry_none() -> None:
    f = tf.function(lambda x: tf.cast(x, tf.int32))

    assert gradients(lambda x: tf.cast(f(x), tf.float32), [X], X) == [None]


def test_second_derivatives_flow_through_a_call() -> None:
    v = tf.Variable(6.0)
    f = tf.function(lambda x: x * x * x * v)

    with tf.GradientTape() as outer:
        outer.watch(X)
        with tf.GradientTape() as inner:
            inner.watch(X)
            y = f(X)
        first = inner.gradient(y, X)

    assert float(first) == 72.0
    assert [float(g) for g in outer.gradient(first, [X, v])] == [72.0, 12.0]


def test_third_derivatives_flow_through_nested_calls() -> None:
    inner = tf.function(lambda x: x * x * x)
    f = tf.function(lambda x: inner(x) * x)
    tapes = [tf.GradientTape() for _ in range(3)]
    values = []

    with tapes[0], tapes[1], tapes[2]:
        for tape in tapes:
            tape.watch(X)
        y = f(X)
        for tape in reversed(tapes):
            y = tape.gradient(y, X)
            values.append(y)

    assert [float(v) for v in values] == [32.0, 48.0, 48.0]


def test_a_tape_in_a_function_sees_the_calls_it_makes() -> None:
    v = tf.Variable(6.0)
    inner = tf.function(lambda x: x * x * v)

    @tf.function
    def outer(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = inner(x) * x
        return tape.gradient(y, [x, v])

    assert [float(g) for g in outer(X)] == [72.0, 8.0]


def test_a_training_step_inside_a_function_learns() -> None:
    w = tf.Variable(0.0)

    @tf.function
    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((w * x - y) * (w * x - y))
        w.assign_sub(0.1 * tape.gradient(loss, w))
        return loss

    x = tf.constant([1.0, 2.0])
    losses = [float(step(x, x * 3.0)) for _ in range(20)]

    assert losses[-1] < 1e-4 < losses[0]
    assert float(w.numpy()) == pytest.approx(3.0, abs=1e-2)


def test_concrete_functions_are_differentiated_too() -> None:
    concrete = tf.function(lambda x: x * x).get_concrete_function(tf.TensorSpec([]))

    assert gradients(concrete, [X], X) == [4.0]
