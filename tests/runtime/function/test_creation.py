"""Variables created while tracing."""

from __future__ import annotations

from typing import Any

import pytest

from tfcheck_runtime.api import root as tf


class Lazy:
    """Creates its variable on first use."""

    def __init__(self) -> None:
        self.v: Any = None
        self.traces = 0

    @tf.function
    def apply(self, x: Any) -> Any:
        self.traces += 1
        if self.v is None:
            self.v = tf.Variable(tf.ones_like(x))
        return self.v * x


def test_the_first_call_may_create_a_variable_and_is_traced_twice() -> None:
    lazy = Lazy()

    assert lazy.apply(tf.constant([2.0])).numpy().tolist() == [2.0]
    assert lazy.traces == lazy.apply.experimental_get_tracing_count() == 2
    lazy.v.assign([5.0])
    assert lazy.apply(tf.constant([2.0])).numpy().tolist() == [10.0]


def test_a_spec_with_a_static_shape_is_enough_for_ones_like() -> None:
    lazy = Lazy()
    lazy.apply.get_concrete_function(tf.TensorSpec([2]))

    assert lazy.v.numpy().tolist() == [1.0, 1.0]


def test_the_initial_value_may_depend_on_the_arguments_of_the_call() -> None:
    state: dict[str, Any] = {}

    @tf.function(autograph=False)
    def f(x: Any) -> Any:
        if "v" not in state:
            state["v"] = tf.Variable(x * 2.0)
        return state["v"].assign_add(x)

    assert [float(f(tf.constant(3.0))) for _ in range(2)] == [9.0, 12.0]
    assert float(state["v"].numpy()) == 12.0


def test_an_initial_value_that_depends_on_a_spec_is_refused() -> None:
    @tf.function(autograph=False)
    def f(x: Any) -> Any:
        return tf.Variable(x * 2.0)

    with pytest.raises(ValueError, match=r"depends on the argument `x`.*get_concrete_function"):
        f.get_concrete_function(tf.TensorSpec([]))


def test_creating_a_variable_each_time_is_refused() -> None:
    @tf.function(autograph=False)
    def f() -> Any:
        return tf.Variable(1.0)

    for _ in range(2):
        with pytest.raises(ValueError, match=r"singleton.*\[variable-created-in-trace\]$"):
            f()
    assert f.experimental_get_tracing_count() == 1


def test_creating_the_first_variable_on_a_later_call_is_refused() -> None:
    @tf.function(autograph=False)
    def f(n: int) -> Any:
        return tf.Variable(3.0) if n > 1 else tf.constant(1.0)

    f(1)
    with pytest.raises(ValueError, match=r"^Creating variables on a non-first call"):
        f(2)


def test_the_outer_function_is_not_traced_again_for_variables_of_an_inner_one() -> None:
    lazy, log = Lazy(), []

    @tf.function
    def outer(x: Any) -> Any:
        log.append("outer")
        return lazy.apply(x)

    outer(tf.constant([1.0]))

    assert (log, lazy.traces) == (["outer"], 2)


def test_init_scope_leaves_the_graph() -> None:
    @tf.function
    def f(x: Any) -> Any:
        with tf.init_scope():
            eager = tf.constant(3.0) + 1.0
        assert eager.numpy() == 4.0
        return x + eager

    assert float(f(tf.constant(1.0))) == 5.0
