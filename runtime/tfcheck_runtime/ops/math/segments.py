"""Sums, means and extremes over the rows that carry the same segment number.

https://www.tensorflow.org/api_docs/python/tf/math#about_segmentation
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Attributes, Aval, Call, Emitter, Op, Term, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.examples import i32, i64
from tfcheck_runtime.ops.array.filling import ones_like, zeros_like
from tfcheck_runtime.ops.array.gathering import gather
from tfcheck_runtime.ops.array.selection import where
from tfcheck_runtime.ops.array.shaping import reshape
from tfcheck_runtime.ops.math.arithmetic import maximum, multiply
from tfcheck_runtime.ops.math.comparison import equal, greater_equal
from tfcheck_runtime.ops.math.division import realdiv, truediv
from tfcheck_runtime.ops.math.exponential import sqrt
from tfcheck_runtime.ops.math.families import ORT_NUMBERS
from tfcheck_runtime.specs.shapes import Shape
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply

_IDS: Final = i32([0, 1, 0, -1])
_ROWS: Final = np.arange(8, dtype=np.float64).reshape(4, 2) ** 2
_SORTED: Final = i32([0, 0, 1, 3])


class _Unsorted(Op):
    """A reduction of rows into `num_segments` segments; rows of negative number are left out."""

    def __init__(
        self,
        op_type: str,
        kernel: Any,
        *,
        reduction: str,
        start: Callable[[np.dtype[Any]], Any],
        gradient: Callable[[Call[Tensor], Tensor], Tensor] | None,
    ) -> None:
        self.type = op_type
        self.kernel = kernel
        self.reduction = reduction
        self.start = start
        self.vjp = gradient
        if gradient is not None:
            self.gradient = self._gradient
        self.cases = (
            case(_ROWS, _IDS, i32(2), unknown=((0, 0), (1, 0))),
            case(_ROWS, _IDS, i32(3), differentiable=False),
            case(_ROWS.astype(np.float32) + 1, i32([1, 0, 1, 1]), i32(2)),
            case(i32([[1, 2], [3, 4]]), i64([[0, 1], [1, 1]]), i32(2)),
        )

    def infer(self, data: Aval, segment_ids: Aval, num_segments: Aval) -> Aval:
        return Aval(
            data.dtype, _segmented(data.shape, segment_ids.shape, known.scalar(num_segments))
        )

    def eager(self, data: Array, segment_ids: Array, num_segments: Array) -> Array:
        count = int(num_segments)
        if segment_ids.size and int(segment_ids.max()) >= count:
            raise invalid_argument(
                f"segment_ids = {segment_ids.max()} is out of range [0, {count})", self.type
            )
        rows = data.reshape(-1, *data.shape[segment_ids.ndim :])
        ids = segment_ids.reshape(-1)
        result = np.full((count, *rows.shape[1:]), self.start(data.dtype), data.dtype)
        kept = ids >= 0
        self.kernel.at(result, ids[kept], rows[kept])
        return result

    def lower(self, onnx: Emitter, data: Term, segment_ids: Term, num_segments: Term) -> object:
        count = known.onnx_integers(onnx, num_segments, 1)
        return _scattered(
            onnx, data, segment_ids, count, start=self.start(data.dtype.numpy),
            reduction=self.reduction,
        )  # fmt: skip

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        ranked = inputs[0].shape is not None and inputs[1].shape is not None
        return ranked and inputs[0].dtype.name in ORT_NUMBERS

    def _gradient(self, call: Call[Tensor], dy: Tensor) -> list[Tensor | None]:
        assert self.vjp is not None  # else `gradient` is None
        return [self.vjp(call, dy), None, None]


def _segmented(data: Shape, ids: Shape, count: int | None) -> Shape:
    if data is None or ids is None:
        return None
    if len(ids) > len(data) or any(
        a is not None and b is not None and a != b for a, b in zip(data, ids, strict=False)
    ):
        raise ValueError(f"data.shape = {data} does not start with segment_ids.shape = {ids}")
    return (count, *data[len(ids) :])


def _scattered(
    onnx: Emitter, data: Term, ids: Term, count: object, *, start: object, reduction: str
) -> object:
    """Rows combined into a tensor of `count` segments; what is left out goes to one more row."""
    one, zero = known.int64([1]), known.int64([0])
    inner = onnx.op("Slice", onnx.op("Shape", data), known.int64([_rank(ids)]), known.int64([64]))
    flat = onnx.op("Reshape", data, onnx.op("Concat", known.int64([-1]), inner, axis=0))
    numbers = onnx.op("Reshape", known.onnx_integers(onnx, ids, None), known.int64([-1, 1]))
    places = onnx.op("Where", onnx.op("Less", numbers, zero), count, numbers)
    rows = onnx.op("Concat", onnx.op("Add", count, one), inner, axis=0)
    base = onnx.op("Expand", onnx.constant(np.asarray(start, data.dtype.numpy)), rows)
    full = onnx.op("ScatterND", base, places, flat, reduction=reduction)
    return onnx.op("Slice", full, zero, count, zero)


def _rank(term: Term) -> int:
    assert term.shape is not None  # `lowers` said no otherwise
    return len(term.shape)


def _gathered(rows: Tensor, ids: Tensor) -> Tensor:
    """The row of each segment number, and zeros for negative ones."""
    kept = greater_equal(ids, 0)
    taken = gather(rows, maximum(ids, 0))
    if ids.static_shape is not None and taken.static_shape is not None:
        for _ in range(len(taken.static_shape) - len(ids.static_shape)):
            kept = _with_last_axis(kept)
    return where(kept, taken, zeros_like(taken))


def _with_last_axis(x: Tensor) -> Tensor:
    from_last: Tensor = x[..., None]
    return from_last


def _sum_gradient(call: Call[Tensor], dy: Tensor) -> Tensor:
    return _gathered(dy, call.inputs[1])


def _extreme_gradient(call: Call[Tensor], dy: Tensor) -> Tensor:
    """Rows that attain the extreme share its gradient."""
    data, ids, count = call.inputs
    attains = cast(equal(data, _gathered(call.outputs[0], ids)), data.dtype)
    share = realdiv(dy, unsorted_segment_sum(attains, ids, count))
    return where(equal(attains, 1), _gathered(share, ids), zeros_like(data))


def _product_gradient(call: Call[Tensor], dy: Tensor) -> Tensor:
    """The product of the other rows: where there is one 0, it alone has a gradient."""
    data, ids, count = call.inputs
    zero = equal(data, 0)
    zeros = unsorted_segment_sum(cast(zero, data.dtype), ids, count)
    alive = where(greater_equal(zeros, 2), zeros_like(dy), dy)
    others = where(zero, ones_like(data), data)
    rest = _gathered(unsorted_segment_prod(others, ids, count), ids)
    partial = where(zero, rest, realdiv(_gathered(call.outputs[0], ids), others))
    return multiply(_gathered(alive, ids), partial)


def _lowest(dtype: np.dtype[Any]) -> Any:
    return np.iinfo(dtype).min if dtype.kind in "iu" else np.finfo(dtype).min


def _highest(dtype: np.dtype[Any]) -> Any:
    return np.iinfo(dtype).max if dtype.kind in "iu" else np.finfo(dtype).max


unsorted_sum_op = define(
    _Unsorted(
        "UnsortedSegmentSum", np.add, reduction="add", start=lambda d: 0, gradient=_sum_gradient
    )
)
unsorted_prod_op = define(
    _Unsorted(
        "UnsortedSegmentProd", np.multiply, reduction="mul", start=lambda d: 1,
        gradient=_product_gradient,
    )
)  # fmt: skip
unsorted_max_op = define(
    _Unsorted(
        "UnsortedSegmentMax", np.maximum, reduction="max", start=_lowest,
        gradient=_extreme_gradient,
    )
)  # fmt: skip
unsorted_min_op = define(
    _Unsorted(
        "UnsortedSegmentMin", np.minimum, reduction="min", start=_highest,
        gradient=_extreme_gradient,
    )
)  # fmt: skip


class _Sorted(Op):
    """A reduction of rows whose segment numbers never fall; `empty` stands for no rows."""

    def __init__(
        self,
        op_type: str,
        kernel: Any,
        gradient: Callable[[Call[Tensor], Tensor], Tensor] | None,
        *,
        empty: int = 0,
    ) -> None:
        self.type = op_type
        self.kernel = kernel
        self.empty = empty
        self.vjp = gradient
        if gradient is not None:
            self.gradient = self._gradient
        self.cases = (
            case(_ROWS, _SORTED, unknown=((0, 0), (1, 0))),
            case(_ROWS.astype(np.float32), _SORTED.astype(np.int64)),
        )

    def infer(self, data: Aval, segment_ids: Aval) -> Aval:
        known.check_rank(segment_ids, 1, "segment_ids")
        return Aval(data.dtype, None if data.shape is None else (None, *data.shape[1:]))

    def eager(self, data: Array, segment_ids: Array) -> Array:
        if segment_ids.shape != data.shape[:1]:
            raise invalid_argument(
                f"segment_ids should be the same size as dimension 0 of input: {data.shape},"
                f" {segment_ids.shape}",
                self.type,
            )
        if (np.diff(segment_ids) < 0).any():
            raise invalid_argument("segment ids are not increasing", self.type)
        if segment_ids.size and segment_ids[0] < 0:
            raise invalid_argument(f"segment ids must be >= 0, got {segment_ids[0]}", self.type)
        count = int(segment_ids[-1]) + 1 if segment_ids.size else 0
        result = np.full((count, *data.shape[1:]), self.empty, data.dtype)
        starts = np.flatnonzero(np.diff(segment_ids, prepend=-1))
        if starts.size:
            result[segment_ids[starts]] = self.kernel(data, starts)
        return result

    def _gradient(self, call: Call[Tensor], dy: Tensor) -> list[Tensor | None]:
        assert self.vjp is not None  # else `gradient` is None
        return [self.vjp(call, dy), None]


def _mean_of(data: Array, starts: Array) -> Array:
    sizes = np.diff(np.append(starts, len(data))).reshape(-1, *[1] * (data.ndim - 1))
    return (np.add.reduceat(data, starts, axis=0) / sizes).astype(data.dtype)


def _mean_gradient(call: Call[Tensor], dy: Tensor) -> Tensor:
    data, ids = call.inputs
    ones = ones_like(data)
    sizes = maximum(segment_sum(ones, ids), 1)
    return gather(realdiv(dy, sizes), ids)


def _sorted_extreme_gradient(call: Call[Tensor], dy: Tensor) -> Tensor:
    data, ids = call.inputs
    attains = cast(equal(data, gather(call.outputs[0], ids)), data.dtype)
    share = realdiv(dy, maximum(segment_sum(attains, ids), 1))
    return multiply(attains, gather(share, ids))


segment_sum_op = define(
    _Sorted(
        "SegmentSum", lambda d, s: np.add.reduceat(d, s, axis=0),
        lambda call, dy: gather(dy, call.inputs[1]),
    )
)  # fmt: skip
segment_mean_op = define(_Sorted("SegmentMean", _mean_of, _mean_gradient))
segment_max_op = define(
    _Sorted("SegmentMax", lambda d, s: np.maximum.reduceat(d, s, axis=0), _sorted_extreme_gradient)
)
segment_min_op = define(
    _Sorted("SegmentMin", lambda d, s: np.minimum.reduceat(d, s, axis=0), _sorted_extreme_gradient)
)
segment_prod_op = define(
    _Sorted("SegmentProd", lambda d, s: np.multiply.reduceat(d, s, axis=0), None, empty=1)
)


def segment_sum(data: object, segment_ids: object, name: str | None = None) -> Tensor:
    """Sums of rows of equal segment number.

    https://www.tensorflow.org/api_docs/python/tf/math/segment_sum

    Raises:
        InvalidArgumentError: the numbers fall somewhere, or there is not one for each row.
    """
    return _apply_sorted(segment_sum_op, data, segment_ids, name=name)


def segment_mean(data: object, segment_ids: object, name: str | None = None) -> Tensor:
    """Means of rows (https://www.tensorflow.org/api_docs/python/tf/math/segment_mean)."""
    return _apply_sorted(segment_mean_op, data, segment_ids, name=name)


def segment_max(data: object, segment_ids: object, name: str | None = None) -> Tensor:
    """Maxima of rows (https://www.tensorflow.org/api_docs/python/tf/math/segment_max)."""
    return _apply_sorted(segment_max_op, data, segment_ids, name=name)


def segment_min(data: object, segment_ids: object, name: str | None = None) -> Tensor:
    """Minima of rows (https://www.tensorflow.org/api_docs/python/tf/math/segment_min)."""
    return _apply_sorted(segment_min_op, data, segment_ids, name=name)


def segment_prod(data: object, segment_ids: object, name: str | None = None) -> Tensor:
    """Products of rows (https://www.tensorflow.org/api_docs/python/tf/math/segment_prod)."""
    return _apply_sorted(segment_prod_op, data, segment_ids, name=name)


def _apply_sorted(op: Op, data: object, segment_ids: object, *, name: str | None) -> Tensor:
    return apply(op, convert_to_tensor(data), convert_to_tensor(segment_ids), name=name)


def unsorted_segment_sum(
    data: object, segment_ids: object, num_segments: object, name: str | None = None
) -> Tensor:
    """Sums of rows of equal segment number, in any order; negative numbers are left out.

    https://www.tensorflow.org/api_docs/python/tf/math/unsorted_segment_sum

    Raises:
        InvalidArgumentError: a number is not below `num_segments`.
    """
    return _apply_unsorted(unsorted_sum_op, data, segment_ids, num_segments=num_segments, name=name)


def unsorted_segment_prod(
    data: object, segment_ids: object, num_segments: object, name: str | None = None
) -> Tensor:
    """Products of rows; 1 for segments without.

    https://www.tensorflow.org/api_docs/python/tf/math/unsorted_segment_prod
    """
    return _apply_unsorted(
        unsorted_prod_op, data, segment_ids, num_segments=num_segments, name=name
    )


def unsorted_segment_max(
    data: object, segment_ids: object, num_segments: object, name: str | None = None
) -> Tensor:
    """Maxima of rows; the lowest value of the type for segments without.

    https://www.tensorflow.org/api_docs/python/tf/math/unsorted_segment_max
    """
    return _apply_unsorted(unsorted_max_op, data, segment_ids, num_segments=num_segments, name=name)


def unsorted_segment_min(
    data: object, segment_ids: object, num_segments: object, name: str | None = None
) -> Tensor:
    """Minima of rows; the highest value of the type for segments without.

    https://www.tensorflow.org/api_docs/python/tf/math/unsorted_segment_min
    """
    return _apply_unsorted(unsorted_min_op, data, segment_ids, num_segments=num_segments, name=name)


def unsorted_segment_mean(
    data: object, segment_ids: object, num_segments: object, name: str | None = None
) -> Tensor:
    """Means of rows; 0 for segments without.

    https://www.tensorflow.org/api_docs/python/tf/math/unsorted_segment_mean
    """
    total = unsorted_segment_sum(data, segment_ids, num_segments)
    sizes = _sizes(total, segment_ids, num_segments)
    return truediv(total, sizes, name=name or "UnsortedSegmentMean")


def unsorted_segment_sqrt_n(
    data: object, segment_ids: object, num_segments: object, name: str | None = None
) -> Tensor:
    """Sums of rows over the root of their number.

    https://www.tensorflow.org/api_docs/python/tf/math/unsorted_segment_sqrt_n
    """
    total = unsorted_segment_sum(data, segment_ids, num_segments)
    sizes = _sizes(total, segment_ids, num_segments)
    return realdiv(total, sqrt(sizes), name=name or "UnsortedSegmentSqrtN")


def _sizes(total: Tensor, segment_ids: object, num_segments: object) -> Tensor:
    """The number of rows of each segment, at least 1, shaped to divide `total`."""
    ids = convert_to_tensor(segment_ids)
    ones = cast(ones_like(ids), total.dtype)
    sizes = maximum(unsorted_segment_sum(ones, ids, num_segments), 1)
    inner = 0 if total.ndim is None else total.ndim - 1
    return reshape(sizes, [-1, *[1] * inner])


def _apply_unsorted(
    op: Op, data: object, segment_ids: object, *, num_segments: object, name: str | None
) -> Tensor:
    count = known.integer_tensor(num_segments, what="num_segments")
    return apply(op, convert_to_tensor(data), convert_to_tensor(segment_ids), count, name=name)
