"""Frozen dataclasses as JSON and back, by their type hints."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

# What JSON holds has no narrower type than `Any`; `unpack` checks it against the type asked for.
Json = Any


def pack(value: object) -> Json:
    """A dataclass as the list of its fields, and the like for what is in it."""
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value) and not isinstance(value, type):
        return [pack(getattr(value, field.name)) for field in fields(value)]
    if isinstance(value, tuple | list):
        return [pack(part) for part in value]
    if isinstance(value, frozenset | set):
        return sorted(pack(part) for part in value)
    if isinstance(value, Mapping):
        return {str(key): pack(part) for key, part in value.items()}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"expected data, got {type(value).__name__}: {value!r}")


def unpack(kind: object, data: Json) -> Any:  # of the type `kind`, which is not always a class
    """What `pack` has made of a value of the type `kind`.

    Raises:
        ValueError: the data does not fit.
    """
    return _reader(kind)(data)


@cache
def _reader(kind: Any) -> Callable[[Json], Any]:  # a class or what `typing` makes of some
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Union or origin is types.UnionType:
        (present,) = (part for part in arguments if part is not type(None))
        inner = _reader(present)
        return lambda data: None if data is None else inner(data)
    if origin is tuple:
        return _sequence(tuple, _reader(arguments[0]))
    if origin is frozenset:
        return _sequence(frozenset, _reader(arguments[0]))
    if origin is not None and issubclass(origin, Mapping):
        return _mapping(_reader(arguments[1]))
    if is_dataclass(kind):
        return _record(kind)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind
    return _plain(kind)


def _sequence(make: Callable[[Any], object], inner: Callable[[Json], Any]) -> Callable[[Json], Any]:
    def read(data: Json) -> object:
        if not isinstance(data, list):
            raise ValueError(f"expected a list, got {data!r}")
        return make(map(inner, data))

    return read


def _mapping(inner: Callable[[Json], Any]) -> Callable[[Json], Any]:
    def read(data: Json) -> object:
        if not isinstance(data, dict):
            raise ValueError(f"expected an object, got {data!r}")
        return {key: inner(value) for key, value in data.items()}

    return read


def _record(kind: Any) -> Callable[[Json], Any]:
    hints = get_type_hints(kind)
    readers = [_reader(hints[field.name]) for field in fields(kind)]

    def read(data: Json) -> object:
        if not isinstance(data, list) or len(data) != len(readers):
            raise ValueError(f"expected {len(readers)} fields of {kind.__name__}, got {data!r}")
        return kind(*(reader(part) for reader, part in zip(readers, data, strict=True)))

    return read


def _plain(kind: Any) -> Callable[[Json], Any]:
    def read(data: Json) -> object:
        if type(data) is not kind:
            raise ValueError(f"expected {kind}, got {data!r}")
        return data

    return read
