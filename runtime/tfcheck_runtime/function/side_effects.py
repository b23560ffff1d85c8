"""Tells listeners what a new graph does besides computing its outputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from tfcheck_runtime import events
from tfcheck_runtime.graph.ir import Graph, Node

KINDS: Final[Mapping[str, str]] = {
    "PrintV2": "tf.print",
    "EagerPyFunc": "py_function",
    "PyFunc": "py_function",
    "Assert": "assert",
    "Multinomial": "random",
    "RandomGamma": "random",
    "RandomPoissonV2": "random",
    "RandomShuffle": "random",
    "RandomStandardNormal": "random",
    "RandomUniform": "random",
    "RandomUniformInt": "random",
    "RngReadAndSkip": "random",
    "TruncatedNormal": "random",
}
"""Types of ops that act on the world outside or draw on state, and the kind of event."""


def tell_side_effects(function: int, trace: int, graph: Graph) -> None:
    """Emit an event for each line with such an op, in the graph or in a body inside it."""
    found = {(KINDS[n.op.type], n.site): None for n in _nodes(graph) if n.op.type in KINDS}
    for kind, site in found:
        events.emit(events.SideEffect(function, trace, kind=kind, site=site))


def _nodes(graph: Graph) -> Iterator[Node]:
    for node in graph.nodes:
        yield node
        for inside in node.subgraphs:
            yield from _nodes(inside)
