"""Builds graphs for tests of the stages behind tracing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from tfcheck_runtime import dispatch
from tfcheck_runtime.eager.interpreter import run_eagerly
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import DType
from tfcheck_runtime.specs.shapes import Shape
from tfcheck_runtime.trace.interpreter import add_input, capture, record
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import FuncGraph

Spec = tuple[DType, Shape]
Body = Callable[..., object]
BuildGraph = Callable[..., FuncGraph]


@pytest.fixture(autouse=True)
def _interpreters() -> None:
    dispatch.install(eager=run_eagerly, tracing=record)


@pytest.fixture
def build_graph() -> BuildGraph:
    """Traces a Python function: `build_graph(fn, spec…, name=…)`, a spec is (dtype, shape)."""
    return _build


def _build(fn: Body, *specs: Spec, name: str = "f") -> FuncGraph:
    graph = FuncGraph(name, dispatch.current_graph())  # type: ignore[arg-type]  # a FuncGraph
    with dispatch.building(graph):
        inputs = [add_input(graph, d, s, "xyzuvw"[i]) for i, (d, s) in enumerate(specs)]
        result = fn(*inputs)
        outputs = _as_sequence(result)
        graph.outputs = [capture(graph, convert_to_tensor(o)) for o in outputs]
    return graph


def _as_sequence(result: object) -> Sequence[object]:
    if result is None:
        return ()
    return result if isinstance(result, tuple | list) else (result,)


@pytest.fixture
def floats() -> Spec:
    """The spec of a float32 vector of unknown length."""
    return dtypes.float32, (None,)
