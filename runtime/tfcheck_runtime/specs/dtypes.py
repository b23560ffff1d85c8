"""Data types as TensorFlow names and numbers them.

Follows https://www.tensorflow.org/api_docs/python/tf/dtypes/DType; enum values are those of
`types.proto`. Strings are held as NumPy object arrays of `bytes`.
"""

from __future__ import annotations

import builtins
from typing import Final

import ml_dtypes
import numpy as np
import numpy.typing as npt


class DType:
    """One element type; compare with `==` to a DType, a name, or a NumPy type."""

    __slots__ = ("__weakref__", "_numpy", "as_datatype_enum", "name")

    def __init__(self, name: str, enum: int, numpy_type: npt.DTypeLike) -> None:
        self.name = name
        self.as_datatype_enum = enum
        self._numpy = np.dtype(numpy_type)

    @property
    def as_numpy_dtype(self) -> type:
        """The NumPy scalar type."""
        return self._numpy.type

    @property
    def numpy(self) -> np.dtype[np.generic]:
        """The NumPy dtype that arrays of this type have."""
        return self._numpy

    @property
    def base_dtype(self) -> DType:
        """This type: reference types do not exist here."""
        return self

    @property
    def real_dtype(self) -> DType:
        """The type of the parts of a complex number; any other type itself."""
        return {"complex64": float32, "complex128": float64}.get(self.name, self)

    @property
    def is_floating(self) -> builtins.bool:
        """Whether this is a non-quantised real floating-point type."""
        return self._numpy.kind == "f" or self.name in _EXTENSION_FLOATS

    @property
    def is_integer(self) -> builtins.bool:
        """Whether this is a signed or unsigned integer type."""
        return self._numpy.kind in "iu" and self.name not in _OPAQUE

    @property
    def is_unsigned(self) -> builtins.bool:
        """Whether this is an unsigned integer type."""
        return self._numpy.kind == "u"

    @property
    def is_complex(self) -> builtins.bool:
        """Whether this is a complex type."""
        return self._numpy.kind == "c"

    @property
    def is_bool(self) -> builtins.bool:
        """Whether this is the boolean type."""
        return self.name == "bool"

    @property
    def is_numeric(self) -> builtins.bool:
        """Whether arithmetic is defined."""
        return self.is_floating or self.is_integer or self.is_complex

    @property
    def is_numpy_compatible(self) -> builtins.bool:
        """Whether NumPy can hold such values."""
        return self.name not in _OPAQUE

    @property
    def size(self) -> int:
        """Bytes per element; 1 for strings, as in TensorFlow."""
        return 1 if self._numpy.kind == "O" else self._numpy.itemsize

    @property
    def min(self) -> float | int | np.generic:
        """The smallest finite value."""
        return self._limit("min")

    @property
    def max(self) -> float | int | np.generic:
        """The largest finite value."""
        return self._limit("max")

    @property
    def limits(self) -> tuple[float | int, float | int]:
        """The range of an intensity in an image of this type: (0, max) or (0, 1)."""
        return (0, int(np.iinfo(self._numpy).max)) if self.is_integer else (0, 1)

    def is_compatible_with(self, other: object) -> builtins.bool:
        """Whether a value of type `other` may stand where this type is expected."""
        return self == as_dtype(other)

    def _limit(self, which: str) -> float | int | np.generic:
        if self.is_bool:
            return which == "max"
        if self.is_integer:
            return int(getattr(np.iinfo(self._numpy), which))
        if self.is_floating:
            info = ml_dtypes.finfo(self._numpy)  # type: ignore[no-untyped-call]  # ml_dtypes ships no types
            limit: float | np.generic = getattr(info, which)
            return limit
        raise TypeError(f"{self.name} has no {which}; only bool, integer and float types do")

    def __eq__(self, other: object) -> builtins.bool:
        if self is other:
            return True
        if other is None:
            return False
        try:
            return self is as_dtype(other)
        except TypeError:
            return False

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"tf.{self.name}"

    def __str__(self) -> str:
        return f"<dtype: '{self.name}'>"

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return as_dtype, (self.name,)


_OPAQUE: Final = frozenset({"resource", "variant"})
_EXTENSION_FLOATS: Final = frozenset({"bfloat16", "float8_e5m2", "float8_e4m3fn"})

float32: Final = DType("float32", 1, np.float32)
float64: Final = DType("float64", 2, np.float64)
int32: Final = DType("int32", 3, np.int32)
uint8: Final = DType("uint8", 4, np.uint8)
int16: Final = DType("int16", 5, np.int16)
int8: Final = DType("int8", 6, np.int8)
string: Final = DType("string", 7, np.object_)
complex64: Final = DType("complex64", 8, np.complex64)
int64: Final = DType("int64", 9, np.int64)
bool: Final = DType("bool", 10, np.bool_)
bfloat16: Final = DType("bfloat16", 14, ml_dtypes.bfloat16)
uint16: Final = DType("uint16", 17, np.uint16)
complex128: Final = DType("complex128", 18, np.complex128)
float16: Final = DType("float16", 19, np.float16)
resource: Final = DType("resource", 20, np.object_)
variant: Final = DType("variant", 21, np.object_)
uint32: Final = DType("uint32", 22, np.uint32)
uint64: Final = DType("uint64", 23, np.uint64)
float8_e5m2: Final = DType("float8_e5m2", 24, ml_dtypes.float8_e5m2)
float8_e4m3fn: Final = DType("float8_e4m3fn", 25, ml_dtypes.float8_e4m3fn)

_ALL: Final = (
    float32, float64, int32, uint8, int16, int8, string, complex64, int64, bool, bfloat16, uint16,
    complex128, float16, resource, variant, uint32, uint64, float8_e5m2, float8_e4m3fn,
)  # fmt: skip
_BY_NAME: Final = {d.name: d for d in _ALL} | {"half": float16, "float": float32, "double": float64}
_BY_ENUM: Final = {d.as_datatype_enum: d for d in _ALL}
_BY_NUMPY: Final = {d.numpy: d for d in _ALL if d.name not in _OPAQUE}
_BY_PYTHON: Final[dict[object, DType]] = {
    builtins.float: float32,
    builtins.bool: bool,
    builtins.object: string,
    builtins.str: string,
    builtins.bytes: string,
}


def as_dtype(value: object) -> DType:
    """The DType for a DType, a name, an enum value, a NumPy dtype or a Python type.

    Raises:
        TypeError: there is no such data type.
    """
    if isinstance(value, DType):
        return value
    found = _look_up(value)
    if found is None:
        raise TypeError(
            f"cannot convert {value!r} to a TensorFlow DType; expected a tf.DType, a name such as"
            " 'float32', or a NumPy type"
        )
    return found


def _look_up(value: object) -> DType | None:
    if isinstance(value, str) and value in _BY_NAME:
        return _BY_NAME[value]
    if isinstance(value, int) and not isinstance(value, builtins.bool):
        return _BY_ENUM.get(value)
    if isinstance(value, type) and value in _BY_PYTHON:
        return _BY_PYTHON[value]
    if value is None:
        return None
    try:
        numpy_type = np.dtype(value)  # type: ignore[call-overload]
    except TypeError:
        return None
    return string if numpy_type.kind in "SUO" else _BY_NUMPY.get(numpy_type)
