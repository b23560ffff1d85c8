"""Measures the ops of a trace one by one, in sessions that record their kernels."""

from __future__ import annotations

import importlib
import tempfile
from collections.abc import Callable

from tfcheck_runtime.execute.executable import compile_graph, models_of
from tfcheck_runtime.execute.kernel_times import KernelTime, kernel_times
from tfcheck_runtime.execute.session import recorded_sessions
from tfcheck_runtime.function.concrete import ConcreteFunction
from tfcheck_runtime.function.running import EXECUTABLE


def op_times(
    concrete: ConcreteFunction, call: Callable[[], object], *, runs: int
) -> tuple[KernelTime, ...]:
    """What the kernels of a trace take over `runs` calls of `concrete`, the dearest first.

    Recording costs time itself, so that the times tell shares of a call rather than its length.

    Args:
        concrete: the trace.
        call: calls it.
        runs: how often.
    """
    graph = concrete.graph
    plan = importlib.import_module("tfcheck_runtime.lower.plan").make_plan(graph)
    kept = graph.derived.get(EXECUTABLE)
    with tempfile.TemporaryDirectory(prefix="tfcheck-ops-") as folder:
        with recorded_sessions(folder) as ended:
            graph.derived[EXECUTABLE] = compile_graph(graph, plan)
            try:
                for _ in range(runs):
                    call()
            finally:
                graph.derived.pop(EXECUTABLE)
                if kept is not None:
                    graph.derived[EXECUTABLE] = kept
        return kernel_times(ended(), dict(models_of(plan)))
