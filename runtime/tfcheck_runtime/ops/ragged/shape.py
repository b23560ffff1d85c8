"""`tf.shape` of a ragged tensor: one length per axis, or one per row.

Follows https://www.tensorflow.org/api_docs/python/tf/experimental/DynamicRaggedShape.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.known import static_ints
from tfcheck_runtime.ops.array.shaping import shape as shape_of
from tfcheck_runtime.ops.ragged.tensor import RaggedTensor
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import DType, as_dtype
from tfcheck_runtime.values.tensor import Tensor


class DynamicRaggedShape:
    """The lengths of the axes of a ragged tensor.

    Args:
        lengths: per axis a scalar, or a vector with the length of each row.
        partitions: how many axes are partitioned into rows.
    """

    def __init__(self, lengths: Sequence[Tensor], partitions: int) -> None:
        self._lengths = tuple(lengths)
        self._partitions = partitions

    @property
    def rank(self) -> int:
        """How many axes there are."""
        return len(self._lengths)

    @property
    def dtype(self) -> DType:
        """int32 or int64."""
        return self._lengths[0].dtype

    @property
    def num_row_partitions(self) -> int:
        """How many axes are partitioned into rows."""
        return self._partitions

    def is_uniform(self, axis: int) -> bool:
        """Whether all rows of an axis have one length by construction."""
        return self._lengths[axis].ndim == 0

    def static_lengths(self, ragged_lengths: bool = True) -> list[Any]:
        """Per axis its length, the tuple of those of its rows, or None."""
        found: list[Any] = []
        for length in self._lengths:
            content = static_ints(length)
            if content is None or (length.ndim != 0 and not ragged_lengths):
                found.append(None)
            else:
                found.append(content[0] if length.ndim == 0 else content)
        return found

    def __getitem__(self, index: Any) -> Any:
        """The length of an axis, or the shape of the first axes.

        Raises:
            ValueError: the rows of the axis differ, or a slice does not start at 0.
        """
        if isinstance(index, slice):
            if index.start not in (None, 0) or index.step not in (None, 1):
                raise ValueError(f"only slices of the first axes are supported, got {index}")
            kept = self._lengths[index]
            ragged = max((i for i, n in enumerate(kept) if n.ndim != 0), default=0)
            return DynamicRaggedShape(kept, min(self._partitions, ragged))
        if not self.is_uniform(index):
            raise ValueError(f"Index {index} is not uniform")
        return self._lengths[index]

    def __repr__(self) -> str:
        lengths = ", ".join("None" if n is None else str(n) for n in self.static_lengths())
        return f"<DynamicRaggedShape lengths=[{lengths}] num_row_partitions={self._partitions}>"


def shape(
    input: RaggedTensor, out_type: object = dtypes.int32, name: str | None = None
) -> DynamicRaggedShape:
    """`tf.shape` of a ragged tensor."""
    kind = as_dtype(out_type or dtypes.int32)
    lengths: list[Any] = [input.nrows(kind)]
    level: Any = input
    while isinstance(level, RaggedTensor):
        uniform = level.uniform_row_length
        lengths.append(cast(level.row_lengths() if uniform is None else uniform, kind))
        level = level.values
    sizes: Any = shape_of(level, out_type=kind)
    lengths += [sizes[i] for i in range(1, level.ndim or 1)]
    return DynamicRaggedShape(lengths, input.ragged_rank)
