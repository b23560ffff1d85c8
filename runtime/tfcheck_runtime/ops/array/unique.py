"""Distinct elements and how often they occur."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tfcheck_runtime.op import Array, Attributes, Aval, Emitter, Op, Term, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.examples import f32, i32, i64
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import DType, as_dtype
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply_n


class _Unique(Op):
    """The distinct elements of a vector in the order they first occur, and where each went."""

    def __init__(self, op_type: str, *, counts: bool) -> None:
        self.type = op_type
        self.counts = counts

    def infer(self, x: Aval, *, out_idx: DType) -> tuple[Aval, ...]:
        known.check_rank(x, 1, "unique: the input")
        found = (Aval(x.dtype, (None,)), Aval(out_idx, x.shape))
        return (*found, Aval(out_idx, (None,))) if self.counts else found

    def eager(self, x: Array, *, out_idx: DType) -> tuple[Array, ...]:
        _, first, inverse, counts = np.unique(
            x, return_index=True, return_inverse=True, return_counts=True, equal_nan=False
        )
        order = np.argsort(first)
        place = np.argsort(order)
        found = (x[first[order]], place[inverse.reshape(-1)].astype(out_idx.numpy))
        return (*found, counts[order].astype(out_idx.numpy)) if self.counts else found

    def lower(self, onnx: Emitter, x: Term, *, out_idx: DType) -> tuple[object, ...]:
        # onnxruntime's Unique takes int64 but not int32.
        value = onnx.cast(x, dtypes.int64) if x.dtype is dtypes.int32 else x
        elements, _, inverse, counts = onnx.op_n("Unique", 4, value, sorted=0)
        found = (onnx.cast(elements, x.dtype), onnx.cast(inverse, out_idx))
        return (*found, onnx.cast(counts, out_idx)) if self.counts else found

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        # onnxruntime takes all NaN for one.
        integer = inputs[0].dtype.name in ("int32", "int64")
        return integer and super().lowers(inputs, outputs, attrs)

    cases = (
        case(i32([3, 1, 3, 2, 1]), out_idx=dtypes.int32, unknown=((0, 0),)),
        case(i64([7]), out_idx=dtypes.int64),
        case(f32([2, 1, 2]), out_idx=dtypes.int32, differentiable=False),
    )


class _UniqueAlong(Op):
    """The distinct slices along an axis in the order they first occur, and where each went.

    The axis is a vector of one element; it is empty for an input that is a vector.
    """

    def __init__(self, op_type: str, *, counts: bool) -> None:
        self.type = op_type
        self.counts = counts

    def infer(self, x: Aval, axis: Aval, *, out_idx: DType) -> tuple[Aval, ...]:
        place = self._axis(x, axis)
        shape = None if x.shape is None else (None,) * len(x.shape)
        size = None if place is None or x.shape is None else x.shape[place]
        found = (Aval(x.dtype, shape), Aval(out_idx, (size,)))
        return (*found, Aval(out_idx, (None,))) if self.counts else found

    def _axis(self, x: Aval, axis: Aval) -> int | None:
        chosen = axis.constant()
        if chosen is None or x.shape is None:
            return None
        if chosen.size:
            return known.axis_in(int(chosen[0]), len(x.shape))
        known.check_rank(x, 1, f"{self.type} without an axis: the input")
        return 0

    def eager(self, x: Array, axis: Array, *, out_idx: DType) -> tuple[Array, ...]:
        place = int(axis[0]) if axis.size else 0
        slices = np.moveaxis(x, place, 0)
        numbers: dict[bytes | tuple[object, ...], int] = {}
        firsts, went = [], []
        for i, piece in enumerate(slices):
            key = tuple(piece.reshape(-1).tolist()) if x.dtype == object else piece.tobytes()
            if key not in numbers:
                numbers[key] = len(numbers)
                firsts.append(i)
            went.append(numbers[key])
        kept = np.moveaxis(slices[np.array(firsts, np.intp)], 0, place)
        found = (np.ascontiguousarray(kept), np.array(went, out_idx.numpy))
        if not self.counts:
            return found
        return (*found, np.bincount(found[1], minlength=len(firsts)).astype(out_idx.numpy))

    cases = (
        case(i32([[1, 2], [1, 2], [3, 4]]), i32([0]), out_idx=dtypes.int32, unknown=((0, 0),)),
        case(f32([[1, 1], [2, 2]]), i64([1]), out_idx=dtypes.int64, differentiable=False),
        case(i64([3, 1, 3]), np.zeros(0, np.int64), out_idx=dtypes.int32),
    )


unique_along_op = define(_UniqueAlong("UniqueV2", counts=False))
unique_with_counts_along_op = define(_UniqueAlong("UniqueWithCountsV2", counts=True))
unique_op = define(_Unique("Unique", counts=False))
unique_with_counts_op = define(_Unique("UniqueWithCounts", counts=True))


class Unique(NamedTuple):
    """Distinct elements `y`; `idx` says where in `y` each element of the input went."""

    y: Tensor
    idx: Tensor


class UniqueWithCounts(NamedTuple):
    """Distinct elements `y`, where each element went, and how often each of `y` occurs."""

    y: Tensor
    idx: Tensor
    count: Tensor  # type: ignore[assignment]  # TensorFlow's field name shadows tuple.count


def unique(x: object, out_idx: object = dtypes.int32, name: str | None = None) -> Unique:
    """The distinct elements of a vector in the order they first occur.

    https://www.tensorflow.org/api_docs/python/tf/unique

    Raises:
        InvalidArgumentError: `x` is no vector (ValueError in a graph).
    """
    tensor, kind = convert_to_tensor(x), as_dtype(out_idx)
    return Unique(*apply_n(unique_op, tensor, out_idx=kind, name=name or "Unique"))


def unique_with_counts(
    x: object, out_idx: object = dtypes.int32, name: str | None = None
) -> UniqueWithCounts:
    """The distinct elements of a vector in the order they first occur, and how often each does.

    https://www.tensorflow.org/api_docs/python/tf/unique_with_counts. For errors see `unique`.
    """
    tensor, kind = convert_to_tensor(x), as_dtype(out_idx)
    label = name or "UniqueWithCounts"
    return UniqueWithCounts(*apply_n(unique_with_counts_op, tensor, out_idx=kind, name=label))


def unique_v2(
    *, x: object, axis: object, out_idx: object = dtypes.int32, name: str | None = None
) -> Unique:
    """The distinct slices of `x` along an axis, in the order they first occur.

    https://www.tensorflow.org/api_docs/python/tf/raw_ops/UniqueV2

    Args:
        x: any tensor.
        axis: a vector of one element, or an empty one where `x` is a vector.
        out_idx: int32 or int64.
        name: of the node.

    Raises:
        InvalidArgumentError: there is no such axis, or none given (ValueError in a graph).
    """
    return Unique(*_along(unique_along_op, x, axis, out_idx=out_idx, name=name))


def unique_with_counts_v2(
    *, x: object, axis: object, out_idx: object = dtypes.int32, name: str | None = None
) -> UniqueWithCounts:
    """The distinct slices of `x` along an axis, in the order they first occur, and how often.

    https://www.tensorflow.org/api_docs/python/tf/raw_ops/UniqueWithCountsV2. As `unique_v2`.
    """
    made = _along(unique_with_counts_along_op, x, axis, out_idx=out_idx, name=name)
    return UniqueWithCounts(*made)


def _along(
    op: Op, x: object, axis: object, *, out_idx: object, name: str | None
) -> tuple[Tensor, ...]:
    places = convert_to_tensor(axis, dtype_hint=dtypes.int64)
    return apply_n(op, convert_to_tensor(x), places, out_idx=as_dtype(out_idx), name=name)
