"""Small captured tensors: constants of the graph, and sources of gradients all the same."""

from __future__ import annotations

from typing import Any

import tfcheck_runtime as tf

C = tf.constant(3.0)


@tf.function
def scaled(x: Any) -> Any:
    if x > 0.0:
        y = C * x * C
    else:
        y = x - C
    for _ in tf.range(2):
        y += C
    return y


def test_a_captured_tensor_is_listed() -> None:
    concrete = tf.function(lambda x: x + C).get_concrete_function(tf.TensorSpec([]))

    assert [t is C for t in concrete.captured_inputs] == [True]
    assert [op.type for op in concrete.graph.get_operations()] == [
        "Placeholder", "Const", "AddV2", "Identity",
    ]  # fmt: skip


def test_gradients_flow_to_it_through_calls_branches_and_loops() -> None:
    outer = tf.function(lambda x: scaled(x) + scaled(-x))

    with tf.GradientTape() as tape:
        tape.watch(C)
        y = outer(tf.constant(2.0))

    assert y.numpy() == 18.0 + 6.0 - 5.0 + 6.0
    assert tape.gradient(y, C).numpy() == 12.0 + 2.0 - 1.0 + 2.0


def test_second_derivatives_flow_to_it() -> None:
    f = tf.function(lambda x: C * C * x)

    with tf.GradientTape() as outer:
        outer.watch(C)
        with tf.GradientTape() as inner:
            inner.watch(C)
            y = f(2.0)
        first = inner.gradient(y, C)

    assert (first.numpy(), outer.gradient(first, C).numpy()) == (12.0, 4.0)


def test_a_function_may_differentiate_with_respect_to_it() -> None:
    @tf.function
    def f(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(C)
            y = C**2 * x
        return tape.gradient(y, C)

    assert f(tf.constant(2.0)).numpy() == 12.0
