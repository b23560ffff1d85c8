"""What is known of shapes while tracing: sizes that flow through integer tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tfcheck_runtime as tf

SIGNATURE = [
    tf.TensorSpec([None, 4]),
    tf.TensorSpec([2, None, 3]),
    tf.TensorSpec(None),
    tf.TensorSpec([], tf.int32),
    tf.TensorSpec([None], tf.int32),
]

SHAPES: list[tuple[Callable[..., Any], list[int | None] | None]] = [
    (lambda a, b, u, n, v: tf.reshape(a, [tf.shape(a)[0], 2, 2]), [None, 2, 2]),
    (lambda a, b, u, n, v: tf.reshape(b, [n, -1, 3]), [None, None, 3]),
    (lambda a, b, u, n, v: tf.reshape(a, tf.concat([tf.shape(a)[:1], [2, 2]], 0)), [None, 2, 2]),
    (lambda a, b, u, n, v: tf.reshape(b, tf.stack([2, tf.reduce_prod(tf.shape(b)[1:])])),
     [2, None]),
    (lambda a, b, u, n, v: tf.zeros([n, 4]), [None, 4]),
    (lambda a, b, u, n, v: tf.zeros(tf.shape(a)), [None, 4]),
    (lambda a, b, u, n, v: tf.broadcast_to(a[0], tf.shape(a)), [None, 4]),
    (lambda a, b, u, n, v: tf.range(tf.shape(a)[1]), [4]),
    (lambda a, b, u, n, v: tf.gather(tf.shape(b), [0, 2]), [2]),
    (lambda a, b, u, n, v: tf.fill(tf.unstack(tf.shape(b))[::2], 1.0), [2, 3]),
    (lambda a, b, u, n, v: tf.reduce_sum(a, n - 2, keepdims=True), [None, None]),
    (lambda a, b, u, n, v: tf.reduce_sum(u), []),
    (lambda a, b, u, n, v: tf.concat([a, a], n - 1), [None, None]),
    (lambda a, b, u, n, v: tf.split(b, [1, 1], axis=0)[1], [1, None, 3]),
    (lambda a, b, u, n, v: a[:, :n], [None, None]),
    (lambda a, b, u, n, v: b[1, :n, ::2], [None, 2]),
    (lambda a, b, u, n, v: a[a[:, 0] > 0], [None, 4]),
    (lambda a, b, u, n, v: tf.gather(a, v, axis=1), [None, None]),
    (lambda a, b, u, n, v: tf.one_hot(v, 3, axis=0), [3, None]),
    (lambda a, b, u, n, v: tf.transpose(u), None),
    (lambda a, b, u, n, v: tf.matmul(a, a, transpose_b=True), [None, None]),
    (lambda a, b, u, n, v: tf.ensure_shape(u, [None, 3]), [None, 3]),
    (lambda a, b, u, n, v: tf.tile(a, [2, 1]), [None, 4]),
]  # fmt: skip


@pytest.mark.parametrize(("compute", "expected"), SHAPES)
def test_the_static_shape_says_all_that_follows(
    compute: Callable[..., Any], expected: list[int | None] | None
) -> None:
    function = tf.function(compute, input_signature=SIGNATURE, autograph=False)

    shape = function.get_concrete_function().outputs[0].shape

    assert (None if shape.rank is None else shape.as_list()) == expected
