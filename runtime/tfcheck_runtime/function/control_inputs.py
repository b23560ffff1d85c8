"""The order of effects as TensorFlow writes it into a graph: control inputs, and a last `NoOp`.

Nodes in program order need none; they are for who reads the graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from tfcheck_runtime.graph.effects import READ_ONLY
from tfcheck_runtime.graph.ir import Graph, Node, Value

_UNORDERED: Final = frozenset(
    {"AnonymousIteratorV3", "MakeIterator", "Placeholder", "PartitionedCall"}
)
"""Types of ops that are marked as stateful and have no effect for who reads the graph."""


@dataclass(slots=True)
class _Users:
    """The ops that used a resource last."""

    write: Node | None = None
    reads: list[Node] = field(default_factory=list)


def acts(node: Node) -> bool:
    """Whether a node has an effect that must not get lost; random numbers are none."""
    random = node.op.type.startswith("Random") or node.op.type == "TruncatedNormal"
    if node.op.type in _UNORDERED or random:
        return False
    return node.op.stateful or any(acts(n) for g in node.subgraphs for n in g.nodes)


def control_inputs(graph: Graph) -> dict[int, list[str]]:
    """Per node, by id, the names of the nodes that must run before it, with their `^`."""
    found: dict[int, list[str]] = {}
    users: dict[int | None, _Users] = {}
    for node in graph.nodes:
        if not acts(node):
            continue
        before: dict[str, None] = {}
        for resource in _resources(node.inputs) or [None]:
            own = users.setdefault(resource, _Users())
            before.update((f"^{n.name}", None) for n in _ahead(own, node))
        found[id(node)] = sorted(before)
    return found


def _resources(inputs: Sequence[Value]) -> list[int | None]:
    return list(dict.fromkeys(id(v) for v in inputs if v.aval.dtype.name == "resource"))


def _ahead(users: _Users, node: Node) -> list[Node]:
    """What comes before `node` at one resource, which it then uses."""
    if node.op.type in READ_ONLY:
        users.reads.append(node)
        return [] if users.write is None else [users.write]
    ahead = users.reads or ([] if users.write is None else [users.write])
    users.write, users.reads = node, []
    return ahead
