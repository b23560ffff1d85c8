"""Decides what onnxruntime can run."""

from __future__ import annotations

from typing import Final

from tfcheck_runtime.graph.program import Block, Slot, Step, all_steps

_CONTROL: Final = frozenset(
    {"If", "StatelessIf", "Case", "StatelessCase", "While", "StatelessWhile"}
)
_FEEDABLE: Final = frozenset(
    {
        "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
        "float16", "float32", "float64", "resource",
    }
)  # fmt: skip
"""Types whose arrays onnxruntime takes from NumPy as they are: not bfloat16, complex, strings."""


def is_lowered(step: Step) -> bool:
    """Whether onnxruntime runs this step, with all that it contains."""
    return _runs_itself(step) and all(is_lowered(s) for b in step.blocks for s in b.steps)


def host_steps(block: Block) -> list[Step]:
    """The steps, at any depth, that onnxruntime cannot run, whatever they contain."""
    return [s for s in all_steps(block) if not _runs_itself(s)]


def _runs_itself(step: Step) -> bool:
    slots = [*step.inputs, *step.outputs]
    slots += [s for b in step.blocks for s in (*b.parameters, *b.outputs)]
    if not all(_feedable(s) for s in slots):
        return False
    if step.blocks:
        return step.node.op.type in _CONTROL
    inputs, outputs = [s.aval for s in step.inputs], [s.aval for s in step.outputs]
    return step.node.op.lowers(inputs, outputs, step.node.attrs)


def _feedable(slot: Slot) -> bool:
    return slot.aval.dtype.name in _FEEDABLE
