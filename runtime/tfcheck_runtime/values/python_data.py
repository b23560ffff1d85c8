"""Python and NumPy data as arrays of a tensor's type, by TensorFlow's rules.

Python numbers become int32 (int64 when they do not fit) and float32; in nested lists the first
number decides how precise floats are; integers wrap around when a narrower type is asked for.
NumPy arrays keep their type.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from tfcheck_runtime.op import Array
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import DType, as_dtype

_KINDS: Final[tuple[tuple[str, tuple[type, ...]], ...]] = (
    ("bool", (bool, np.bool_)),
    ("integer", (int, np.integer)),
    ("float", (float, np.floating)),
    ("complex", (complex, np.complexfloating)),
    ("string", (str, bytes)),
)
_MIXED: Final = "Can't convert Python sequence with mixed types to Tensor."
_INT32: Final = np.iinfo(np.int32)


def to_array(value: object, dtype: DType | None) -> tuple[Array, DType]:
    """A NumPy array of a tensor's type from Python or NumPy data without tensors in it.

    Raises:
        TypeError: `value` does not convert to `dtype`.
        ValueError: `value` is ragged, mixes kinds, or is nothing a tensor can hold.
    """
    if isinstance(value, np.ndarray | np.generic):
        return _from_numpy(np.asarray(value), dtype)
    if isinstance(value, bytearray | range):
        value = list(value)
    leaves = list(_leaves(value))
    kind = _common_kind(leaves, value)
    if kind == "string":
        return _from_strings(value, dtype)
    target = dtype or _default_dtype(kind, leaves)
    _check_kind(kind, target, value)
    array = _numbers(value, kind, target)
    if dtype is None and target is dtypes.float32:
        _check_in_range(array, value)
    return array, target


def _from_numpy(array: Array, dtype: DType | None) -> tuple[Array, DType]:
    if array.dtype.kind in "US":
        return _encoded(array), dtypes.string
    if array.dtype.kind == "O":
        _check_object_array(array)
        return _encoded(array), dtypes.string
    kind = as_dtype(array.dtype)
    if dtype is None or dtype is kind:
        # A copy: the caller may change its array later, TensorFlow copies too.
        return array.copy(), kind
    with np.errstate(invalid="ignore", over="ignore"):
        return array.astype(dtype.numpy), dtype


def _check_object_array(array: Array) -> None:
    for element in array.reshape(-1).tolist():
        if not isinstance(element, str | bytes):
            raise ValueError(
                "Failed to convert a NumPy array to a Tensor (Unsupported object type"
                f" {type(element).__name__})."
            )


def _leaves(value: object) -> Iterator[object]:
    if isinstance(value, list | tuple):
        for element in value:
            yield from _leaves(element)
    elif isinstance(value, np.ndarray):
        # Its first element stands for all: they are of one type.
        yield from value.reshape(-1)[:1] if value.size else ()
    else:
        yield value


def _common_kind(leaves: list[object], value: object) -> str:
    """`bool`, `integer`, `float`, `complex` or `string`; integers may stand among floats."""
    kinds = {_kind_of(leaf, leaves, value) for leaf in leaves}
    if kinds == {"integer", "float"}:
        return "float"
    if kinds <= {"integer", "float", "complex"} and leaves and isinstance(leaves[0], complex):
        return "complex"
    if len(kinds) > 1 and kinds != {"bool", "integer"}:
        raise ValueError(_MIXED)
    return "float" if not kinds else min(kinds, key=lambda k: k == "bool")


def _kind_of(leaf: object, leaves: list[object], value: object) -> str:
    for kind, types in _KINDS:
        if isinstance(leaf, types):
            return kind
    if leaf is None and len(leaves) > 1:
        raise ValueError(_MIXED)
    raise ValueError(
        f"Attempt to convert a value ({value!r}) with an unsupported type ({type(value)}) to a"
        " Tensor."
    )


def _default_dtype(kind: str, leaves: list[object]) -> DType:
    if kind == "bool":
        return dtypes.bool
    if kind == "complex":
        return dtypes.complex128
    if kind == "float":
        return dtypes.float64 if leaves and isinstance(leaves[0], np.float64) else dtypes.float32
    if any(isinstance(leaf, bool) for leaf in leaves):
        raise ValueError(_MIXED)
    wide = any(not _INT32.min <= int(leaf) <= _INT32.max for leaf in leaves)  # type: ignore[call-overload]
    return dtypes.int64 if wide else dtypes.int32


def _check_kind(kind: str, dtype: DType, value: object) -> None:
    fits = {
        "bool": dtype.name != "string",
        "integer": dtype.is_numeric,
        "float": dtype.is_floating or dtype.is_complex,
        "complex": dtype.is_complex,
    }[kind]
    empty = isinstance(value, list | tuple) and not list(_leaves(value))
    if not (fits or empty) or dtype.name in ("resource", "variant"):
        raise TypeError(f"Cannot convert {value!r} to EagerTensor of dtype {dtype.name}")


def _numbers(value: object, kind: str, dtype: DType) -> Array:
    try:
        # Objects keep integers exact until they are narrowed.
        exact: Any = np.array(value, dtype=object if kind == "integer" else None)
    except ValueError:
        raise ValueError("Can't convert non-rectangular Python sequence to Tensor.") from None
    if kind == "integer" and exact.size:
        exact = _checked_integers(exact, dtype)
    with np.errstate(over="ignore", invalid="ignore"):
        array: Array = exact.astype(dtype.numpy)
    return array


def _check_in_range(array: Array, value: Any) -> None:
    """Numbers too large for float32 are infinite where it is asked for, and refused elsewhere."""
    if np.any(np.isinf(array) & np.isfinite(np.array(value, np.float64))):
        raise ValueError(
            "Can't convert Python sequence with a value out of range for a double-precision float."
        )


def _checked_integers(exact: Array, dtype: DType) -> Array:
    if any(isinstance(e, list | tuple) for e in exact.reshape(-1).tolist()):
        raise ValueError("Can't convert non-rectangular Python sequence to Tensor.")
    if not dtype.is_integer and not dtype.is_bool:
        return exact.astype(np.float64)
    widest = np.iinfo(np.uint64 if dtype is dtypes.uint64 else np.int64)
    if not (widest.min <= min(exact.flat) and max(exact.flat) <= widest.max):
        raise ValueError("Can't convert Python sequence with out-of-range integer to Tensor.")
    return exact.astype(widest.dtype)


def _from_strings(value: object, dtype: DType | None) -> tuple[Array, DType]:
    if dtype not in (None, dtypes.string):
        raise TypeError(f"Cannot convert {value!r} to EagerTensor of dtype {dtype.name}")
    try:
        array = np.array(value, dtype=object)
    except ValueError:
        raise ValueError("Can't convert non-rectangular Python sequence to Tensor.") from None
    if any(isinstance(e, list | tuple) for e in array.reshape(-1).tolist()):
        raise ValueError("Can't convert non-rectangular Python sequence to Tensor.")
    return _encoded(array), dtypes.string


def _encoded(array: Array) -> Array:
    out = np.empty(array.shape, dtype=object)
    for index, element in np.ndenumerate(array):
        out[index] = element.encode() if isinstance(element, str) else bytes(element)
    return out
