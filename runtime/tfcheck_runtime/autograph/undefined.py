"""Stand-ins for variables without a value, and reading them as Python does."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from typing import TypeVar

from tfcheck_runtime.autograph.syntax import GENERATED, OPERATORS

T = TypeVar("T")


class Undefined:
    """The content of a variable that is not bound yet."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<undefined {self.name}>"


class UndefinedReturnValue(Undefined):
    """The content of the return value of a function that has not returned yet."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__("the return value")


def read(value: T) -> T:
    """The value of a variable.

    Raises:
        UnboundLocalError: it has none.
    """
    if isinstance(value, Undefined):
        raise UnboundLocalError(f"'{value.name}' is used before assignment [undefined-in-branch]")
    return value


def returned(value: T) -> T | None:
    """What a function returns; None when it ended without `return`."""
    return None if isinstance(value, Undefined) else value


def probe(value: Callable[[], object], name: str) -> object:
    """A variable, attribute or item, or an `Undefined` where it does not exist."""
    try:
        return value()
    except (NameError, AttributeError, LookupError):
        return Undefined(name)


def is_defined(value: object) -> bool:
    """Whether a variable has a value."""
    return not isinstance(value, Undefined)


def missing() -> contextlib.suppress:
    """Lets `del` of an attribute or item that does not exist pass."""
    return contextlib.suppress(AttributeError, LookupError)


def own_names(names: Mapping[str, object]) -> dict[str, object]:
    """The variables of the user's function among those of its converted form."""
    return {
        name: value
        for name, value in names.items()
        if name != OPERATORS and not name.endswith(GENERATED) and not isinstance(value, Undefined)
    }


def no_values() -> tuple[()]:
    """The state of a branch or loop that shares no variables."""
    return ()


def no_setter(values: tuple[()]) -> None:
    """Sets no variables."""
