"""Function types and the functions behind concrete ones, as TensorFlow shows them.

Follows https://www.tensorflow.org/api_docs/python/tf/types/experimental/FunctionType.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tfcheck_runtime.specs.trace_type import TraceType


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a function type."""

    name: str
    kind: Any  # inspect's `_ParameterKind`, which it does not export
    optional: bool
    """Whether calls may leave it out."""
    type_constraint: TraceType | None
    """Its type, None where any will do."""


class FunctionType:
    """Parameters by name, what the function captures by id, and what it returns.

    Args:
        parameters: in order.
        text: on one line.
        details: how it prints, where that is more.
        captures: the types of what the function uses from outside, by the id of each.
        output: the type of the result, None where it is not known.
    """

    def __init__(
        self, parameters: Sequence[Parameter], *, text: str, details: str | None = None,
        captures: Mapping[int, TraceType], output: TraceType | None,
    ) -> None:  # fmt: skip
        self.parameters = {p.name: p for p in parameters}
        self.captures = dict(captures)
        self.output = output
        self._text, self._details = text, details or text

    def _key(self) -> tuple[Any, ...]:
        return (*self.parameters.items(), *self.captures.items(), self.output)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FunctionType) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(tuple(self.parameters))

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return self._details


@dataclass(frozen=True, slots=True)
class AtomicFunction:
    """The function that a concrete function runs when nothing is differentiated."""

    name: bytes
    function_type: FunctionType
    graph: Any
