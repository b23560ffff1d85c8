"""Checks for NaN and infinity."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import tfcheck_runtime as tf


@pytest.fixture
def checking() -> Iterator[None]:
    tf.debugging.enable_check_numerics()
    yield
    tf.debugging.disable_check_numerics()


def test_a_checked_tensor_passes_or_fails_with_the_message() -> None:
    assert tf.debugging.check_numerics(tf.constant([1.0]), "fine").numpy().tolist() == [1.0]
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        tf.debugging.assert_all_finite(tf.constant([1.0, float("nan"), float("-inf")]), "bad loss")

    assert str(caught.value) == "bad loss : Tensor had Inf and NaN values"


@pytest.mark.usefixtures("checking")
def test_an_eager_op_is_named_with_the_users_line() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        tf.math.log(tf.constant([0.0, 1.0]))

    line = caught.traceback[0].lineno + 1
    assert str(caught.value) == (
        '!!! Detected Infinity or NaN in output 0 of eagerly-executing op "Log" (# of outputs: 1)'
        " !!!\n  dtype: tf.float32\n  shape: (2,)\n"
        f'  File "{__file__}", line {line}, in test_an_eager_op_is_named_with_the_users_line\n'
        " : Tensor had Inf values"
    )


@pytest.mark.usefixtures("checking")
def test_an_op_of_a_graph_is_named_with_the_users_line() -> None:
    @tf.function
    def f(x: Any) -> Any:
        y = x * 2.0
        return tf.sqrt(y) + 1.0

    assert f(tf.constant(2.0)).numpy() == 3.0
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        f(tf.constant(-2.0))

    line = f.python_function.__code__.co_firstlineno + 3
    assert str(caught.value).splitlines()[:5] == [
        '!!! Detected Infinity or NaN in output 0 of graph op "Sqrt" (# of outputs: 1) !!!',
        "  dtype: tf.float32",
        "  shape: ()",
        f'  File "{__file__}", line {line}, in f',
        " : Tensor had NaN values",
    ]


def test_nothing_is_checked_afterwards() -> None:
    tf.debugging.enable_check_numerics()
    tf.debugging.disable_check_numerics()

    assert tf.math.log(tf.constant(0.0)).numpy() == float("-inf")
