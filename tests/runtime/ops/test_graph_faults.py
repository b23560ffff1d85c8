"""Arguments that only a run shows to be wrong fail in graphs as they do eagerly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tfcheck_runtime as tf

ONES = tf.TensorSpec([None], tf.float32)


@pytest.mark.parametrize(
    ("function", "argument", "text"),
    [
        (lambda a: tf.constant(1) // a, tf.constant(0), "Integer division by zero"),
        (lambda a: tf.constant(1) % a, tf.constant(0), "Integer division by zero"),
        (lambda a: tf.pad([1, 2], [[a, 0]]), tf.constant(-1), "Paddings must be non-negative"),
        (lambda a: tf.transpose(tf.ones([2, 3]), a), tf.constant([0, 0]), None),
        (lambda a: tf.argmax([1, 2], a), tf.constant(4), None),
    ],
)
def test_a_wrong_argument_is_an_invalid_argument(
    function: Callable[[Any], Any], argument: Any, text: str | None
) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        tf.function(function)(argument)

    first, _, rest = str(caught.value).partition("\n")
    assert text in (None, first)
    assert f'File "{__file__}"' in rest


def test_parts_that_do_not_come_out_even_are_refused() -> None:
    halves = tf.function(lambda x: tf.split(x, 2), input_signature=[ONES])

    assert [h.numpy().tolist() for h in halves(tf.range(4.0))] == [[0.0, 1.0], [2.0, 3.0]]
    with pytest.raises(tf.errors.InvalidArgumentError):
        halves(tf.range(3.0))
