"""Lowers a run of steps to the model of one onnxruntime session."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import onnx_ir as ir

from tfcheck_runtime.graph.plan import Region
from tfcheck_runtime.graph.program import Block, Slot, Step, free_slots
from tfcheck_runtime.lower.emitter import GraphEmitter, ModelState, onnx_type
from tfcheck_runtime.lower.finish import finish
from tfcheck_runtime.lower.frame import Frame
from tfcheck_runtime.lower.scope import Boundary, Scope
from tfcheck_runtime.lower.steps import lower_steps
from tfcheck_runtime.op import Aval
from tfcheck_runtime.specs.dtypes import DType
from tfcheck_runtime.specs.shapes import num_elements

_SMALL: Final = 2**14
"""Elements below which onnxruntime gains nothing from a second thread."""


def lower_region(
    steps: Sequence[Step], wanted: Iterable[Slot], *, frame: Frame, contents: Mapping[Slot, Aval]
) -> Region:
    """The region of `steps`.

    Args:
        steps: steps that onnxruntime can run, in order.
        wanted: outputs of the steps that later steps or the caller use.
        frame: numbers the slots.
        contents: what each resource holds.
    """
    state = ModelState()
    emitter = GraphEmitter(state, "region")
    boundary = Boundary(state, emitter, contents)
    scope = Scope(emitter, boundary)
    lower_steps(scope, steps)
    places = _Places(boundary, frame)
    results = tuple(wanted)
    for slot in results:
        frame.put(slot, places.of(scope.value(slot), slot.aval.dtype))
    writes = [
        (frame.number(cell), places.of(value, contents[cell].dtype))
        for cell, value in scope.cells.items()
        if value is not boundary.reads.get(cell)
    ]
    return Region(
        reads=tuple((places.known[v], frame.number(c)) for c, v in boundary.reads.items()),
        model=_serialized(emitter, places) if places.fetched else None,
        feeds=tuple((str(v.name), places.known[v]) for v in places.inputs),
        fetches=tuple((str(v.name), n) for v, n in places.fetched.items()),
        writes=tuple(writes),
        origins=state.origins,
        parallel=any(map(_is_big, steps)),
        steps=tuple(steps),
        places=tuple((s, frame.number(s)) for s in (*free_slots(_block(steps)), *results)),
    )


def _block(steps: Sequence[Step]) -> Block:
    return Block((), tuple(steps), ())


def _is_big(step: Step) -> bool:
    if any(_is_big(s) for block in step.blocks for s in block.steps):
        return True
    sizes = [num_elements(s.aval.shape) for s in (*step.inputs, *step.outputs)]
    return any(size is None or size > _SMALL for size in sizes)


class _Places:
    """Where the values at the border of a model come from or go to."""

    def __init__(self, boundary: Boundary, frame: Frame) -> None:
        self.fetched: dict[ir.Value, int] = {}
        self.known = {v: frame.number(s) for s, v in boundary.feeds.items()}
        self.known.update((v, frame.new()) for v in boundary.reads.values())
        # What is only passed on or replaced needs no feeding.
        self.inputs = [v for v in self.known if v.uses()]
        self._frame = frame
        self._arrays = boundary.state.arrays

    def of(self, value: ir.Value, dtype: DType) -> int:
        """The place of a result: a new output of the model unless it exists without running it."""
        if value not in self.known:
            if value in self._arrays:
                self.known[value] = self._frame.constant(self._arrays[value])
            else:
                value.type = ir.TensorType(onnx_type(dtype))
                self.known[value] = self.fetched[value] = self._frame.new()
        return self.known[value]


def _serialized(emitter: GraphEmitter, places: _Places) -> bytes:
    graph = ir.Graph(places.inputs, list(places.fetched), nodes=emitter.nodes, name=emitter.name)
    serialized: bytes = finish(graph, emitter.state).SerializeToString()
    return serialized
