"""Ragged tensors brought to one shape, level by level.

Per axis, each row of the result has a row in each operand; where an operand's row has one element,
that element is taken for all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.filling import zeros_like
from tfcheck_runtime.ops.array.gathering import gather
from tfcheck_runtime.ops.array.ranges import range_
from tfcheck_runtime.ops.array.selection import where
from tfcheck_runtime.ops.array.shaping import reshape, shape as shape_of
from tfcheck_runtime.ops.ragged import partition
from tfcheck_runtime.ops.ragged.tensor import RaggedTensor
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import EagerTensor, Tensor


def same_rows(a: RaggedTensor, b: RaggedTensor) -> bool:
    """Whether the rows are known to be the same."""
    mine, theirs = a.nested_row_splits, b.nested_row_splits
    return len(mine) == len(theirs) and all(map(_is_same, mine, theirs))


def _is_same(a: Tensor, b: Tensor) -> bool:
    if a is b:
        return True
    both_known = isinstance(a, EagerTensor) and isinstance(b, EagerTensor)
    return both_known and np.array_equal(a.array, b.array)  # type: ignore[attr-defined]


class _Operand:
    """A ragged or plain tensor as axes of rows: splits, or one length for all rows."""

    def __init__(self, value: Any, rank: int, dtype: Any) -> None:
        own = len(value.shape)
        axes: list[Any] = [1] * (rank - own)
        self.value = value
        self.dtype = dtype
        flat = value
        if isinstance(value, RaggedTensor):
            axes += [value.nrows(), *levels_of(value)]
            flat = value.flat_values
        sizes: Any = shape_of(flat, out_type=dtype)
        done = len(axes) - (rank - own)
        skipped = max(done - 1, 0)
        axes += [sizes[i] for i in range((skipped and 1) or 0, len(flat.shape))]
        self.axes = axes
        self.flat = flat

    def first(self) -> Any:
        """The size of the first axis."""
        return convert_to_tensor(self.axes[0], self.dtype)

    def stretches(self, axis: int) -> bool:
        """Whether one element may be taken for many: rows that can differ must fit as they are."""
        part = self.axes[axis]
        return not (isinstance(part, Tensor) and part.ndim == 1)

    def rows(self, axis: int, index: Any) -> tuple[Any, Any]:
        """Starts and lengths of the rows of an axis that `index` names."""
        part = self.axes[axis]
        if not self.stretches(axis):
            splits: Any = cast(part, self.dtype)
            starts = gather(splits, index)
            return starts, gather(splits, index + 1) - starts
        length: Any = cast(convert_to_tensor(part, dtype_hint=self.dtype), self.dtype)
        return index * length, zeros_like(index) + length

    def picked(self, index: Any, ragged_rank: int, rank: int) -> Tensor:
        """The elements that `index` names among those of the axes up to the ragged ones."""
        inner = rank - ragged_rank - 1
        sizes: Any = shape_of(self.flat)
        kept = len(self.flat.shape) - inner
        if kept < 1:
            return gather(reshape(self.flat, [1, *self._ones(inner)]), index)
        merged = self.flat
        if kept > 1:
            # Not -1, which says nothing when another size is 0.
            total: Any = 1
            for i in range(kept):
                total = total * sizes[i]
            merged = reshape(self.flat, [total, *(sizes[i] for i in range(kept, kept + inner))])
        return gather(merged, index)

    def _ones(self, inner: int) -> list[Any]:
        own = len(self.flat.shape)
        sizes: Any = shape_of(self.flat)
        return [*([1] * (inner - own)), *(sizes[i] for i in range(own))]


def broadcast(values: Sequence[Any]) -> tuple[list[Tensor], Callable[[Any], RaggedTensor]]:
    """Flat values of operands that broadcast, and what puts rows around a result.

    Raises:
        InvalidArgumentError: sizes do not fit.
    """
    ragged = [v for v in values if isinstance(v, RaggedTensor)]
    first = ragged[0]
    scalars = all(isinstance(v, RaggedTensor) or v.shape.rank == 0 for v in values)
    if scalars and all(same_rows(first, other) for other in ragged[1:]):
        flat = [v.flat_values if isinstance(v, RaggedTensor) else v for v in values]
        return flat, first.with_flat_values
    return _by_level(values)


def _by_level(values: Sequence[Any]) -> tuple[list[Tensor], Callable[[Any], RaggedTensor]]:
    rank = max(len(v.shape) for v in values)
    ragged = [v for v in values if isinstance(v, RaggedTensor)]
    levels = max(rank - len(v.shape) + v.ragged_rank for v in ragged)
    dtype = ragged[0].row_splits.dtype
    operands = [_Operand(v, rank, dtype) for v in values]
    sizes = [o.first() for o in operands]
    count = _common(sizes, [True] * len(sizes))
    indices = [_picks(size, range_(count, dtype=dtype)) for size in sizes]
    nested: list[Tensor] = []
    for axis in range(1, levels + 1):
        rows = [o.rows(axis, index) for o, index in zip(operands, indices, strict=True)]
        stretching = [o.stretches(axis) for o in operands]
        common = _common([lengths for _, lengths in rows], stretching)
        splits = partition.splits_of_lengths(common)
        places = partition.places_of(splits)
        indices = [
            gather(starts, places.rows)
            + (_picks(gather(lengths, places.rows), places.positions) if s else places.positions)
            for (starts, lengths), s in zip(rows, stretching, strict=True)
        ]
        nested.append(splits)
    flat = [o.picked(i, levels, rank) for o, i in zip(operands, indices, strict=True)]
    return flat, lambda made: RaggedTensor.from_nested_row_splits(made, nested, validate=False)


def _picks(lengths: Any, positions: Any) -> Any:
    return where(lengths == 1, zeros_like(positions), positions)


def levels_of(ragged: Any) -> list[Any]:
    """Per ragged axis the splits, or the length of all rows where it is the same."""
    found: list[Any] = []
    while isinstance(ragged, RaggedTensor):
        length = ragged.static_row_length
        found.append(ragged.row_splits if length is None else length)
        ragged = ragged.values
    return found


def _common(lengths: Sequence[Any], stretching: Sequence[bool]) -> Any:
    """The lengths of the result; those that cannot stretch decide."""
    order = sorted(range(len(lengths)), key=lambda i: stretching[i])
    found, fixed = lengths[order[0]], not stretching[order[0]]
    for i in order[1:]:
        _check_fit(found, lengths[i], fixed=fixed, other_fixed=not stretching[i])
        if not fixed:
            found = where(found == 1, lengths[i], found)
    return found


def _check_fit(a: Any, b: Any, *, fixed: bool, other_fixed: bool) -> None:
    """Check sizes that can be seen: in graphs, those that cannot are not checked."""
    if not (isinstance(a, EagerTensor) and isinstance(b, EagerTensor)):
        return
    x, y = np.broadcast_arrays(a.array, b.array)
    fits = (x == y) | ((x == 1) & (not fixed)) | ((y == 1) & (not other_fixed))
    if not fits.all():
        raise invalid_argument(
            "Unable to broadcast: dimension size mismatch in dimension: lengths="
            f"{x.tolist()}, dim_size={y.tolist()}"
        )
