"""The shape of tensors as a tensor, and the same elements in another shape."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tfcheck_runtime import dispatch
from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Attributes, Aval, Call, Emitter, Op, Term, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.casting import ONNX_NUMBERS, moves
from tfcheck_runtime.ops.array.examples import counting, i32, i64
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import DType, as_dtype
from tfcheck_runtime.specs.shapes import Shape, num_elements
from tfcheck_runtime.values.convert import constant, convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply, check_in_reach


class _Query(Op):
    """Something about a tensor that does not depend on its elements: no gradient."""

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        del outputs, attrs
        return inputs[0].dtype.name in ONNX_NUMBERS


class _Shape(_Query):
    """The sizes of the axes."""

    type = "Shape"

    def infer(self, x: Aval, *, out_type: DType) -> Aval:
        return known.integers(out_type, (known.rank_of(x),), x.shape)

    def eager(self, x: Array, *, out_type: DType) -> Array:
        return np.array(x.shape, out_type.numpy)

    def lower(self, onnx: Emitter, x: Term, *, out_type: DType) -> object:
        return onnx.cast(onnx.op("Shape", x), out_type)

    cases = (
        case(np.zeros((2, 3), np.float32), out_type=dtypes.int32, unknown=((0, 0),)),
        case(np.zeros((), np.float32), out_type=dtypes.int64),
        case(np.zeros((0, 3), np.bool_), out_type=dtypes.int64),
    )


class _Size(_Query):
    """The number of elements."""

    type = "Size"

    def infer(self, x: Aval, *, out_type: DType) -> Aval:
        return known.integers(out_type, (), (num_elements(x.shape),))

    def eager(self, x: Array, *, out_type: DType) -> Array:
        return np.array(x.size, out_type.numpy)

    def lower(self, onnx: Emitter, x: Term, *, out_type: DType) -> object:
        return onnx.cast(onnx.op("Size", x), out_type)

    cases = (
        case(np.zeros((2, 3), np.float32), out_type=dtypes.int32, unknown=((0, 0),)),
        case(np.zeros((0, 3), np.float32), out_type=dtypes.int64),
    )


class _Rank(_Query):
    """The number of axes."""

    type = "Rank"

    def infer(self, x: Aval) -> Aval:
        return known.integers(dtypes.int32, (), (known.rank_of(x),))

    def eager(self, x: Array) -> Array:
        return np.array(x.ndim, np.int32)

    def lower(self, onnx: Emitter, x: Term) -> object:
        return onnx.cast(onnx.op("Size", onnx.op("Shape", x)), dtypes.int32)

    cases = (case(np.zeros((2, 3), np.float32)),)


class _Reshape(Op):
    """The same elements, in row-major order, in another shape."""

    type = "Reshape"

    def infer(self, x: Aval, sizes: Aval) -> Aval:
        wanted = known.elements(sizes)
        if wanted is None:
            return Aval(x.dtype, None)
        contents = known.elements(x) if x.dtype.is_integer and len(wanted) <= 1 else None
        return known.integers(x.dtype, _completed(wanted, x.shape), contents)

    def eager(self, x: Array, sizes: Array) -> Array:
        wanted = _completed(tuple(sizes.reshape(-1).tolist()), x.shape)
        return x.reshape([size or 0 for size in wanted])

    def lower(self, onnx: Emitter, x: Term, sizes: Term) -> object:
        # Without allowzero ONNX reads 0 as "keep the input's size".
        wanted = known.complete(sizes.aval)
        if wanted is None or num_elements(x.shape) is None:
            return onnx.op("Reshape", x, known.onnx_integers(onnx, sizes), allowzero=1)
        filled = known.int64([size or 0 for size in _completed(wanted, x.shape)])
        return onnx.op("Reshape", x, filled, allowzero=1)

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        del attrs
        return moves(inputs, outputs)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        return [reshape(grad, shape(call.inputs[0])), None]

    cases = (
        case(counting(6), i32([2, -1])),
        case(np.ones((2, 3), np.float32), i64([3, 2]), unknown=((0, 0),)),
        case(np.ones((1, 1), np.float32), i32([])),
        case(np.zeros((0, 3), np.float32), i32([3, 0])),
    )


def _completed(wanted: known.Elements, shape: Shape) -> known.Elements:
    """The new shape, with the size behind -1 where the element count tells."""
    if wanted.count(-1) > 1:
        raise invalid_argument(f"Only one input size may be -1, got {list(wanted)}", "Reshape")
    if any(e is not None and e < -1 for e in wanted):
        raise ValueError(f"Size must be non-negative, got {list(wanted)}")
    if shape is None or None in shape or wanted.count(None) + wanted.count(-1) > 1:
        return tuple(None if e == -1 else e for e in wanted)
    if None in wanted:
        return _with_open_size(wanted, shape)
    # Where both have zeros, these do not count: (0, 3) as [0, -1] is (0, 3).
    skip = {-1, 0} if 0 in wanted and 0 in shape else {-1}
    count = math.prod(d for d in shape if d is not None and d not in skip)
    rest = math.prod(e for e in wanted if e is not None and e not in skip)
    fits = rest > 0 and count % rest == 0 if -1 in wanted else count == rest or 0 in skip
    if not fits:
        raise ValueError(
            f"Cannot reshape a tensor with {num_elements(shape)} elements (shape {shape}) to shape"
            f" {list(wanted)}; the products must be equal, -1 works for one axis"
        )
    return tuple(count // rest if e == -1 else e for e in wanted)


def _with_open_size(wanted: known.Elements, shape: Shape) -> known.Elements:
    """The new shape where one size is not known while tracing, but follows from the others."""
    count = num_elements(shape) or 0
    rest = math.prod(e for e in wanted if e is not None)
    if rest and count % rest == 0:
        return tuple(count // rest if e is None else e for e in wanted)
    if count:
        raise ValueError(
            f"Cannot reshape a tensor with {count} elements (shape {shape}) to shape"
            f" {['?' if e is None else e for e in wanted]}: Dimension size must be evenly"
            f" divisible by {rest} but is {count}"
        )
    return wanted


shape_op = define(_Shape())
size_op = define(_Size())
rank_op = define(_Rank())
reshape_op = define(_Reshape())


def shape(input: object, out_type: object = dtypes.int32, name: str | None = None) -> Tensor:
    """The shape of `input` as an integer vector; a constant where it is known while tracing.

    https://www.tensorflow.org/api_docs/python/tf/shape
    """
    tensor, wanted = convert_to_tensor(input, name="input"), as_dtype(out_type)
    static = tensor.static_shape
    if static is not None and None not in static:
        check_in_reach(tensor)
        return constant(np.array(static, wanted.numpy), wanted, name=name or "Shape")
    return apply(shape_op, tensor, out_type=wanted, name=name or "Shape")


def shape_n(
    input: Sequence[object], out_type: object = dtypes.int32, name: str | None = None
) -> list[Tensor]:
    """The shape of each (https://www.tensorflow.org/api_docs/python/tf/shape_n)."""
    return [shape(value, out_type, name) for value in input]


def size(input: object, out_type: object = dtypes.int32, name: str | None = None) -> Tensor:
    """The number of elements of `input` (https://www.tensorflow.org/api_docs/python/tf/size)."""
    tensor, wanted = convert_to_tensor(input, name="input"), as_dtype(out_type)
    count = num_elements(tensor.static_shape)
    if count is not None:
        return constant(np.array(count, wanted.numpy), wanted, name=name or "Size")
    return apply(size_op, tensor, out_type=wanted, name=name or "Size")


def rank(input: object, name: str | None = None) -> Tensor:
    """The number of axes of `input` (https://www.tensorflow.org/api_docs/python/tf/rank)."""
    tensor = convert_to_tensor(input, name="input")
    if tensor.ndim is not None:
        return constant(tensor.ndim, dtypes.int32, name=name or "Rank")
    return apply(rank_op, tensor, name=name or "Rank")


def reshape(tensor: object, shape: object, name: str | None = None) -> Tensor:
    """The elements of `tensor` in row-major order as a tensor of `shape`.

    https://www.tensorflow.org/api_docs/python/tf/reshape

    Args:
        tensor: any tensor.
        shape: the sizes; one may be -1 and follows from the number of elements.
        name: of the node.

    Raises:
        InvalidArgumentError: the number of elements differs (ValueError in a graph).
    """
    value = convert_to_tensor(tensor, name="tensor")
    label = name or "Reshape"
    sizes = known.integer_tensor(shape, name=f"{label}/shape", what="shape")
    if sizes.ndim == 0 and dispatch.current_graph() is not None:
        raise ValueError(f"Shape must be rank 1 but is rank 0: the shape is {shape!r}")
    return apply(reshape_op, value, sizes, name=label)
