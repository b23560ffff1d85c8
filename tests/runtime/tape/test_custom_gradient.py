"""Functions that bring their own gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tfcheck_runtime.api import root as tf

X = tf.constant(3.0)


@tf.custom_gradient
def seven(x: Any) -> Any:
    """The square, whose gradient is 7."""
    return x * x, lambda upstream: upstream * 7.0


def slope(f: Callable[..., Any], x: Any = X) -> float:
    """The gradient of `f` at `x`."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return float(tape.gradient(y, x))


def test_the_given_gradient_is_used_eagerly() -> None:
    assert (float(seven(X)), slope(seven)) == (9.0, 7.0)


def test_the_given_gradient_is_used_through_a_function() -> None:
    assert slope(tf.function(lambda x: seven(x) * 2.0)) == 14.0


def test_the_given_gradient_is_used_through_nested_functions() -> None:
    @tf.custom_gradient
    def scaled(x: Any) -> Any:
        y = x * x
        return y, lambda upstream: upstream * y

    inner = tf.function(lambda x: scaled(x) * 2.0)

    assert slope(tf.function(lambda x: inner(x) + inner(x + 1.0))) == 2 * 9.0 + 2 * 16.0


def test_variables_get_gradients_of_their_own() -> None:
    v = tf.Variable(2.0)

    @tf.custom_gradient
    def f(x: Any) -> Any:
        def grad(upstream: Any, variables: Any = None) -> Any:
            return upstream, [upstream * 5.0 for _ in variables]

        return x * v, grad

    with tf.GradientTape() as tape:
        tape.watch(X)
        y = f(X)

    assert [float(g) for g in tape.gradient(y, [X, v])] == [1.0, 5.0]


def test_variables_without_a_place_for_their_gradients_are_refused() -> None:
    v = tf.Variable(2.0)
    f = tf.custom_gradient(lambda x: (x * v, lambda upstream: upstream))

    with pytest.raises(TypeError, match=r"grad_fn must accept keyword argument 'variables'"):
        f(X)


def test_the_wrong_number_of_gradients_is_refused() -> None:
    f = tf.custom_gradient(lambda x, y: (x * y, lambda upstream: upstream))

    with pytest.raises(
        ValueError,
        match=r"^custom_gradient function expected to return 2 gradients, but returned 1",
    ):
        slope(lambda x: f(x, x))


def test_second_derivatives_go_through_the_given_gradient() -> None:
    @tf.custom_gradient
    def cube(x: Any) -> Any:
        return x * x * x, lambda upstream: upstream * 3.0 * x * x

    with tf.GradientTape() as outer:
        outer.watch(X)
        with tf.GradientTape() as inner:
            inner.watch(X)
            y = cube(X)
        first = inner.gradient(y, X)

    assert [float(first), float(outer.gradient(first, X))] == [27.0, 18.0]
