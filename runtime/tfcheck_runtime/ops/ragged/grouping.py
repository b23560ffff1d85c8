"""Rows gathered by partition, crosses of rows, segments of ragged rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise, product
from typing import Any

import numpy as np

from tfcheck_runtime.op import Array, Aval, Op, case, define
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.examples import i64
from tfcheck_runtime.ops.array.shaping import reshape
from tfcheck_runtime.ops.array.sorting import argsort
from tfcheck_runtime.ops.math import segments
from tfcheck_runtime.ops.ragged.joining import as_values
from tfcheck_runtime.ops.ragged.ranges import rows_of
from tfcheck_runtime.ops.ragged.reducing import grouped
from tfcheck_runtime.ops.ragged.tensor import RaggedTensor
from tfcheck_runtime.ops.sparse.crossing import DEFAULT_KEY, hashed, spelled
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.sparse_tensor import SparseTensor
from tfcheck_runtime.values.tensor import Tensor, apply_n

Values = Any  # a tensor, or a ragged tensor


def stack_dynamic_partitions(
    data: Any, partitions: Any, num_partitions: Any, name: str | None = None
) -> RaggedTensor:
    """The rows of `data` by partition, in a ragged tensor with a row per partition.

    https://www.tensorflow.org/api_docs/python/tf/ragged/stack_dynamic_partitions
    """
    values, numbers = as_values(data), as_values(partitions)
    if isinstance(numbers, RaggedTensor):
        return stack_dynamic_partitions(values.values, numbers.values, num_partitions)
    if (numbers.ndim or 1) > 1:
        flat = reshape(numbers, [-1])
        inner = RaggedTensor.from_tensor(values, ragged_rank=(numbers.ndim or 2) - 1)
        return stack_dynamic_partitions(inner.flat_values, flat, num_partitions)
    if numbers.ndim == 0:
        numbers, values = numbers[None], values[None]
    count = convert_to_tensor(num_partitions, numbers.dtype)
    order = argsort(numbers, stable=True)
    ids = rows_of(numbers, order)
    kind = numbers.dtype if numbers.dtype.name in ("int32", "int64") else dtypes.int64
    rows: RaggedTensor = RaggedTensor.from_value_rowids(
        rows_of(values, order), cast(ids, kind), cast(count, kind), validate=False
    )
    return rows


class _Cross(Op):
    """The crosses of the rows of several vectors of features with splits."""

    def __init__(self, op_type: str, *, hashes: bool) -> None:
        self.type = op_type
        self._hashes = hashes
        own = {"buckets": 10, "key": 5} if hashes else {"separator": "_X_"}
        words = np.array([b"a", b"b"], object)
        self.cases = (case(words, i64([5, 6]), i64([0, 1, 2]), i64([0, 2, 2]), **own),)

    def infer(self, *inputs: Aval, **options: Any) -> tuple[Aval, Aval]:
        kind = dtypes.int64 if self._hashes else dtypes.string
        return Aval(kind, (None,)), Aval(dtypes.int64, inputs[-1].shape)

    def eager(self, *inputs: Array, **options: Any) -> tuple[Array, Array]:
        count = len(inputs) // 2
        columns = [
            [values[a:b] for a, b in pairwise(splits)]
            for values, splits in zip((v.tolist() for v in inputs[:count]), inputs[count:],
                                      strict=True)
        ]  # fmt: skip
        rows = [[self._made(f, options) for f in product(*row)]
                for row in zip(*columns, strict=True)]  # fmt: skip
        values = [v for row in rows for v in row]
        made: Array = np.empty(len(values), np.int64 if self._hashes else object)
        made[:] = values
        return made, np.cumsum([0, *map(len, rows)]).astype(np.int64)

    def _made(self, features: Sequence[Any], options: dict[str, Any]) -> int | bytes:
        if self._hashes:
            return hashed(features, options["key"], options["buckets"])
        return spelled(features, options["separator"].encode())


cross_op = define(_Cross("RaggedCross", hashes=False))
cross_hashed_op = define(_Cross("RaggedCrossHashed", hashes=True))


def cross(inputs: Sequence[Any], name: str | None = None) -> RaggedTensor:
    """The combinations of what stands in each row, as text.

    https://www.tensorflow.org/api_docs/python/tf/ragged/cross

    Raises:
        ValueError: an input has other than two axes.
    """
    made, splits = apply_n(cross_op, *_features(inputs), name=name, separator="_X_")
    return RaggedTensor(made, splits)


def cross_hashed(
    inputs: Sequence[Any], num_buckets: int = 0, hash_key: int | None = None,
    name: str | None = None,
) -> RaggedTensor:  # fmt: skip
    """The combinations of what stands in each row, as numbers below `num_buckets`.

    https://www.tensorflow.org/api_docs/python/tf/ragged/cross_hashed
    """
    key = DEFAULT_KEY if hash_key is None else hash_key
    made, splits = apply_n(
        cross_hashed_op, *_features(inputs), name=name, buckets=num_buckets, key=key
    )
    return RaggedTensor(made, splits)


def _features(inputs: Sequence[Any]) -> list[Tensor]:
    """Values, then splits."""
    kinds = {type(v) for v in inputs}
    if SparseTensor in kinds and RaggedTensor not in kinds:
        raise ValueError(
            "tf.ragged.cross only supports inputs that contain at least one RaggedTensor; use"
            " tf.sparse.cross"
        )
    rows = [_as_rows(value) for value in inputs]
    for row in rows:
        if row.ragged_rank != 1 or row.flat_values.ndim != 1:
            raise ValueError("tf.ragged.cross only supports inputs with rank=2.")
    values = [r.values if r.dtype is dtypes.string else cast(r.values, dtypes.int64) for r in rows]
    return [*values, *(cast(r.row_splits, dtypes.int64) for r in rows)]


def _as_rows(value: Any) -> RaggedTensor:
    if isinstance(value, SparseTensor):
        made: RaggedTensor = RaggedTensor.from_sparse(value)
        return made
    tensor = as_values(value)
    if isinstance(tensor, RaggedTensor):
        return tensor
    rows: RaggedTensor = RaggedTensor.from_tensor(tensor)
    return rows


def segment_version(reduce: Callable[..., Tensor]) -> Callable[..., Values]:
    """What a function of segments does with rows that are ragged themselves."""

    def unsorted(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Values:
        values, ids = as_values(data), as_values(segment_ids)
        while isinstance(ids, RaggedTensor):
            values, ids = values.values, ids.values
        return grouped(reduce, values, ids, convert_to_tensor(num_segments))

    return unsorted


UNSORTED: Sequence[Callable[..., Tensor]] = (
    segments.unsorted_segment_sum,
    segments.unsorted_segment_prod,
    segments.unsorted_segment_max,
    segments.unsorted_segment_min,
    segments.unsorted_segment_mean,
    segments.unsorted_segment_sqrt_n,
)
"""Functions of segments in any order."""
