"""Sends the streams of random ops back to their start.

The body of a loop over a dataset is, in TensorFlow, a function of that dataset: its random ops
start anew with every run of the loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tfcheck_runtime.graph.ir import Node
from tfcheck_runtime.op import Array, Op, define
from tfcheck_runtime.ops.random.seeds import Periods, Stream
from tfcheck_runtime.values.tensor import apply_n


class _Restart(Op):
    """Begins a new period of the streams that follow it."""

    type = "RestartStreams"
    stateful = True

    def infer(self, *, periods: Periods) -> tuple[()]:
        return ()

    def eager(self, *, periods: Periods) -> tuple[Array, ...]:
        periods.count += 1
        return ()


restart_op = define(_Restart())


def restart_after(nodes: Sequence[Node]) -> None:
    """Let the random ops in the bodies of `nodes` start anew the next time."""
    streams = list(_streams_of(nodes))
    if not streams:
        return
    periods = Periods()
    for stream in streams:
        stream.follow(periods)
    apply_n(restart_op, periods=periods)


def _streams_of(nodes: Sequence[Node]) -> Iterator[Stream]:
    for node in nodes:
        for attr in node.attrs.values():
            if isinstance(attr, Stream):
                yield attr
        for graph in node.subgraphs:
            yield from _streams_of(graph.nodes)
