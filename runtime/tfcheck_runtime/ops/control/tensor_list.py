"""The ops under `tf.TensorArray` in graphs: a list of equally shaped tensors as one dense tensor.

The list is a tensor of shape `[size, *element shape]` that each write replaces, so that a graph
stays pure and ONNX can run it. The element shape is often known only after the first write, which
a loop's body holds; it is therefore kept in an `ElementShape` that all ops on one list share.
Dimensions that stay unknown are allocated as 0 and grow with the first write.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Aval, Call, Emitter, Op, Term, case, define
from tfcheck_runtime.specs.dtypes import DType, int32
from tfcheck_runtime.specs.shapes import Shape, is_fully_defined, merge
from tfcheck_runtime.values.tensor import Tensor, apply


class ElementShape:
    """What is known by now of the shape of a list's elements."""

    __slots__ = ("seen", "shape")

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.seen = False
        """Whether an element was written anywhere."""

    def learn(self, shape: Shape) -> None:
        """Add what another element shows.

        Raises:
            ValueError: the element does not fit the others.
        """
        self.shape = merge(self.shape, shape)
        self.seen = True

    @property
    def is_fully_defined(self) -> bool:
        """Whether every dimension is known."""
        return is_fully_defined(self.shape)

    @property
    def allocated(self) -> tuple[int, ...]:
        """The dimensions to allocate before the first write."""
        return tuple(d or 0 for d in self.shape or ())

    def __repr__(self) -> str:
        return f"ElementShape({self.shape})"


def _list_of(dtype: DType, size: int | None, element: ElementShape) -> Aval:
    return Aval(dtype, None if element.shape is None else (size, *element.shape))


def _length(handle: Aval) -> int | None:
    return handle.shape[0] if handle.shape else None


class _ListOp(Op):
    """An op on a list."""

    foldable = False  # the element shape may still be unknown while tracing


class _Reserve(_ListOp):
    """A list of zeros."""

    type = "TensorListReserve"

    def infer(self, size: Aval, *, dtype: DType, element: ElementShape) -> Aval:
        known = size.constant()
        return _list_of(dtype, None if known is None else int(known), element)

    def eager(self, size: Array, *, dtype: DType, element: ElementShape) -> Array:
        return np.zeros((int(size), *element.allocated), dtype.numpy)

    def lower(self, onnx: Emitter, size: Term, *, dtype: DType, element: ElementShape) -> object:
        count = onnx.op("Reshape", onnx.op("Cast", size, to=_INT64), _ints(1))
        shape = onnx.op("Concat", count, _ints(*element.allocated), axis=0)
        return onnx.op("Expand", onnx.constant(np.zeros((), dtype.numpy), dtype), shape)

    cases = (case(np.int32(3), dtype=int32, element=ElementShape((2,))),)


_INT64 = 7
"""The number of int64 among ONNX's data types."""


def _ints(*values: int) -> Array:
    return np.array(values, np.int64)


class _SetItem(_ListOp):
    """The list with one element replaced; grows when `dynamic`."""

    type = "TensorListSetItem"

    def infer(
        self, handle: Aval, index: Aval, value: Aval, *, element: ElementShape, dynamic: bool
    ) -> Aval:
        return _list_of(value.dtype, None if dynamic else _length(handle), element)

    def eager(
        self, handle: Array, index: Array, value: Array, *, element: ElementShape, dynamic: bool
    ) -> Array:
        size = max(len(handle), int(index) + 1) if dynamic else len(handle)
        _check_index(int(index), size, "modify")
        return _with_rows(handle, [int(index)], value[None], size)

    def lower(
        self,
        onnx: Emitter,
        handle: Term,
        index: Term,
        value: Term,
        *,
        element: ElementShape,
        dynamic: bool,
    ) -> object:
        where = onnx.op("Reshape", onnx.op("Cast", index, to=_INT64), _ints(1, 1))
        target: object = handle
        if dynamic or not element.is_fully_defined:
            target = _grown(onnx, handle, value, where if dynamic else None)
        return onnx.op("ScatterND", target, where, onnx.op("Unsqueeze", value, _ints(0)))

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        handle, index, value = call.inputs
        zero = apply(zeros_like_op, value)
        cleared = apply(
            set_item_op, grad, index, zero, element=call.attrs["element"], dynamic=False
        )
        if call.attrs["dynamic"]:
            cleared = apply(resize_op, cleared, apply(length_op, handle), **_element(call))
        return [cleared, None, apply(get_item_op, grad, index, **_element(call))]

    cases = (
        case(
            np.zeros((3, 2), np.float32), np.int32(1), np.array([1.0, 2.0], np.float32),
            element=ElementShape((2,)), dynamic=False,
        ),
        case(
            np.zeros((1, 2), np.float32), np.int32(2), np.array([1.0, 2.0], np.float32),
            element=ElementShape((None,)), dynamic=True,
        ),
    )  # fmt: skip


def _element(call: Call[Tensor]) -> dict[str, Any]:
    return {"element": call.attrs["element"]}


def _check_index(index: int, size: int, what: str) -> None:
    if not 0 <= index < size:
        raise invalid_argument(f"Trying to {what} element {index} in a list with {size} elements.")


def _with_rows(handle: Array, rows: Sequence[int], values: Array, size: int) -> Array:
    if handle.shape[1:] != values.shape[1:] and handle[:0].size != 0:
        raise invalid_argument(
            f"Inconsistent shapes: saw {values.shape[1:]} but expected {handle.shape[1:]}"
        )
    grown = np.zeros((size, *values.shape[1:]), values.dtype)
    if handle.shape[1:] == values.shape[1:]:
        grown[: len(handle)] = handle
    grown[list(rows)] = values
    return grown


def _grown(onnx: Emitter, handle: Term, value: Term, where: object | None) -> object:
    """The list with room for `value`: more elements, and the dimensions of its first one."""
    have = onnx.op("Shape", handle)
    size = onnx.op("Slice", have, _ints(0), _ints(1))
    wanted_size = size
    if where is not None:
        end = onnx.op("Add", onnx.op("Reshape", where, _ints(1)), _ints(1))
        wanted_size = onnx.op("Max", size, end)
    inner = onnx.op("Slice", have, _ints(1), _ints(2**31))
    empty = onnx.op("Equal", inner, _ints(0))
    # Only unallocated dimensions grow: an element that differs in shape must fail, not be padded.
    more = onnx.op("Where", empty, onnx.op("Shape", value), _ints(0))
    ends = onnx.op("Concat", onnx.op("Sub", wanted_size, size), more, axis=0)
    pads = onnx.op("Concat", onnx.op("Mul", ends, _ints(0)), ends, axis=0)
    return onnx.op("Pad", handle, pads)


class _GetItem(_ListOp):
    """One element."""

    type = "TensorListGetItem"

    def infer(self, handle: Aval, index: Aval, *, element: ElementShape) -> Aval:
        return Aval(handle.dtype, element.shape)

    def eager(self, handle: Array, index: Array, *, element: ElementShape) -> Array:
        _check_index(int(index), len(handle), "access")
        return np.asarray(handle[int(index)])

    def lower(self, onnx: Emitter, handle: Term, index: Term, *, element: ElementShape) -> object:
        return onnx.op("Gather", handle, index, axis=0)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        handle, index = call.inputs
        empty = apply(zeros_like_op, handle)
        return [apply(set_item_op, empty, index, grad, **_element(call), dynamic=False), None]

    cases = (
        case(np.arange(6, dtype=np.float32).reshape(3, 2), np.int32(1), element=ElementShape((2,))),
    )


class _Stack(_ListOp):
    """All elements as one tensor."""

    type = "TensorListStack"

    def infer(self, handle: Aval, *, element: ElementShape) -> Aval:
        return _list_of(handle.dtype, _length(handle), element)

    def eager(self, handle: Array, *, element: ElementShape) -> Array:
        return handle

    def lower(self, onnx: Emitter, handle: Term, *, element: ElementShape) -> object:
        return onnx.op("Identity", handle)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor]:
        return [grad]

    cases = (case(np.ones((3, 2), np.float32), element=ElementShape((2,))),)


class _FromTensor(_Stack):
    """The rows of a tensor as a list."""

    type = "TensorListFromTensor"

    def infer(self, tensor: Aval, *, element: ElementShape) -> Aval:
        return tensor


class _Length(_ListOp):
    """The number of elements."""

    type = "TensorListLength"

    def infer(self, handle: Aval) -> Aval:
        size = _length(handle)
        return Aval(int32, (), constant=None if size is None else np.array(size, np.int32))

    def eager(self, handle: Array) -> Array:
        return np.array(len(handle), np.int32)

    def lower(self, onnx: Emitter, handle: Term) -> object:
        size = onnx.op("Gather", onnx.op("Shape", handle), np.array(0, np.int64), axis=0)
        return onnx.cast(size, int32)

    cases = (case(np.ones((3, 2), np.float32)),)


class _Resize(_ListOp):
    """The list cut to a size, or filled up with zeros."""

    type = "TensorListResize"

    def infer(self, handle: Aval, size: Aval, *, element: ElementShape) -> Aval:
        known = size.constant()
        return _list_of(handle.dtype, None if known is None else int(known), element)

    def eager(self, handle: Array, size: Array, *, element: ElementShape) -> Array:
        resized = np.zeros((int(size), *handle.shape[1:]), handle.dtype)
        kept = min(int(size), len(handle))
        resized[:kept] = handle[:kept]
        return resized

    def lower(self, onnx: Emitter, handle: Term, size: Term, *, element: ElementShape) -> object:
        count = onnx.op("Reshape", onnx.op("Cast", size, to=_INT64), _ints(1))
        cut = onnx.op("Slice", handle, _ints(0), count, _ints(0))
        have = onnx.op("Shape", cut)
        more = onnx.op("Sub", count, onnx.op("Slice", have, _ints(0), _ints(1)))
        rest = onnx.op("Slice", have, _ints(1), _ints(2**31))
        filling = onnx.op("Expand", _zero(handle), onnx.op("Concat", more, rest, axis=0))
        return onnx.op("Concat", cut, filling, axis=0)

    cases = (
        case(np.ones((3, 2), np.float32), np.int32(2), element=ElementShape((2,))),
        case(np.ones((1, 2), np.float32), np.int32(2), element=ElementShape((2,))),
    )


def _zero(like: Term) -> Array:
    return np.zeros((), like.dtype.numpy)


class _ZerosLike(Op):
    """Zeros of the shape that a value has when the graph runs."""

    type = "TensorListZerosLike"

    def infer(self, x: Aval) -> Aval:
        return Aval(x.dtype, x.shape)

    def eager(self, x: Array) -> Array:
        return np.zeros_like(x)

    def lower(self, onnx: Emitter, x: Term) -> object:
        return onnx.op("Expand", _zero(x), onnx.op("Shape", x))

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        return [None]

    cases = (case(np.ones((3, 2), np.float32)),)


reserve_op = define(_Reserve())
set_item_op = define(_SetItem())
get_item_op = define(_GetItem())
stack_op = define(_Stack())
from_tensor_op = define(_FromTensor())
length_op = define(_Length())
resize_op = define(_Resize())
zeros_like_op = define(_ZerosLike())
