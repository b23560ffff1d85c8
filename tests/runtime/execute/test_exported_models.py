"""Exported models compute what the graph computes, in onnxruntime and in ONNX's own evaluator."""

import numpy as np
import onnxruntime
import pytest
from onnx.reference import ReferenceEvaluator

from tfcheck_runtime.execute.interpret import interpret
from tfcheck_runtime.lower.model import to_model
from tfcheck_runtime.ops.math.arithmetic import add, multiply
from tfcheck_runtime.ops.math.comparison import less
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values.variable import Variable

FLAG = (dtypes.bool, ())
COUNT = (dtypes.int32, ())


def ones(*values):
    return np.array(values, np.float32)


def run_model(model, feeds):
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    here = session.run(None, feeds)
    there = ReferenceEvaluator(model).run(None, feeds)
    assert [np.asarray(v).tolist() for v in there] == [v.tolist() for v in here]
    return [v.tolist() for v in here]


def test_a_straight_line(build_graph, floats, arguments):
    v = Variable(ones(2, 3))
    graph = build_graph(lambda x: (multiply(add(x, 1.0), v), x, x, v), floats)

    outputs = run_model(to_model(graph), {"x": ones(1, 2)})

    assert outputs == [o.tolist() for o in interpret(graph, arguments(graph, ones(1, 2)))]


@pytest.mark.parametrize(("flag", "expected"), [(True, [3.0]), (False, [10.0])])
def test_a_branch_that_writes_a_variable(build_graph, floats, toy, flag, expected):
    v = Variable(ones(10), name="total")

    def f(x, p):
        def then():
            v.assign(add(x, x))
            v.assign_add(x)

        toy.cond(p, then, lambda: None)

    model = to_model(build_graph(f, floats, FLAG))

    outputs = run_model(model, {"x": ones(1), "y": np.array(flag), "total": ones(10)})

    assert outputs == [expected]


@pytest.mark.parametrize("limit", [None, 2])
def test_a_loop(build_graph, toy, limit):
    def f(n):
        return toy.loop(
            lambda i, t: less(i, n), lambda i, t: (add(i, 1), add(t, i)), 0, 0, limit=limit
        )

    outputs = run_model(to_model(build_graph(f, COUNT)), {"x": np.array(5, np.int32)})

    assert outputs == ([5, 10] if limit is None else [2, 1])


@pytest.mark.parametrize(("index", "expected"), [(0, [2.0]), (1, [5.0]), (7, [1.0])])
def test_one_of_many_branches(build_graph, floats, toy, index, expected):
    def f(i, x):
        return toy.case(i, lambda: add(x, 1.0), lambda: multiply(x, 5.0), lambda: x)

    model = to_model(build_graph(f, COUNT, floats))

    assert run_model(model, {"x": np.array(index, np.int32), "y": ones(1)}) == [expected]
