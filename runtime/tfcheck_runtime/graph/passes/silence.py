"""Takes out of a program what only acts on the world outside: prints, checks, summaries."""

from __future__ import annotations

from tfcheck_runtime.graph.effects import effects_of
from tfcheck_runtime.graph.ir import Node
from tfcheck_runtime.graph.passes.prune import prune
from tfcheck_runtime.graph.program import Block, Step


def silence(block: Block) -> tuple[Block, tuple[Node, ...]]:
    """The block without steps that act outside and whose outputs nobody uses, and their nodes.

    A random draw or a call of Python whose result is used stays: nothing can stand in its place.
    What only the dropped steps needed goes too.
    """
    dropped: list[Node] = []
    silent = _silence(block, dropped)
    return prune(silent)[0], tuple(dropped)


def _silence(block: Block, dropped: list[Node]) -> Block:
    used = {slot for step in block.steps for slot in step.uses()} | set(block.outputs)
    kept: list[Step] = []
    for step in block.steps:
        if step.blocks:
            blocks = tuple(_silence(inner, dropped) for inner in step.blocks)
            kept.append(Step(step.node, step.inputs, step.outputs, blocks))
            continue
        effects = effects_of(step)
        if effects.outside and not effects.writes and used.isdisjoint(step.outputs):
            dropped.append(step.node)
        else:
            kept.append(step)
    return Block(block.parameters, tuple(kept), block.outputs)
