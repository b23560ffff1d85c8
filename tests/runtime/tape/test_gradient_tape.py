"""What a tape records and what comes out."""

from __future__ import annotations

from typing import Any

import pytest

from tfcheck_runtime.api import root as tf

X = tf.constant(3.0)


def numbers(structure: Any) -> Any:
    """Gradients as Python numbers, in their structure."""
    return tf.nest.map_structure(lambda g: None if g is None else g.numpy().tolist(), structure)


def test_variables_are_watched_when_trainable_and_tensors_when_asked() -> None:
    v, frozen = tf.Variable(2.0), tf.Variable(5.0, trainable=False)
    with tf.GradientTape() as tape:
        y = v * v * X + frozen

    assert [w is v for w in tape.watched_variables()] == [True]
    assert numbers(tape.gradient(y, [v, X, frozen])) == [12.0, None, None]


def test_gradients_come_in_the_structure_of_the_sources() -> None:
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = X * X

    assert numbers(tape.gradient(y, {"a": X, "b": [X]})) == {"a": 6.0, "b": [6.0]}


def test_targets_are_summed() -> None:
    with tf.GradientTape() as tape:
        tape.watch(X)
        y, z = X * X, X * 2.0

    assert numbers(tape.gradient([y, {"z": z}], X)) == 8.0


def test_output_gradients_weigh_the_targets() -> None:
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = tf.stack([X, X * X])

    assert numbers(tape.gradient(y, X, output_gradients=tf.constant([1.0, 2.0]))) == 13.0


def test_a_tape_can_be_used_once() -> None:
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = X * X
    tape.gradient(y, X)

    with pytest.raises(RuntimeError, match=r"can only be used to compute one set of gradients"):
        tape.gradient(y, X)


def test_a_persistent_tape_can_be_used_again() -> None:
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(X)
        y = X * X

    assert [numbers(tape.gradient(y, X)) for _ in range(2)] == [6.0, 6.0]


def test_integers_carry_no_gradient(caplog: pytest.LogCaptureFixture) -> None:
    whole = tf.constant(3)
    with tf.GradientTape() as tape:
        tape.watch(whole)
        y = whole * whole

    assert tape.gradient(y, whole) is None
    assert "must be floating (e.g. tf.float32), got tf.int32" in caplog.text


def test_a_source_without_influence_gives_none_or_zeros() -> None:
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(X)
        y = tf.constant(1.0) * 2.0

    assert tape.gradient(y, X) is None
    assert numbers(tape.gradient(y, X, unconnected_gradients="zero")) == 0.0
    with pytest.raises(ValueError, match=r"^Unknown value for unconnected_gradients: 'foo'$"):
        tape.gradient(y, X, unconnected_gradients="foo")


def test_what_runs_while_recording_is_stopped_is_not_seen() -> None:
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape, tape.stop_recording():
        y = v * v

    assert tape.gradient(y, v) is None


def test_reset_forgets() -> None:
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = v * v
        tape.reset()
        z = v * 3.0

    assert numbers(tape.gradient([y, z], v)) == 3.0


def test_a_tape_cannot_be_entered_twice() -> None:
    tape = tf.GradientTape()
    with tape, pytest.raises(ValueError, match=r"Tape is still recording"):
        tape.__enter__()


def test_only_tensors_can_be_watched_or_differentiated_by() -> None:
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(X)
        y = X * 2.0
        with pytest.raises(
            ValueError, match=r"Passed in object 3.0 of type 'float', not tf.Tensor"
        ):
            tape.watch(3.0)

    with pytest.raises(AttributeError, match=r"'float' object has no attribute 'dtype'"):
        tape.gradient(y, 3.0)
    with pytest.raises(TypeError, match=r"^Argument `target` should be a list"):
        tape.gradient(None, X)


def test_inner_gradients_are_recorded_by_outer_tapes() -> None:
    with tf.GradientTape() as outer:
        outer.watch(X)
        with tf.GradientTape() as inner:
            inner.watch(X)
            y = X * X * X
        first = inner.gradient(y, X)

    assert [numbers(first), numbers(outer.gradient(first, X))] == [27.0, 18.0]


def test_complex_gradients_are_conjugated() -> None:
    c = tf.constant(1 + 2j)
    with tf.GradientTape() as tape:
        tape.watch(c)
        y = c * c

    assert numbers(tape.gradient(y, c)) == 2 - 4j


def test_a_tape_inside_a_function_works_in_its_graph() -> None:
    v = tf.Variable(2.0)

    @tf.function
    def f(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x * v
        return tape.gradient(y, [x, v])

    assert numbers(f(X)) == [12.0, 9.0]


def test_symbolic_gradients_work_in_functions_only() -> None:
    @tf.function
    def f(x: Any) -> Any:
        y = x * x
        return tf.gradients([y, x], [x, y], grad_ys=[2.0, 3.0])

    assert numbers(f(X)) == [15.0, 2.0]
    with pytest.raises(RuntimeError, match=r"tf.gradients is not supported when eager execution"):
        tf.gradients(X, X)


def test_stop_gradients_cut_the_graph() -> None:
    @tf.function
    def f(x: Any) -> Any:
        y = x * x
        return tf.gradients(y * x, x, stop_gradients=[y])

    assert numbers(f(X)) == [9.0]
