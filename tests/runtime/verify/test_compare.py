"""Graphs held against the models made of them."""

import numpy as np
import pytest

from tfcheck_runtime.op import Aval, Op
from tfcheck_runtime.ops.math.arithmetic import add, multiply
from tfcheck_runtime.values.tensor import apply
from tfcheck_runtime.values.variable import Variable
from tfcheck_runtime.verify.compare import Comparer


class _Doubled(Op):
    """Twice its input, and a little more as an ONNX model."""

    type = "Doubled"

    def infer(self, x):
        return Aval(x.dtype, x.shape)

    def eager(self, x):
        return x * np.float32(2)

    def lower(self, onnx, x):
        return onnx.op("Mul", x, np.float32(2.01))


def array(*values):
    return np.array(values, np.float32)


def test_engines_agree_and_variables_are_left_alone(build_graph, floats):
    total = Variable(array(1.0), name="total")

    def step(x):
        total.assign_add(x)
        return multiply(total, 3.0)

    comparer = Comparer(build_graph(step, floats))
    compared = comparer.compare([array(2.0)])

    assert {k: (r.ok, r.difference) for k, r in compared.results.items()} == {
        "onnxruntime": (True, 0.0), "reference": (True, 0.0),
    }  # fmt: skip
    assert [o.tolist() for o in compared.outputs] == [[9.0], [3.0]]
    assert [cell.name for cell in comparer.written] == ["total"]
    assert total.numpy().tolist() == [1.0]


def test_the_first_step_that_differs_is_found(build_graph, floats):
    def step(x):
        y = add(x, 1.0)
        z = apply(_Doubled(), y)
        return multiply(z, z)

    comparer = Comparer(build_graph(step, floats))
    compared = comparer.compare([array(1.0, 2.0)])
    culprit = comparer.culprit([array(1.0, 2.0)], "onnxruntime")

    assert not compared.results["onnxruntime"].ok
    assert not compared.results["reference"].ok
    assert culprit.node.op.type == "Doubled"
    assert culprit.node.site.line == step.__code__.co_firstlineno + 2
    assert culprit.difference == pytest.approx(0.005, rel=1e-3)


def test_nothing_is_to_blame_where_all_agrees(build_graph, floats):
    comparer = Comparer(build_graph(lambda x: add(x, 1.0), floats))

    assert comparer.culprit([array(1.0)], "reference") is None


def test_a_graph_that_fails_is_not_compared(build_graph, floats):
    comparer = Comparer(build_graph(lambda x: add(x, array(1.0, 2.0, 3.0)), floats))

    compared = comparer.compare([array(1.0, 2.0)])

    assert "could not be broadcast" in str(compared.failure)
    assert compared.results == {}
