"""Runs a graph node by node with the eager kernels: slow, and right whatever is aliased."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from tfcheck_runtime.errors import OpError
from tfcheck_runtime.execute.failures import locate
from tfcheck_runtime.graph.ir import Graph, Node

Arrays = list[Any]  # arrays and resources


def interpret(graph: Graph, arguments: Sequence[Any]) -> Arrays:
    """The outputs of `graph` for arrays and resources in the order of its parameters."""
    # Keyed by identity: tensors are not hashable.
    env = {id(v): argument for v, argument in zip(graph.parameters, arguments, strict=True)}
    for node in graph.nodes:
        if node.op.type == "Placeholder":
            continue
        results = _results(node, [env[id(v)] for v in node.inputs])
        env.update((id(v), result) for v, result in zip(node.outputs, results, strict=True))
    return [env[id(v)] for v in graph.outputs]


def _results(node: Node, inputs: Arrays) -> Sequence[Any]:
    control = _CONTROL.get(node.op.type)
    if control is not None:
        return control(node.attrs, inputs)
    try:
        results = node.op.eager(*inputs, **node.attrs)
    except OpError as error:
        raise locate(error, node) from error.__cause__
    return [np.asarray(r) for r in (results if isinstance(results, tuple) else (results,))]


def _call(attrs: Mapping[str, Any], inputs: Arrays) -> Arrays:
    return interpret(attrs["function"], inputs)


def _if(attrs: Mapping[str, Any], inputs: Arrays) -> Arrays:
    graphs = attrs["then_branch"], attrs["else_branch"]
    return _chosen(graphs, 0 if inputs[0] else 1, inputs[1:])


def _case(attrs: Mapping[str, Any], inputs: Arrays) -> Arrays:
    index, last = int(inputs[0]), len(attrs["branches"]) - 1
    return _chosen(attrs["branches"], index if 0 <= index <= last else last, inputs[1:])


def _chosen(graphs: Sequence[Graph], index: int, externals: Arrays) -> Arrays:
    rest: Iterator[Any] = iter(externals)
    arguments = [[next(rest) for _ in graph.parameters] for graph in graphs]
    return interpret(graphs[index], arguments[index])


def _while(attrs: Mapping[str, Any], inputs: Arrays) -> Arrays:
    count, cond, body = attrs["count"], attrs["cond"], attrs["body"]
    limit = attrs.get("maximum_iterations")
    split = count + len(cond.captures)
    variables, tested, used = inputs[:count], inputs[count:split], inputs[split:]
    rounds = 0
    while (limit is None or rounds < limit) and interpret(cond, [*variables, *tested])[0]:
        variables = interpret(body, [*variables, *used])
        rounds += 1
    return variables


Control = Callable[[Mapping[str, Any], Arrays], Arrays]
_CONTROL: Final[dict[str, Control]] = {
    "PartitionedCall": _call,
    "StatefulPartitionedCall": _call,
    "If": _if,
    "StatelessIf": _if,
    "Case": _case,
    "StatelessCase": _case,
    "While": _while,
    "StatelessWhile": _while,
}
