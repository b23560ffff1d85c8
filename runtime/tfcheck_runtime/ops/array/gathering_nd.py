"""Elements and slices picked by coordinates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Attributes, Aval, Call, Emitter, Op, Term, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.agreement import INDICES, check_kind
from tfcheck_runtime.ops.array.broadcasting import broadcast_to
from tfcheck_runtime.ops.array.casting import cast, moves
from tfcheck_runtime.ops.array.examples import counting, i32, i64
from tfcheck_runtime.ops.array.joining import concat
from tfcheck_runtime.ops.array.ranges import range_
from tfcheck_runtime.ops.array.shaping import reshape, shape as shape_of
from tfcheck_runtime.values import operators
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply


class _GatherNd(Op):
    """What stands at the coordinates along the last axis of the indices."""

    type = "GatherNd"

    def infer(self, params: Aval, indices: Aval) -> Aval:
        check_kind(self.type, indices, INDICES | {"int16"}, "indices")
        if params.shape is None or indices.shape is None or indices.shape[-1:] == (None,):
            return Aval(params.dtype, None)
        if not indices.shape:
            raise ValueError("gather_nd: indices must be at least a vector")
        depth = indices.shape[-1] or 0
        if depth > len(params.shape):
            raise ValueError(
                f"indices.shape[-1] must be <= params.rank, but saw indices shape {indices.shape}"
                f" and params shape {params.shape}"
            )
        return Aval(params.dtype, (*indices.shape[:-1], *params.shape[depth:]))

    def eager(self, params: Array, indices: Array) -> Array:
        limits = np.array(params.shape[: indices.shape[-1]], np.int64)
        wrong = np.argwhere(((indices < 0) | (indices >= limits)).any(-1))
        if len(wrong):
            place = tuple(wrong[0].tolist())
            raise invalid_argument(
                f"indices[{','.join(map(str, place))}] = {indices[place].tolist()} does not index"
                f" into param shape {list(params.shape)}",
                self.type,
            )
        if indices.shape[-1] == 0:
            return np.broadcast_to(params, (*indices.shape[:-1], *params.shape))
        return np.asarray(params[tuple(np.moveaxis(indices, -1, 0))])

    def lower(self, onnx: Emitter, params: Term, indices: Term) -> object:
        return onnx.op("GatherND", params, known.onnx_indices(onnx, indices))

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        del attrs
        shape = inputs[1].shape
        has_coordinates = shape is not None and bool(shape[-1])
        return has_coordinates and moves(inputs, outputs)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        params, indices = call.inputs
        scatter = operators.implementation("scatter_nd")
        return [scatter(indices, grad, shape_of(params, indices.dtype)), None]

    cases = (
        case(counting(2, 3), i32([[1, 0], [0, 2], [1, 0]])),
        case(np.ones((2, 3), np.float32), i64([[1], [0]]), unknown=((0, 0), (1, 0))),
        case(np.arange(4, dtype=np.int32), np.zeros((0, 1), np.int32)),
    )


gather_nd_op = define(_GatherNd())


def gather_nd(
    params: object, indices: object, batch_dims: int = 0, name: str | None = None
) -> Tensor:
    """What stands in `params` at the coordinates along the last axis of `indices`.

    https://www.tensorflow.org/api_docs/python/tf/gather_nd

    Args:
        params: what to pick from.
        indices: integers; a row of fewer coordinates than axes picks a slice.
        batch_dims: how many leading axes both share; they are paired.
        name: of the node.

    Raises:
        InvalidArgumentError: an index lies outside.
        ValueError: in a graph, there are more coordinates than axes.
    """
    source = convert_to_tensor(params, name="params")
    places = known.integer_tensor(convert_to_tensor(indices), what="indices")
    if batch_dims:
        places = _with_batch_coordinates(places, int(batch_dims))
    return apply(gather_nd_op, source, places, name=name or "GatherNd")


def _with_batch_coordinates(indices: Tensor, batch_dims: int) -> Tensor:
    """Coordinates that name the batch axes too."""
    if indices.ndim is None:
        raise ValueError("gather_nd: batch_dims needs indices of known rank")
    sizes = shape_of(indices)
    lead = concat([sizes[:-1], [1]], 0)
    columns = []
    for axis in range(batch_dims):
        count = cast(range_(sizes[axis]), indices.dtype)
        along = [1] * indices.ndim
        along[axis] = -1
        columns.append(broadcast_to(reshape(count, along), lead))
    return concat([*columns, indices], -1)
