"""Where a lowering finds values: slots and contents of variables, scope inside scope."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import onnx_ir as ir

from tfcheck_runtime.graph.program import Slot
from tfcheck_runtime.lower.emitter import GraphEmitter, ModelState
from tfcheck_runtime.op import Aval, Term


class Boundary:
    """The parameters of a model: slots and contents of variables, made when first asked for."""

    def __init__(self, state: ModelState, emitter: GraphEmitter, contents: Mapping[Slot, Aval]):
        self.state = state
        self.contents = contents
        self.feeds: dict[Slot, ir.Value] = {}
        self.reads: dict[Slot, ir.Value] = {}
        self._emitter = emitter

    def feed(self, slot: Slot) -> ir.Value:
        """The parameter for a slot computed elsewhere."""
        if slot not in self.feeds:
            self.feeds[slot] = self._emitter.input(slot.name, slot.aval.dtype, slot.aval.shape)
        return self.feeds[slot]

    def read(self, cell: Slot) -> ir.Value:
        """The parameter for what a variable holds when the model starts."""
        if cell not in self.reads:
            aval = self.contents[cell]
            self.reads[cell] = self._emitter.input(cell.name, aval.dtype, aval.shape)
        return self.reads[cell]


class Scope:
    """The values known at one place of the program, and the emitter that adds to it."""

    def __init__(
        self, emitter: GraphEmitter, boundary: Boundary, *, parent: Scope | None = None
    ) -> None:
        self.emitter = emitter
        self.boundary = boundary
        self.cells: dict[Slot, ir.Value] = {}
        """The content of each variable written or bound in this scope."""
        self._parent = parent
        self._values: dict[Slot, ir.Value] = {}

    def inside(self, name: str) -> Scope:
        """The scope of an ONNX graph nested in this one's."""
        return Scope(self.emitter.child(name), self.boundary, parent=self)

    def bind(self, slots: Iterable[Slot], values: Iterable[ir.Value]) -> None:
        """Let slots stand for ONNX values."""
        self._values.update(zip(slots, values, strict=True))

    def value(self, slot: Slot) -> ir.Value:
        """The ONNX value of a slot."""
        if slot.constant is not None:
            return self.emitter.constant(slot.constant, slot.aval.dtype)
        scope: Scope | None = self
        while scope is not None:
            if slot in scope._values:
                return scope._values[slot]
            scope = scope._parent
        return self.boundary.feed(slot)

    def values(self, slots: Sequence[Slot]) -> list[ir.Value]:
        """The ONNX values of several slots."""
        return [self.value(s) for s in slots]

    def term(self, slot: Slot) -> Term:
        """A slot as lowerings see it."""
        return Term(self.value(slot), slot.aval)

    def content(self, cell: Slot) -> ir.Value:
        """What a variable holds now."""
        scope: Scope | None = self
        while scope is not None:
            if cell in scope.cells:
                return scope.cells[cell]
            scope = scope._parent
        return self.boundary.read(cell)

    def content_term(self, cell: Slot) -> Term:
        """What a variable holds now, as lowerings see it."""
        return Term(self.content(cell), self.boundary.contents[cell])
