"""The lattice of value kinds: what an expression may be, as far as the source tells."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache

MANY = 1_000_000
"""As a count of values: more than anyone wants to trace for."""

_MAX_LITERALS = 32

Constant = bool | int | float | complex | str | bytes | None


class Kind(Enum):
    """What a value is to tracing; UNKNOWN never fires a rule."""

    LITERAL = "Python literal"
    """A number, bool, string or None that the source spells out."""
    SCALAR = "Python value"
    """A number, bool or string computed at run time."""
    CONTAINER = "Python container"
    OBJECT = "Python object"
    NUMPY = "NumPy"
    TENSOR = "Tensor"
    VARIABLE = "Variable"
    DATASET = "dataset"
    KERAS = "Keras object"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Value:
    """A kind with what else is known."""

    kind: Kind
    literals: tuple[Constant, ...] = ()
    """All values a LITERAL can have."""
    varies: int = 1
    """How many different values one call site sees over a run, MANY when it has no bound."""
    origin: str | None = None
    """Where an object comes from: `builtins.list`, `keras.layers.Dense`, `time.time`."""
    items: tuple[Value, ...] | None = None
    """The parts of a list or tuple written out."""
    element: Value | None = None
    """What iterating gives."""
    graph: bool = False
    """Whether a tensor is symbolic: made or received while tracing."""

    @property
    def is_tensor(self) -> bool:
        """Whether it is a tensor or a variable."""
        return self.kind in {Kind.TENSOR, Kind.VARIABLE}

    @property
    def is_scalar(self) -> bool:
        """Whether it is a Python number, bool or string."""
        known = self.kind is Kind.LITERAL and self.literals != (None,)
        return known or self.kind is Kind.SCALAR

    @property
    def is_none(self) -> bool:
        """Whether it is None and nothing else."""
        return self.kind is Kind.LITERAL and self.literals == (None,)

    def each(self) -> Value:
        """What a loop over it binds."""
        if self.element is not None:
            return self.element
        if self.items is not None:
            return join(*self.items) if self.items else UNKNOWN
        if self.kind in {Kind.TENSOR, Kind.NUMPY, Kind.VARIABLE}:
            kind = Kind.NUMPY if self.kind is Kind.NUMPY else Kind.TENSOR
            return Value(kind, graph=self.graph)
        return UNKNOWN

    def part(self, position: int, count: int) -> Value:
        """What unpacking into `count` targets gives at `position`."""
        if self.items is not None:
            return self.items[position] if len(self.items) == count else UNKNOWN
        return self.each()


UNKNOWN = Value(Kind.UNKNOWN)
NONE = Value(Kind.LITERAL, literals=(None,))
SCALAR = Value(Kind.SCALAR)
OBJECT = Value(Kind.OBJECT)
NUMPY = Value(Kind.NUMPY)
TENSOR = Value(Kind.TENSOR)
SYMBOLIC = Value(Kind.TENSOR, graph=True)
DATASET = Value(Kind.DATASET)
KERAS = Value(Kind.KERAS)


@lru_cache(maxsize=10_000)
def known_object(origin: str) -> Value:
    """A function, class or module with its dotted name."""
    return Value(Kind.OBJECT, origin=origin)


@lru_cache(maxsize=10_000, typed=True)
def literal(value: Constant) -> Value:
    """The kind of a constant in the source."""
    return Value(Kind.LITERAL, literals=(value,))


def container(origin: str, *, element: Value | None = None) -> Value:
    """A list, dict, set or iterator of Python."""
    return Value(Kind.CONTAINER, origin=origin, element=element)


def display(origin: str, items: tuple[Value, ...]) -> Value:
    """A list or tuple whose parts are known."""
    return Value(Kind.CONTAINER, origin=origin, items=items)


def join(first: Value, *others: Value) -> Value:
    """The kind of a value that is one of several."""
    result = first
    for other in others:
        result = _join(result, other)
        if result.kind is Kind.UNKNOWN:
            return UNKNOWN
    return result


def _join(a: Value, b: Value) -> Value:
    if a is b or a == b:
        return a
    varies = max(a.varies, b.varies)
    if a.kind is b.kind is Kind.LITERAL:
        return _join_literals(a, b)
    if a.is_scalar and b.is_scalar:
        return replace(SCALAR, varies=varies)
    if a.kind is b.kind:
        return _join_alike(a, b)
    return UNKNOWN


def _join_literals(a: Value, b: Value) -> Value:
    known = {(type(value), value): value for value in (*a.literals, *b.literals)}
    if len(known) > _MAX_LITERALS:
        return replace(SCALAR, varies=len(known))
    literals = tuple(known.values())
    return Value(Kind.LITERAL, literals=literals, varies=max(a.varies, b.varies))


def _join_alike(a: Value, b: Value) -> Value:
    items = None
    if a.items is not None and b.items is not None and len(a.items) == len(b.items):
        items = tuple(_join(x, y) for x, y in zip(a.items, b.items, strict=True))
    element = _join(a.element, b.element) if a.element and b.element else None
    return Value(
        a.kind,
        varies=max(a.varies, b.varies),
        origin=a.origin if a.origin == b.origin else None,
        items=items,
        element=element,
        graph=a.graph and b.graph,
    )
