"""What a call was given, leaf by leaf, as far as it decides which trace serves the call."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

Shape: TypeAlias = tuple[int | None, ...] | None
"""Sizes, None for an open one; None for an open rank."""

PYTHON_DTYPES: Mapping[type, str] = {bool: "bool", int: "int32", float: "float32", str: "string"}
"""What `tf.constant` makes of a Python value."""


class LeafKind(StrEnum):
    """How a leaf takes part in the choice of a trace."""

    TENSOR = "tensor"
    """By dtype and shape."""
    PYTHON = "python"
    """By value."""
    OTHER = "other"
    """By identity, or in a way of its own."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """One tensor, Python value or object among the arguments."""

    path: str
    """Its Python path, such as `batch['x'][0]`."""
    kind: LeafKind
    dtype: str
    """Empty for what is no tensor and would not become one."""
    shape: Shape
    value: str
    """What tells it from others of its kind; empty for tensors."""


CallKey: TypeAlias = tuple[Leaf, ...]


def read_key(function: object, args: tuple[object, ...], kwargs: Mapping[str, object]) -> CallKey:
    """The leaves of a call of `function`, in the order of its parameters."""
    named = _named(function, args, kwargs)
    return tuple(leaf for name, value in named for leaf in _leaves(name, value))


def _named(
    function: object, args: tuple[object, ...], kwargs: Mapping[str, object]
) -> list[tuple[str, object]]:
    if callable(function):
        try:
            bound = inspect.signature(function).bind(*args, **kwargs)
        except (TypeError, ValueError):
            pass  # no signature, or one that the call does not fit
        else:
            kinds = bound.signature.parameters
            return [(_name(kinds[name]), value) for name, value in bound.arguments.items()]
    positional = [(f"argument {i}", value) for i, value in enumerate(args, start=1)]
    return [*positional, *((f"{name}=", value) for name, value in kwargs.items())]


def _name(parameter: inspect.Parameter) -> str:
    # An input signature has no place for it, so its path is no plain name.
    return f"{parameter.name}=" if parameter.kind is parameter.KEYWORD_ONLY else parameter.name


def _leaves(path: str, value: object) -> Iterator[Leaf]:
    if isinstance(value, list | tuple):
        for i, item in enumerate(value):
            yield from _leaves(f"{path}[{i}]", item)
    elif isinstance(value, Mapping):
        # The order of keys does not matter to a trace type.
        for key in sorted(value, key=repr):
            yield from _leaves(f"{path}[{key!r}]", value[key])
    else:
        yield _leaf(path, value)


def _leaf(path: str, value: object) -> Leaf:
    dtype = PYTHON_DTYPES.get(type(value), "")
    if dtype or value is None:
        return Leaf(path, LeafKind.PYTHON, dtype, (), repr(value))
    name = getattr(getattr(value, "dtype", None), "name", None)
    shape = getattr(value, "shape", None)
    # A variable is matched by identity, not by what it holds.
    if name is None or shape is None or hasattr(value, "assign"):
        return Leaf(path, LeafKind.OTHER, "", (), f"{type(value).__name__} {id(value)}")
    return Leaf(path, LeafKind.TENSOR, name, _shape(shape), "")


def _shape(shape: object) -> Shape:
    try:
        return tuple(shape)  # type: ignore[arg-type]  # what has no sizes is caught below
    except (TypeError, ValueError):
        return None  # a `TensorShape` of unknown rank


def join_shapes(one: Shape, other: Shape) -> Shape:
    """The least general shape that both fit."""
    if one is None or other is None or len(one) != len(other):
        return None
    return tuple(
        size if size == another else None for size, another in zip(one, other, strict=True)
    )
