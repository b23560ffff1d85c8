"""Python values and trace types as JSON, and back.

What JSON has stands for itself. All else is an object with one key, which says what it is:
`{"tuple": […]}`, `{"dtype": "float32"}`, `{"constant": 3}` for an array that is stored apart.
"""

from __future__ import annotations

import base64
import math
from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter
from typing import Any, Final

import numpy as np

from tfcheck_runtime.checkpoint.storage import SavedValue
from tfcheck_runtime.function.signature import FunctionType, TypedParameter
from tfcheck_runtime.op import Array
from tfcheck_runtime.ops.ragged.spec import RaggedTensorSpec
from tfcheck_runtime.specs import nest
from tfcheck_runtime.specs.dtypes import DType, as_dtype
from tfcheck_runtime.specs.record_spec import RecordSpec
from tfcheck_runtime.specs.shapes import Shape, TensorShape
from tfcheck_runtime.specs.tensor_spec import TensorSpec, VariableSpec
from tfcheck_runtime.specs.trace_type import (
    DictType,
    ListType,
    Literal,
    RecordType,
    Structure,
    TraceType,
    TupleType,
)
from tfcheck_runtime.values.tensor import EagerTensor

Json = Any  # what the json module reads and writes


class UnsavableError(Exception):
    """A value has no saved form."""


class Encoder:
    """Turns values into JSON, arrays into constants.

    Args:
        special: what to do with values that only the caller knows; returns None for others.
    """

    def __init__(self, special: Callable[[Any], Json | None] = lambda _: None) -> None:
        self.constants: list[SavedValue] = []
        self._numbers: dict[int, int] = {}
        self._special = special

    def constant(self, array: Array, dtype: DType) -> Json:
        """An array that is stored apart, once.

        Raises:
            UnsavableError: it holds no data but a dataset or other object.
        """
        if dtype.name in ("variant", "resource"):
            raise UnsavableError(f"a tensor of type {dtype.name}")
        if id(array) not in self._numbers:
            self._numbers[id(array)] = len(self.constants)
            self.constants.append(SavedValue(dtype, array))
        return {"constant": self._numbers[id(array)]}

    def value(self, value: Any) -> Json:
        """A Python value.

        Raises:
            UnsavableError: it has no saved form.
        """
        found = self._special(value)
        if found is not None:
            return found
        if value is None or isinstance(value, bool | str):
            return value
        for kind, encode in _ENCODERS.items():
            if isinstance(value, kind):
                return encode(self, value)
        raise UnsavableError(f"a value of type {type(value).__name__}: {value!r}")

    def type(self, kind: TraceType) -> Json:
        """The type of an argument or result.

        Raises:
            UnsavableError: it has no saved form.
        """
        if isinstance(kind, RecordType) and not isinstance(kind, RecordSpec):
            parts = [self.type(part) for part in kind.parts]
            return {"namedtuple": [kind.kind.__name__, list(kind.fields), parts]}
        for known, encode in _TYPE_ENCODERS.items():
            if type(kind) is known:
                return encode(self, kind)
        raise UnsavableError(f"an argument or result of type {kind!r}")

    def parameters(self, kind: FunctionType) -> Json:
        """The parameters of a trace."""
        return [[p.name, p.kind.name, self.type(p.type)] for p in kind.parameters]


def _encode_float(encoder: Encoder, value: float) -> Json:
    return float(value) if math.isfinite(value) else {"float": repr(float(value))}


def _encode_mapping(encoder: Encoder, value: Mapping[Any, Any]) -> Json:
    return {"dict": [[encoder.value(k), encoder.value(v)] for k, v in value.items()]}


def _encode_array(encoder: Encoder, value: Array) -> Json:
    return encoder.constant(value, as_dtype(value.dtype))


_ENCODERS: Final[dict[Any, Callable[[Encoder, Any], Json]]] = {
    np.ndarray | np.generic: lambda e, v: _encode_array(e, np.asarray(v)),
    int: lambda e, v: int(v),
    float: _encode_float,
    bytes: lambda e, v: {"bytes": base64.b64encode(v).decode()},
    complex: lambda e, v: {"complex": [_encode_float(e, v.real), _encode_float(e, v.imag)]},
    DType: lambda e, v: {"dtype": v.name},
    TensorShape: lambda e, v: {"shape": e.value(None if v.rank is None else v.as_list())},
    EagerTensor: lambda e, v: {"tensor": e.constant(v.array, v.dtype)["constant"]},
    list: lambda e, v: [e.value(part) for part in v],
    tuple: lambda e, v: {"tuple": [e.value(part) for part in v]},
    Mapping: _encode_mapping,
}

_TYPE_ENCODERS: Final[dict[type, Callable[[Encoder, Any], Json]]] = {
    Literal: lambda e, k: {"literal": e.value(k.value)},
    TensorSpec: lambda e, k: {"tensor": [e.value(k.static_shape), k.dtype.name, k.name]},
    VariableSpec: lambda e, k: {
        "variable": [e.value(k.static_shape), k.dtype.name, k.trainable, k.alias_id]
    },
    RaggedTensorSpec: lambda e, k: {
        "ragged": [e.value(k.static_shape), k.dtype.name, k.ragged_rank, k.row_splits_dtype.name]
    },
    ListType: lambda e, k: {"list": [e.type(part) for part in k.parts]},
    TupleType: lambda e, k: {"tuple": [e.type(part) for part in k.parts]},
    DictType: lambda e, k: {
        "dict": [
            [e.value(name), e.type(dict(zip(k.keys, k.parts, strict=True))[name])]
            for name in k.names
        ]
    },
}


class Decoder:
    """Turns JSON back into values.

    Args:
        constants: the arrays that are stored apart.
        special: by key what to do with what only the caller knows.
    """

    def __init__(
        self,
        constants: Sequence[SavedValue],
        special: Mapping[str, Callable[[Json], Any]] | None = None,
    ) -> None:
        self._constants = constants
        self._special = special or {}

    def constant(self, number: int) -> SavedValue:
        """An array that is stored apart."""
        return self._constants[number]

    def value(self, data: Json) -> Any:
        """A Python value.

        Raises:
            ValueError: it is of a kind that is not known.
        """
        if isinstance(data, list):
            return [self.value(part) for part in data]
        if not isinstance(data, dict):
            return data
        ((key, content),) = data.items()
        if key in self._special:
            return self._special[key](content)
        if key not in _DECODERS:
            raise ValueError(f"unknown kind of value {key!r}")
        return _DECODERS[key](self, content)

    def type(self, data: Json) -> TraceType:
        """The type of an argument or result.

        Raises:
            ValueError: it is of a kind that is not known.
        """
        ((key, content),) = data.items()
        if key not in _TYPE_DECODERS:
            raise ValueError(f"unknown kind of type {key!r}")
        return _TYPE_DECODERS[key](self, content)

    def parameters(self, data: Json) -> FunctionType:
        """The parameters of a trace."""
        return FunctionType(
            [TypedParameter(name, kind_named(kind), self.type(of)) for name, kind, of in data]
        )


def kind_named(name: str) -> Any:  # inspect's `_ParameterKind`, which it does not export
    """The kind of a parameter, such as `KEYWORD_ONLY`."""
    return getattr(Parameter, name)


_DECODERS: Final[dict[str, Callable[[Decoder, Json], Any]]] = {
    "constant": lambda d, c: d.constant(c).array,
    "float": lambda d, c: float(c),
    "bytes": lambda d, c: base64.b64decode(c),
    "complex": lambda d, c: complex(d.value(c[0]), d.value(c[1])),
    "dtype": lambda d, c: as_dtype(c),
    "shape": lambda d, c: TensorShape(c),
    "tensor": lambda d, c: EagerTensor(d.constant(c).array, d.constant(c).dtype),
    "tuple": lambda d, c: tuple(d.value(part) for part in c),
    "dict": lambda d, c: {d.value(k): d.value(v) for k, v in c},
}


def _decode_dict(decoder: Decoder, content: Json) -> DictType:
    types = {decoder.value(name): decoder.type(part) for name, part in content}
    keys = nest.sorted_keys(types)
    return DictType(keys, [types[key] for key in keys], types)


def _decode_namedtuple(decoder: Decoder, content: Json) -> RecordType:
    name, fields, parts = content
    kind: type = namedtuple(name, fields)  # type: ignore[misc]  # made at run time
    return RecordType(kind, fields, [decoder.type(part) for part in parts])


def _shape(decoder: Decoder, content: Json) -> Shape:
    shape: Shape = decoder.value(content)
    return shape


_TYPE_DECODERS: Final[dict[str, Callable[[Decoder, Json], TraceType]]] = {
    "literal": lambda d, c: Literal(d.value(c)),
    "tensor": lambda d, c: TensorSpec(_shape(d, c[0]), c[1], c[2]),
    "variable": lambda d, c: VariableSpec(_shape(d, c[0]), c[1], c[2], c[3]),
    "ragged": lambda d, c: RaggedTensorSpec(_shape(d, c[0]), c[1], c[2], c[3]),
    "list": lambda d, c: ListType([d.type(part) for part in c]),
    "tuple": lambda d, c: TupleType([d.type(part) for part in c]),
    "dict": _decode_dict,
    "namedtuple": _decode_namedtuple,
}


def structure_of(kind: TraceType) -> Any:
    """Values of a type, with specs in place of tensors."""
    if isinstance(kind, Literal):
        return kind.value
    if not isinstance(kind, Structure):
        return kind
    return kind.rebuild([structure_of(part) for part in kind.parts])
