"""Trace types: what a function's cache knows of an argument, and how its kinds compare.

Follows https://www.tensorflow.org/api_docs/python/tf/types/experimental/TraceType. A call fits an
existing trace when the type of each argument is a subtype of the trace's own.
"""

from __future__ import annotations

import weakref
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from tfcheck_runtime.specs import nest
from tfcheck_runtime.specs.dtypes import DType
from tfcheck_runtime.specs.shapes import Shape


class PlaceholderContext(Protocol):
    """Makes the parameters of the graph that is about to be traced."""

    def tensor(self, dtype: DType, shape: Shape, name: str | None) -> Any:
        """A symbolic tensor."""

    def variable(self, dtype: DType, shape: Shape, *, trainable: bool, alias: int) -> Any:
        """A variable around a parameter; the same one for the same alias."""

    def composite(self, example: Any, components: Any) -> Any:
        """A value like `example` around other components."""


class CastContext(Protocol):
    """Brings values to the form a trace expects; a layer above knows what tensors are."""

    def tensor(self, value: object, dtype: DType, shape: Shape, *, spec: object) -> object:
        """`value` as a tensor of this type.

        Raises:
            TypeError: it cannot become one.
        """

    def variable(self, value: object, spec: object) -> object:
        """`value`, checked to be a variable that fits `spec`."""

    def components(self, value: object) -> Any:
        """The tensors inside a composite value."""


class TraceType(ABC):
    """The type of an argument of a traced function; subclass it for your own protocol.

    A class takes part by defining `__tf_tracing_type__(self, context)` that returns one.
    """

    @abstractmethod
    def is_subtype_of(self, other: TraceType) -> bool:
        """Whether a trace made for `other` serves values of this type."""

    @abstractmethod
    def most_specific_common_supertype(self, others: Sequence[TraceType]) -> TraceType | None:
        """The narrowest type that covers this one and `others`, or None."""

    @abstractmethod
    def placeholder_value(self, placeholder_context: Any = None) -> Any:
        """What the Python function receives while it is traced."""

    def cast(self, value: Any, cast_context: Any) -> Any:
        """`value` in the form this type expects; by default unchanged."""
        return value

    def to_tensors(self, value: Any) -> list[Any]:
        """The tensors and variables inside `value` that the graph takes as inputs."""
        return []

    def children(self) -> list[tuple[str, TraceType]]:
        """The types inside, with the Python path that leads to each."""
        return []

    @abstractmethod
    def __hash__(self) -> int:
        """Equal types have equal hashes."""

    @abstractmethod
    def __eq__(self, other: object) -> bool:
        """Whether both types are the same."""


class Literal(TraceType):
    """A Python value: another value is another type."""

    def __init__(self, value: Any) -> None:
        self.value = value
        self._hash = hash(value)

    def is_subtype_of(self, other: TraceType) -> bool:
        """Whether `other` is the same value."""
        return self == other

    def most_specific_common_supertype(self, others: Sequence[TraceType]) -> Literal | None:
        """This type if all are equal."""
        return self if all(self == other for other in others) else None

    def placeholder_value(self, placeholder_context: PlaceholderContext | None = None) -> Any:
        """The value itself; a range as a list, which is what TensorFlow makes of sequences."""
        return list(self.value) if isinstance(self.value, range) else self.value

    def cast(self, value: Any, cast_context: CastContext) -> Any:
        """The value, if it is this one.

        Raises:
            ValueError: it is another one.
        """
        if self.value == value or (self.value != self.value and value != value):
            return self.value
        raise ValueError(f"Can not cast {value!r} to {self!r}")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Literal):
            return False
        # 1, 1.0 and True are equal here, as they are for TensorFlow; nan is equal to nan.
        if self.value != self.value:
            return bool(other.value != other.value)
        # A shape equals a number in Python's eyes, and is another type of argument.
        return self._hash == other._hash and bool(self.value == other.value)

    def __hash__(self) -> int:
        # Python hashes nan by identity.
        return 0 if self.value != self.value else self._hash

    def __repr__(self) -> str:
        return f"Literal[{self.value!r}]"


class Weakref(TraceType):
    """Any other object: the same one, or an equal one, as long as it lives."""

    def __init__(self, reference: weakref.ReferenceType[Any]) -> None:
        self.reference = reference
        self._hash = hash(reference)

    @property
    def is_dead(self) -> bool:
        """Whether the object no longer exists."""
        return self.reference() is None

    def is_subtype_of(self, other: TraceType) -> bool:
        """Whether `other` refers to the same or an equal object."""
        return self == other

    def most_specific_common_supertype(self, others: Sequence[TraceType]) -> Weakref | None:
        """This type if all refer to equal objects."""
        return self if all(self == other for other in others) else None

    def placeholder_value(self, placeholder_context: PlaceholderContext | None = None) -> Any:
        """The object."""
        return self.reference()

    def cast(self, value: Any, cast_context: CastContext) -> Any:
        """The object, if it is this one.

        Raises:
            ValueError: it is another one.
        """
        mine = self.reference()
        if mine is not None and (mine is value or mine == value):
            return value
        raise ValueError(f"Can not cast {value!r} to {self!r}")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Weakref):
            return False
        mine, theirs = self.reference(), other.reference()
        if mine is None or theirs is None:
            return False
        return mine is theirs or bool(mine == theirs)

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"Weakref[{self.reference!r}]"


def supertypes(
    mine: Sequence[TraceType], theirs: Sequence[Sequence[TraceType]]
) -> list[TraceType] | None:
    """The common supertype of each column, or None when a column has none."""
    found: list[TraceType] = []
    for i, kind in enumerate(mine):
        common = kind.most_specific_common_supertype([other[i] for other in theirs])
        if common is None:
            return None
        found.append(common)
    return found


class Structure(TraceType):
    """A container whose parts have types: base of the sequence and mapping types."""

    def __init__(self, parts: Sequence[TraceType]) -> None:
        self.parts = tuple(parts)

    @property
    def outline(self) -> tuple[Any, ...]:
        """What must be equal for two structures to correspond part by part."""
        return (type(self), len(self.parts))

    def rebuild(self, values: list[Any]) -> Any:
        """A value of this structure around other parts."""
        raise NotImplementedError

    def split(self, value: Any) -> list[Any]:
        """The parts of a value of this type, in the order of `parts`."""
        return list(value)

    def with_parts(self, parts: Sequence[TraceType]) -> Structure:
        """The same structure around other types."""
        raise NotImplementedError

    def is_subtype_of(self, other: TraceType) -> bool:
        """Whether all parts are subtypes of those of an alike structure."""
        return (
            isinstance(other, Structure)
            and self.outline == other.outline
            and all(a.is_subtype_of(b) for a, b in zip(self.parts, other.parts, strict=True))
        )

    def most_specific_common_supertype(self, others: Sequence[TraceType]) -> TraceType | None:
        """The structure of the parts' common supertypes, or None when the structures differ."""
        rows: list[tuple[TraceType, ...]] = []
        for other in others:
            if not isinstance(other, Structure) or other.outline != self.outline:
                return None
            rows.append(other.parts)
        parts = supertypes(self.parts, rows)
        return None if parts is None else self.with_parts(parts)

    def placeholder_value(self, placeholder_context: Any = None) -> Any:
        """The structure around the placeholders of its parts."""
        return self.rebuild([p.placeholder_value(placeholder_context) for p in self.parts])

    def cast(self, value: Any, cast_context: CastContext) -> Any:
        """The structure around its cast parts.

        Raises:
            TypeError: the value has another structure.
            ValueError: a Python value in it is another one.
        """
        values = self.split(self.checked(value))
        return self.rebuild(
            [p.cast(v, cast_context) for p, v in zip(self.parts, values, strict=True)]
        )

    def checked(self, value: Any) -> Any:
        """`value`, which has this structure.

        Raises:
            TypeError: it has another.
        """
        raise NotImplementedError

    def to_tensors(self, value: Any) -> list[Any]:
        """The inputs inside all parts."""
        found: list[Any] = []
        for kind, part in zip(self.parts, self.split(value), strict=True):
            found.extend(kind.to_tensors(part))
        return found

    def children(self) -> list[tuple[str, TraceType]]:
        """The parts by position."""
        return [(f"[{i}]", part) for i, part in enumerate(self.parts)]

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Structure)
            and self.outline == other.outline
            and self.parts == other.parts
        )

    def __hash__(self) -> int:
        return hash((*self.outline, self.parts))


class ListType(Structure):
    """A list."""

    def rebuild(self, values: list[Any]) -> list[Any]:
        """A list."""
        return values

    def with_parts(self, parts: Sequence[TraceType]) -> ListType:
        """A list of these types."""
        return ListType(parts)

    def checked(self, value: Any) -> Any:
        """A list of the right length."""
        return _checked_sequence(self, value, list)

    def __repr__(self) -> str:
        return f"List[{', '.join(map(repr, self.parts))}]"


class TupleType(Structure):
    """A tuple."""

    def rebuild(self, values: list[Any]) -> tuple[Any, ...]:
        """A tuple."""
        return tuple(values)

    def with_parts(self, parts: Sequence[TraceType]) -> TupleType:
        """A tuple of these types."""
        return TupleType(parts)

    def checked(self, value: Any) -> Any:
        """A tuple of the right length."""
        return _checked_sequence(self, value, tuple)

    def __repr__(self) -> str:
        return f"Tuple[{', '.join(map(repr, self.parts))}]"


def _checked_sequence(
    kind: Structure, value: Any, of: type[list[Any]] | type[tuple[Any, ...]]
) -> Any:
    if not isinstance(value, of):
        raise TypeError(f"Can not cast {value!r} to {of.__name__} type.")
    if len(value) != len(kind.parts):
        raise TypeError(f"Expected {len(kind.parts)} elements for {kind!r}, got {len(value)}")
    return value


class DictType(Structure):
    """A mapping; the order of its keys does not matter."""

    def __init__(
        self, keys: Sequence[Any], parts: Sequence[TraceType], example: Mapping[Any, Any]
    ) -> None:
        # Parts are kept in the order in which mappings flatten, `names` in the user's order.
        super().__init__(parts)
        self.keys = tuple(keys)
        self.names = tuple(example)
        # A traced function sees a plain dict in place of a defaultdict, as in TensorFlow.
        self._kind = dict if isinstance(example, defaultdict) else nest.class_of(example)

    @property
    def outline(self) -> tuple[Any, ...]:
        """The set of keys."""
        return (DictType, frozenset(self.keys))

    def rebuild(self, values: list[Any]) -> Any:
        """A mapping of the example's type and order."""
        by_key = dict(zip(self.keys, values, strict=True))
        ordered = {name: by_key[name] for name in self.names}
        return self._kind(ordered)

    def split(self, value: Any) -> list[Any]:
        """The values in the order of `keys`."""
        return [value[key] for key in self.keys]

    def with_parts(self, parts: Sequence[TraceType]) -> DictType:
        """A mapping of the same keys."""
        made = DictType.__new__(DictType)
        made.__dict__.update(self.__dict__)
        made.parts = tuple(parts)
        return made

    def checked(self, value: Any) -> Any:
        """A mapping with the same keys."""
        if not isinstance(value, Mapping):
            raise TypeError(f"Can not cast {value!r} to a Dict type.")
        if set(value) != set(self.keys):
            raise ValueError(f"{value!r} has different keys with the TraceType {self!r}.")
        return value

    def children(self) -> list[tuple[str, TraceType]]:
        """The values by key."""
        return [(f"[{k!r}]", part) for k, part in zip(self.keys, self.parts, strict=True)]

    def __repr__(self) -> str:
        by_key = dict(zip(self.keys, self.parts, strict=True))
        return f"Dict[{', '.join(f'[{name!r}, {by_key[name]!r}]' for name in self.names)}]"


class RecordType(Structure):
    """A named tuple or an attrs instance."""

    def __init__(self, kind: type, fields: Sequence[str], parts: Sequence[TraceType]) -> None:
        super().__init__(parts)
        self.kind = kind
        self.fields = tuple(fields)

    @property
    def outline(self) -> tuple[Any, ...]:
        """The name of the class, whichever class has it, and its fields."""
        return (RecordType, self.kind.__name__, self.fields)

    def rebuild(self, values: list[Any]) -> Any:
        """An instance of the class."""
        return self.kind(*values)

    def split(self, value: Any) -> list[Any]:
        """The values of the fields."""
        return [getattr(value, field) for field in self.fields]

    def with_parts(self, parts: Sequence[TraceType]) -> RecordType:
        """The same class with fields of these types."""
        return RecordType(self.kind, self.fields, parts)

    def checked(self, value: Any) -> Any:
        """A record of that name and those fields."""
        alike = type(value).__name__ == self.kind.__name__
        if not alike or not all(hasattr(value, field) for field in self.fields):
            raise TypeError(f"Can not cast {value!r} to type {self.kind.__name__}.")
        return value

    def children(self) -> list[tuple[str, TraceType]]:
        """The fields by name."""
        return [(f".{f}", part) for f, part in zip(self.fields, self.parts, strict=True)]

    def __repr__(self) -> str:
        inside = ", ".join(
            f"[{f!r}, {part!r}]" for f, part in zip(self.fields, self.parts, strict=True)
        )
        return f"{self.kind.__name__}[{inside}]"
