"""Elements in order: the largest k, sorting, sorting by index."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tfcheck_runtime.op import Array, Aval, Call, Emitter, Op, Term, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.agreement import REALS, check_kind, refuse_value
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.examples import f32, i32
from tfcheck_runtime.ops.array.permuting import transpose
from tfcheck_runtime.ops.array.ranges import range_
from tfcheck_runtime.ops.array.shaping import reshape, shape as shape_of, size
from tfcheck_runtime.ops.array.squeezing import expand_dims
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import DType, as_dtype
from tfcheck_runtime.values import operators
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply_n


class _TopK(Op):
    """The largest elements along the last axis and their indices, the first of equals first."""

    type = "TopKV2"

    def infer(self, x: Aval, k: Aval, *, sorted: bool, index_type: DType) -> tuple[Aval, Aval]:
        del sorted
        check_kind(self.type, x, REALS)
        known.check_rank(k, 0, "top_k: k")
        count = known.scalar(k)
        if x.shape is None:
            return Aval(x.dtype, None), Aval(index_type, None)
        if not x.shape:
            raise ValueError("input must have at least 1 dimension, got a scalar")
        if count is not None and count < 0:
            raise ValueError(f"Need k >= 0, got {count}")
        size = x.shape[-1]
        if count is not None and size is not None and size < count:
            raise ValueError(
                f"input must have at least k columns. Had {size}, needed {count}: input must have"
                f" last dimension >= k = {count} but is {size}"
            )
        shape = (*x.shape[:-1], count)
        return Aval(x.dtype, shape), Aval(index_type, shape)

    def eager(self, x: Array, k: Array, *, sorted: bool, index_type: DType) -> tuple[Array, Array]:
        del sorted
        order = descending(x)[..., : int(k)]
        return np.take_along_axis(x, order, -1), order.astype(index_type.numpy)

    def lower(
        self, onnx: Emitter, x: Term, k: Term, *, sorted: bool, index_type: DType
    ) -> tuple[object, object]:
        del sorted  # TensorFlow on the CPU sorts anyway where it matters
        count = known.onnx_integers(onnx, k)
        keys: object = x
        if x.dtype.is_floating:
            # NaN counts as the least, whereas onnxruntime's order of it depends on the input.
            least = onnx.constant(np.array(-np.inf, x.dtype.numpy))
            keys = onnx.op("Where", onnx.op("IsNaN", x), least, x)
        values, places = onnx.op_n("TopK", 2, keys, count, axis=-1)
        if x.dtype.is_floating:
            values = onnx.op("GatherElements", x, places, axis=-1)
        return values, onnx.cast(places, index_type)

    def gradient(self, call: Call[Tensor], *grads: Tensor | None) -> list[Tensor | None]:
        if grads[0] is None:
            return [None, None]
        return [_spread(grads[0], call.inputs[0], call.outputs[1]), None]

    cases = (
        case(f32([1, 3, 3, 2]), np.int32(2), sorted=True, index_type=dtypes.int32,
             differentiable=False),
        case(f32([[1, 3, 2], [6, 5, 4]]), np.int32(2), sorted=True, index_type=dtypes.int32,
             unknown=((0, 0),)),
        case(i32([[4, 7]]), np.int32(1), sorted=True, index_type=dtypes.int64),
        case(f32([1, np.nan, 3]), np.int32(3), sorted=True, index_type=dtypes.int32,
             differentiable=False),
    )  # fmt: skip


def descending(x: Array) -> Array:
    """The indices that sort the last axis from large to small; NaN last, equals as they stand."""
    if x.dtype.kind in "fV":
        wide = x.astype(np.float64)
        return np.argsort(np.where(np.isnan(wide), np.inf, -wide), axis=-1, kind="stable")
    # Counted from above, so that the least integer needs no negative.
    return np.argsort(~x if x.dtype.kind == "i" else x.max(initial=0) - x, axis=-1, kind="stable")


def _spread(grad: Tensor, x: Tensor, places: Tensor) -> Tensor:
    """Each element of a gradient put where it was taken from along the last axis."""
    sizes = shape_of(x)
    rows = reshape(places, [-1, shape_of(places)[-1]])
    starts = expand_dims(range_(shape_of(rows)[0]) * sizes[-1], 1)
    targets = reshape(cast(rows, dtypes.int32) + starts, [-1, 1])
    flat = operators.implementation("scatter_nd")(targets, reshape(grad, [-1]), [size(x)])
    return reshape(flat, sizes)


top_k_op = define(_TopK())


class TopKV2(NamedTuple):
    """The largest elements and where they stand."""

    values: Tensor
    indices: Tensor


def top_k(
    input: object,
    k: object = 1,
    sorted: bool = True,
    index_type: object = dtypes.int32,
    name: str | None = None,
) -> TopKV2:
    """The `k` largest elements along the last axis, from large to small, and their indices.

    https://www.tensorflow.org/api_docs/python/tf/math/top_k

    Raises:
        InvalidArgumentError: there are fewer than `k` elements (ValueError in a graph).
    """
    count = known.integer_tensor(k, what="k")
    values, places = apply_n(
        top_k_op,
        convert_to_tensor(input, name="input"),
        count,
        sorted=bool(sorted),
        index_type=as_dtype(index_type),
        name=name or "TopKV2",
    )
    return TopKV2(values, places)


def sort(
    values: object, axis: object = -1, direction: str = "ASCENDING", name: str | None = None
) -> Tensor:
    """`values` sorted along `axis`.

    https://www.tensorflow.org/api_docs/python/tf/sort

    Args:
        values: real numbers; NaN comes last when ascending.
        axis: a static integer.
        direction: ASCENDING or DESCENDING.
        name: of the node.

    Raises:
        ValueError: there is no such direction or axis, or the axis is a tensor without value.
    """
    del name
    return _sorted(values, axis, direction, indices=False)


def argsort(
    values: object,
    axis: object = -1,
    direction: str = "ASCENDING",
    stable: bool = False,
    name: str | None = None,
) -> Tensor:
    """The int32 indices that sort `values` along `axis`; equal elements keep their order.

    https://www.tensorflow.org/api_docs/python/tf/argsort. For arguments and errors see `sort`.
    """
    del stable, name
    return _sorted(values, axis, direction, indices=True)


def _sorted(values: object, axis: object, direction: str, *, indices: bool) -> Tensor:
    tensor = convert_to_tensor(values)
    place = axis if isinstance(axis, int) else (known.static_ints(_axis(axis)) or (None,))[0]
    if place is None:
        raise ValueError("axis must be a constant scalar")
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(
            "Argument `direction` should be one of 'ASCENDING' or 'DESCENDING'."
            f" Received: direction={direction}"
        )
    if tensor.ndim is None and place != -1:
        raise ValueError("sort: an axis other than -1 needs a tensor of known rank")
    last = -1 if tensor.ndim is None else tensor.ndim - 1
    if last >= 0 and not -last - 1 <= place <= last:
        refuse_value(f"sort: axis = {place} not in [{-last - 1}, {last + 1})")
    if place in (-1, last):
        return _sorted_rows(tensor, ascending=direction == "ASCENDING", indices=indices)
    order = list(range(last + 1))
    order[place], order[last] = order[last], order[place]
    rows = transpose(tensor, order)
    found = _sorted_rows(rows, ascending=direction == "ASCENDING", indices=indices)
    return transpose(found, order)


def _axis(axis: object) -> Tensor:
    return known.integer_tensor(axis, what="axis")


def _sorted_rows(tensor: Tensor, *, ascending: bool, indices: bool) -> Tensor:
    count = shape_of(tensor)[-1]
    flip = _mirror if ascending else _as_it_is
    found = top_k(flip(tensor), count)
    return found.indices if indices else flip(found.values)


def _as_it_is(tensor: Tensor) -> Tensor:
    return tensor


def _mirror(tensor: Tensor) -> Any:  # the result of an operator
    """Values whose descending order is the ascending order of `tensor`; its own inverse."""
    if not tensor.dtype.is_integer:
        return -tensor
    return (tensor.dtype.max if tensor.dtype.is_unsigned else -1) - tensor
