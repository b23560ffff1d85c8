"""Runs a program step by step with the eager kernels and keeps what each step gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tfcheck_runtime.graph.program import Block, Slot, Step

Known = dict[Slot, Any]  # arrays and resources


def evaluate(block: Block, arguments: Sequence[Any]) -> Mapping[Slot, Any]:
    """What every slot of a program holds, those of bodies left out.

    Args:
        block: a whole program.
        arguments: arrays and resources in the order of its parameters; resources are written.
    """
    return _run(block, dict(zip(block.parameters, arguments, strict=True)))


def _run(block: Block, known: Known) -> Known:
    for step in block.steps:
        results = _control(step, known) if step.blocks else _apply(step, known)
        known.update(zip(step.outputs, results, strict=True))
    return known


def _apply(step: Step, known: Known) -> Sequence[Any]:
    results = step.node.op.eager(*_values(step.inputs, known), **step.node.attrs)
    return [np.asarray(each) for each in (results if isinstance(results, tuple) else (results,))]


def _control(step: Step, known: Known) -> Sequence[Any]:
    inputs = _values(step.inputs, known)
    if "body" in step.node.attrs:
        return _loop(step, inputs, known)
    if step.inputs[0].aval.dtype.is_bool:
        chosen = step.blocks[0 if inputs[0] else 1]
    else:
        index, last = int(inputs[0]), len(step.blocks) - 1
        chosen = step.blocks[index if 0 <= index <= last else last]
    return _values(chosen.outputs, _run(chosen, dict(known)))


def _loop(step: Step, variables: Sequence[Any], known: Known) -> Sequence[Any]:
    cond, body = step.blocks
    limit = step.node.attrs.get("maximum_iterations")
    rounds = 0
    while limit is None or rounds < limit:
        tested = _run(cond, {**known, **dict(zip(cond.parameters, variables, strict=True))})
        if not _values(cond.outputs, tested)[0]:
            break
        done = _run(body, {**known, **dict(zip(body.parameters, variables, strict=True))})
        variables = _values(body.outputs, done)
        rounds += 1
    return variables


def _values(slots: Sequence[Slot], known: Known) -> list[Any]:
    return [known[slot] if slot.constant is None else slot.constant for slot in slots]
