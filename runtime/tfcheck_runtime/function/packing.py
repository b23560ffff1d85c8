"""Puts output tensors back into the structure that the Python function returned."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import Any

from tfcheck_runtime.specs import nest

Packer = Callable[[Sequence[Any]], Any]


def packer(structure: Any) -> Packer:
    """A function from flat outputs to a structure like `structure`, prepared once."""
    return _packer(structure, count())


def _packer(structure: Any, numbers: Iterator[int]) -> Packer:
    if structure is None:
        return _nothing
    if isinstance(structure, nest.Composite):
        inside = _packer(structure.__tf_components__(), numbers)
        return lambda outputs: structure.__tf_from_components__(inside(outputs))
    if not nest.is_nested(structure):
        index = next(numbers)
        return lambda outputs: outputs[index]
    parts = [_packer(part, numbers) for _, part in nest.children(structure)]
    kind = type(structure)
    if kind is list:
        return lambda outputs: [part(outputs) for part in parts]
    if kind is tuple:
        return lambda outputs: tuple([part(outputs) for part in parts])
    return lambda outputs: nest.rebuild(structure, [part(outputs) for part in parts])


def _nothing(outputs: Sequence[Any]) -> None:
    """The structure has no tensors."""
