"""Inputs of calls that the program made, kept so that the calls can be made again."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

MOST_BYTES = 256 * 2**20
"""What all kept inputs may take together, unless told otherwise."""
MOST_FUNCTIONS = 64
"""Functions beyond are not kept: a program that makes one per step must still free them."""
MOST_ALIKE = 4
"""Functions made of the same code that are kept: they may hold a model each."""
MOST_TRACES = 32
"""Traces of one Function that inputs are kept of."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One call: the Function and what it was given."""

    function: int
    trace: int
    callee: object
    args: tuple[object, ...]
    kwargs: Mapping[str, object]
    owner: object = None
    """The object whose method the Function is, which it does not keep alive itself."""


@dataclass(slots=True)
class SampleStore:
    """The first inputs of each trace, within bounds on memory."""

    samples: dict[tuple[int, int], Sample] = field(default_factory=dict)
    traces: dict[int, int] = field(default_factory=dict)
    """How many samples each Function has."""
    alike: dict[object, set[int]] = field(default_factory=dict)
    """The Functions kept of each piece of code."""
    bytes: int = 0
    most_bytes: int = MOST_BYTES

    def offer(self, sample: Sample, *, code: object) -> None:
        """Keep the sample if there is room; `code` is what the Function was made of."""
        if not self._has_room(sample.function, code):
            return
        size = sum(_size(leaf) for leaf in leaves((sample.args, sample.kwargs)))
        if self.bytes + size > self.most_bytes:
            return
        self.bytes += size
        self.alike.setdefault(code, set()).add(sample.function)
        self.traces[sample.function] = self.traces.get(sample.function, 0) + 1
        kept = Sample(
            sample.function,
            sample.trace,
            sample.callee,
            tuple(snapshot(value) for value in sample.args),
            {name: snapshot(value) for name, value in sample.kwargs.items()},
            sample.owner,
        )
        self.samples[sample.function, sample.trace] = kept

    def _has_room(self, function: int, code: object) -> bool:
        if function in self.traces:
            return self.traces[function] < MOST_TRACES
        alike = self.alike.get(code, ())
        return len(self.traces) < MOST_FUNCTIONS and len(alike) < MOST_ALIKE


def leaves(value: object) -> Iterator[object]:
    """What lists, tuples and mappings hold, down to the bottom."""
    if isinstance(value, list | tuple):
        for item in value:
            yield from leaves(item)
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from leaves(item)
    else:
        yield value


def snapshot(value: object) -> object:
    """`value` as it is now: arrays and containers are copied, as the program may change them."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if type(value) is list:
        return [snapshot(item) for item in value]
    if type(value) is tuple:
        return tuple(snapshot(item) for item in value)
    if type(value) is dict:
        return {key: snapshot(item) for key, item in value.items()}
    # Other containers keep their type and share what they hold.
    return copy.copy(value) if isinstance(value, list | dict) else value


def _size(leaf: object) -> int:
    shape, dtype = getattr(leaf, "shape", None), getattr(leaf, "dtype", None)
    if isinstance(leaf, np.ndarray):
        return leaf.nbytes
    itemsize = getattr(dtype, "size", 0)
    try:
        return int(np.prod([int(size) for size in shape], dtype=np.int64)) * itemsize  # type: ignore[union-attr]  # whatever has no shape is caught below
    except (TypeError, ValueError):
        return 0
