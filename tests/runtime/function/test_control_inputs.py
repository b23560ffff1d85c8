"""The order of effects as a graph definition shows it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tfcheck_runtime as tf

SCALAR = tf.TensorSpec([], tf.float32)


def shown(function: Callable[..., Any], *specs: Any) -> dict[str, list[str]]:
    graph = tf.function(function).get_concrete_function(*specs).graph
    return {node.name: list(node.input) for node in graph.as_graph_def().node}


def test_outputs_wait_for_all_effects() -> None:
    v = tf.Variable(1.0)

    assert shown(lambda x: v.assign_add(x), SCALAR) == {
        "x": [],
        "AssignAddVariableOp/resource": [],
        "AssignAddVariableOp": ["AssignAddVariableOp/resource", "x"],
        "ReadVariableOp": ["AssignAddVariableOp/resource", "^AssignAddVariableOp"],
        "Identity": ["ReadVariableOp", "^NoOp"],
        "NoOp": ["^AssignAddVariableOp", "^ReadVariableOp"],
    }


def test_without_outputs_nothing_waits() -> None:
    def f(x: Any) -> None:
        tf.print("a")
        tf.print(x)

    found = shown(f, SCALAR)

    assert found["PrintV2_1"] == ["StringFormat_1", "^PrintV2"]
    assert "NoOp" not in found


def test_reads_do_not_wait_for_each_other_and_a_write_waits_for_them() -> None:
    v = tf.Variable(1.0)

    def f() -> Any:
        a, b = v * 2.0, v * 3.0
        v.assign(a + b)

    found = shown(f)

    reads = ["ReadVariableOp", "ReadVariableOp_1"]
    assert [found[r][1:] for r in reads] == [[], []]
    assert found["AssignVariableOp"][2:] == [f"^{r}" for r in reads]


def test_pure_functions_and_random_numbers_have_no_effects() -> None:
    twice = tf.function(lambda x: x * 2.0)

    assert "NoOp" not in shown(lambda x: twice(x), SCALAR)
    assert "NoOp" not in shown(lambda: tf.random.uniform([2]))


def test_operations_list_the_last_node_too() -> None:
    v = tf.Variable(1.0)
    graph = tf.function(lambda: v + 1.0).get_concrete_function().graph

    assert [op.type for op in graph.get_operations()] == [
        "Placeholder", "ReadVariableOp", "Const", "AddV2", "Identity", "NoOp",
    ]  # fmt: skip
