"""Annotations of the fields of extension types: which are allowed, and what values become.

Follows https://www.tensorflow.org/guide/extension_type#supported_types.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, Final

from tfcheck_runtime.specs.dtypes import DType, as_dtype
from tfcheck_runtime.specs.shapes import TensorShape
from tfcheck_runtime.specs.tensor_spec import TensorSpec
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor
from tfcheck_runtime.values.variable import Variable

_PRIMITIVES: Final = (int, float, str, bytes, bool, type(None))


class ImmutableDict(dict[Any, Any]):
    """The content of a field that is annotated as a mapping."""

    def _refuse(self, *args: object, **kwargs: object) -> typing.NoReturn:
        raise TypeError("a field of an extension type cannot be changed")

    __setitem__ = __delitem__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __repr__(self) -> str:
        return f"ImmutableDict({dict(self)!r})"


def describe(hint: Any, name: str) -> None:
    """Check that a field may be annotated like this.

    Raises:
        TypeError: it may not.
    """
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (tuple, typing.Union, types.UnionType):
        for argument in arguments:
            if argument is not Ellipsis:
                describe(argument, name)
    elif origin is not None and issubclass(origin, Mapping):
        describe(arguments[1], name)
    elif not _is_allowed(hint):
        shown = getattr(hint, "__name__", repr(hint))
        raise TypeError(f"In field {name!r}: Unsupported type annotation {shown!r}")


def _is_allowed(hint: Any) -> bool:
    if isinstance(hint, TensorSpec) or hint in (*_PRIMITIVES, Any, DType, TensorShape):
        return True
    return isinstance(hint, type) and (
        issubclass(hint, Tensor | Variable) or hasattr(hint, "__tf_components__")
    )


def converted(value: Any, hint: Any, name: str) -> Any:
    """What a field annotated with `hint` holds for `value`.

    Raises:
        TypeError: the value does not fit.
    """
    if isinstance(hint, TensorSpec):
        return _tensor(value, name, hint)
    for kinds, convert in _CONVERSIONS:
        if hint in kinds:
            return convert(value, hint, name)
    convert_parts = _STRUCTURES.get(typing.get_origin(hint))
    if convert_parts is not None:
        return convert_parts(value, typing.get_args(hint), name)
    if isinstance(typing.get_origin(hint), type):
        return _mapping(value, typing.get_args(hint), name)
    return value if hint is Any or isinstance(value, hint) else _refuse(value, hint, name)


def _refuse(value: Any, hint: Any, name: str) -> typing.NoReturn:
    wanted = getattr(hint, "__name__", repr(hint))
    raise TypeError(f"{name}: expected {wanted!r}, got {type(value).__name__!r}")


def _tensor(value: Any, name: str, spec: TensorSpec | None = None) -> Any:
    try:
        tensor = convert_to_tensor(value, spec.dtype if spec else None)
    except (TypeError, ValueError):
        raise TypeError(f"{name}: expected a Tensor, got {type(value).__name__!r}") from None
    if spec is not None and not spec.is_compatible_with(tensor):
        raise TypeError(f"{name}: expected {spec!r}, got {tensor!r}")
    return tensor


def _primitive(value: Any, hint: Any, name: str) -> Any:
    return value if type(value) is hint else _refuse(value, hint, name)


def _tuple(value: Any, arguments: tuple[Any, ...], name: str) -> tuple[Any, ...]:
    if not isinstance(value, list | tuple):
        _refuse(value, tuple, name)
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        arguments = arguments[:1] * len(value)
    if len(arguments) != len(value):
        raise TypeError(f"{name}: expected {len(arguments)} values, got {len(value)}")
    return tuple(converted(v, h, name) for v, h in zip(value, arguments, strict=True))


def _mapping(value: Any, arguments: tuple[Any, ...], name: str) -> ImmutableDict:
    if not isinstance(value, Mapping):
        _refuse(value, Mapping, name)
    return ImmutableDict({k: converted(v, arguments[1], name) for k, v in value.items()})


def _union(value: Any, arguments: tuple[Any, ...], name: str) -> Any:
    for hint in arguments:
        try:
            return converted(value, hint, name)
        except TypeError:
            continue
    wanted = " or ".join(repr(getattr(h, "__name__", repr(h))) for h in arguments)
    raise TypeError(f"{name}: expected {wanted}, got {type(value).__name__!r}")


Conversion = Callable[[Any, Any, str], Any]
_CONVERSIONS: Final[tuple[tuple[tuple[Any, ...], Conversion], ...]] = (
    ((Tensor,), lambda value, hint, name: _tensor(value, name)),
    (_PRIMITIVES, _primitive),
    ((DType,), lambda value, hint, name: as_dtype(value)),
    ((TensorShape,), lambda value, hint, name: TensorShape(value)),
)
_STRUCTURES: Final[dict[Any, Conversion]] = {
    tuple: _tuple,
    typing.Union: _union,
    types.UnionType: _union,
}
