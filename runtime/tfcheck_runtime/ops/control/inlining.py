"""Puts a traced body into the graph around it, where choosing would cost more than computing."""

from __future__ import annotations

from typing import Any, Final

from tfcheck_runtime import dispatch
from tfcheck_runtime.ops.control.bodies import Body

_CHEAP: Final = frozenset(
    {
        "Const", "Placeholder", "Identity", "Less", "LessEqual", "Greater", "GreaterEqual", "Equal",
        "NotEqual", "LogicalAnd", "LogicalOr", "LogicalNot", "AddV2", "Sub", "Mul",
    }
)  # fmt: skip
"""Types of ops without effects that cannot fail on scalars."""


def is_cheap(body: Body) -> bool:
    """Whether a body does nothing but compute scalars in ways that cannot fail."""
    return all(
        node.op.type in _CHEAP and all(v.aval.shape == () for v in node.outputs)
        for node in body.graph.nodes
    )


def inline(body: Body) -> list[Any]:
    """Apply the ops of a body to what it captured, in the current graph; returns its outputs."""
    known: dict[int, Any] = {id(c.internal): c.external for c in body.graph.captures}
    for node in body.graph.nodes:
        if id(node.outputs[0]) in known:
            continue  # what was captured, be it as a constant
        inputs = tuple(known[id(v)] for v in node.inputs)
        outputs = dispatch.run(node.op, inputs, node.attrs, node.name)
        known.update((id(v), output) for v, output in zip(node.outputs, outputs, strict=True))
    return [known[id(v)] for v in body.graph.outputs]
