"""Where the extremes are, and where values would go in sorted rows."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Attributes, Aval, Emitter, Op, Term, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.agreement import NUMBERS, check_kind, check_same_dtypes
from tfcheck_runtime.ops.array.examples import f32, i32
from tfcheck_runtime.ops.array.shaping import reshape, shape as shape_of
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import DType, as_dtype
from tfcheck_runtime.specs.shapes import are_compatible
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply


class _ArgExtreme(Op):
    """The index of the first largest or smallest element along an axis; NaN is passed over."""

    def __init__(self, op_type: str) -> None:
        self.type = op_type
        self.largest = op_type == "ArgMax"

    def infer(self, x: Aval, dimension: Aval, *, output_type: DType) -> Aval:
        check_kind(self.type, x, NUMBERS | {"bool"})
        axis = known.scalar(dimension)
        if x.shape is None or axis is None:
            rank = None if not x.shape else len(x.shape) - 1
            return Aval(output_type, None if rank is None else (None,) * rank)
        if not x.shape:
            raise invalid_argument(
                f"Expected dimension in the range [0, 0), but got {axis}", self.type
            )
        place = known.axis_in(axis, len(x.shape), "Expected dimension: axis")
        return Aval(output_type, x.shape[:place] + x.shape[place + 1 :])

    def eager(self, x: Array, dimension: Array, *, output_type: DType) -> Array:
        axis = int(dimension)
        if x.shape[axis] == 0 and x.size == 0:
            return self._of_nothing(x, axis, output_type)
        find = np.argmax if self.largest else np.argmin
        if x.dtype.kind in "fV":
            x = np.where(np.isnan(x), -np.inf if self.largest else np.inf, x)
        return np.asarray(find(x, axis)).astype(output_type.numpy)

    def _of_nothing(self, x: Array, axis: int, output_type: DType) -> Array:
        shape = np.delete(x.shape, axis)
        if shape.size and 0 in shape:
            return np.zeros(shape, output_type.numpy)
        raise invalid_argument(
            f"Reduction axis {axis} is empty in shape {list(x.shape)}", self.type
        )

    def lower(self, onnx: Emitter, x: Term, dimension: Term, *, output_type: DType) -> object:
        # onnxruntime gives the whole shape back for empty tensors and an axis counted from the end.
        axis = (known.scalar(dimension.aval) or 0) % len(x.shape or (None,))
        value = onnx.cast(x, dtypes.int32) if x.dtype is dtypes.bool else x
        if x.dtype.is_floating:
            # NaN must not win.
            worst = onnx.constant(np.array(-np.inf if self.largest else np.inf, x.dtype.numpy))
            value = onnx.op("Where", onnx.op("IsNaN", x), worst, x)
        found = onnx.op(self.type, value, axis=axis, keepdims=0)
        return onnx.cast(found, output_type)

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        static = known.scalar(inputs[1]) is not None and inputs[0].shape is not None
        return static and super().lowers(inputs, outputs, attrs)

    cases = (
        case(f32([[1, 5, 5], [9, 2, 4]]), np.int32(1), output_type=dtypes.int64),
        case(i32([[1, 5], [9, 2]]), np.int32(-2), output_type=dtypes.int32, unknown=((0, 0),)),
        case(f32([np.nan, 1, np.nan, 5]), np.int32(0), output_type=dtypes.int64),
        case(np.array([False, True]), np.int32(0), output_type=dtypes.int64),
    )


arg_max_op = define(_ArgExtreme("ArgMax"))
arg_min_op = define(_ArgExtreme("ArgMin"))


def argmax(
    input: object, axis: object = None, output_type: object = dtypes.int64, name: str | None = None
) -> Tensor:
    """The index of the largest element along `axis` (0 by default), the first of equals.

    https://www.tensorflow.org/api_docs/python/tf/math/argmax

    Raises:
        InvalidArgumentError: there is no such axis, or nothing along it.
    """
    return _arg(arg_max_op, input, axis, output_type=output_type, name=name)


def argmin(
    input: object, axis: object = None, output_type: object = dtypes.int64, name: str | None = None
) -> Tensor:
    """The index of the smallest element along `axis` (0 by default), the first of equals.

    https://www.tensorflow.org/api_docs/python/tf/math/argmin. For errors see `argmax`.
    """
    return _arg(arg_min_op, input, axis, output_type=output_type, name=name)


def _arg(op: Op, input: object, axis: object, *, output_type: object, name: str | None) -> Tensor:
    label = name or op.type
    tensor = convert_to_tensor(input, name="input")
    place = known.integer_tensor(
        0 if axis is None else axis, name=f"{label}/dimension", what="axis"
    )
    return apply(op, tensor, place, output_type=as_dtype(output_type), name=label)


class _Bound(Op):
    """How many elements of each sorted row are below each value (or not above it)."""

    def __init__(self, op_type: str) -> None:
        self.type = op_type
        self.side = "left" if op_type == "LowerBound" else "right"

    def infer(self, rows: Aval, values: Aval, *, out_type: DType) -> Aval:
        check_same_dtypes(self.type, (rows, values))
        known.check_rank(rows, 2, "searchsorted: the sorted rows")
        known.check_rank(values, 2, "searchsorted: the values")
        lead = [None if a.shape is None else a.shape[:1] for a in (rows, values)]
        if not are_compatible(lead[0], lead[1]):
            raise ValueError(
                "Leading dim_size of both tensors must match: got shapes"
                f" {rows.shape} and {values.shape}"
            )
        return Aval(out_type, values.shape)

    def eager(self, rows: Array, values: Array, *, out_type: DType) -> Array:
        out = np.zeros(values.shape, out_type.numpy)
        for i, (row, wanted) in enumerate(zip(rows, values, strict=True)):
            out[i] = np.searchsorted(row, wanted, "left" if self.side == "left" else "right")
        return out

    def lower(self, onnx: Emitter, rows: Term, values: Term, *, out_type: DType) -> object:
        compare = "Less" if self.side == "left" else "LessOrEqual"
        row = onnx.op("Unsqueeze", rows, known.int64([1]))
        below = onnx.op(compare, row, onnx.op("Unsqueeze", values, known.int64([2])))
        counts = onnx.cast(below, dtypes.int64)
        return onnx.cast(onnx.op("ReduceSum", counts, known.int64([2]), keepdims=0), out_type)

    cases = (
        case(f32([[1, 3, 5]]), f32([[0, 3, 6]]), out_type=dtypes.int32),
        case(i32([[1, 3], [2, 2]]), i32([[1], [2]]), out_type=dtypes.int64, unknown=((0, 1),)),
    )


lower_bound_op = define(_Bound("LowerBound"))
upper_bound_op = define(_Bound("UpperBound"))


def searchsorted(
    sorted_sequence: object,
    values: object,
    side: str = "left",
    out_type: object = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """Where each value would go in its sorted row: before equal elements, or behind (`right`).

    https://www.tensorflow.org/api_docs/python/tf/searchsorted

    Args:
        sorted_sequence: rows sorted along the last axis.
        values: of the same leading axes.
        side: left or right.
        out_type: int32 or int64.
        name: of the node.

    Raises:
        ValueError: `side` is neither; in a graph, leading axes differ.
        InvalidArgumentError: leading axes differ.
    """
    if side not in ("left", "right"):
        raise ValueError(
            f"Argument `side` must be either 'right' or 'left'. Received: `side` = {side}"
        )
    rows, wanted = convert_to_tensor(sorted_sequence), convert_to_tensor(values)
    op = lower_bound_op if side == "left" else upper_bound_op
    flat_rows = reshape(rows, [-1, shape_of(rows)[-1]])
    flat_wanted = reshape(wanted, [-1, shape_of(wanted)[-1]])
    found = apply(op, flat_rows, flat_wanted, out_type=as_dtype(out_type), name=name)
    return reshape(found, shape_of(wanted))


class _Bucketize(Op):
    """The number of boundaries that are not above each element."""

    type = "Bucketize"

    def infer(self, x: Aval, *, boundaries: tuple[float, ...]) -> Aval:
        del boundaries
        check_kind(self.type, x, frozenset({"int32", "int64", "float32", "float64"}))
        return Aval(dtypes.int32, x.shape)

    def eager(self, x: Array, *, boundaries: tuple[float, ...]) -> Array:
        if any(a > b for a, b in itertools.pairwise(boundaries)):
            raise invalid_argument("Expected sorted boundaries")
        found: Array = np.searchsorted(np.asarray(boundaries, np.float32), x, "right")
        return found.astype(np.int32)

    cases = (
        case(
            np.array([[0, 1, 5], [np.nan, 2, -1]], np.float32),
            boundaries=(1.0, 2.0),
            unknown=((0, 0),),
        ),
        case(i32([3, 1]), boundaries=()),
    )


_bucketize_op = define(_Bucketize())


def bucketize(*, input: object, boundaries: Sequence[float], name: str | None = None) -> Tensor:
    """The bucket between sorted boundaries that each element falls into, int32.

    https://www.tensorflow.org/api_docs/python/tf/raw_ops/Bucketize

    Raises:
        InvalidArgumentError: the boundaries are not sorted.
    """
    bounds = tuple(float(b) for b in boundaries)
    return apply(_bucketize_op, convert_to_tensor(input), boundaries=bounds, name=name)
