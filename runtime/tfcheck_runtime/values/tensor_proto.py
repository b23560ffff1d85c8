"""`tf.make_tensor_proto` and `tf.make_ndarray`: arrays in the fields of TensorFlow's message.

Follows https://www.tensorflow.org/api_docs/python/tf/make_tensor_proto.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from tfcheck_runtime.op import Array
from tfcheck_runtime.specs.dtypes import DType, as_dtype, string
from tfcheck_runtime.specs.shapes import as_shape
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import EagerTensor


@dataclass(slots=True)
class Dimension:
    """One dimension of a shape."""

    size: int


@dataclass(slots=True)
class TensorShapeProto:
    """The shape of an array."""

    dim: list[Dimension]


@dataclass(slots=True)
class TensorProto:
    """An array: its bytes, or its elements in the field of their type."""

    dtype: int
    """The enum value of the type."""
    tensor_shape: TensorShapeProto
    tensor_content: bytes = b""
    float_val: list[float] = field(default_factory=list)
    double_val: list[float] = field(default_factory=list)
    int_val: list[int] = field(default_factory=list)
    int64_val: list[int] = field(default_factory=list)
    uint32_val: list[int] = field(default_factory=list)
    uint64_val: list[int] = field(default_factory=list)
    bool_val: list[bool] = field(default_factory=list)
    half_val: list[int] = field(default_factory=list)
    string_val: list[bytes] = field(default_factory=list)
    scomplex_val: list[float] = field(default_factory=list)
    dcomplex_val: list[float] = field(default_factory=list)


_FIELDS: Final = {
    "float32": "float_val", "float64": "double_val", "int64": "int64_val", "uint32": "uint32_val",
    "uint64": "uint64_val", "bool": "bool_val", "float16": "half_val", "bfloat16": "half_val",
    "string": "string_val", "complex64": "scomplex_val", "complex128": "dcomplex_val",
}  # fmt: skip
"""The field of each type; that of all others is `int_val`."""


def make_tensor_proto(
    values: object, dtype: object = None, shape: object = None, verify_shape: bool = False,
    allow_broadcast: bool = False,
) -> TensorProto:  # fmt: skip
    """The message of a tensor, array or Python data.

    Args:
        values: what to put into it.
        dtype: element type; by default that of `values`.
        shape: of the array; missing elements repeat the last one.
        verify_shape: whether `values` must have just this shape.
        allow_broadcast: whether `values` may be one element for all.

    Raises:
        TypeError: the elements are not of one type, or the shape must fit and does not.
        ValueError: there are more elements than the shape has.
    """
    tensor = convert_to_tensor(values, None if dtype is None else as_dtype(dtype))
    if not isinstance(tensor, EagerTensor):
        raise ValueError(f"make_tensor_proto needs a value, got {tensor} of a graph")
    array = tensor.array
    sizes = array.shape if shape is None else tuple(d or 0 for d in as_shape(shape) or ())
    if verify_shape and array.shape != sizes:
        raise TypeError(f"Expected Tensor's shape: {sizes}, got {array.shape}.")
    count = int(np.prod(sizes, dtype=np.int64))
    if array.size > count:
        raise ValueError(
            f"Too many elements provided. Takes at most {count:d}, but got {array.size:d}."
        )
    made = TensorProto(
        tensor.dtype.as_datatype_enum, TensorShapeProto([Dimension(d) for d in sizes])
    )
    if array.size == count > 1 and tensor.dtype is not string:
        made.tensor_content = array.tobytes()
    else:
        name = _FIELDS.get(tensor.dtype.name, "int_val")
        setattr(made, name, _elements(array, tensor.dtype))
    return made


def _elements(array: Array, dtype: DType) -> list[Any]:
    flat = array.reshape(-1)
    if dtype.is_complex:
        flat = flat.view(dtype.real_dtype.numpy)
    elif dtype.name in ("float16", "bfloat16"):
        flat = flat.view(np.uint16)
    found: list[Any] = flat.tolist()
    return found


def make_ndarray(tensor: TensorProto) -> Array:
    """The array of a message (https://www.tensorflow.org/api_docs/python/tf/make_ndarray)."""
    dtype = as_dtype(tensor.dtype)
    shape = tuple(d.size for d in tensor.tensor_shape.dim)
    if tensor.tensor_content:
        return np.frombuffer(tensor.tensor_content, dtype.numpy).copy().reshape(shape)
    elements: list[Any] = getattr(tensor, _FIELDS.get(dtype.name, "int_val"))
    flat = _array_of(elements, dtype)
    missing = int(np.prod(shape, dtype=np.int64)) - flat.size
    # The last element stands for all that follow.
    return np.concatenate([flat, np.repeat(flat[-1:], missing)]).reshape(shape)


def _array_of(elements: list[Any], dtype: DType) -> Array:
    if dtype.is_complex:
        return np.array(elements, dtype.real_dtype.numpy).view(dtype.numpy)
    if dtype.name in ("float16", "bfloat16"):
        return np.array(elements, np.uint16).view(dtype.numpy)
    return np.array(elements, dtype.numpy)
