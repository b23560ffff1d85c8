"""Updates put at indices: into zeros, or into a copy of a tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Aval, Call, Emitter, Op, Term, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.agreement import INDICES, check_kind, check_same_dtypes
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.examples import f32, i32, i64
from tfcheck_runtime.ops.array.filling import zeros_like
from tfcheck_runtime.ops.array.gathering_nd import gather_nd
from tfcheck_runtime.specs.shapes import Shape, are_compatible
from tfcheck_runtime.values import operators
from tfcheck_runtime.values.convert import convert_pair, convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply


def _check_updates(indices: Aval, updates: Aval, target: Shape) -> None:
    """Each index must come with an update of the shape of what it points to."""
    if indices.shape is None or updates.shape is None or target is None:
        return
    if not indices.shape:
        raise ValueError("Indices shape must have rank at least one. Found: ()")
    depth = indices.shape[-1]
    if depth is None:
        return
    if depth > len(target):
        raise ValueError(f"Inner dimension of indices {depth} exceeds rank of shape {target}")
    expected = (*indices.shape[:-1], *target[depth:])
    if not are_compatible(updates.shape, expected):
        raise ValueError(
            f"Dimensions of updates {updates.shape} do not fit indices {indices.shape} into shape"
            f" {target}: expected {expected}"
        )


def _places(indices: Array, shape: tuple[int, ...], op_type: str) -> tuple[Array, ...]:
    """The indices as one array per axis.

    Raises:
        InvalidArgumentError: an index lies outside.
    """
    limits = np.array(shape[: indices.shape[-1]], np.int64)
    wrong = np.argwhere(((indices < 0) | (indices >= limits)).any(-1))
    if len(wrong):
        place = tuple(wrong[0].tolist())
        shown = ",".join(map(str, place))
        raise invalid_argument(
            f"indices[{shown}] = {indices[place].tolist()} does not index into shape {list(shape)}",
            op_type,
        )
    return tuple(np.moveaxis(indices, -1, 0))


class _ScatterNd(Op):
    """Zeros of a shape with updates added at indices."""

    type = "ScatterNd"

    def infer(self, indices: Aval, updates: Aval, sizes: Aval) -> Aval:
        check_kind(self.type, indices, INDICES, "indices")
        shape = known.as_shape(sizes)
        _check_updates(indices, updates, shape)
        return Aval(updates.dtype, shape)

    def eager(self, indices: Array, updates: Array, sizes: Array) -> Array:
        shape = tuple(sizes.tolist())
        out = np.zeros(shape, updates.dtype)
        np.add.at(out, _places(indices, shape, self.type), updates)
        return out

    def lower(self, onnx: Emitter, indices: Term, updates: Term, sizes: Term) -> object:
        zeros = onnx.op(
            "Expand", np.zeros((), updates.dtype.numpy), known.onnx_integers(onnx, sizes)
        )
        places = known.onnx_indices(onnx, indices)
        return onnx.op("ScatterND", zeros, places, updates, reduction="add")

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        return [None, gather_nd(grad, call.inputs[0]), None]

    cases = (
        case(i32([[0], [0], [2]]), f32([1, 2, 3]), i32([3])),
        case(i64([[1, 0]]), i32([7]), i64([2, 2]), unknown=((0, 0), (1, 0))),
        case(i32([[1]]), np.ones((1, 2), np.float32), i32([3, 2])),
        case(np.zeros((0, 1), np.int32), np.zeros((0,), np.float32), i32([2])),
    )


_UPDATE_CASES: Final = (
    case(f32([1, 2, 3]), i32([[0], [2]]), f32([5, 6])),
    case(np.ones((2, 3), np.float32), i32([[1]]), f32([[4, 5, 6]]), unknown=((0, 0),)),
    case(i32([1, 2, 3]), i64([[1]]), i32([9])),
    case(f32([1, 2]), np.zeros((0, 1), np.int32), f32([])),
)


class _TensorScatter(Op):
    """A tensor with updates put at, or combined with what stands at, indices."""

    def __init__(
        self, op_type: str, combine: Callable[..., Any] | None, *, reduction: str = "none"
    ) -> None:
        self.type = op_type
        self.combine = combine
        self.reduction = reduction
        self.cases = _UPDATE_CASES

    def infer(self, tensor: Aval, indices: Aval, updates: Aval) -> Aval:
        check_kind(self.type, indices, INDICES | {"int16", "uint16"}, "indices")
        check_same_dtypes(self.type, (tensor, updates))
        _check_updates(indices, updates, tensor.shape)
        return Aval(tensor.dtype, tensor.shape)

    def eager(self, tensor: Array, indices: Array, updates: Array) -> Array:
        out = tensor.copy()
        places = _places(indices, tensor.shape, self.type)
        if self.combine is None:
            out[places] = updates
        else:
            self.combine(out, places, updates)
        return out

    def lower(self, onnx: Emitter, tensor: Term, indices: Term, updates: Term) -> object:
        places = known.onnx_indices(onnx, indices)
        value = onnx.op("Neg", updates) if self.type == "TensorScatterSub" else updates
        return onnx.op("ScatterND", tensor, places, value, reduction=self.reduction)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        _, indices, updates = call.inputs
        picked = gather_nd(grad, indices)
        if self.type == "TensorScatterUpdate":
            kept = tensor_scatter_nd_update(grad, indices, zeros_like(updates))
            return [kept, None, picked]
        if self.type == "TensorScatterAdd":
            return [grad, None, picked]
        if self.type == "TensorScatterSub":
            return [grad, None, -picked]
        return _extreme_gradient(call, grad, picked)


def _extreme_gradient(call: Call[Tensor], grad: Tensor, picked: Tensor) -> list[Tensor | None]:
    """Of those that tie for the extreme, each takes an equal share."""
    tensor, indices, updates = call.inputs
    output = call.outputs[0]
    kept = cast(tensor == output, grad.dtype)
    won = cast(updates == gather_nd(output, indices), grad.dtype)
    ties = tensor_scatter_nd_add(kept, indices, won)
    return [kept * grad / ties, None, won * picked / gather_nd(ties, indices)]


def _subtract_at(out: Array, places: tuple[Array, ...], updates: Array) -> None:
    np.subtract.at(out, places, updates)


scatter_nd_op = define(_ScatterNd())
tensor_scatter_update_op = define(_TensorScatter("TensorScatterUpdate", None))
tensor_scatter_add_op = define(_TensorScatter("TensorScatterAdd", np.add.at, reduction="add"))
tensor_scatter_sub_op = define(_TensorScatter("TensorScatterSub", _subtract_at, reduction="add"))
tensor_scatter_max_op = define(_TensorScatter("TensorScatterMax", np.maximum.at, reduction="max"))
tensor_scatter_min_op = define(_TensorScatter("TensorScatterMin", np.minimum.at, reduction="min"))


@operators.implements("scatter_nd")
def scatter_nd(indices: object, updates: object, shape: object, name: str | None = None) -> Tensor:
    """Zeros of `shape` with `updates` added at `indices`.

    https://www.tensorflow.org/api_docs/python/tf/scatter_nd

    Args:
        indices: integers; the last axis holds the coordinates.
        updates: one element or slice per index; those with the same index add up.
        shape: of the result.
        name: of the node.

    Raises:
        InvalidArgumentError: an index lies outside, or shapes do not fit (ValueError in a graph).
    """
    return apply(
        scatter_nd_op,
        known.integer_tensor(indices, name="indices", what="indices"),
        convert_to_tensor(updates, name="updates"),
        known.integer_tensor(shape, name="shape", what="shape"),
        name=name or "ScatterNd",
    )


def _update(op: Op, tensor: object, indices: object, updates: object, name: str | None) -> Tensor:
    target, values = convert_pair(tensor, updates)
    places = known.integer_tensor(indices, name="indices", what="indices")
    return apply(op, target, places, values, name=name or op.type)


def tensor_scatter_nd_update(
    tensor: object, indices: object, updates: object, name: str | None = None
) -> Tensor:
    """`tensor` with `updates` in place of what stood at `indices`; the last of equal indices wins.

    https://www.tensorflow.org/api_docs/python/tf/tensor_scatter_nd_update. For errors see
    `scatter_nd`.
    """
    return _update(tensor_scatter_update_op, tensor, indices, updates, name)


def tensor_scatter_nd_add(
    tensor: object, indices: object, updates: object, name: str | None = None
) -> Tensor:
    """`tensor` with `updates` added at `indices`.

    https://www.tensorflow.org/api_docs/python/tf/tensor_scatter_nd_add
    """
    return _update(tensor_scatter_add_op, tensor, indices, updates, name)


def tensor_scatter_nd_sub(
    tensor: object, indices: object, updates: object, name: str | None = None
) -> Tensor:
    """`tensor` with `updates` subtracted at `indices`.

    https://www.tensorflow.org/api_docs/python/tf/tensor_scatter_nd_sub
    """
    return _update(tensor_scatter_sub_op, tensor, indices, updates, name)


def tensor_scatter_nd_max(
    tensor: object, indices: object, updates: object, name: str | None = None
) -> Tensor:
    """`tensor` with the larger of itself and `updates` at `indices`.

    https://www.tensorflow.org/api_docs/python/tf/tensor_scatter_nd_max
    """
    return _update(tensor_scatter_max_op, tensor, indices, updates, name)


def tensor_scatter_nd_min(
    tensor: object, indices: object, updates: object, name: str | None = None
) -> Tensor:
    """`tensor` with the smaller of itself and `updates` at `indices`.

    https://www.tensorflow.org/api_docs/python/tf/tensor_scatter_nd_min
    """
    return _update(tensor_scatter_min_op, tensor, indices, updates, name)
