"""Lowers and builds a function's graph when it first runs, and tells who listens.

What lowers and runs graphs is loaded when the first Function is made: the packages for ONNX models
take longer to import than the rest of the runtime, and eager programs need none of them.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

from tfcheck_runtime import events
from tfcheck_runtime.execute.interpret import interpret
from tfcheck_runtime.function.graph import FunctionGraph
from tfcheck_runtime.specs.shapes import is_subshape

if TYPE_CHECKING:
    from tfcheck_runtime.execute.executable import Executable


class _Clock(threading.local):
    """What is measured in this thread while somebody listens."""

    def __init__(self) -> None:
        self.seconds = 0.0
        """Time spent running graphs."""
        self.served = 0
        """Number of the trace that the last call of a Function was dispatched to."""


clock: Final = _Clock()


def load_stages() -> None:
    """Load what lowers and runs graphs, so that the first call need not."""
    for stage in _STAGES:
        importlib.import_module(stage)


EXECUTABLE: Final = ("executable",)
"""Where a graph keeps its executable among what is derived from it."""
_PLANS: Final = "tfcheck_runtime.lower.plan"
_EXECUTABLES: Final = "tfcheck_runtime.execute.executable"
_STAGES: Final = (_PLANS, _EXECUTABLES)


def executable_of(graph: FunctionGraph) -> Executable:
    """What runs `graph`; built on first use."""
    return graph.derive(EXECUTABLE, lambda: _build(graph))


def _build(graph: FunctionGraph) -> Executable:
    start = perf_counter()
    plan = importlib.import_module(_PLANS).make_plan(graph)
    built: Executable = importlib.import_module(_EXECUTABLES).compile_graph(graph, plan)
    if events.listeners and graph.label is not None:
        function, trace = graph.label
        events.emit(
            events.Built(
                function=function,
                trace=trace,
                start=start,
                seconds=perf_counter() - start,
                nodes_before=built.nodes_before,
                nodes_after=built.nodes_after,
                regions=built.regions,
                host_steps=built.host_steps,
            )
        )
    return built


def run_graph(graph: FunctionGraph, arguments: Sequence[Any]) -> list[Any]:
    """The output arrays of `graph` for arrays and resources in the order of its parameters."""
    if not _fit(graph, arguments):
        # A concrete function called with its tensors alone takes other shapes than it was traced
        # for; what was lowered holds for these only.
        return interpret(graph, arguments)
    executable = executable_of(graph)
    if not events.listeners:
        return executable.run(arguments)
    start = perf_counter()
    try:
        return executable.run(arguments)
    finally:
        clock.seconds += perf_counter() - start


def _fit(graph: FunctionGraph, arguments: Sequence[Any]) -> bool:
    pairs = zip(graph.inputs, arguments, strict=False)
    return all(v.aval.dtype.name == "resource" or is_subshape(a.shape, v.aval.shape)
               for v, a in pairs)  # fmt: skip
