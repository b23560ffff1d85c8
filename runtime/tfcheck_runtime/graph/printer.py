"""Graphs as readable text.

step(x: float32[None, 2], v: resource) -> Mul
  ReadVariableOp: float32[2] = ReadVariableOp(v)    # train.py:12
  Mul: float32[None, 2] = Mul(x, ReadVariableOp)    # train.py:12
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from tfcheck_runtime.graph.ir import Graph, Node, Value, is_graph
from tfcheck_runtime.op import Aval

_INDENT: Final = "  "
_LONG: Final = 6
"""Constants of more elements than this show their shape only."""


def to_text(graph: Graph) -> str:
    """The graph, a node a line in program order, bodies of branches and loops indented."""
    return "\n".join(_lines(graph))


def _lines(graph: Graph) -> Iterator[str]:
    parameters = ", ".join(f"{v.node.name}: {_type(v.aval)}" for v in graph.parameters)
    outputs = ", ".join(_reference(v) for v in graph.outputs)
    yield f"{graph.name}({parameters}) -> {outputs or 'nothing'}"
    for node in graph.nodes:
        if node.op.type != "Placeholder":
            yield from (_INDENT + line for line in _node_lines(node))


def _node_lines(node: Node) -> Iterator[str]:
    types = ", ".join(_type(v.aval) for v in node.outputs)
    arguments = [_reference(v) for v in node.inputs]
    arguments += [f"{k}={_attribute(v)}" for k, v in sorted(node.attrs.items()) if not _bodies(v)]
    made = f"{node.name}: {types} = " if types else ""
    site = f"{os.path.basename(node.site.file)}:{node.site.line}"
    yield f"{made}{node.op.type}({', '.join(arguments)})    # {site}"
    for name, value in sorted(node.attrs.items()):
        for body in _bodies(value):
            first, *rest = _lines(body)
            yield f"{_INDENT}{name} {first}"
            yield from (_INDENT + line for line in rest)


def _bodies(attribute: Any) -> tuple[Graph, ...]:  # any attribute
    if is_graph(attribute):
        return (attribute,)
    if isinstance(attribute, tuple) and attribute and all(map(is_graph, attribute)):
        return attribute
    return ()


def _reference(value: Value) -> str:
    return value.node.name if len(value.node.outputs) == 1 else value.value_name


def _type(aval: Aval) -> str:
    if aval.dtype.name == "resource":
        return "resource"
    if aval.shape is None:
        return f"{aval.dtype.name}[...]"
    return f"{aval.dtype.name}[{', '.join(str(d) for d in aval.shape)}]"


def _attribute(value: object) -> str:
    if isinstance(value, np.ndarray):
        return str(value.tolist()) if value.size <= _LONG else f"<array {value.shape}>"
    return str(getattr(value, "name", value))
