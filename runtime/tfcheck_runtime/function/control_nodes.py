"""Branches and loops as TensorFlow writes them into a graph, for who reads it.

What comes out of a branch goes through an `Identity` each, a value that both branches use comes in
once, and a loop carries a counter and its limit before the variables.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Final

import numpy as np

from tfcheck_runtime.graph.ir import Node, Value
from tfcheck_runtime.graph.operation import NodeDef, node_def
from tfcheck_runtime.ops.array.identity import identity_op
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values.convert import const_op

_BRANCHES: Final = frozenset({"If", "StatelessIf", "Case", "StatelessCase"})
_LOOPS: Final = frozenset({"While", "StatelessWhile"})
_OWN: Final = ("loop_counter", "maximum_iterations")


def as_tensorflow_has_it(node: Node) -> Iterator[Node]:
    """The node, and those that TensorFlow has around it."""
    if _counts(node):
        for name, value in zip(reversed(_OWN), (-1, 0), strict=True):
            attrs = {"value": np.array(value, np.int32), "dtype": dtypes.int32}
            yield Node(const_op, (), attrs, name=f"{node.name}/{name}", site=node.site)
    yield node
    if node.op.type in _BRANCHES:
        for output in node.outputs:
            name = _identity_name(output)
            yield Node(identity_op, (output,), {}, name=name, site=node.site)


def shown_def(node: Node) -> NodeDef:
    """A node in TensorFlow's words, with the inputs that it has there."""
    definition = node_def(node)
    if _is_output_of_branch(node):
        return definition
    names = [_shown_name(value, given) for value, given in
             zip(node.inputs, definition.input, strict=True)]  # fmt: skip
    if node.op.type in _BRANCHES:
        names = [names[0], *dict.fromkeys(names[1:])]
    if _counts(node):
        names = [*(f"{node.name}/{name}" for name in _OWN), *names]
    return dataclasses.replace(definition, input=names)


def _counts(node: Node) -> bool:
    """Whether TensorFlow has a loop with a counter there: it reduces a dataset without one."""
    over_dataset = any(each.node.op.type == "AnonymousIteratorV3" for each in node.inputs)
    return node.op.type in _LOOPS and not over_dataset


def _is_output_of_branch(node: Node) -> bool:
    return (
        node.op is identity_op
        and node.inputs[0].node.op.type in _BRANCHES
        and node.name == _identity_name(node.inputs[0])
    )


def _identity_name(output: Value) -> str:
    number = f"_{output.index}" if output.index else ""
    return f"{output.node.name}/Identity{number}"


def _shown_name(value: Value, name: str) -> str:
    if value.node.op.type in _BRANCHES:
        return _identity_name(value)
    if _counts(value.node):
        return f"{value.node.name}:{value.index + len(_OWN)}"
    return name
