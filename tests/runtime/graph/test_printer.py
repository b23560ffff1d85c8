"""Graphs as text."""

import numpy as np

from tfcheck_runtime.graph.printer import to_text
from tfcheck_runtime.op import Aval, Op
from tfcheck_runtime.ops.math.arithmetic import add, multiply
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values.tensor import apply_n
from tfcheck_runtime.values.variable import Variable


class _Twice(Op):
    type = "Twice"

    def infer(self, x, **attrs):
        return Aval(x.dtype, x.shape), Aval(x.dtype, None)


def test_a_node_a_line_with_types_and_site(build_graph):
    v = Variable(np.zeros((1, 2), np.float32))

    def step(x):
        y = multiply(add(x, v), 3.0)
        v.assign(y, read_value=False)
        return y

    text = to_text(build_graph(step, (dtypes.float32, (None, 2)), name="step"))

    line = step.__code__.co_firstlineno
    assert text.splitlines() == [
        "step(x: float32[None, 2], Add/ReadVariableOp/resource: resource) -> Mul",
        "  Add/ReadVariableOp: float32[1, 2] = ReadVariableOp(Add/ReadVariableOp/resource,"
        f" dtype=float32, shape=(1, 2))    # test_printer.py:{line + 1}",
        f"  Add: float32[None, 2] = AddV2(x, Add/ReadVariableOp)    # test_printer.py:{line + 1}",
        f"  Mul/y: float32[] = Const(dtype=float32, value=3.0)    # test_printer.py:{line + 1}",
        f"  Mul: float32[None, 2] = Mul(Add, Mul/y)    # test_printer.py:{line + 1}",
        f"  AssignVariableOp(Add/ReadVariableOp/resource, Mul)    # test_printer.py:{line + 2}",
    ]


def test_bodies_are_indented_below_their_node(build_graph, floats):
    body = build_graph(lambda x: add(x, x), floats, name="body")

    text = to_text(build_graph(lambda x: apply_n(_Twice(), x, body=body), floats))

    assert [line.partition("    #")[0] for line in text.splitlines()] == [
        "f(x: float32[None]) -> Twice:0, Twice:1",
        "  Twice: float32[None], float32[...] = Twice(x)",
        "    body body(x: float32[None]) -> Add",
        "      Add: float32[None] = AddV2(x, x)",
    ]
