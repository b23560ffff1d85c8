"""The stack of interpreters: an op applied goes to the graph being built or runs at once.

Tapes see every op of their own level: entering a graph hides the tapes outside it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol

from tfcheck_runtime.graph.ir import Graph
from tfcheck_runtime.op import Op

Inputs = tuple[Any, ...]  # eager tensors, symbolic tensors and resources of the layers above


class EagerInterpreter(Protocol):
    """Runs an op now."""

    def __call__(self, op: Op, inputs: Inputs, attrs: Mapping[str, Any]) -> Inputs:
        """The outputs of `op`."""


class TracingInterpreter(Protocol):
    """Adds an op to a graph."""

    def __call__(
        self, graph: Graph, op: Op, inputs: Inputs, attrs: Mapping[str, Any], name: str | None
    ) -> Inputs:
        """The outputs of the new node."""


class Recorder(Protocol):
    """A tape."""

    def record(self, op: Op, inputs: Inputs, outputs: Inputs, attrs: Mapping[str, Any]) -> None:
        """An op was applied."""

    def watch_variable(self, variable: Any) -> None:
        """A trainable variable is read."""


class State(threading.local):
    """Where the current thread stands."""

    graph: Graph | None = None
    waiting: bool = False
    """Whether nodes wait for what stands before them."""

    def __init__(self) -> None:
        self.tapes: tuple[Recorder, ...] = ()
        self.outer_tapes: tuple[Recorder, ...] = ()


state = State()


class _Interpreters:
    """The installed interpreters; set once, when the runtime is imported."""

    eager: EagerInterpreter
    tracing: TracingInterpreter


def install(*, eager: EagerInterpreter, tracing: TracingInterpreter) -> None:
    """Connect the interpreters."""
    _Interpreters.eager = staticmethod(eager)
    _Interpreters.tracing = staticmethod(tracing)


def interpreters() -> tuple[EagerInterpreter, TracingInterpreter]:
    """The installed interpreters."""
    return _Interpreters.eager, _Interpreters.tracing


def run(op: Op, inputs: Inputs, attrs: Mapping[str, Any], name: str | None = None) -> Inputs:
    """Apply `op` at the current level and tell the tapes; returns all outputs."""
    graph = state.graph
    if graph is None:
        outputs = _Interpreters.eager(op, inputs, attrs)
    else:
        outputs = _Interpreters.tracing(graph, op, inputs, attrs, name)
    for tape in state.tapes:
        tape.record(op, inputs, outputs, attrs)
    return outputs


def current_graph() -> Graph | None:
    """The graph being built in this thread, or None in eager code."""
    return state.graph


@contextmanager
def building(graph: Graph | None) -> Iterator[None]:
    """Send ops to `graph` (None: run them at once), hidden from the tapes outside."""
    before = state.graph, state.tapes, state.outer_tapes
    state.graph, state.tapes, state.outer_tapes = graph, (), (*state.outer_tapes, *state.tapes)
    try:
        yield
    finally:
        state.graph, state.tapes, state.outer_tapes = before


@contextmanager
def waiting() -> Iterator[None]:
    """Let nodes that are made here wait for all that stands before them."""
    before, state.waiting = state.waiting, True
    try:
        yield
    finally:
        state.waiting = before


def watching_tapes() -> tuple[Recorder, ...]:
    """The tapes that watch variables read here, those outside the graph being built included."""
    return (*state.outer_tapes, *state.tapes)


@contextmanager
def recording(tape: Recorder) -> Iterator[None]:
    """Let `tape` see the ops of this level too."""
    state.tapes = (*state.tapes, tape)
    try:
        yield
    finally:
        stop_recording(tape)


def start_recording(tape: Recorder) -> None:
    """Let `tape` see ops from now on."""
    state.tapes = (*state.tapes, tape)


def stop_recording(tape: Recorder) -> None:
    """Hide ops from `tape`."""
    state.tapes = tuple(t for t in state.tapes if t is not tape)


@contextmanager
def hidden_from(tape: Recorder) -> Iterator[None]:
    """Hide ops from `tape` while the context is open."""
    before = state.tapes
    stop_recording(tape)
    try:
        yield
    finally:
        state.tapes = before


@contextmanager
def not_recording() -> Iterator[None]:
    """Hide ops from all tapes."""
    before = state.tapes
    state.tapes = ()
    try:
        yield
    finally:
        state.tapes = before
