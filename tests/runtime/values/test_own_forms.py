"""Objects of libraries that have a tensor form of their own (`__tf_tensor__`)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tfcheck_runtime as tf


class Pair:
    """Becomes `[1, 2]` of the type asked for."""

    def __init__(self) -> None:
        self.asked: list[tuple[object, object]] = []

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        self.asked.append((dtype, name))
        return tf.constant([1, 2], dtype or tf.int32)


class Holder(tf.__internal__.types.Tensor):
    """A library's variable: a class around one."""

    _should_act_as_resource_variable = True
    dtype = "float32"

    def __init__(self, start: float) -> None:
        self.value = tf.Variable(start)

    @property
    def handle(self) -> Any:
        return self.value.handle

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        return tf.convert_to_tensor(self.value, dtype)


def test_the_type_and_name_asked_for_are_passed_on() -> None:
    pair = Pair()

    made = tf.convert_to_tensor(pair, tf.float32, name="pair")

    assert (made.dtype, made.numpy().tolist()) == (tf.float32, [1.0, 2.0])
    assert pair.asked == [(tf.float32, "pair")]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (lambda pair: tf.add(pair, pair), [2, 4]),
        (lambda pair: tf.constant([10, 10]) + pair, [11, 12]),
        (lambda pair: tf.convert_to_tensor([pair, [3, 4]]), [[1, 2], [3, 4]]),
        (lambda pair: tf.reduce_sum([pair, pair]), 6),
        (lambda pair: tf.Variable(pair), [1, 2]),
    ],
)
@pytest.mark.parametrize("graph", [False, True])
def test_such_objects_stand_wherever_a_tensor_does(
    expression: Any, expected: Any, graph: bool
) -> None:
    pair, made = Pair(), []

    def run() -> Any:
        made.append(made[0] if made else expression(pair))
        return tf.identity(made[-1])

    assert np.array(tf.function(run)() if graph else run()).tolist() == expected


def test_only_values_of_tensorflows_types_are_tensors() -> None:
    dense = tf.constant([1.0])
    slices = tf.IndexedSlices(dense, tf.constant([0]))

    are = [dense, tf.Variable(1.0), tf.ragged.constant([[1]]), slices, Holder(1.0)]
    are_not = [Pair(), tf.TensorArray(tf.int32, 1), tf.TensorSpec([]), tf.data.Dataset.range(1), 1]

    assert [tf.is_tensor(value) for value in are] == [True] * 5
    assert [tf.is_tensor(value) for value in are_not] == [False] * 5
    assert isinstance(are[1], tf.__internal__.types.Tensor)


@pytest.mark.parametrize("graph", [False, True])
def test_gradients_reach_the_variable_inside_a_librarys_class(graph: bool) -> None:
    holder = Holder(3.0)

    def slope() -> Any:
        with tf.GradientTape() as tape:
            square = tf.square(holder)
        return tape.gradient(square, holder)

    assert (tf.function(slope) if graph else slope)().numpy() == 6.0


def test_a_variable_and_slices_do_not_change_their_type() -> None:
    slices = tf.IndexedSlices(tf.ones([1]), tf.constant([0]), tf.constant([1]))

    with pytest.raises(ValueError, match="Incompatible type conversion requested to type int32"):
        tf.convert_to_tensor(tf.Variable(1.0), tf.int32)
    with pytest.raises(ValueError, match="Incompatible tensor conversion requested to `dtype` int"):
        tf.convert_to_tensor(slices, tf.int32)
