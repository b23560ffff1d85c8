"""Conversion of element types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from tfcheck_runtime.errors import UnimplementedError
from tfcheck_runtime.op import Array, Attributes, Aval, Call, Emitter, Op, Term, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.examples import f32, i32
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import DType, as_dtype
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply

ONNX_NUMBERS: Final = frozenset(
    [
        "bool",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "float16",
        "float32",
        "float64",
    ]
)
"""Types that onnxruntime's kernels which only move data take."""


def moves(inputs: Sequence[Aval], outputs: Sequence[Aval]) -> bool:
    """Whether onnxruntime can run an op that only moves data of these types."""
    return all(a.dtype.name in ONNX_NUMBERS for a in (*inputs, *outputs))


class _Cast(Op):
    """Each element as another type; floats lose their fraction towards zero."""

    type = "Cast"

    def infer(self, x: Aval, *, dtype: DType) -> Aval:
        if (x.dtype is dtypes.string) != (dtype is dtypes.string):
            message = f"Cast {x.dtype.name} to {dtype.name} is not supported"
            raise UnimplementedError(None, None, message)
        contents = known.elements(x) if _is_vector_of_ints(x) else None
        return known.integers(dtype, x.shape, contents)

    def eager(self, x: Array, *, dtype: DType) -> Array:
        if x.dtype.kind == "c" and not dtype.is_complex:
            x = x.real
        with np.errstate(all="ignore"):
            return x.astype(dtype.numpy)

    def lower(self, onnx: Emitter, x: Term, *, dtype: DType) -> object:
        return onnx.cast(x, dtype)

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        del attrs
        return moves(inputs, outputs)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        source = call.inputs[0].dtype
        continuous = source.is_floating or source.is_complex
        return [cast(grad, source) if continuous else None]

    cases = (
        case(f32([1.9, -1.9, 0.0]), dtype=dtypes.int32, differentiable=False),
        case(f32([1.5, -2.5]), dtype=dtypes.float64),
        case(i32([[0, 2], [3, 0]]), dtype=dtypes.bool, unknown=((0, 0),)),
        case(np.array([True, False]), dtype=dtypes.float32),
        case(np.array([200, 3], np.uint8), dtype=dtypes.float32),
        case(np.zeros((0, 2), np.int64), dtype=dtypes.int32),
    )


def _is_vector_of_ints(x: Aval) -> bool:
    # Looking at the content of large tensors here would copy them.
    return x.dtype.is_integer and x.shape is not None and len(x.shape) <= 1


class _Bitcast(Op):
    """The same bits read as another type; a last axis holds or takes up differences in size."""

    type = "Bitcast"

    def infer(self, x: Aval, *, dtype: DType) -> Aval:
        if x.shape is None or x.dtype.size == dtype.size:
            return Aval(dtype, x.shape)
        if x.dtype.size > dtype.size:
            return Aval(dtype, (*x.shape, x.dtype.size // dtype.size))
        parts = dtype.size // x.dtype.size
        if x.shape[-1:] not in ((parts,), (None,)):
            raise ValueError(
                f"Cannot bitcast from {x.dtype.name} to {dtype.name}: the last axis must have size"
                f" {parts}, got shape {x.shape}"
            )
        return Aval(dtype, x.shape[:-1])

    def eager(self, x: Array, *, dtype: DType) -> Array:
        size = np.dtype(dtype.numpy).itemsize
        if x.itemsize == size:
            return np.ascontiguousarray(x).reshape(x.shape).view(dtype.numpy)
        if x.itemsize > size:
            return np.ascontiguousarray(x)[..., None].view(dtype.numpy)
        return np.ascontiguousarray(x).view(dtype.numpy)[..., 0]

    cases = (
        case(f32([1.0, -2.0]), dtype=dtypes.int32, differentiable=False),
        case(np.array([[1, 2, 3, 4]], np.uint8), dtype=dtypes.int32),
        case(np.array([258], np.uint16), dtype=dtypes.uint8, unknown=((0, 0),)),
    )


cast_op = define(_Cast())
bitcast_op = define(_Bitcast())


def cast(x: object, dtype: object, name: str | None = None) -> Tensor:
    """`x` with element type `dtype`; `x` itself when it has it already.

    Complex numbers lose their imaginary part. https://www.tensorflow.org/api_docs/python/tf/cast

    Raises:
        TypeError: `dtype` is no data type.
        UnimplementedError: from or to strings.
    """
    wanted = as_dtype(dtype)
    tensor = convert_to_tensor(x, name="x")
    if tensor.dtype is wanted:
        return tensor
    return apply(cast_op, tensor, dtype=wanted, name=name or "Cast")


def bitcast(input: object, type: object, name: str | None = None) -> Tensor:
    """The bits of `input` read as another type.

    https://www.tensorflow.org/api_docs/python/tf/bitcast

    Raises:
        InvalidArgumentError: sizes do not fit (ValueError in a graph).
    """
    tensor = convert_to_tensor(input)
    return apply(bitcast_op, tensor, dtype=as_dtype(type), name=name or "Bitcast")
