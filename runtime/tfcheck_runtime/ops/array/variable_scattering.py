"""Sparse updates and reads of variables: the rows or elements at some indices only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from tfcheck_runtime.errors import InvalidArgumentError, invalid_argument
from tfcheck_runtime.op import Array, Attributes, Aval, Call, Emitter, Op, Term, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.broadcasting import broadcast_to
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.gather_gradient import row_slices
from tfcheck_runtime.ops.array.gathering import gather_op
from tfcheck_runtime.ops.array.gathering_nd import gather_nd_op
from tfcheck_runtime.ops.array.packing import stack
from tfcheck_runtime.ops.array.ranges import range_
from tfcheck_runtime.ops.array.scattering import (
    scatter_nd,
    tensor_scatter_add_op,
    tensor_scatter_max_op,
    tensor_scatter_min_op,
    tensor_scatter_sub_op,
    tensor_scatter_update_op,
)
from tfcheck_runtime.ops.array.shaping import reshape, shape as shape_of
from tfcheck_runtime.specs.dtypes import DType
from tfcheck_runtime.specs.shapes import Shape, are_compatible
from tfcheck_runtime.values import operators
from tfcheck_runtime.values.indexed_slices import IndexedSlices
from tfcheck_runtime.values.resource import Resource, undisturbed
from tfcheck_runtime.values.tensor import Tensor, apply
from tfcheck_runtime.values.variable_ops import read_variable_op


class _ScatterNd(Op):
    """Combines what a variable holds at coordinates with updates, as an op on tensors does."""

    stateful = True

    def __init__(self, op_type: str, tensor_op: Op) -> None:
        self.type = op_type
        self._tensor_op = tensor_op

    def infer(
        self, resource: Aval, indices: Aval, updates: Aval, *, dtype: DType, shape: Shape
    ) -> tuple[Aval, ...]:
        self._tensor_op.infer(Aval(dtype, shape), indices, updates)
        return ()

    @undisturbed
    def eager(
        self, resource: Resource, indices: Array, updates: Array, *, dtype: DType, shape: Shape
    ) -> tuple[Array, ...]:
        content = resource.content
        try:
            resource.replace(self._tensor_op.eager(content, indices, updates))
        except InvalidArgumentError as error:
            raise _renamed(error, self._tensor_op.type, self.type) from error
        except (ValueError, IndexError) as error:
            raise invalid_argument(
                f"updates of shape {list(updates.shape)} at indices of shape"
                f" {list(indices.shape)} do not fit the variable's shape {list(content.shape)}",
                self.type,
            ) from error
        return ()

    def lower_resource(
        self, onnx: Emitter, current: Term, indices: Term, updates: Term,
        *, dtype: DType, shape: Shape,
    ) -> tuple[object, tuple[()]]:  # fmt: skip
        assert self._tensor_op.lower is not None  # all of them lower
        return self._tensor_op.lower(onnx, current, indices, updates), ()


class _Scatter(Op):
    """Combines rows of a variable with updates; a scalar goes to every row."""

    stateful = True

    def __init__(
        self, op_type: str, combine: Callable[..., Any] | None, reduction: str | None
    ) -> None:
        self.type = op_type
        self._combine = combine
        self._reduction = reduction

    def infer(
        self, resource: Aval, indices: Aval, updates: Aval, *, dtype: DType, shape: Shape
    ) -> tuple[Aval, ...]:
        rows = indices.shape
        if shape is None or rows is None or updates.shape in ((), None):
            return ()
        expected = (*rows, *shape[1:])
        if not are_compatible(updates.shape, expected):
            raise ValueError(
                "updates.shape must equal indices.shape + ref.shape[1:], got updates.shape"
                f" {updates.shape}, indices.shape {rows}, ref.shape {shape}"
            )
        return ()

    @undisturbed
    def eager(
        self, resource: Resource, indices: Array, updates: Array, *, dtype: DType, shape: Shape
    ) -> tuple[Array, ...]:
        content = resource.content.copy()
        self._check(indices, len(content))
        if self._combine is None:
            content[indices] = updates
        else:
            self._combine(content, indices, updates)
        resource.replace(content)
        return ()

    def _check(self, indices: Array, size: int) -> None:
        wrong = np.argwhere((indices < 0) | (indices >= size))
        if len(wrong):
            place = tuple(wrong[0].tolist())
            shown = ",".join(map(str, place))
            raise invalid_argument(
                f"indices[{shown}] = {indices[place]} is not in [0, {size})", self.type
            )

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        # ONNX has no reduction for divisions.
        return self._reduction is not None and super().lowers(inputs, outputs, attrs)

    def lower_resource(
        self, onnx: Emitter, current: Term, indices: Term, updates: Term,
        *, dtype: DType, shape: Shape,
    ) -> tuple[object, tuple[()]]:  # fmt: skip
        places = onnx.op("Unsqueeze", known.onnx_indices(onnx, indices), known.int64([-1]))
        value: object = updates
        if self._reduction == "sub":
            value = onnx.op("Neg", updates)
        if updates.shape == ():
            rows = onnx.op("Gather", current, known.onnx_indices(onnx, indices), axis=0)
            value = onnx.op("Expand", value, onnx.op("Shape", rows))
        reduction = "add" if self._reduction == "sub" else self._reduction
        return onnx.op("ScatterND", current, places, value, reduction=reduction), ()


def _at(ufunc: np.ufunc) -> Callable[[Array, Array, Array], None]:
    def combine(content: Array, indices: Array, updates: Array) -> None:
        ufunc.at(content, indices, updates)

    return combine


def _divide_at(content: Array, indices: Array, updates: Array) -> None:
    divide = np.divide if content.dtype.kind in "fc" else np.floor_divide
    divide.at(content, indices, updates)


class _Gather(Op):
    """Rows of a variable."""

    type = "ResourceGather"
    stateful = True

    def infer(self, resource: Aval, indices: Aval, *, dtype: DType, shape: Shape) -> Aval:
        if shape is None or indices.shape is None:
            return Aval(dtype, None)
        _check_has_rows(shape, self.type)
        return Aval(dtype, (*indices.shape, *shape[1:]))

    def eager(self, resource: Resource, indices: Array, *, dtype: DType, shape: Shape) -> Array:
        axis = np.array(0, np.int32)
        _check_has_rows(resource.content.shape, self.type)
        try:
            rows: Array = gather_op.eager(resource.content, indices, axis, batch_dims=0)
        except InvalidArgumentError as error:
            raise _renamed(error, gather_op.type, self.type) from error
        return rows

    def lower_resource(
        self, onnx: Emitter, current: Term, indices: Term, *, dtype: DType, shape: Shape
    ) -> tuple[None, object]:
        return None, onnx.op("Gather", current, known.onnx_indices(onnx, indices), axis=0)

    def gradient(self, call: Call[Tensor], dy: Tensor) -> list[IndexedSlices | None]:
        return [row_slices(_current(call), call.inputs[1], dy), None]


class _GatherNd(Op):
    """What a variable holds at coordinates."""

    type = "ResourceGatherNd"
    stateful = True

    def infer(self, resource: Aval, indices: Aval, *, dtype: DType, shape: Shape) -> Aval:
        found = gather_nd_op.infer(Aval(dtype, shape), indices)
        assert isinstance(found, Aval)  # it has one output
        return Aval(dtype, found.shape)

    def eager(self, resource: Resource, indices: Array, *, dtype: DType, shape: Shape) -> Array:
        try:
            found: Array = gather_nd_op.eager(resource.content, indices)
        except InvalidArgumentError as error:
            raise _renamed(error, gather_nd_op.type, self.type) from error
        return found

    def lower_resource(
        self, onnx: Emitter, current: Term, indices: Term, *, dtype: DType, shape: Shape
    ) -> tuple[None, object]:
        return None, onnx.op("GatherND", current, known.onnx_indices(onnx, indices))

    def gradient(self, call: Call[Tensor], dy: Tensor) -> list[Tensor | IndexedSlices | None]:
        current, indices = _current(call), call.inputs[1]
        if indices.ndim == 2 and indices.shape[-1] == 1:  # whole rows
            return [row_slices(current, indices, dy), None]
        return [scatter_nd(indices, dy, shape_of(current, indices.dtype)), None]


def _renamed(error: InvalidArgumentError, inner: str, outer: str) -> InvalidArgumentError:
    """The error of the op on tensors as that of the op on variables."""
    return InvalidArgumentError(None, None, error.message.replace(f"[Op:{inner}]", f"[Op:{outer}]"))


def _current(call: Call[Tensor]) -> Tensor:
    """What a variable holds."""
    return apply(read_variable_op, call.inputs[0], **call.attrs)


def _check_has_rows(shape: Sequence[int | None], op_type: str) -> None:
    if not shape:
        raise invalid_argument("params must be at least 1 dimensional", op_type)


_SCATTER: Final = {
    "add": define(_Scatter("ResourceScatterAdd", _at(np.add), "add")),
    "sub": define(_Scatter("ResourceScatterSub", _at(np.subtract), "sub")),
    "mul": define(_Scatter("ResourceScatterMul", _at(np.multiply), "mul")),
    "div": define(_Scatter("ResourceScatterDiv", _divide_at, None)),
    "max": define(_Scatter("ResourceScatterMax", _at(np.maximum), "max")),
    "min": define(_Scatter("ResourceScatterMin", _at(np.minimum), "min")),
    "update": define(_Scatter("ResourceScatterUpdate", None, "none")),
    "nd_add": define(_ScatterNd("ResourceScatterNdAdd", tensor_scatter_add_op)),
    "nd_sub": define(_ScatterNd("ResourceScatterNdSub", tensor_scatter_sub_op)),
    "nd_max": define(_ScatterNd("ResourceScatterNdMax", tensor_scatter_max_op)),
    "nd_min": define(_ScatterNd("ResourceScatterNdMin", tensor_scatter_min_op)),
    "nd_update": define(_ScatterNd("ResourceScatterNdUpdate", tensor_scatter_update_op)),
}
_GATHER: Final = {"rows": define(_Gather()), "elements": define(_GatherNd())}


@operators.implements("variable_scatter_op")
def scatter_op(how: str) -> Op:
    """The op that combines parts of a variable with updates in one way, such as `nd_add`."""
    return _SCATTER[how]


@operators.implements("variable_gather_op")
def gather_op_of(what: str) -> Op:
    """The op that reads `rows` or `elements` of a variable."""
    return _GATHER[what]


@operators.implements("integer_tensor")
def integer_tensor(value: object) -> Tensor:
    """Indices as a tensor."""
    return known.integer_tensor(value, name="indices", what="indices")


@operators.implements("batch_coordinates")
def batch_coordinates(indices: Tensor) -> Tensor:
    """Coordinates that pair the leading axes of `indices` with those of what they point into.

    Raises:
        ValueError: the rank of `indices` is not known.
    """
    if indices.ndim is None:
        raise ValueError("batch_scatter_update needs indices of known rank")
    columns = []
    for axis in range(indices.ndim - 1):
        along = [1] * indices.ndim
        along[axis] = -1
        numbers = cast(range_(shape_of(indices)[axis]), indices.dtype)
        columns.append(broadcast_to(reshape(numbers, along), shape_of(indices)))
    return stack([*columns, indices], -1)
