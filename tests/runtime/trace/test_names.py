"""Names of nodes that conversion makes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tfcheck_runtime as tf

SCALAR = tf.TensorSpec([], tf.float32)


def names(function: Callable[..., Any], *specs: Any) -> list[str]:
    graph = tf.function(function).get_concrete_function(*specs).graph
    return [node.name for node in graph.as_graph_def().node]


def test_a_python_number_is_named_after_its_use() -> None:
    assert names(lambda x: x * 2.0 + 1.0, SCALAR) == [
        "x", "mul/y", "mul", "add/y", "add", "Identity",
    ]  # fmt: skip


def test_a_constant_keeps_its_name_and_numbers_do_not_use_it_up() -> None:
    assert names(lambda x: (x + 2.0) * tf.constant(3.0), SCALAR) == [
        "x", "add/y", "add", "Const", "mul", "Identity",
    ]  # fmt: skip


def test_a_captured_tensor_is_named_after_its_use() -> None:
    outside = tf.constant(5.0)

    assert names(lambda x: outside - x, SCALAR) == ["x", "sub/x", "sub", "Identity"]


def test_a_read_is_named_after_its_use_unless_it_stands_before_an_operator() -> None:
    v, w = tf.Variable(1.0), tf.Variable(2.0)

    assert names(lambda: v * w) == [
        "ReadVariableOp/resource", "ReadVariableOp", "mul/ReadVariableOp/resource",
        "mul/ReadVariableOp", "mul", "Identity", "NoOp",
    ]  # fmt: skip


def test_parts_of_a_list_are_numbered() -> None:
    assert names(lambda x: tf.stack([x, 1.0]), SCALAR) == ["x", "stack/1", "stack", "Identity"]


def test_what_nobody_names_keeps_the_name_of_its_kind() -> None:
    assert names(lambda: tf.convert_to_tensor(np.float32(1.0))) == ["Const", "Identity"]


def test_a_scope_entered_again_is_another_scope() -> None:
    def f(x: Any) -> Any:
        for _ in range(2):
            with tf.name_scope("layer"):
                x = tf.square(x)
        return x

    assert names(f, SCALAR) == ["x", "layer/Square", "layer_1/Square", "Identity"]
