"""What a strided slice does to each axis, from the masks that describe it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from tfcheck_runtime.op import Array
from tfcheck_runtime.ops.array.known import Elements
from tfcheck_runtime.specs.shapes import Shape

Masks: TypeAlias = Mapping[str, int]

NO_MASKS: Final[Masks] = {
    "begin_mask": 0,
    "end_mask": 0,
    "ellipsis_mask": 0,
    "new_axis_mask": 0,
    "shrink_axis_mask": 0,
}


@dataclass(frozen=True, slots=True)
class Step:
    """One part of an index: a new axis, an element of an axis, or a slice of one.

    `axis` is the input axis, `spec` the position in begin, end and strides (None: the whole axis).
    """

    kind: str
    axis: int
    spec: int | None = None
    from_start: bool = False
    to_end: bool = False

    @property
    def is_slice(self) -> bool:
        """Whether the axis stays."""
        return self.kind == "slice"


def plan(rank: int, count: int, masks: Masks) -> list[Step]:
    """The steps of an index with `count` parts on an input of `rank` axes.

    Raises:
        ValueError: there are more parts than axes, or two ellipses.
    """
    ellipses = [i for i in range(count) if masks["ellipsis_mask"] >> i & 1]
    if len(ellipses) > 1:
        raise ValueError("Multiple ellipses in slice spec not allowed")
    new = [i for i in range(count) if masks["new_axis_mask"] >> i & 1 and i not in ellipses]
    free = rank - (count - len(new) - len(ellipses))
    if free < 0:
        raise ValueError(
            "Attempting to slice scalar input."
            if rank == 0
            else f"Index out of range using input dim {rank}; input has only {rank} dims"
        )
    steps: list[Step] = []
    axis = 0
    for i in range(count):
        if i in ellipses:
            steps += [Step("slice", axis + k, None, True, True) for k in range(free)]
            axis += free
        elif i in new:
            steps.append(Step("new", axis))
        else:
            steps.append(_step(i, axis, masks))
            axis += 1
    return steps + [Step("slice", k, None, True, True) for k in range(axis, rank)]


def _step(i: int, axis: int, masks: Masks) -> Step:
    bit = 1 << i
    if masks["shrink_axis_mask"] & bit:
        return Step("index", axis, i)
    return Step("slice", axis, i, bool(masks["begin_mask"] & bit), bool(masks["end_mask"] & bit))


Part: TypeAlias = "int | slice | None"


def index_of(
    steps: Sequence[Step], shape: Sequence[int], begin: Array, end: Array, strides: Array
) -> tuple[Part, ...]:
    """The steps as a NumPy index.

    Raises:
        ValueError: an element lies outside its axis, or a stride is 0.
    """
    parts: list[Part] = []
    for step in steps:
        if step.kind == "new":
            parts.append(None)
        elif step.spec is None:
            parts.append(slice(None))
        elif step.kind == "index":
            parts.append(_element(int(begin[step.spec]), shape[step.axis], step.axis))
        else:
            stride = _stride(int(strides[step.spec]), step.spec)
            first = None if step.from_start else int(begin[step.spec])
            last = None if step.to_end else int(end[step.spec])
            parts.append(slice(first, last, stride))
    return tuple(parts)


def _element(index: int, size: int, axis: int) -> int:
    if not -size <= index < size:
        shown = index if index >= 0 else index + size
        raise ValueError(f"slice index {shown} of dimension {axis} out of bounds.")
    return index


def _stride(stride: int, spec: int) -> int:
    if stride == 0:
        raise ValueError(f"strides[{spec}] must be non-zero")
    return stride


def sliced_shape(
    steps: Sequence[Step], shape: Sequence[int | None], bounds: tuple[Elements, Elements, Elements]
) -> Shape:
    """The shape of the result, as far as bounds and input shape tell.

    Raises:
        ValueError: an element lies outside its axis, or a stride is 0.
    """
    sizes: list[int | None] = []
    for step in steps:
        if step.kind == "new":
            sizes.append(1)
        elif step.kind == "index":
            _check_element(bounds[0][step.spec or 0], shape[step.axis], step.axis)
        else:
            sizes.append(_size(step, shape[step.axis], bounds))
    return tuple(sizes)


def _check_element(index: int | None, size: int | None, axis: int) -> None:
    if index is not None and size is not None:
        _element(index, size, axis)


def _size(step: Step, size: int | None, bounds: tuple[Elements, Elements, Elements]) -> int | None:
    if step.spec is None:
        return size
    begin, end, stride = (b[step.spec] for b in bounds)
    if stride is not None:
        _stride(stride, step.spec)
    first, last = None if step.from_start else begin, None if step.to_end else end
    unknown = (first is None and not step.from_start) or (last is None and not step.to_end)
    if size is None or stride is None or unknown:
        return None
    return len(range(*slice(first, last, stride).indices(size)))


INT64_MIN: Final = int(np.iinfo(np.int64).min)
INT64_MAX: Final = int(np.iinfo(np.int64).max)


def open_bounds(stride: int) -> tuple[int, int]:
    """Begin and end of a slice through a whole axis."""
    return (0, INT64_MAX) if stride > 0 else (INT64_MAX, INT64_MIN)
