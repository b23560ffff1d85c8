"""Finds the Function that a user names in a program that has run, and what it was called with."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any, Protocol, cast

from tfcheck.errors import InputError
from tfcheck.profile.collect import Collected
from tfcheck.profile.samples import Sample


class ConcreteFunction(Protocol):
    """What exporting and verifying need of a trace."""

    graph: Any  # the runtime's own; its packages take it as it is
    structured_input_signature: tuple[tuple[object, ...], dict[str, object]]


class Function(Protocol):
    """What exporting and verifying need of a `tf.function`."""

    input_signature: object

    def __call__(self, *args: object, **kwargs: object) -> object:
        """Call it."""

    def get_concrete_function(self, *args: object, **kwargs: object) -> ConcreteFunction:
        """The trace that serves these arguments."""

    def inputs_of_call(self, *args: object, **kwargs: object) -> list[Any]:
        """What its graph takes in a call."""


class Chosen:
    """A Function of a program, its latest trace, and the call that led to that.

    Raises:
        InputError: there is no such Function, or nothing says what inputs it takes.
    """

    def __init__(self, collected: Collected, name: str) -> None:
        found = dict(_functions(collected))
        if name not in found:
            raise InputError(_no_such(name, found))
        self.name = name
        self.function = cast(Function, found[name])  # the finder looks for what the protocol names
        self.sample = _latest(collected, self.function)
        """The recorded call; None for a Function that was never called."""
        if self.sample is None and getattr(self.function, "input_signature", None) is None:
            raise InputError(
                f"{name} was never called by the script and has no input_signature:"
                " call it once, or give it one"
            )

    def trace(self) -> ConcreteFunction:
        """The concrete function."""
        args = self.sample.args if self.sample is not None else ()
        kwargs = self.sample.kwargs if self.sample is not None else {}
        return self.function.get_concrete_function(*args, **kwargs)


def _functions(collected: Collected) -> Iterator[tuple[str, object]]:
    """Functions by the names they go by: that of their code, or of what holds them."""
    names = {each.function: each.name for each in collected.recording.created}
    for sample in collected.samples.samples.values():
        if sample.function in names:
            yield names[sample.function], sample.callee
    yield from _members(vars(sys.modules["__main__"]))


def _members(members: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    for name, value in list(members.items()):
        if name.startswith("__"):
            continue
        if hasattr(value, "get_concrete_function"):
            yield name, value
        elif not isinstance(value, type | ModuleType):
            yield from _methods(f"{name}.", value)


def _methods(prefix: str, owner: object) -> Iterator[tuple[str, object]]:
    """Functions that are attributes of an object or of its class."""
    # Plain dictionaries are looked at, as `getattr` would run the properties of user code.
    for name, value in {**vars(type(owner)), **getattr(owner, "__dict__", {})}.items():
        if hasattr(value, "get_concrete_function"):
            yield prefix + name, getattr(owner, name)


def _no_such(name: str, found: Mapping[str, object]) -> str:
    if not found:
        return f"no Function `{name}`: the script made none"
    close = difflib.get_close_matches(name, found, n=1)
    hint = f", did you mean `{close[0]}`?" if close else ""
    return f"no Function `{name}` in the script{hint}; it has {', '.join(sorted(found))}"


def _latest(collected: Collected, function: object) -> Sample | None:
    samples = [each for each in collected.samples.samples.values() if each.callee is function]
    return max(samples, key=lambda each: each.trace, default=None)
