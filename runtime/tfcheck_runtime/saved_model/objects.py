"""The objects that a model is made of, and their concrete functions."""

from __future__ import annotations

import inspect
from typing import Any, Final

from tfcheck_runtime.checkpoint.tracking import children_of
from tfcheck_runtime.function.concrete import ConcreteFunction
from tfcheck_runtime.function.function import Function
from tfcheck_runtime.saved_model.restored import RestoredFunction
from tfcheck_runtime.specs.trace_type import TraceType, Weakref
from tfcheck_runtime.values.trackable import AutoTrackable

Callables: Final = (Function, ConcreteFunction)


class ObjectGraph:
    """All objects that can be reached from a root, each once, nearest first.

    Functions with an input signature are traced while they are found, which may create variables.
    """

    def __init__(self, root: Any) -> None:
        self.values: list[Any] = [root]
        self.children: list[dict[str, int]] = []
        """Per object, the numbers of those that it holds by name."""
        self._numbers: dict[int, int] = {id(root): 0}
        self._traces: dict[int, list[ConcreteFunction]] = {}
        while len(self.children) < len(self.values):
            held = self._held_by(self.values[len(self.children)])
            self.children.append({name: self._enter(value) for name, value in held.items()})

    def number(self, value: object) -> int | None:
        """The number of an object, None for one that was not reached."""
        return self._numbers.get(id(value))

    @property
    def functions(self) -> list[Any]:
        """The functions that the root itself holds, by name."""
        held = self.children[0]
        values = [self.values[held[name]] for name in held]
        return [value for value in values if isinstance(value, Callables)]

    def traces(self, function: Function) -> list[ConcreteFunction]:
        """The concrete functions of a Function that are saved."""
        if id(function) not in self._traces:
            self._traces[id(function)] = _traces(function)
        return self._traces[id(function)]

    def _held_by(self, value: Any) -> dict[str, Any]:
        functions = functions_of(value)
        for function in functions.values():
            if isinstance(function, Function):
                self.traces(function)
        # Asked for after the functions are traced: what these create counts.
        return {**children_of(value), **functions}

    def _enter(self, value: Any) -> int:
        if id(value) not in self._numbers:
            self._numbers[id(value)] = len(self.values)
            self.values.append(value)
        return self._numbers[id(value)]


def functions_of(value: Any) -> dict[str, Any]:
    """The Functions and concrete functions that an object holds, methods included."""
    if not isinstance(value, AutoTrackable):
        return {}
    # Looked up statically: a property may do anything.
    names = [n for n in dir(value) if isinstance(inspect.getattr_static(value, n), Callables)]
    return {name: getattr(value, name) for name in names}


def _traces(function: Function) -> list[ConcreteFunction]:
    if isinstance(function, RestoredFunction):
        return function.concrete_functions
    if function.input_signature is not None:
        return [function.get_concrete_function()]
    signatures: list[Any] = []
    for concrete in function.traces:
        signature = concrete.structured_input_signature
        if signature not in signatures and not any(map(_is_opaque, concrete.type.types)):
            signatures.append(signature)
    # Asked for by specs with names, which TensorFlow traces anew, and so does this.
    return [function.get_concrete_function(*args, **kwargs) for args, kwargs in signatures]


def _is_opaque(kind: TraceType) -> bool:
    """Whether an argument is known by its identity alone, which does not outlive the process."""
    return isinstance(kind, Weakref) or any(_is_opaque(part) for _, part in kind.children())
