"""What the graph of a trace, and a graph made by hand, tell of themselves."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

import tfcheck_runtime as tf


def test_the_graph_of_a_trace_knows_its_arguments_and_results() -> None:
    @tf.function
    def f(x, y=1):
        return {"a": x + y}

    concrete = f.get_concrete_function(tf.TensorSpec([]))

    assert str(concrete.graph.structured_outputs) == (
        "{'a': <tf.Tensor 'Identity:0' shape=() dtype=float32>}"
    )
    assert concrete.graph.structured_input_signature == (
        (tf.TensorSpec([], tf.float32, "x"), 1),
        {},
    )
    assert str(concrete.function_type) == (
        "(x: TensorSpec(shape=(), dtype=tf.float32, name=None), y: Literal[1])"
        " -> Dict[['a', TensorSpec(shape=(), dtype=tf.float32, name=None)]]"
    )
    assert concrete.pretty_printed_signature().startswith("Input Parameters:\n")


def test_ops_go_to_a_graph_that_is_made_by_hand() -> None:
    graph = tf.Graph()

    with graph.as_default():
        a = tf.constant(1.0, name="a")
        b = a + 2

    assert [operation.name for operation in graph.get_operations()] == ["a", "add/y", "add"]
    assert (tf.is_symbolic_tensor(b), tf.is_symbolic_tensor(tf.constant(1.0))) == (True, False)


def test_strings_of_numpy_are_literals_and_defaultdicts_come_as_dicts() -> None:
    seen = []

    @tf.function
    def f(value):
        seen.append(type(value))
        return 0

    f(np.str_("a"))
    f("a")
    f(defaultdict(list, a=tf.constant(1)))

    assert seen == [np.str_, dict]
