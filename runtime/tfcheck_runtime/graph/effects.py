"""Which storage a step reads and writes, and whether it acts on the world outside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tfcheck_runtime.graph.program import Block, Slot, Step, all_steps

READ_ONLY: Final = frozenset(
    {"ReadVariableOp", "ResourceGather", "ResourceGatherNd", "VarIsInitializedOp", "VariableShape"}
)
"""Types of ops that only look at a variable."""


@dataclass(frozen=True, slots=True)
class Effects:
    """What a step does besides computing its outputs."""

    reads: frozenset[Slot]
    writes: frozenset[Slot]
    outside: bool
    """Prints, checks, draws random numbers or runs Python."""

    @property
    def ordered(self) -> bool:
        """Whether the step must keep its place among others with effects."""
        return self.outside or bool(self.reads) or bool(self.writes)

    @property
    def lasting(self) -> bool:
        """Whether the step matters even when nobody uses its outputs."""
        return self.outside or bool(self.writes)


def effects_of(step: Step) -> Effects:
    """The effects of a step; those of control flow follow from its bodies."""
    if step.blocks:
        return block_effects(*step.blocks)
    cells = frozenset(s for s in step.inputs if s.is_resource)
    op = step.node.op
    if op.type in READ_ONLY:
        return Effects(cells, frozenset(), outside=False)
    return Effects(frozenset(), cells, outside=op.stateful and not cells)


def block_effects(*blocks: Block) -> Effects:
    """The effects of all steps of the blocks together."""
    reads: set[Slot] = set()
    writes: set[Slot] = set()
    outside = False
    for block in blocks:
        for step in all_steps(block):
            if step.blocks:
                continue
            effects = effects_of(step)
            reads |= effects.reads
            writes |= effects.writes
            outside = outside or effects.outside
    return Effects(frozenset(reads), frozenset(writes), outside)
