"""Which error an op raises: eagerly, and while tracing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tfcheck_runtime as tf

Thunk = Callable[[], Any]
INVALID = tf.errors.InvalidArgumentError

SHAPE_ERRORS: list[Thunk] = [
    lambda: tf.reshape(tf.range(12), [5, -1]),
    lambda: tf.squeeze(tf.zeros([2]), [0]),
    lambda: tf.expand_dims(tf.zeros([2]), 3),
    lambda: tf.concat([tf.zeros([2, 2]), tf.zeros([3, 3])], 0),
    lambda: tf.concat([tf.constant(1), tf.constant(1)], 0),
    lambda: tf.stack([tf.zeros([2]), tf.zeros([3])]),
    lambda: tf.split(tf.zeros([3]), 2),
    lambda: tf.split(tf.zeros([3]), [1, 1]),
    lambda: tf.tile(tf.zeros([2]), [1, 2]),
    lambda: tf.broadcast_to(tf.zeros([2]), [3, 3]),
    lambda: tf.fill([-1], 2),
    lambda: tf.range(5, 0),
    lambda: tf.range(0, 1, 0),
    lambda: tf.reduce_sum(tf.zeros([1]), 2),
    lambda: tf.matmul(tf.zeros([1, 2]), tf.zeros([1, 2])),
    lambda: tf.matmul(tf.zeros([2]), tf.zeros([2, 1])),
    lambda: tf.where(tf.constant([True, False]), tf.range(3), tf.range(3)),
    lambda: tf.scatter_nd([[1]], [1.0, 2.0], [3]),
    lambda: tf.pad(tf.zeros([1]), [[-1, 1]]),
    lambda: tf.math.top_k(tf.zeros([2]), 3),
    lambda: tf.ensure_shape(tf.zeros([2]), [3]),
]

DTYPE_ERRORS: list[Thunk] = [
    lambda: tf.concat([tf.constant([1]), tf.constant([1.0])], 0),
    lambda: tf.stack([tf.constant(1), tf.constant(1.0)]),
    lambda: tf.matmul(tf.constant([[1.0]]), tf.constant([[1]])),
    lambda: tf.where(tf.constant([True]), tf.constant([1]), tf.constant([1.0])),
    lambda: tf.where(tf.constant([1, 0]), 1, 2),
    lambda: tf.reduce_sum(tf.constant([True])),
    lambda: tf.reduce_any(tf.constant([1])),
    lambda: tf.reshape(tf.constant([1]), [1.0]),
    lambda: tf.one_hot([0.0, 1.0], 3),
]

RUNTIME_ERRORS: list[Thunk] = [
    lambda: tf.gather(tf.constant([1, 2, 3]), [3]),
    lambda: tf.gather(tf.constant([1, 2, 3]), [-1]),
    lambda: tf.gather_nd(tf.constant([[1, 2]]), [[2]]),
    lambda: tf.scatter_nd([[5]], [1.0], [3]),
    lambda: tf.tensor_scatter_nd_update(tf.constant([1, 2]), [[9]], [5]),
    lambda: tf.argmax(tf.zeros([0, 2]), 0),
    lambda: tf.argmax(tf.constant(1.0)),
    lambda: tf.cumsum(tf.constant([1]), 1),
    lambda: tf.reduce_sum(tf.constant([1.0]), [0, 0]),
    lambda: tf.pad(tf.constant([1, 2, 3]), [[3, 3]], "REFLECT"),
]


@pytest.mark.parametrize("thunk", SHAPE_ERRORS)
def test_shapes_that_do_not_fit_are_invalid_arguments(thunk: Thunk) -> None:
    with pytest.raises(INVALID):
        thunk()


@pytest.mark.parametrize("thunk", SHAPE_ERRORS)
def test_shapes_that_do_not_fit_are_value_errors_while_tracing(thunk: Thunk) -> None:
    with pytest.raises(ValueError, match=r"."):
        tf.function(thunk, autograph=False)()


@pytest.mark.parametrize("thunk", DTYPE_ERRORS)
def test_dtypes_an_op_does_not_take_are_invalid_arguments(thunk: Thunk) -> None:
    with pytest.raises(INVALID):
        thunk()


@pytest.mark.parametrize("thunk", DTYPE_ERRORS)
def test_dtypes_an_op_does_not_take_are_type_errors_while_tracing(thunk: Thunk) -> None:
    with pytest.raises(TypeError, match=r"."):
        tf.function(thunk, autograph=False)()


@pytest.mark.parametrize("thunk", RUNTIME_ERRORS)
def test_what_only_values_tell_is_an_invalid_argument_everywhere(thunk: Thunk) -> None:
    with pytest.raises(INVALID):
        thunk()
    with pytest.raises(INVALID):
        tf.function(thunk, autograph=False)()


def test_the_message_of_a_gather_names_index_and_size() -> None:
    with pytest.raises(INVALID) as raised:
        tf.gather(tf.constant([1, 2, 3]), [0, 3])

    assert raised.value.message == "indices[1] = 3 is not in [0, 3) [Op:GatherV2]"


def test_a_cast_from_strings_is_unimplemented() -> None:
    with pytest.raises(tf.errors.UnimplementedError, match="Cast string to int32"):
        tf.cast(tf.constant("1"), tf.int32)


def test_a_negative_index_from_outside_is_refused_when_the_graph_runs() -> None:
    pick = tf.function(lambda x, i: tf.gather(x, i), autograph=False)

    with pytest.raises(INVALID):
        pick(tf.constant([1.0, 2.0, 3.0]), tf.constant([-1]))
