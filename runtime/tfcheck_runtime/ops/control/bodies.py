"""Traces the Python function of a branch or loop body into a graph of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from tfcheck_runtime import dispatch
from tfcheck_runtime.graph.operation import Operation
from tfcheck_runtime.op import Array
from tfcheck_runtime.ops.array.identity import identity
from tfcheck_runtime.specs import nest
from tfcheck_runtime.specs.shapes import TensorShape
from tfcheck_runtime.values.convert import convert_to_tensor, is_typed
from tfcheck_runtime.values.naming import outside_scopes
from tfcheck_runtime.values.tensor import FuncGraph, Tensor

Structure: TypeAlias = Any  # any nesting of tensors, None and composites


@dataclass(frozen=True, slots=True)
class Body:
    """A traced body and what its Python function returned, made of the graph's tensors."""

    graph: FuncGraph
    result: Structure

    @property
    def externals(self) -> tuple[Any, ...]:
        """What the body uses from outside, in the order of its parameters."""
        return tuple(c.external for c in self.graph.captures)

    @property
    def leaves(self) -> list[Tensor]:
        """The tensors it returns."""
        return [v for v in nest.flatten(self.result, expand_composites=True) if v is not None]


def new_graph(name: str) -> FuncGraph:
    """An empty graph inside the current one."""
    return FuncGraph(name, dispatch.current_graph())


def trace_body(function: Callable[[], Structure], name: str, chooses: object) -> Body:
    """Trace a function without parameters, a branch: what chooses it stands for operations.

    Raises:
        TypeError: it returns something that has no tensor form.
    """
    graph = new_graph(name)
    with dispatch.building(graph), outside_scopes():
        body = Body(graph, branch_tensors(function(), chooses))
    finish(body)
    return body


def finish(body: Body) -> None:
    """Make the returned tensors the outputs of the graph."""
    body.graph.outputs = list(body.leaves)  # type: ignore[arg-type]  # of this graph: symbolic
    body.graph.closed = True


def tensors(structure: Structure) -> Structure:
    """Turn all that a body returns into tensors of the current graph; None stays.

    Raises:
        TypeError: something has no tensor form.
    """
    return nest.map_structure(_as_output, structure, expand_composites=True)


def branch_tensors(structure: Structure, chooses: object) -> Structure:
    """The tensors that a branch returns, where what chooses it stands for operations.

    Raises:
        TypeError: something has no tensor form.
    """
    return tensors(
        nest.map_structure(lambda v: chooses if isinstance(v, Operation) else v, structure)
    )


def _as_output(value: object) -> Tensor | None:
    return None if value is None else identity(as_tensor(value))


_CONVERTIBLE = bool | int | float | complex | str | bytes | TensorShape


def as_tensor(value: object) -> Tensor:
    """A value of a body as a tensor.

    Raises:
        TypeError: it has no tensor form.
    """
    if not is_typed(value) and not isinstance(value, _CONVERTIBLE):
        raise TypeError(
            "To be compatible with tf.function, Python functions must return zero or more Tensors"
            f" or ExtensionTypes or None values; found a value of type {type(value).__name__} in a"
            f" branch or loop body: {value!r}"
        )
    return convert_to_tensor(value)


def has_effects(*graphs: FuncGraph) -> bool:
    """Whether running the graphs does more than compute their outputs."""
    return any(
        node.op.stateful and node.op.type != "Placeholder" for g in graphs for node in g.nodes
    )


def evaluate(graph: FuncGraph, arguments: Sequence[Any]) -> list[Array]:
    """Run a body with the eager kernels on arrays, for folding constants."""
    known = {id(v): a for v, a in zip(graph.parameters, arguments, strict=True)}
    for node in graph.nodes:
        if node.op.type == "Placeholder":
            continue
        results = node.op.eager(*(known[id(v)] for v in node.inputs), **node.attrs)
        made = results if isinstance(results, tuple) else (results,)
        known.update((id(v), np.asarray(r)) for v, r in zip(node.outputs, made, strict=True))
    return [known[id(v)] for v in graph.outputs]
