"""TensorFlow's trace types as the runtime's, so that one place explains why a call retraced."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tfcheck_runtime.function.signature import FunctionType, TypedParameter
from tfcheck_runtime.specs.tensor_spec import TensorSpec, VariableSpec
from tfcheck_runtime.specs.trace_type import (
    DictType,
    ListType,
    Literal,
    TraceType,
    TupleType,
    Weakref,
)


class Foreign(TraceType):
    """A type that only TensorFlow can compare, such as a ragged tensor's."""

    def __init__(self, kind: Any) -> None:
        self._kind = kind

    def is_subtype_of(self, other: TraceType) -> bool:
        """As TensorFlow has it."""
        return isinstance(other, Foreign) and bool(self._kind.is_subtype_of(other._kind))

    def most_specific_common_supertype(self, others: Sequence[TraceType]) -> TraceType | None:
        """None: nothing is generalised here."""
        return None

    def placeholder_value(self, placeholder_context: Any = None) -> Any:
        """The type itself: nothing is traced here."""
        del placeholder_context
        return self._kind

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Foreign) and bool(self._kind == other._kind)

    def __hash__(self) -> int:
        return hash(self._kind)

    def __repr__(self) -> str:
        return repr(self._kind)


def function_type(kind: Any) -> FunctionType:
    """The parameters of one of TensorFlow's function types."""
    parameters = [
        TypedParameter(name, each.kind, trace_type(each.type_constraint))
        for name, each in kind.parameters.items()
        if each.type_constraint is not None
    ]
    return FunctionType(parameters)


def trace_type(kind: Any) -> TraceType:
    """The runtime's type that compares as `kind` does."""
    convert = _KINDS.get(type(kind).__name__, Foreign)
    return convert(kind)


def _tensor(kind: Any) -> TraceType:
    return TensorSpec(_sizes(kind.shape), kind.dtype.name, kind.name)


def _variable(kind: Any) -> TraceType:
    return VariableSpec(_sizes(kind.shape), kind.dtype.name, kind.trainable, kind.alias_id)


def _sizes(shape: Any) -> Any:
    return None if shape.rank is None else shape.as_list()


def _dict(kind: Any) -> TraceType:
    mapping: Mapping[Any, Any] = kind.mapping
    keys = sorted(mapping, key=repr)
    return DictType(keys, [trace_type(mapping[key]) for key in keys], mapping)


def _named(kind: Any) -> TraceType:
    names = list(kind.attribute_names)
    return DictType(
        names, [trace_type(each) for each in kind.attributes.components], dict.fromkeys(names)
    )


_KINDS: Mapping[str, Callable[[Any], TraceType]] = {
    "TensorSpec": _tensor,
    "VariableSpec": _variable,
    "Literal": lambda kind: Literal(kind.value),
    "Weakref": lambda kind: Weakref(kind._ref),
    "Tuple": lambda kind: TupleType([trace_type(each) for each in kind.components]),
    "List": lambda kind: ListType([trace_type(each) for each in kind.components_tuple.components]),
    "Dict": _dict,
    "NamedTuple": _named,
    "Attrs": lambda kind: _named(kind.named_attributes),
}
