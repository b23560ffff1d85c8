"""The parameters of a graph: values that come with each call."""

from __future__ import annotations

from tfcheck_runtime.graph.ir import Graph, Value
from tfcheck_runtime.op import Aval, Op, define
from tfcheck_runtime.site import user_site
from tfcheck_runtime.specs.dtypes import DType
from tfcheck_runtime.specs.shapes import Shape


class _Placeholder(Op):
    """A parameter of a graph."""

    type = "Placeholder"
    stateful = True  # never folded: its value comes with each call

    def infer(self, *, dtype: DType, shape: Shape) -> Aval:
        return Aval(dtype, shape)

    def eager(self, *, dtype: DType, shape: Shape) -> None:
        raise TypeError("a placeholder has no value outside the call of its graph")


placeholder_op = define(_Placeholder())


def add_input(graph: Graph, dtype: DType, shape: Shape, name: str) -> Value:
    """A new explicit parameter of `graph`."""
    value = graph.placeholder(placeholder_op, dtype, shape, name=name, site=user_site())
    graph.inputs.append(value)
    return value
