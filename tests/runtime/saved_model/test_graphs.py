"""Graphs as JSON: every op, branch and loop comes back the same."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tfcheck_runtime as tf
from tfcheck_runtime import dispatch
from tfcheck_runtime.function.call import call_graph
from tfcheck_runtime.function.graph import FunctionGraph
from tfcheck_runtime.graph.printer import to_text
from tfcheck_runtime.op import Case, Op, defined
from tfcheck_runtime.saved_model.encoding import Decoder, Encoder
from tfcheck_runtime.saved_model.graphs import GraphEncoder
from tfcheck_runtime.saved_model.rebuilding import GraphDecoder
from tfcheck_runtime.specs.dtypes import as_dtype, string
from tfcheck_runtime.trace.interpreter import add_input
from tfcheck_runtime.values.tensor import apply_n

CASES = [
    pytest.param(op, case, id=f"{op.type}-{i}")
    for op in defined()
    for i, case in enumerate(op.cases)
    if isinstance(case, Case)
]


def round_trip(graph: FunctionGraph) -> FunctionGraph:
    """The graph after it was written as text; it captures constants only."""
    encoder = Encoder()
    graphs = GraphEncoder(encoder, lambda tensor: encoder.constant(tensor.array, tensor.dtype))
    name = graphs.function(graph)
    functions = json.loads(json.dumps(graphs.functions, allow_nan=False))
    decoder = Decoder(encoder.constants)
    return GraphDecoder(functions, decoder, lambda data: tf.constant(decoder.value(data))).function(
        name
    )


def text(graph: FunctionGraph) -> str:
    return re.sub(r" at 0x\w+", "", to_text(graph))


@pytest.mark.parametrize(("op", "case"), CASES)
def test_a_node_comes_back(op: Op, case: Case) -> None:
    graph = FunctionGraph("one")
    with dispatch.building(graph):
        inputs = [
            add_input(graph, string if a.dtype.kind == "O" else as_dtype(a.dtype), a.shape, "input")
            for a in case.inputs
        ]
        graph.outputs = list(apply_n(op, *inputs, **case.attrs))

    again = round_trip(graph)

    assert text(again) == text(graph)
    assert [n.site for n in again.nodes] == [n.site for n in graph.nodes]


def branches(x: Any) -> Any:
    if tf.reduce_sum(x) > 0.0:
        y = x * 2.0
        if x[0] > 1.0:
            y += 1.0
    else:
        y = -x
    return y


def loops(x: Any) -> Any:
    kept = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    for i in tf.range(3):
        for j in tf.range(i):
            x = x + tf.cast(j, tf.float32)
        kept = kept.write(i, x)
    return kept.stack()


def cases(x: Any) -> Any:
    index = tf.cast(x[0], tf.int32)
    return tf.switch_case(index, [lambda: x, lambda: x * x, lambda: tf.zeros_like(x)])


def calls(x: Any) -> Any:
    inner = tf.function(lambda t: tf.where(t > 0.0, t, float("nan")) + tf.constant([0.5] * 200)[:2])
    return inner(x) + inner(x * float("inf")) * 0.0


@pytest.mark.parametrize("function", [branches, loops, cases, calls])
def test_control_flow_and_calls_compute_the_same(function: Callable[[Any], Any]) -> None:
    graph = tf.function(function).get_concrete_function(tf.TensorSpec([2])).graph

    again = round_trip(graph)

    externals = [c.external for c in again.captures]
    for x in ([1.0, 2.0], [-1.0, 0.5], [2.0, -3.0]):
        expected = tf.function(function)(tf.constant(x))
        (found,) = call_graph(again, [tf.constant(x), *externals])
        np.testing.assert_allclose(found, expected)


def test_a_gradient_flows_through_a_loop_that_was_differentiated_before() -> None:
    function = tf.function(loops)
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        expected = function(x)
    before = tape.gradient(expected, x)

    again = round_trip(function.get_concrete_function(x).graph)
    with tf.GradientTape() as tape:
        tape.watch(x)
        (found,) = call_graph(again, [x, *(c.external for c in again.captures)])[:1]

    np.testing.assert_allclose(tape.gradient(found, x), before)


def test_ops_on_one_list_share_its_shape_again() -> None:
    graph = tf.function(loops).get_concrete_function(tf.TensorSpec([2])).graph

    again = round_trip(graph)

    def elements(inside: Any) -> list[Any]:
        found = [n.attrs["element"] for n in inside.nodes if "element" in n.attrs]
        return found + [e for n in inside.nodes for g in n.subgraphs for e in elements(g)]

    assert len({id(e) for e in elements(again)}) == len({id(e) for e in elements(graph)}) == 1
