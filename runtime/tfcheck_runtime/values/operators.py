"""Python's operators on tensors and variables: each looks up the op that declared itself for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

_IMPLEMENTATIONS: dict[str, Callable[..., Any]] = {}


def implements(name: str) -> Callable[[Function], Function]:
    """Declare a function to be what an operator does, for example `implements("add")` for `+`."""

    def declare(function: Function) -> Function:
        _IMPLEMENTATIONS[name] = function
        return function

    return declare


def implementation(name: str) -> Callable[..., Any]:
    """What was declared for `name`."""
    return _IMPLEMENTATIONS[name]


def _binary(name: str) -> Callable[[Any, Any], Any]:
    def operator(self: object, other: object) -> object:
        return _IMPLEMENTATIONS[name](self, other)

    return operator


def _reflected(name: str) -> Callable[[Any, Any], Any]:
    def operator(self: object, other: object) -> object:
        return _IMPLEMENTATIONS[name](other, self)

    return operator


def _unary(name: str) -> Callable[[Any], Any]:
    def operator(self: object) -> object:
        return _IMPLEMENTATIONS[name](self)

    return operator


class OverloadedOperators:
    """Arithmetic, comparison and indexing of tensors and variables.

    Implementations take `(left, right)`, either of which may be a Python number or an array.
    """

    __slots__ = ()

    __add__, __radd__ = _binary("add"), _reflected("add")
    __sub__, __rsub__ = _binary("subtract"), _reflected("subtract")
    __mul__, __rmul__ = _binary("multiply"), _reflected("multiply")
    __truediv__, __rtruediv__ = _binary("truediv"), _reflected("truediv")
    __floordiv__, __rfloordiv__ = _binary("floordiv"), _reflected("floordiv")
    __mod__, __rmod__ = _binary("mod"), _reflected("mod")
    __pow__, __rpow__ = _binary("pow"), _reflected("pow")
    __matmul__, __rmatmul__ = _binary("matmul"), _reflected("matmul")
    __and__, __rand__ = _binary("and"), _reflected("and")
    __or__, __ror__ = _binary("or"), _reflected("or")
    __xor__, __rxor__ = _binary("xor"), _reflected("xor")
    __lt__, __le__ = _binary("less"), _binary("less_equal")
    __gt__, __ge__ = _binary("greater"), _binary("greater_equal")
    __neg__, __abs__, __invert__ = _unary("negative"), _unary("abs"), _unary("invert")
    __getitem__ = _binary("getitem")

    def __eq__(self, other: object) -> Any:  # elementwise, as TensorFlow 2 does
        return _IMPLEMENTATIONS["equal"](self, other)

    def __ne__(self, other: object) -> Any:  # elementwise
        return _IMPLEMENTATIONS["not_equal"](self, other)

    def __hash__(self) -> int:
        return id(self)
