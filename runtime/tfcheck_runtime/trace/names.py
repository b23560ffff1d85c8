"""Names of nodes that conversion makes: after the node that uses them, as in TensorFlow.

The 2 of `x * 2` is the node `mul/y`, a variable read for `x + v` is `add/ReadVariableOp`.
"""

from __future__ import annotations

import functools
import inspect
from inspect import Parameter
from typing import Final

from tfcheck_runtime.graph.ir import Graph, Node
from tfcheck_runtime.op import Op

_RESOURCE: Final = "/resource"
_ASSIGNING: Final = frozenset({"AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp"})
"""Types of ops whose values keep their names."""


def name_inputs(graph: Graph, node: Node) -> None:
    """Name what was made for `node` after it."""
    for i, value in enumerate(node.inputs):
        maker = value.node
        if id(maker) not in graph.unnamed:
            continue
        graph.unnamed.discard(id(maker))
        argument = argument_name(node.op, i)
        if argument is None:
            continue
        if maker.op.type != "ReadVariableOp":
            graph.rename(maker, f"{_owner(node)}/{argument}")
        elif i or not _is_operator(node):
            _rename_read(graph, maker, f"{node.name}/ReadVariableOp")


def _owner(node: Node) -> str:
    # Random numbers are drawn in a scope of their own, whose first node is the shape.
    return node.name.rpartition("/")[0] if node.op.type.startswith("Random") else node.name


def _is_operator(node: Node) -> bool:
    # Operators name their nodes `add`, functions `Add`; an operator reads its left side beforehand.
    return node.name.rpartition("/")[2][:1].islower()


def _rename_read(graph: Graph, read: Node, name: str) -> None:
    handle, before = read.inputs[0].node, read.name
    graph.rename(read, name)
    if handle.name == before + _RESOURCE:
        graph.rename(handle, read.name + _RESOURCE)


@functools.cache
def argument_name(op: Op, index: int) -> str | None:
    """What an op calls its input number `index`; None where its inputs keep their names."""
    if op.type == "Identity" or (index and op.type in _ASSIGNING):
        return None
    parameters = list(inspect.signature(op.infer).parameters.values())
    named = [p.name for p in parameters if p.kind is Parameter.POSITIONAL_OR_KEYWORD]
    if index < len(named):
        return named[index]
    return str(index) if op.type == "Pack" else None
