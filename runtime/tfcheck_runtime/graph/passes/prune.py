"""Drops the steps that nobody needs."""

from __future__ import annotations

from typing import TypeVar

from tfcheck_runtime.graph.effects import effects_of
from tfcheck_runtime.graph.program import Block, Step

T = TypeVar("T")


def prune(block: Block) -> tuple[Block, bool]:
    """The block without dead steps, and whether anything changed.

    1. A step without a lasting effect whose outputs are unused goes.
    2. Outputs of a branch that nobody uses go, with what only they needed.
    3. The blocks of the steps that stay are pruned too.
    """
    needed = set(block.outputs)
    kept: list[Step] = []
    changed = False
    for step in reversed(block.steps):
        if not effects_of(step).lasting and needed.isdisjoint(step.outputs):
            changed = True
            continue
        wanted = tuple(o in needed for o in step.outputs)
        slimmer, slimmed = _prune_blocks(step, wanted)
        changed = changed or slimmed
        kept.append(slimmer)
        needed.update(slimmer.uses())
    return Block(block.parameters, tuple(reversed(kept)), block.outputs), changed


def _prune_blocks(step: Step, wanted: tuple[bool, ...]) -> tuple[Step, bool]:
    if not step.blocks:
        return step, False
    blocks, outputs, changed = step.blocks, step.outputs, False
    if not _is_loop(step) and not all(wanted):
        blocks = tuple(Block((), b.steps, _select(b.outputs, wanted)) for b in blocks)
        outputs = _select(outputs, wanted)
        changed = True
    pruned = [prune(b) for b in blocks]
    changed = changed or any(c for _, c in pruned)
    return Step(step.node, step.inputs, outputs, tuple(b for b, _ in pruned)), changed


def _is_loop(step: Step) -> bool:
    return "body" in step.node.attrs


def _select(items: tuple[T, ...], wanted: tuple[bool, ...]) -> tuple[T, ...]:
    return tuple(i for i, w in zip(items, wanted, strict=True) if w)
