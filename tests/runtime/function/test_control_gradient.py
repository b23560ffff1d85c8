"""Gradients through branches and loops."""

from __future__ import annotations

from typing import Any

import pytest

from tfcheck_runtime.api import root as tf


def gradients(f: Any, sources: list[Any], *args: Any) -> list[Any]:
    """The gradients of `f(*args)` with respect to `sources`."""
    with tf.GradientTape() as tape:
        tape.watch(sources)
        y = f(*args)
    return [None if g is None else g.numpy().tolist() for g in tape.gradient(y, sources)]


@tf.function
def chosen(x: Any, v: Any) -> Any:
    if x > 2.0:  # the statement is what is tested
        y = x * x * v
    else:
        y = x * 5.0
    return y * 2.0


def test_only_the_branch_taken_counts() -> None:
    v = tf.Variable(3.0)

    assert gradients(chosen, [v], tf.constant(4.0), v) == [32.0]
    assert gradients(chosen, [v], tf.constant(1.0), v) == [0.0]
    for value, expected in ((4.0, 48.0), (1.0, 10.0)):
        x = tf.constant(value)
        assert gradients(chosen, [x], x, v) == [expected]


def test_switch_case_has_gradients() -> None:
    @tf.function
    def f(i: Any, x: Any) -> Any:
        return tf.switch_case(i, [lambda: x * 2.0, lambda: x * x, lambda: tf.constant(1.0)])

    x = tf.constant(3.0)

    found = [gradients(lambda x, i=i: f(tf.constant(i), x), [x], x) for i in range(3)]
    assert found == [[2.0], [6.0], [0.0]]


def test_a_loop_multiplies_the_gradients_of_its_steps() -> None:
    @tf.function
    def power(x: Any, n: Any) -> Any:
        y = tf.constant(1.0)
        for _ in tf.range(n):
            y = y * x
        return y

    x = tf.constant(2.0)

    assert gradients(power, [x], x, tf.constant(5)) == [80.0]
    assert gradients(power, [x], x, tf.constant(0)) == [0.0]


def test_a_branch_inside_a_loop_counts_step_by_step() -> None:
    @tf.function
    def f(x: Any) -> Any:
        for _ in tf.range(3):
            if x > 2.0:  # the statement is what is tested
                x = x * 2.0
            else:
                x = x + 1.0
        return x

    assert [gradients(f, [x], x) for x in map(tf.constant, (1.0, 3.0))] == [[2.0], [8.0]]


def test_nested_loops_have_gradients() -> None:
    @tf.function
    def f(x: Any) -> Any:
        total = tf.constant(0.0)
        for i in tf.range(3):
            y = x
            for _ in tf.range(i):
                y = y * x
            total += y
        return total

    x = tf.constant(2.0)

    assert gradients(f, [x], x) == [1.0 + 4.0 + 12.0]


def test_variables_read_in_a_loop_get_gradients() -> None:
    v = tf.Variable(2.0)

    @tf.function
    def f(x: Any) -> Any:
        y = x
        for _ in tf.range(3):
            y = y * v
        return y

    x = tf.constant(1.0)

    assert gradients(f, [x, v], x) == [8.0, 12.0]


def test_variables_written_in_a_loop_have_the_value_of_each_step() -> None:
    v = tf.Variable(1.0)

    @tf.function
    def f(x: Any) -> Any:
        y = tf.constant(0.0)
        for _ in tf.range(3):
            y += x * v
            v.assign_add(1.0)
        return y

    x = tf.constant(1.0)

    assert gradients(f, [x], x) == [1.0 + 2.0 + 3.0]
    assert float(v.numpy()) == 4.0


def test_tensor_arrays_carry_gradients_through_a_loop() -> None:
    @tf.function
    def f(x: Any) -> Any:
        steps = tf.TensorArray(tf.float32, size=3)
        y = x
        for i in tf.range(3):
            y = y * x
            steps = steps.write(i, y)
        return tf.reduce_sum(steps.stack(), axis=0)

    x = tf.constant([2.0, 1.0])

    assert gradients(f, [x], x) == [[2 * 2.0 + 3 * 4.0 + 4 * 8.0, 9.0]]


def test_a_while_loop_that_breaks_has_gradients() -> None:
    @tf.function
    def f(x: Any) -> Any:
        while x < 1000.0:
            x = x * 3.0
            if x > 20.0:
                break
        return x

    x = tf.constant(1.0)

    assert gradients(f, [x], x) == [27.0]


def test_a_tape_inside_the_function_sees_the_loop() -> None:
    @tf.function
    def f(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in tf.range(2):
                y = y * x
        return tape.gradient(y, x)

    assert float(f(tf.constant(2.0))) == 12.0


def test_second_derivatives_flow_through_loops_and_branches() -> None:
    @tf.function
    def f(x: Any) -> Any:
        y = tf.constant(1.0)
        for _ in tf.range(3):
            if x > 0.0:
                y = y * x
        return y

    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        first = inner.gradient(y, x)

    assert [float(first), float(outer.gradient(first, x))] == [12.0, 12.0]


def test_effects_in_a_loop_happen_once(capfd: pytest.CaptureFixture[str]) -> None:
    @tf.function
    def f(x: Any) -> Any:
        y = x
        for i in tf.range(2):
            tf.print("step", i)
            y = y * x
        return y

    x = tf.constant(2.0)

    assert gradients(f, [x], x) == [12.0]
    assert capfd.readouterr().err == "step 0\nstep 1\n"


def test_custom_gradients_work_in_loops() -> None:
    @tf.custom_gradient
    def triple(x: Any) -> Any:
        y = x * 1.0
        return y, lambda upstream: upstream * 3.0 * y / x

    @tf.function
    def f(x: Any) -> Any:
        for _ in tf.range(2):
            x = triple(x)
        return x

    x = tf.constant(2.0)

    assert gradients(f, [x], x) == [9.0]


def second(f: Any, x: Any) -> list[Any]:
    """The value of `f(x)`, its gradient, and the gradient of that gradient's sum."""
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        first = inner.gradient(y, x)
    return [t.numpy().tolist() for t in (y, first, outer.gradient(first, x))]


def cubed_by_steps(x: Any) -> Any:
    y = x
    for _ in tf.range(3):
        y *= x
    return y


def sums_of_powers(x: Any) -> Any:
    total = tf.zeros_like(x)
    for i in tf.range(3):
        z = x
        for j in tf.range(i + 1):
            z = z * x + tf.cast(j, tf.float32)
        total = total + z
    return total


def sums_of_written(x: Any) -> Any:
    array = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    for i in tf.range(4):
        array = array.write(i, x * tf.cast(i, tf.float32) * x)
    return tf.reduce_sum(array.stack() * tf.constant([1.0, 2.0, 3.0, 4.0]))


def products_that_grow(x: Any) -> Any:
    rows = x[None]
    for _ in tf.range(2):
        tf.autograph.experimental.set_loop_options(
            shape_invariants=[(rows, tf.TensorShape([None]))]
        )
        rows = tf.concat([rows, rows * x], 0)
    return tf.reduce_sum(rows)


@pytest.mark.parametrize(
    ("f", "x", "expected"),
    [
        (cubed_by_steps, 2.0, [16.0, 32.0, 48.0]),
        (sums_of_powers, [2.0, -1.0], [[33.0, 3.0], [49.0, -2.0], [62.0, 8.0]]),
        (sums_of_written, 3.0, [180.0, 120.0, 40.0]),
        (products_that_grow, 2.0, [18.0, 21.0, 16.0]),
    ],
)
def test_second_derivatives_go_through_loops(f: Any, x: Any, expected: list[Any]) -> None:
    source = tf.constant(x)

    assert second(tf.function(f), source) == expected


def test_second_derivatives_go_through_a_loop_that_a_tape_inside_saw() -> None:
    @tf.function
    def f(x: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = x
                for _ in tf.range(3):
                    y *= x
            first = inner.gradient(y, x)
        return y, first, outer.gradient(first, x)

    assert [t.numpy().item() for t in f(tf.constant(2.0))] == [16.0, 32.0, 48.0]


def test_a_variable_read_by_branches_in_a_loop_has_a_gradient() -> None:
    v = tf.Variable(3.0)

    @tf.function
    def f(n: Any) -> Any:
        total = 0.0
        for i in tf.range(n):
            if i % 2 == 0:
                total += v * v
            else:
                total += v
        return total

    assert gradients(f, [v], tf.constant(5)) == [20.0]


@tf.function
def inside_branches(n: Any, v: Any) -> Any:
    with tf.GradientTape() as tape:
        y = tf.cond(n > 1, lambda: v * 2.0, lambda: v * 1.0)
    return tape.gradient(y, v)


@tf.function
def inside_nested_loops(n: Any, v: Any) -> Any:
    with tf.GradientTape() as tape:
        total = 0.0
        for i in tf.range(n):
            for j in tf.range(i):
                if i > j:
                    total += v * tf.cast(j, tf.float32)
    return tape.gradient(total, v)


@pytest.mark.parametrize(("f", "expected"), [(inside_branches, 2.0), (inside_nested_loops, 4.0)])
def test_a_tape_watches_variables_that_only_bodies_read(f: Any, expected: float) -> None:
    assert f(tf.constant(4), tf.Variable(3.0)).numpy().item() == expected
