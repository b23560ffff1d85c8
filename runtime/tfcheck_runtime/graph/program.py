"""A graph made ready for lowering: calls inlined, constants known, bodies in lexical scope."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tfcheck_runtime.graph.ir import Node
from tfcheck_runtime.op import Array, Aval


class Slot:
    """A value of a program; one of dtype `resource` stands for the storage of a variable."""

    __slots__ = ("aval", "constant", "name")

    def __init__(self, aval: Aval, name: str, constant: Array | None = None) -> None:
        self.aval = aval
        self.name = name
        self.constant = constant

    @property
    def is_resource(self) -> bool:
        """Whether this stands for storage, not for a value."""
        return self.aval.dtype.name == "resource"

    def __repr__(self) -> str:
        return f"<Slot {self.name}>"


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Steps in program order; what is not a parameter or made inside comes from the scope around.

    The body of a loop has the loop variables as parameters, a branch has none.
    """

    parameters: tuple[Slot, ...]
    steps: tuple[Step, ...]
    outputs: tuple[Slot, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One op applied to slots; control flow has its bodies as blocks.

    `inputs` of control flow are its selector or initial loop variables only.
    """

    node: Node
    inputs: tuple[Slot, ...]
    outputs: tuple[Slot, ...]
    blocks: tuple[Block, ...] = ()

    def uses(self) -> Iterator[Slot]:
        """The slots from outside that this step needs, those of its blocks included."""
        yield from self.inputs
        for block in self.blocks:
            yield from free_slots(block)


def free_slots(block: Block) -> tuple[Slot, ...]:
    """The slots a block takes from the scope around it, constants left out, each once."""
    inner = set(block.parameters)
    free: dict[Slot, None] = {}
    for step in block.steps:
        free.update((s, None) for s in step.uses() if s not in inner and s.constant is None)
        inner.update(step.outputs)
    free.update((s, None) for s in block.outputs if s not in inner and s.constant is None)
    return tuple(free)


def all_steps(block: Block) -> Iterator[Step]:
    """The steps of a block and of the blocks inside it."""
    for step in block.steps:
        yield step
        for inner in step.blocks:
            yield from all_steps(inner)
