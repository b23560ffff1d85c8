"""Tensors filled with one value."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tfcheck_runtime import dispatch
from tfcheck_runtime.op import Array, Attributes, Aval, Call, Emitter, Op, Term, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.casting import moves
from tfcheck_runtime.ops.array.examples import f32, i32, i64
from tfcheck_runtime.ops.array.shaping import reshape_op, shape as shape_of
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import DType, as_dtype
from tfcheck_runtime.specs.shapes import TensorShape
from tfcheck_runtime.values import operators
from tfcheck_runtime.values.convert import constant, convert_to_tensor
from tfcheck_runtime.values.tensor import EagerTensor, SymbolicTensor, Tensor, apply, check_in_reach


class _Fill(Op):
    """One value, repeated to fill a shape."""

    type = "Fill"

    def infer(self, dims: Aval, value: Aval) -> Aval:
        known.check_rank(value, 0, "Fill: the value")
        sizes = known.elements(dims)
        if sizes is not None and any(s is not None and s < 0 for s in sizes):
            raise ValueError(f"Fill dimensions must be >= 0, got {list(sizes)}")
        contents = None
        if value.dtype.is_integer and sizes is not None and len(sizes) <= 1:
            contents = _repeated(known.scalar(value), sizes)
        return known.integers(value.dtype, sizes, contents)

    def eager(self, dims: Array, value: Array) -> Array:
        return np.full(tuple(dims.tolist()), value, value.dtype)

    def lower(self, onnx: Emitter, dims: Term, value: Term) -> object:
        return onnx.op("Expand", value, known.onnx_integers(onnx, dims))

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        del attrs
        return moves(inputs, outputs)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        del call
        return [None, operators.implementation("sum")(grad)]

    cases = (
        case(i32([2, 3]), f32(1.5)),
        case(i64([2, 0]), i32(7)),
        case(i32([]), np.bool_(True)),
    )


def _repeated(value: int | None, sizes: known.Elements) -> known.Elements | None:
    count = sizes[0] if sizes else 1
    return None if value is None or count is None or count > 64 else (value,) * count


class _FilledLike(Op):
    """Zeros or ones of the input's shape and type."""

    def __init__(self, op_type: str, value: int) -> None:
        self.type = op_type
        self.value = value

    def infer(self, x: Aval) -> Aval:
        return Aval(x.dtype, x.shape)

    def eager(self, x: Array) -> Array:
        return np.full(x.shape, _scalar(self.value, x.dtype), x.dtype)

    def lower(self, onnx: Emitter, x: Term) -> object:
        value = onnx.constant(np.array(self.value, x.dtype.numpy))
        return onnx.op("Expand", value, known.onnx_shape(onnx, x))

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        del attrs
        return moves(inputs, outputs)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[None]:
        del call, grad
        return [None]

    cases = (
        case(np.ones((2, 3), np.float32), unknown=((0, 0),)),
        case(np.ones((0, 3), np.bool_)),
    )


def _scalar(value: int, dtype: np.dtype[np.generic]) -> Array:
    """A NumPy scalar; the zero of strings is the empty one."""
    return np.array(b"", object) if dtype.kind == "O" else np.array(value, dtype)


fill_op = define(_Fill())
zeros_like_op = define(_FilledLike("ZerosLike", 0))
ones_like_op = define(_FilledLike("OnesLike", 1))


def fill(dims: object, value: object, name: str | None = None) -> Tensor:
    """A tensor of shape `dims` with all elements `value`, a scalar.

    https://www.tensorflow.org/api_docs/python/tf/fill

    Raises:
        InvalidArgumentError: a size is negative, or `value` no scalar (ValueError in a graph).
    """
    label = name or "Fill"
    sizes = known.integer_tensor(dims, name=f"{label}/dims", what="dims")
    if sizes.shape.rank == 0:  # TensorFlow takes a single size for a vector
        sizes = apply(reshape_op, sizes, convert_to_tensor([1]))
    scalar = convert_to_tensor(value, name=f"{label}/value")
    return apply(fill_op, sizes, scalar, name=label)


def zeros(
    shape: object, dtype: object = dtypes.float32, name: str | None = None, layout: None = None
) -> Tensor:
    """Zeros (False, empty strings) of a shape.

    https://www.tensorflow.org/api_docs/python/tf/zeros
    """
    del layout
    kind = as_dtype(dtype)
    return _filled(shape, _scalar(0, kind.numpy), kind, name=name or "zeros")


def ones(
    shape: object, dtype: object = dtypes.float32, name: str | None = None, layout: None = None
) -> Tensor:
    """Ones (True) of a shape (https://www.tensorflow.org/api_docs/python/tf/ones)."""
    del layout
    kind = as_dtype(dtype)
    return _filled(shape, _scalar(1, kind.numpy), kind, name=name or "ones")


def _filled(shape: object, value: Array, dtype: DType, *, name: str) -> Tensor:
    static = _static(shape)
    if static is not None and (dispatch.current_graph() is None or _is_small(static)):
        return constant(np.full(static, value, dtype.numpy), dtype, name=name)
    sizes = known.integer_tensor(shape, name=f"{name}/shape", what="shape")
    if sizes.ndim == 0:
        sizes = apply(reshape_op, sizes, constant([-1]))
    return apply(fill_op, sizes, constant(value, dtype, name=f"{name}/Const"), name=name)


def _static(shape: object) -> tuple[int, ...] | None:
    """The sizes, if they are numbers, none negative."""
    if isinstance(shape, SymbolicTensor):
        return None
    if isinstance(shape, EagerTensor | np.ndarray):
        given: object = np.reshape(np.asarray(shape), -1).tolist()
    else:
        given = [shape] if isinstance(shape, int) else shape
    if not isinstance(given, list | tuple | TensorShape):
        return None
    sizes = tuple(s if type(s) is int else -1 for s in given)
    return None if min(sizes, default=0) < 0 else sizes


def _is_small(sizes: tuple[int, ...]) -> bool:
    # TensorFlow makes larger ones when the graph runs.
    return math.prod(sizes) < 1000


def zeros_like(
    input: object, dtype: object = None, name: str | None = None, layout: None = None
) -> Tensor:
    """Zeros of the shape of `input`, and its dtype unless another is given.

    https://www.tensorflow.org/api_docs/python/tf/zeros_like
    """
    del layout
    tensor = convert_to_tensor(input)
    kind = tensor.dtype if dtype is None else as_dtype(dtype)
    static = tensor.static_shape
    if kind is tensor.dtype and (static is None or None in static):
        return apply(zeros_like_op, tensor, name=name or "zeros_like")
    check_in_reach(tensor)
    return zeros(_sizes(tensor), kind, name=name or "zeros_like")


def ones_like(
    input: object, dtype: object = None, name: str | None = None, layout: None = None
) -> Tensor:
    """Ones of the shape of `input`, and its dtype unless another is given.

    https://www.tensorflow.org/api_docs/python/tf/ones_like
    """
    del layout
    tensor = convert_to_tensor(input)
    kind = tensor.dtype if dtype is None else as_dtype(dtype)
    static = tensor.static_shape
    if kind is tensor.dtype and (static is None or None in static):
        return apply(ones_like_op, tensor, name=name or "ones_like")
    check_in_reach(tensor)
    return ones(_sizes(tensor), kind, name=name or "ones_like")


def _sizes(tensor: Tensor) -> object:
    static = tensor.static_shape
    return shape_of(tensor) if static is None or None in static else list(static)


def present(call: Call[Tensor], grads: Sequence[Tensor | None]) -> list[Tensor]:
    """The gradients of all outputs of `call`: zeros for those nothing depends on."""
    outputs = zip(grads, call.outputs, strict=True)
    return [zeros_like(output) if grad is None else grad for grad, output in outputs]
