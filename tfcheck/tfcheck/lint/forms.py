"""What is known of a value in the graph: its dtype, its shape, or the structure it has."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from math import prod

Shape = tuple[int | None, ...]


class Sort(Enum):
    """What holds the elements."""

    NONE = "None"
    NUMBER = "a Python value"
    ARRAY = "a NumPy array"
    TENSOR = "a tensor"
    LIST = "a list"
    TUPLE = "a tuple"
    DICT = "a dict"


_NUMERIC = frozenset({Sort.NUMBER, Sort.ARRAY, Sort.TENSOR})
_INTEGERS = frozenset({"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"})
_FLOATS = frozenset({"float16", "bfloat16", "float32", "float64"})


@dataclass(frozen=True, slots=True)
class Form:
    """The form of a value; parts that are not known are None."""

    sort: Sort
    dtype: str | None = None
    """The dtype that it has as a tensor: `int32` for a Python int."""
    shape: Shape | None = None
    items: tuple[Form | None, ...] | None = None
    """The parts of a list or tuple."""
    keys: frozenset[str] | None = None
    """The keys of a dict."""

    @property
    def is_numeric(self) -> bool:
        """Whether it is a tensor, or becomes one in a loop or branch of the graph."""
        return self.sort in _NUMERIC

    @property
    def size(self) -> int | None:
        """How many elements it has."""
        if self.shape is None or None in self.shape:
            return None
        return prod(dim for dim in self.shape if dim is not None)

    @property
    def told(self) -> str:
        """A phrase for messages: `float32`, `None`, `a list of 2`."""
        if self.is_numeric and self.dtype is not None:
            return self.dtype
        if self.items is not None:
            return f"{self.sort.value} of {len(self.items)}"
        if self.keys is not None:
            return f"{self.sort.value} of {', '.join(map(repr, sorted(self.keys)))}"
        return self.sort.value


NOTHING = Form(Sort.NONE)
TENSOR_FORM = Form(Sort.TENSOR)


def number(value: object) -> Form | None:
    """The form of a Python constant."""
    match value:
        case None:
            return NOTHING
        case bool():
            return Form(Sort.NUMBER, "bool", ())
        case int():
            return Form(Sort.NUMBER, "int32", ())
        case float():
            return Form(Sort.NUMBER, "float32", ())
        case str() | bytes():
            return Form(Sort.NUMBER, "string", ())
    return None


def joined(first: Form | None, second: Form | None) -> Form | None:
    """The form of a value that is the one or the other."""
    if first is None or second is None:
        return None
    if first.sort is not second.sort:
        # A Python number on one side is a tensor on the other side of a branch.
        both = first.is_numeric and second.is_numeric
        return _alike(first, replace(second, sort=first.sort)) if both else None
    return _alike(first, second)


def _alike(first: Form, second: Form) -> Form:
    ours, theirs = first.items, second.items
    items = None
    if ours is not None and theirs is not None and len(ours) == len(theirs):
        items = tuple(joined(a, b) for a, b in zip(ours, theirs, strict=True))
    before, after = first.shape, second.shape
    shape = None
    if before is not None and after is not None and len(before) == len(after):
        shape = tuple(a if a == b else None for a, b in zip(before, after, strict=True))
    dtype = first.dtype if first.dtype == second.dtype else None
    return Form(first.sort, dtype, shape, items, first.keys if first.keys == second.keys else None)


def differ(first: Form | None, second: Form | None) -> tuple[Form, Form] | None:
    """The parts that keep two values from having one place in the graph; None if none is known.

    Shapes may differ.
    """
    if first is None or second is None:
        return None
    if first.is_numeric and second.is_numeric:
        known = first.dtype is not None and second.dtype is not None
        return (first, second) if known and first.dtype != second.dtype else None
    if first.sort is not second.sort:
        return first, second
    if first.keys is not None and second.keys is not None and first.keys != second.keys:
        return first, second
    if first.items is None or second.items is None:
        return None
    if len(first.items) != len(second.items):
        return first, second
    for ours, theirs in zip(first.items, second.items, strict=True):
        found = differ(ours, theirs)
        if found is not None:
            return found
    return None


def operated(first: Form | None, second: Form | None, *, division: bool = False) -> Form | None:
    """What an arithmetic operator gives; a dtype that does not fit leaves it open."""
    if first is None or second is None or not (first.is_numeric and second.is_numeric):
        return None
    if first.sort is second.sort is Sort.NUMBER:
        dtype = _python_dtype(first.dtype, second.dtype, division=division)
        return Form(Sort.NUMBER, dtype, ())
    tensor = Sort.TENSOR in {first.sort, second.sort}
    dtype = _strong(first, second)
    if division and dtype in _INTEGERS:
        dtype = "float64" if dtype in {"int32", "int64"} else None
    shape = broadcast(first.shape, second.shape)
    return Form(Sort.TENSOR if tensor else Sort.ARRAY, dtype if tensor else None, shape)


def _python_dtype(first: str | None, second: str | None, *, division: bool) -> str | None:
    if division or "float32" in {first, second}:
        return "float32"
    return "int32" if {first, second} <= {"int32", "bool"} else None


def _strong(first: Form, second: Form) -> str | None:
    """The dtype of a tensor takes a Python number that fits."""
    if first.sort is Sort.NUMBER:
        return second.dtype
    if second.sort is Sort.NUMBER or first.dtype == second.dtype:
        return first.dtype
    return None


def clash(first: Form | None, second: Form | None) -> bool:
    """Whether TensorFlow refuses an arithmetic operator for a tensor and another value."""
    if first is None or second is None or Sort.TENSOR not in {first.sort, second.sort}:
        return False
    if first.dtype is None or second.dtype is None or not (first.is_numeric and second.is_numeric):
        return False
    if first.sort is Sort.NUMBER:
        first, second = second, first
    if second.sort is Sort.NUMBER:
        return first.dtype in _INTEGERS and second.dtype in _FLOATS
    return second.sort is Sort.TENSOR and first.dtype != second.dtype


def broadcast(first: Shape | None, second: Shape | None) -> Shape | None:
    """The shape of an elementwise operation."""
    if first is None or second is None:
        return None
    longer, shorter = (first, second) if len(first) >= len(second) else (second, first)
    filled = (1,) * (len(longer) - len(shorter)) + shorter
    return tuple(_wider(a, b) for a, b in zip(longer, filled, strict=True))


def _wider(a: int | None, b: int | None) -> int | None:
    if a == 1 or a == b:
        return b
    return a if b == 1 else (b if a is None else a)
