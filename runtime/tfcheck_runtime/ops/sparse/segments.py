"""Sums and means of picked rows, segment by segment."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Aval, Call, Op, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.agreement import FLOATS, REALS, check_kind
from tfcheck_runtime.ops.array.examples import counting, i32
from tfcheck_runtime.ops.array.filling import ones_like
from tfcheck_runtime.ops.array.gathering import gather
from tfcheck_runtime.ops.array.shaping import shape as shape_of
from tfcheck_runtime.ops.math.arithmetic import maximum
from tfcheck_runtime.ops.math.division import realdiv
from tfcheck_runtime.ops.math.exponential import sqrt
from tfcheck_runtime.ops.math.segments import unsorted_segment_sum
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply

_ROWS = (counting(3, 2) + 1, i32([0, 2, 1]), i32([0, 0, 2]))


class _SparseSegment(Op):
    """Picked rows added up by segment; segments without rows are zero."""

    def __init__(self, kind: str, *, counted: bool) -> None:
        self.type = f"SparseSegment{kind}{'WithNumSegments' if counted else ''}"
        self._kind = kind
        more = (i32(4),) if counted else ()
        self.cases = (case(*_ROWS, *more), case(*_ROWS, *more, unknown=((0, 0), (1, 0), (2, 0))))

    def infer(self, data: Aval, indices: Aval, ids: Aval, count: Aval | None = None) -> Aval:
        check_kind(self.type, data, REALS if self._kind == "Sum" else FLOATS, "data")
        known.check_rank(indices, 1, "indices")
        known.check_rank(ids, 1, "segment_ids")
        segments = None if count is None else known.scalar(count)
        content = known.complete(ids)
        if count is None and content is not None:
            segments = content[-1] + 1 if content else 0
        return Aval(data.dtype, None if data.shape is None else (segments, *data.shape[1:]))

    def eager(self, data: Array, indices: Array, ids: Array, count: Array | None = None) -> Array:
        segments = int(ids[-1]) + 1 if len(ids) else 0
        if count is not None:
            segments = int(count)
        self._check(data, indices, ids, segments)
        wide = data.astype(np.float32) if data.dtype.itemsize == 2 else data
        total = np.zeros((segments, *data.shape[1:]), wide.dtype)
        np.add.at(total, ids, wide[indices])
        counts = np.maximum(np.bincount(ids, minlength=segments), 1).astype(total.dtype)
        if self._kind != "Sum":
            # By the inverse: the last bit is TensorFlow's then.
            scales = 1 / (counts if self._kind == "Mean" else np.sqrt(counts))
            total *= scales.reshape(-1, *[1] * (data.ndim - 1))
        return np.asarray(total, data.dtype)

    def _check(self, data: Array, indices: Array, ids: Array, segments: int) -> None:
        if indices.shape != ids.shape:
            raise invalid_argument("segment_ids and indices should have same size.", self.type)
        if len(ids) and ids.min() < 0:
            raise invalid_argument("segment ids must be >= 0", self.type)
        if (np.diff(ids) < 0).any():
            raise invalid_argument("segment ids are not increasing", self.type)
        if len(ids) and ids[-1] >= segments:
            raise invalid_argument("segment ids must be < num_segments", self.type)
        wrong = np.flatnonzero((indices < 0) | (indices >= len(data)))
        if len(wrong):
            i = int(wrong[0])
            raise invalid_argument(
                f"Bad: indices[{i}] == {indices[i]} out of range [0, {len(data)})", self.type
            )

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        data, indices, ids, *count = call.inputs
        scaled = self._of_sums(grad, ids)
        size: Any = shape_of(data)[0]
        rows = unsorted_segment_sum(gather(scaled, ids), indices, size)
        return [rows, None, None, *(None for _ in count)]

    def _of_sums(self, grad: Tensor, ids: Tensor) -> Tensor:
        """The gradient of the sums of the segments."""
        if self._kind == "Sum":
            return grad
        segments: Any = shape_of(grad)[0]
        counts = unsorted_segment_sum(ones_like(gather(grad, ids)), ids, segments)
        own = maximum(counts, 1)
        return realdiv(grad, own if self._kind == "Mean" else sqrt(own))


_OPS: Final = {
    (kind, counted): define(_SparseSegment(kind, counted=counted))
    for kind in ("Sum", "Mean", "SqrtN")
    for counted in (False, True)
}


def segment_sum(
    data: object,
    indices: object,
    segment_ids: object,
    num_segments: object = None,
    name: str | None = None,
) -> Tensor:
    """Sums of the rows at `indices` by their segment.

    https://www.tensorflow.org/api_docs/python/tf/sparse/segment_sum

    Args:
        data: the rows.
        indices: numbers of rows.
        segment_ids: the segment of each, in order.
        num_segments: how many there are; one more than the last by default.
        name: of the node.

    Raises:
        InvalidArgumentError: an index names no row, or segments fall or are too many.
    """
    return _apply("Sum", data, indices, segment_ids, num_segments, name)


def segment_mean(
    data: object,
    indices: object,
    segment_ids: object,
    num_segments: object = None,
    name: str | None = None,
) -> Tensor:
    """Means of the rows at `indices` by their segment; see `segment_sum`.

    https://www.tensorflow.org/api_docs/python/tf/sparse/segment_mean
    """
    return _apply("Mean", data, indices, segment_ids, num_segments, name)


def segment_sqrt_n(
    data: object,
    indices: object,
    segment_ids: object,
    num_segments: object = None,
    name: str | None = None,
) -> Tensor:
    """Sums of rows divided by the root of how many there are; see `segment_sum`.

    https://www.tensorflow.org/api_docs/python/tf/sparse/segment_sqrt_n
    """
    return _apply("SqrtN", data, indices, segment_ids, num_segments, name)


def _apply(
    kind: str, data: object, indices: object, ids: object, count: object, name: str | None
) -> Tensor:
    op = _OPS[kind, count is not None]
    inputs = [convert_to_tensor(value) for value in (data, indices, ids)]
    if count is not None:
        inputs.append(convert_to_tensor(count))
    return apply(op, *inputs, name=name or op.type)
