"""Graphs for TensorBoard: those of the traces made while recording is on, or a given one.

Follows https://www.tensorflow.org/api_docs/python/tf/summary/trace_on, trace_export and graph.
"""

from __future__ import annotations

import time
from typing import Final

import numpy as np

from tfcheck_runtime.function.graph import FunctionGraph, GraphDef
from tfcheck_runtime.function.log import get_logger
from tfcheck_runtime.ops.summary import messages
from tfcheck_runtime.ops.summary.writers import state
from tfcheck_runtime.values.convert import constant
from tfcheck_runtime.values.tensor import Tensor

_PLUGIN: Final = "graph_run_metadata_graph"


class _Recording:
    """The graphs traced since recording was turned on; None while it is off."""

    graphs: list[FunctionGraph] | None = None


def record_graph(graph: FunctionGraph) -> None:
    """Keep a graph that was traced, if recording is on."""
    if _Recording.graphs is not None:
        _Recording.graphs.append(graph)


def trace_on(
    graph: bool = True, profiler: bool = False, profiler_outdir: str | None = None
) -> None:
    """Record the graphs of Functions traced from now on.

    TensorFlow records Functions that run, so one traced before is in its export and not in this.
    """
    del profiler_outdir
    if profiler:
        not_profiled("tf.summary.trace_on(profiler=True)")
    _Recording.graphs = [] if graph else None


def trace_off() -> None:
    """Record no more and forget what was recorded."""
    _Recording.graphs = None


def trace_export(name: str, step: object = None, profiler_outdir: str | None = None) -> None:
    """Write what was recorded through the default writer, and record no more.

    Raises:
        ValueError: recording is off, or no step is given or set.
    """
    del profiler_outdir
    graphs, _Recording.graphs = _Recording.graphs, None
    if graphs is None:
        raise ValueError("Must enable trace before export through tf.summary.trace_on.")
    if state.writer is None:
        return
    at = state.step if step is None else step
    if at is None:
        raise ValueError("No step set. Please specify one either through the `step` argument.")
    found = messages.run_metadata([_encoded(graph.as_graph_def()) for graph in graphs])
    content = np.array(found, object)
    summary = messages.value(name, content, _PLUGIN, data_class=0, description="")
    state.writer.write(messages.event(time.time(), int(np.asarray(at)), summary))


def graph(graph_data: FunctionGraph | GraphDef) -> Tensor:
    """Write a graph through the default writer; whether it was written.

    Raises:
        ValueError: `graph_data` is no graph.
    """
    found = graph_data.as_graph_def() if isinstance(graph_data, FunctionGraph) else graph_data
    if not isinstance(found, GraphDef):
        raise ValueError(
            "Argument 'graph_data' is not tf.Graph or tf.compat.v1.GraphDef. Received graph_data="
            f"{graph_data} of type {type(graph_data).__name__}."
        )
    if state.writer is None:
        return constant(False)
    state.writer.write(messages.graph_event(time.time(), _encoded(found)))
    return constant(True)


def not_profiled(name: str) -> None:
    """Warn that TensorFlow's profiler is not here; what the program computes stays the same."""
    get_logger().warning(
        f"{name} records nothing in the embedded runtime: run the program with `tfcheck profile`"
    )


def _encoded(found: GraphDef) -> bytes:
    functions = [(f.signature.name, f.node_def) for f in found.library.function]
    return messages.graph_def(found.node, functions)
