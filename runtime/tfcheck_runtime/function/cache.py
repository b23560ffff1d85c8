"""The traces of a Function and the choice among them."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Generic, TypeVar

from tfcheck_runtime.function.signature import FunctionType

Trace = TypeVar("Trace")


class FunctionCache(Generic[Trace]):
    """Traces by function type; the most specific one that fits a call serves it."""

    def __init__(self) -> None:
        self._traces: dict[FunctionType, Trace] = {}
        self._alike: dict[Hashable, list[FunctionType]] = {}
        """The types by what a call must have exactly so: Python numbers can be thousands."""
        self._dispatched: dict[FunctionType, FunctionType] = {}

    def __len__(self) -> int:
        return len(self._traces)

    def __iter__(self) -> Iterator[Trace]:
        return iter(self._traces.values())

    @property
    def types(self) -> tuple[FunctionType, ...]:
        """The function types of all traces, oldest first."""
        return tuple(self._traces)

    def get(self, kind: FunctionType) -> Trace | None:
        """The trace that serves calls of type `kind`, if any."""
        found = self._dispatched.get(kind)
        if found is None:
            found = self._most_specific(kind)
            if found is None:
                return None
            self._dispatched[kind] = found
        return self._traces[found]

    def add(self, kind: FunctionType, trace: Trace) -> None:
        """Keep a new trace."""
        if kind not in self._traces:
            self._alike.setdefault(kind.fixed, []).append(kind)
        self._traces[kind] = trace
        self._dispatched.clear()

    def generalize(self, kind: FunctionType) -> FunctionType:
        """`kind`, widened to also cover the existing types that it has a supertype with."""
        wide = kind
        for other in self._traces:
            common = wide.generalized(other)
            if common is not None:
                wide = common
        return wide

    def _most_specific(self, kind: FunctionType) -> FunctionType | None:
        if kind in self._traces:
            return kind
        best: FunctionType | None = None
        for candidate in self._alike.get(kind.fixed, ()):
            if not candidate.is_supertype_of(kind):
                continue
            if best is None or best.is_supertype_of(candidate):
                best = candidate
        return best
