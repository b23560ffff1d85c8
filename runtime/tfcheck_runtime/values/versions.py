"""What public functions do with values made of tensors: one table, by function and kind of value.

A version is written with public functions on the tensors inside, so that eager code, graphs and
gradients follow. Namespaces are made aware of the table where they are put together.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from tfcheck_runtime.values import operators

Function: TypeAlias = Callable[..., Any]

_VERSIONS: Final[dict[Function, dict[type, Function]]] = {}
_AWARE: Final[dict[Function, Function]] = {}


def register(function: Function, kind: type, version: Function) -> None:
    """Let `version` do what `function` does when an argument is a `kind`.

    A version is also called for lists that hold such a value; it takes the same arguments.
    """
    _VERSIONS.setdefault(function, {})[kind] = version


def register_operator(name: str, kind: type, version: Function) -> None:
    """The same for what an operator is implemented by, such as `add` for `+`."""
    function = operators.implementation(name)
    own = _AWARE_OPERATORS.get(name)
    if own is None:
        own = _AWARE_OPERATORS[name] = {}
        operators.implements(name)(_aware_operator(function, own))
    own[kind] = version


_AWARE_OPERATORS: Final[dict[str, dict[type, Function]]] = {}


def make_aware(namespace: dict[str, Any]) -> None:
    """Put functions that know their versions in place of those of a namespace."""
    for name, value in namespace.items():
        if inspect.isfunction(value) and value in _VERSIONS:
            namespace[name] = aware(value)


def aware(function: Function) -> Function:
    """`function` with its versions: the same object each time."""
    found = _AWARE.get(function)
    if found is None:
        found = _AWARE[function] = _aware(function, _VERSIONS[function])
    return found


def _aware(function: Function, versions: Mapping[type, Function]) -> Function:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        for value in (*args, *kwargs.values()) if kwargs else args:
            kind = type(value)
            if kind in versions:
                return versions[kind](*args, **kwargs)
            if kind is list or kind is tuple:
                for element in value:
                    if type(element) in versions:
                        return versions[type(element)](*args, **kwargs)
        return function(*args, **kwargs)

    return call


def _aware_operator(function: Function, versions: Mapping[type, Function]) -> Function:
    """Every `+` of plain tensors passes here, so it does little."""

    def call(*args: Any) -> Any:
        for value in args:
            if type(value) in versions:
                return versions[type(value)](*args)
        return function(*args)

    return call
