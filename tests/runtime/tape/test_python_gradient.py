"""Gradients of Python functions that graphs call."""

from __future__ import annotations

from typing import Any

import tfcheck_runtime as tf

X = tf.constant([1.0, 2.0])


def counted() -> tuple[Any, list[int]]:
    calls: list[int] = []

    def square(x: Any) -> Any:
        calls.append(1)
        return x * x

    return square, calls


def gradient_of(function: Any) -> list[float]:
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = function(X)
    found: list[float] = tape.gradient(y, X).numpy().tolist()
    return found


def test_eager_code_sees_through_it() -> None:
    square, calls = counted()

    found = gradient_of(lambda x: tf.py_function(square, [x], tf.float32))

    assert found == [2.0, 4.0]
    assert len(calls) == 1


def test_a_graph_runs_it_once_for_result_and_gradient() -> None:
    square, calls = counted()
    f = tf.function(lambda x: tf.py_function(square, [x], tf.float32))

    assert [gradient_of(f), gradient_of(f)] == [[2.0, 4.0], [2.0, 4.0]]
    assert len(calls) == 2


def test_calls_of_a_loop_are_undone_from_the_last_to_the_first() -> None:
    @tf.function
    def f(x: Any) -> Any:
        for _ in tf.range(3):
            x = tf.ensure_shape(tf.py_function(lambda a: a * a, [x], tf.float32), [2])
        return x

    assert gradient_of(f) == [8.0, 1024.0]


def test_each_result_has_its_gradient_and_integers_have_none() -> None:
    @tf.function
    def f(x: Any) -> Any:
        both = tf.py_function(lambda a, n: (a * 2.0, a * tf.cast(n, tf.float32)), [x, 3],
                              [tf.float32, tf.float32])  # fmt: skip
        return both[0] + both[1]

    assert gradient_of(f) == [5.0, 5.0]


def test_a_call_that_was_not_kept_is_made_again() -> None:
    square, calls = counted()

    @tf.function
    def f(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.py_function(square, [x], tf.float32)
        return tape.gradient(y, x)

    assert [f(X).numpy().tolist() for _ in range(2)] == [[2.0, 4.0]] * 2
    assert len(calls) == 2
