"""Tensors as bytes: the `TensorProto` message of TensorFlow."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Aval, Op, case, define
from tfcheck_runtime.ops.array.agreement import check_dtype
from tfcheck_runtime.ops.files import wire
from tfcheck_runtime.ops.files.contents import text_of
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import DType, as_dtype
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply

_DTYPE: Final = 1
_SHAPE: Final = 2
_CONTENT: Final = 4
_STRINGS: Final = 8


def encoded(array: Array, dtype: DType) -> bytes:
    """A tensor as a `TensorProto`."""
    shape = b"".join(
        wire.bytes_field(2, wire.integer_field(1, size) if size else b"") for size in array.shape
    )
    head = wire.integer_field(_DTYPE, dtype.as_datatype_enum) + wire.bytes_field(_SHAPE, shape)
    if dtype is dtypes.string:
        strings = array.reshape(-1).tolist()
        return head + b"".join(wire.bytes_field(_STRINGS, element) for element in strings)
    content = np.ascontiguousarray(array).tobytes()
    return head + (wire.bytes_field(_CONTENT, content) if content else b"")


_LISTS: Final[dict[int, tuple[tuple[str, ...], str]]] = {
    5: (("float32",), "<f4"),
    6: (("float64",), "<f8"),
    7: (("int32", "int16", "int8", "uint8", "uint16"), "varint"),
    9: (("complex64",), "<f4"),
    10: (("int64",), "varint"),
    11: (("bool",), "varint"),
    12: (("complex128",), "<f8"),
    13: (("float16", "bfloat16"), "bits"),
    16: (("uint32",), "varint"),
    17: (("uint64",), "varint"),
}
"""The fields that hold numbers one by one: of which types, and how they lie."""


def decoded(content: bytes) -> tuple[Array, DType]:
    """The tensor of a `TensorProto`.

    Raises:
        WireError: the bytes are none.
    """
    dtype: DType | None = None
    sizes: list[int] = []
    strings: list[bytes] = []
    raw = b""
    numbers: list[Any] = []
    for field, _, part in wire.fields(content):
        if field == _DTYPE and isinstance(part, int):
            dtype = as_dtype(part)
        elif field == _SHAPE and isinstance(part, bytes):
            sizes = [_size(d) for f, _, d in wire.fields(part) if f == 2 and isinstance(d, bytes)]
        elif field == _CONTENT and isinstance(part, bytes):
            raw = part
        elif field == _STRINGS and isinstance(part, bytes):
            strings.append(part)
        elif field in _LISTS:
            numbers += _listed(part, _LISTS[field][1])
    if dtype is None:
        raise wire.WireError("a tensor without a type")
    return _array(dtype, sizes, raw, strings or numbers), dtype


def _size(dimension: bytes) -> int:
    found = [n for f, _, n in wire.fields(dimension) if f == 1 and isinstance(n, int)]
    return wire.as_signed(found[-1]) if found else 0


def _listed(part: bytes | int, kind: str) -> list[Any]:
    if isinstance(part, int):
        return [wire.as_signed(part)]
    if kind in ("varint", "bits"):
        return list(wire.packed_varints(part).tolist())
    return list(np.frombuffer(part, kind).tolist())


def _array(dtype: DType, sizes: list[int], raw: bytes, listed: list[Any]) -> Array:
    count = int(np.prod(sizes, dtype=np.int64))
    if dtype is dtypes.string:
        flat = np.empty(count, object)
        flat[:] = listed if len(listed) == count else [listed[0] if listed else b""] * count
        return flat.reshape(sizes)
    if raw or not listed:
        if len(raw) != count * dtype.size and raw:
            raise wire.WireError(f"{len(raw)} bytes do not fit the shape {sizes}")
        flat = np.frombuffer(raw, dtype.numpy) if raw else np.zeros(count, dtype.numpy)
        return flat.reshape(sizes).copy()
    values = _numbers(dtype, listed)
    # The last number stands for all that follow.
    whole = np.concatenate([values, np.repeat(values[-1:], max(count - len(values), 0))])
    return whole[:count].reshape(sizes)


def _numbers(dtype: DType, listed: list[Any]) -> Array:
    if dtype.is_complex:
        return np.array(listed).view(np.complex128).astype(dtype.numpy)
    if dtype.name in ("float16", "bfloat16"):
        return np.array(listed, np.uint16).view(dtype.numpy)
    return np.array(listed).astype(dtype.numpy)


class _SerializeTensor(Op):
    """A tensor as bytes."""

    type = "SerializeTensor"
    cases = (case(np.arange(3, dtype=np.int32)),)

    def infer(self, tensor: Aval) -> Aval:
        return Aval(dtypes.string, ())

    def eager(self, tensor: Array) -> Array:
        kind = dtypes.string if tensor.dtype == object else as_dtype(tensor.dtype)
        return np.array(encoded(tensor, kind), object)


class _ParseTensor(Op):
    """A tensor from bytes."""

    type = "ParseTensor"
    cases = (
        case(np.array(encoded(np.arange(3, dtype=np.int32), dtypes.int32), object),
             out_type=dtypes.int32),
    )  # fmt: skip

    def infer(self, serialized: Aval, *, out_type: DType) -> Aval:
        check_dtype(self.type, serialized, dtypes.string, "serialized")
        return Aval(out_type, None)

    def eager(self, serialized: Array, *, out_type: DType) -> Array:
        content = text_of(serialized)
        try:
            array, dtype = decoded(content)
        except (wire.WireError, ValueError, TypeError) as error:
            raise invalid_argument(
                f"Could not parse `serialized` as TensorProto: {error}", self.type
            ) from error
        if dtype is not out_type:
            raise invalid_argument(
                f"Type mismatch between parsed tensor ({dtype.name}) and dtype ({out_type.name})",
                self.type,
            )
        return array


serialize_tensor_op = define(_SerializeTensor())
parse_tensor_op = define(_ParseTensor())


def serialize_tensor(tensor: object, name: str | None = None) -> Tensor:
    """A tensor as a string that `parse_tensor` reads.

    https://www.tensorflow.org/api_docs/python/tf/io/serialize_tensor
    """
    return apply(serialize_tensor_op, convert_to_tensor(tensor), name=name)


def parse_tensor(serialized: object, out_type: object, name: str | None = None) -> Tensor:
    """A tensor from what `serialize_tensor` made; its shape is known when it is there.

    https://www.tensorflow.org/api_docs/python/tf/io/parse_tensor

    Raises:
        InvalidArgumentError: the string is no tensor, or one of another type.
    """
    return apply(
        parse_tensor_op, convert_to_tensor(serialized), out_type=as_dtype(out_type), name=name
    )
