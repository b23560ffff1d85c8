"""Connects the stages: where ops go, and what happens to variables made while tracing."""

from __future__ import annotations

from tfcheck_runtime import dispatch, ops
from tfcheck_runtime.eager.interpreter import run_eagerly
from tfcheck_runtime.function.control_gradient import gradient_of_control_flow
from tfcheck_runtime.function.creation import create, note_lifted
from tfcheck_runtime.ops.control.python_function import differentiate_python_with
from tfcheck_runtime.tape.backprop import on_control_flow
from tfcheck_runtime.tape.python_gradient import DifferentiablePython
from tfcheck_runtime.trace.interpreter import record
from tfcheck_runtime.values.variable import on_creation_in_graph


def connect() -> None:
    """Make ops and variables work; called once, when the runtime is imported."""
    ops.load()
    dispatch.install(eager=run_eagerly, tracing=record)
    on_creation_in_graph(create, note_lifted)
    on_control_flow(gradient_of_control_flow)
    differentiate_python_with(DifferentiablePython)
