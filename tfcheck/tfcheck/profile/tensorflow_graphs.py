"""What TensorFlow's graphs hold: the size of their constants and their effects on the outside."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tfcheck.profile.tensorflow_inside import first_visible
from tfcheck_runtime.events import Site
from tfcheck_runtime.function.side_effects import KINDS


def constant_bytes(graph: Any) -> int:
    """The bytes of the constants in a graph."""
    sizes = (each.outputs[0] for each in graph.get_operations() if each.type == "Const")
    return sum((each.shape.num_elements() or 0) * each.dtype.size for each in sizes)


def side_effects(graph: Any) -> Iterator[tuple[str, Site]]:
    """The kind and line of each operation that acts outside or draws on state, each once."""
    found = {
        (KINDS[op.type], first_visible(op.traceback)): None
        for op in _operations(graph)
        if op.type in KINDS
    }
    yield from found


def _operations(graph: Any) -> Iterator[Any]:
    yield from graph.get_operations()
    # Branches, loop bodies and Functions that are called live beside their graph.
    for body in graph._functions.values():
        inner = getattr(body, "graph", None)
        if inner is not None:
            yield from _operations(inner)
