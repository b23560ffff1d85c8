"""Ops without outputs give operations in graphs and None outside, as TensorFlow's do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tfcheck_runtime as tf

EFFECTS: dict[str, Callable[[Any], Any]] = {
    "print": lambda x: tf.print(x, output_stream="file:///dev/null"),
    "group": lambda x: tf.group(x),
    "no_op": lambda x: tf.no_op(),
    "assert_positive": lambda x: tf.debugging.assert_positive(x),
    "assert_equal of values": lambda x: tf.debugging.assert_equal(1, 1),
    "assert_rank": lambda x: tf.debugging.assert_rank(x, 0),
    "assert_rank_in": lambda x: tf.debugging.assert_rank_in(x, [0, 1]),
    "Assert": lambda x: tf.debugging.Assert(x > 0, [x]),
    "py_function": lambda x: tf.py_function(lambda v: None, [x], []),
    "close": lambda x: tf.TensorArray(tf.int32, 1).close(),
}


@pytest.mark.parametrize("effect", EFFECTS.values(), ids=EFFECTS)
def test_a_function_cannot_return_an_operation(effect: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError, match="found return value of type Operation"):
        tf.function(effect)(tf.constant(1))


@pytest.mark.parametrize("name", ["print", "group", "no_op", "assert_positive", "Assert"])
def test_outside_of_graphs_there_is_none(name: str) -> None:
    assert EFFECTS[name](tf.constant(1)) is None


def test_checks_of_what_is_known_give_none() -> None:
    seen = []

    @tf.function
    def check(x):
        seen.append(tf.debugging.assert_shapes([(x, ())]))
        seen.append(tf.debugging.assert_type(x, tf.int32))

    check(tf.constant(1))

    assert seen == [None, None]


def test_a_branch_that_ends_in_an_operation_gives_its_condition() -> None:
    @tf.function
    def choose(x):
        return tf.cond(x, tf.no_op, lambda: tf.group(x))

    @tf.function
    def ends(x):
        if x:
            return tf.no_op()
        else:
            return tf.group(x)

    @tf.function
    def pick(i):
        return tf.switch_case(i, [tf.no_op, tf.no_op])

    assert [choose(tf.constant(v)).numpy() for v in (True, False)] == [True, False]
    assert [ends(tf.constant(v)).numpy() for v in (True, False)] == [True, False]
    assert pick(tf.constant(1)).numpy() == 1


def test_operations_can_be_waited_for() -> None:
    seen = []

    @tf.function
    def step(x):
        with tf.control_dependencies([tf.debugging.assert_positive(x), tf.no_op()]):
            tf.py_function(lambda v: seen.append(int(v)), [x], [])
            return x + 1

    assert step(tf.constant(1)).numpy() == 2
    assert seen == [1]


def test_a_dataset_function_cannot_return_an_operation() -> None:
    with pytest.raises(TypeError, match="Unsupported return value"):
        tf.data.Dataset.range(1).map(lambda x: tf.print(x))
