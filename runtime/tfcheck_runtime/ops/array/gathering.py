"""Slices and elements picked by index tensors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Attributes, Aval, Call, Emitter, Op, Term, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.agreement import INDICES, check_kind
from tfcheck_runtime.ops.array.casting import moves
from tfcheck_runtime.ops.array.examples import counting, i32, i64
from tfcheck_runtime.ops.array.gather_gradient import gather_gradient
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.indexed_slices import IndexedSlices
from tfcheck_runtime.values.tensor import Tensor, apply


class _Gather(Op):
    """Slices along an axis, by index; the first `batch_dims` axes are paired, not combined."""

    type = "GatherV2"

    def infer(self, params: Aval, indices: Aval, axis: Aval, *, batch_dims: int) -> Aval:
        check_kind(self.type, indices, _INDICES, "indices")
        place = known.scalar(axis)
        if params.shape is None or indices.shape is None or place is None:
            return Aval(params.dtype, None)
        if not params.shape:
            raise ValueError("params must be at least 1 dimensional")
        place = known.axis_in(place, len(params.shape), "gather: axis")
        if len(indices.shape) < batch_dims or place < batch_dims:
            raise ValueError(
                f"gather: batch_dims = {batch_dims} must be at most the axis {place} and the rank"
                f" of indices of shape {indices.shape}"
            )
        shape = (
            *params.shape[:place],
            *indices.shape[batch_dims:],
            *params.shape[place + 1 :],
        )
        return known.integers(params.dtype, shape, _contents(params, indices))

    def eager(self, params: Array, indices: Array, axis: Array, *, batch_dims: int) -> Array:
        place = int(axis) % params.ndim
        _check(indices, params.shape[place], self.type)
        if batch_dims == 0:
            return np.take(params, indices, place)
        lead = np.prod(params.shape[:batch_dims], dtype=int)
        rows = params.reshape((lead, *params.shape[batch_dims:]))
        picks = indices.reshape((lead, *indices.shape[batch_dims:]))
        shape = (
            *params.shape[:place], *indices.shape[batch_dims:], *params.shape[place + 1 :]
        )  # fmt: skip
        if lead == 0:
            return np.zeros(shape, params.dtype)
        found = [np.take(r, i, place - batch_dims) for r, i in zip(rows, picks, strict=True)]
        return np.stack(found).reshape(shape)

    def lower(
        self, onnx: Emitter, params: Term, indices: Term, axis: Term, *, batch_dims: int
    ) -> object:
        rank = len(params.shape or ())
        place = (known.scalar(axis.aval) or 0) % max(rank, 1)
        picks = known.onnx_indices(onnx, indices)
        if batch_dims == 0:
            return onnx.op("Gather", params, picks, axis=place)
        # GatherND pairs leading axes: bring the axis right behind them, and what was before back.
        outer = list(range(batch_dims, place))
        order = [*range(batch_dims), place, *outer, *range(place + 1, rank)]
        rows = onnx.op("Transpose", params, perm=order)
        places = onnx.op("Unsqueeze", picks, known.int64([-1]))
        found = onnx.op("GatherND", rows, places, batch_dims=batch_dims)
        return onnx.op("Transpose", found, perm=_back(indices, batch_dims, outer, rank))

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        params, indices, axis = inputs
        static = params.shape is not None and known.scalar(axis) is not None
        ranked = attrs["batch_dims"] == 0 or indices.shape is not None
        return static and ranked and moves(inputs, outputs)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | IndexedSlices | None]:
        return [gather_gradient(call, grad), None, None]

    cases = (
        case(counting(3, 2), i32([2, 0, 2]), i32(0),
             batch_dims=0, unknown=((0, 0), (1, 0))),
        case(counting(3, 2), i64([[1], [0]]), i32(-1),
             batch_dims=0),
        case(counting(2, 3, 2), i32([[2], [0]]), i32(1),
             batch_dims=1, unknown=((0, 0), (1, 0))),
        case(counting(2, 3, 2), i32([[1, 1], [0, 1]]),
             i32(2), batch_dims=1),
        case(i32([4, 5]), i32(1), i32(0), batch_dims=0),
        case(np.bool_([True, False]), i32([]), i32(0), batch_dims=0),
    )  # fmt: skip


_INDICES = INDICES | {"int16", "uint16"}


def _contents(params: Aval, indices: Aval) -> known.Elements | None:
    if not params.dtype.is_integer or params.shape is None or len(params.shape) != 1:
        return None
    picks = (
        known.complete(indices) if indices.shape is not None and len(indices.shape) < 2 else None
    )
    source = known.elements(params)
    if picks is None or source is None or any(not 0 <= p < len(source) for p in picks):
        return None
    return tuple(source[p] for p in picks)


def _back(indices: Term, batch_dims: int, outer: Sequence[int], rank: int) -> list[int]:
    """From batch, indices, outer, inner axes to batch, outer, indices, inner."""
    picked = len(indices.shape or ()) - batch_dims
    first_outer = batch_dims + picked
    total = rank - 1 + picked
    return [
        *range(batch_dims),
        *range(first_outer, first_outer + len(outer)),
        *range(batch_dims, first_outer),
        *range(first_outer + len(outer), total),
    ]


def _check(indices: Array, size: int, op_type: str) -> None:
    """TensorFlow on the CPU refuses negative indices too."""
    wrong = np.argwhere((indices < 0) | (indices >= size))
    if len(wrong):
        place = tuple(wrong[0].tolist())
        shown = ",".join(map(str, place))
        raise invalid_argument(
            f"indices[{shown}] = {indices[place]} is not in [0, {size})", op_type
        )


gather_op = define(_Gather())


def gather(
    params: object,
    indices: object,
    validate_indices: bool | None = None,
    axis: object = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Tensor:
    """The slices of `params` along `axis` that `indices` name.

    https://www.tensorflow.org/api_docs/python/tf/gather

    Args:
        params: what to pick from.
        indices: integers of any shape, which takes the place of the axis.
        validate_indices: has no effect.
        axis: which axis; by default the one behind the batch axes.
        batch_dims: how many leading axes `params` and `indices` share.
        name: of the node.

    Raises:
        InvalidArgumentError: an index lies outside the axis.
        ValueError: in a graph, the axis does not exist.
    """
    del validate_indices
    label = name or "GatherV2"
    source = convert_to_tensor(params, name="params")
    picks = known.integer_tensor(convert_to_tensor(indices), what="indices")
    batch = _batch_dims(batch_dims, picks)
    # TensorFlow takes a negative batch_dims for the axis as it is.
    along = batch_dims if axis is None else axis
    place = known.integer_tensor(along, name=f"{label}/axis", what="axis")
    return apply(gather_op, source, picks, place, batch_dims=batch, name=label)


def _batch_dims(batch_dims: int, indices: Tensor) -> int:
    if batch_dims >= 0:
        return batch_dims
    if indices.ndim is None:
        raise ValueError("gather: a negative batch_dims needs indices of known rank")
    return batch_dims + indices.ndim
