"""One-hot rows and unit matrices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tfcheck_runtime.op import Array, Attributes, Aval, Emitter, Op, Term, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.agreement import check_kind, check_same_dtypes
from tfcheck_runtime.ops.array.broadcasting import broadcast_to
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.examples import i32, i64
from tfcheck_runtime.ops.array.joining import concat
from tfcheck_runtime.ops.array.ranges import range_
from tfcheck_runtime.ops.array.squeezing import expand_dims
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import DType, as_dtype
from tfcheck_runtime.values.convert import constant, convert_to_tensor, is_typed
from tfcheck_runtime.values.tensor import Tensor, apply


class _OneHot(Op):
    """Along a new axis: one value at each index, another elsewhere; nowhere if out of range.

    Without a gradient, as in TensorFlow, though the values could have one.
    """

    type = "OneHot"

    def infer(
        self, indices: Aval, depth: Aval, on_value: Aval, off_value: Aval, *, axis: int
    ) -> Aval:
        check_kind(self.type, indices, {"uint8", "int8", "int32", "int64"}, "indices")
        check_same_dtypes(self.type, (on_value, off_value))
        for aval, what in ((depth, "depth"), (on_value, "on_value"), (off_value, "off_value")):
            known.check_rank(aval, 0, f"one_hot: {what}")
        size = known.scalar(depth)
        if size is not None and size < 0:
            raise ValueError(f"depth must be non-negative, got: {size}")
        if indices.shape is None:
            return Aval(on_value.dtype, None)
        (place,) = known.runtime_axes(self.type, [axis], len(indices.shape) + 1)
        return Aval(on_value.dtype, (*indices.shape[:place], size, *indices.shape[place:]))

    def eager(
        self, indices: Array, depth: Array, on_value: Array, off_value: Array, *, axis: int
    ) -> Array:
        places = np.arange(int(depth))
        along = [1] * (indices.ndim + 1)
        along[axis] = -1
        hot = np.expand_dims(indices, axis) == places.reshape(along)
        return np.where(hot, on_value, off_value)

    def lower(
        self,
        onnx: Emitter,
        indices: Term,
        depth: Term,
        on_value: Term,
        off_value: Term,
        *,
        axis: int,
    ) -> object:
        # ONNX's OneHot counts negative indices from the end, and lacks kernels for most types.
        count = known.onnx_integers(onnx, depth, rank=0)
        places = onnx.op("Range", np.int64(0), count, np.int64(1))
        rank = len(indices.shape or ())
        behind = list(range(1, rank + 1 - axis % (rank + 1)))
        if behind:
            places = onnx.op("Unsqueeze", places, known.int64(behind))
        given = onnx.op("Unsqueeze", onnx.cast(indices, dtypes.int64), known.int64([axis]))
        hot = onnx.op("Equal", given, places)
        if on_value.dtype is not dtypes.bool:
            return onnx.op("Where", hot, on_value, off_value)
        cold = onnx.op("And", onnx.op("Not", hot), off_value)
        return onnx.op("Or", onnx.op("And", hot, on_value), cold)

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        known_form = inputs[0].shape is not None
        return known_form and super().lowers(inputs[1:], outputs, attrs)

    cases = (
        case(i32([0, 2, -1, 5]), np.int32(3), np.float32(1), np.float32(0), axis=-1),
        case(i64([[0], [1]]), np.int32(2), np.int32(5), np.int32(-1), axis=1, unknown=((0, 0),)),
        case(i32(1), np.int32(2), np.bool_(True), np.bool_(False), axis=0),
        case(i32([1]), np.int32(0), np.float32(1), np.float32(0), axis=0),
    )


one_hot_op = define(_OneHot())


def one_hot(
    indices: object,
    depth: object,
    on_value: object = None,
    off_value: object = None,
    axis: int | None = None,
    dtype: object = None,
    name: str | None = None,
) -> Tensor:
    """A new axis of size `depth` with `on_value` at each index and `off_value` elsewhere.

    https://www.tensorflow.org/api_docs/python/tf/one_hot

    Args:
        indices: integers; one outside [0, depth) gets no `on_value`.
        depth: the size of the new axis.
        on_value: 1 by default.
        off_value: 0 by default.
        axis: where the new axis goes; last by default.
        dtype: of the values; float32 unless they have one.
        name: of the node.

    Raises:
        TypeError: the values differ in dtype, or from `dtype`.
        InvalidArgumentError: `depth` is negative or no scalar (ValueError in a graph).
    """
    kind = _dtype(on_value, off_value, dtype)
    on = convert_to_tensor(1 if on_value is None else on_value, kind)
    off = convert_to_tensor(0 if off_value is None else off_value, kind)
    label = name or "one_hot"
    return apply(
        one_hot_op,
        known.integer_tensor(indices, what="indices"),
        known.integer_tensor(depth, name=f"{label}/depth", what="depth"),
        on,
        off,
        axis=-1 if axis is None else axis,
        name=label,
    )


def _dtype(on: object, off: object, dtype: object) -> DType | None:
    if on is None and off is None:
        return dtypes.float32 if dtype is None else as_dtype(dtype)
    given = [known.dtype_of(v) for v in (on, off) if v is not None]
    wanted = given[0] if dtype is None else as_dtype(dtype)
    for value, kind in zip([v for v in (on, off) if v is not None], given, strict=True):
        if kind is not wanted and (dtype is None or is_typed(value)):
            raise TypeError(
                f"dtype {kind.name} of {value!r} does not match dtype {wanted.name} of one_hot"
            )
    return wanted


def eye(
    num_rows: object,
    num_columns: object = None,
    batch_shape: object = None,
    dtype: object = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """A matrix, or a batch of them, with ones on the diagonal and zeros elsewhere.

    https://www.tensorflow.org/api_docs/python/tf/eye

    Args:
        num_rows: a scalar.
        num_columns: a scalar; as many as rows by default.
        batch_shape: leading axes of the result.
        dtype: of the result.
        name: of the node.

    Raises:
        TypeError: a size is no integer.
    """
    kind = as_dtype(dtype)
    rows = known.integer_tensor(num_rows, what="num_rows")
    columns = rows if num_columns is None else known.integer_tensor(num_columns, what="num_columns")
    height, width = known.static_ints(rows), known.static_ints(columns)
    if height is not None and width is not None and height[0] * width[0] <= _CONSTANT_LIMIT:
        unit = constant(np.eye(height[0], width[0], dtype=kind.numpy), kind, name=name or "eye")
    else:
        count = cast(columns, rows.dtype)
        unit = cast(expand_dims(range_(rows), 1) == range_(count), kind)
    if batch_shape is None:
        return unit
    lead = known.integer_tensor(batch_shape, what="batch_shape")
    return broadcast_to(unit, concat([lead, [rows, columns]], 0))


_CONSTANT_LIMIT = 1024
