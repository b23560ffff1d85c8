"""Types of values that are made of tensors: base of `RaggedTensorSpec` and its kin.

Such a type is a few shapes, which have subtypes, and properties that must be equal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self

from tfcheck_runtime.specs import nest
from tfcheck_runtime.specs.shapes import (
    Shape,
    are_compatible,
    common_supershape,
    is_subshape,
)
from tfcheck_runtime.specs.tensor_spec import TypeSpec
from tfcheck_runtime.specs.trace_type import CastContext, PlaceholderContext, TraceType


class CompositeSpec(TypeSpec):
    """The type of a value that is made of tensors."""

    make: ClassVar[Callable[[Any, Any], Any]]
    """Makes a value of a type around components; set by the module of the value's class."""

    kind: ClassVar[type]
    """The class of the values; set by its module."""

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """What may be known better or worse."""
        raise NotImplementedError

    @property
    def properties(self) -> tuple[Any, ...]:
        """What must be equal for two types to have anything in common."""
        raise NotImplementedError

    def with_shapes(self, shapes: Sequence[Shape]) -> Self:
        """The same type with other shapes, in the order of `shapes`."""
        raise NotImplementedError

    @property
    def components(self) -> Any:
        """The types of the tensors inside, as the values nest them."""
        raise NotImplementedError

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a value could have this type and be `spec_or_value`, or of its type."""
        other = _type_of(spec_or_value)
        return (
            isinstance(other, CompositeSpec)
            and self._is_like(other)
            and all(map(are_compatible, self.shapes, other.shapes))
        )

    def is_subtype_of(self, other: TraceType) -> bool:
        """Whether every value of this type is also of type `other`."""
        return (
            isinstance(other, CompositeSpec)
            and self._is_like(other)
            and all(map(is_subshape, self.shapes, other.shapes))
        )

    def most_specific_common_supertype(self, others: Sequence[TraceType]) -> TraceType | None:
        """The type with the dimensions that all agree on, or None."""
        shapes = list(self.shapes)
        for other in others:
            if not isinstance(other, CompositeSpec) or not self._is_like(other):
                return None
            shapes = list(map(common_supershape, shapes, other.shapes))
        return self.with_shapes(shapes)

    def placeholder_value(self, placeholder_context: PlaceholderContext | None = None) -> Any:
        """A value around parameters of the graph.

        Raises:
            ValueError: no graph is given.
        """
        if placeholder_context is None:
            raise ValueError(f"{self!r} needs a graph to make a placeholder in")
        made = [
            spec.placeholder_value(placeholder_context) for spec in nest.flatten(self.components)
        ]
        return type(self).make(self, nest.pack_sequence_as(self.components, made))

    def cast(self, value: Any, cast_context: CastContext) -> Any:
        """`value`, which must be of this type, or a type that fits.

        Raises:
            TypeError: it is not.
        """
        other = _type_of(value)
        if isinstance(other, CompositeSpec) and other.is_subtype_of(self):
            return value
        raise TypeError(f"Can not cast {value!r} to {self!r}")

    def to_tensors(self, value: Any) -> list[Any]:
        """The tensors inside."""
        leaves = nest.flatten(value, expand_composites=True)
        return [leaf for leaf in leaves if leaf is not None]

    # A type lies flat as its values do.

    def __tf_components__(self) -> Any:
        return self.components

    def __tf_from_components__(self, components: Any) -> Any:
        return type(self).make(self, components)

    def _is_like(self, other: CompositeSpec) -> bool:
        return (
            type(self) is type(other)
            and self.properties == other.properties
            and len(self.shapes) == len(other.shapes)
        )

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, CompositeSpec)
            and self._is_like(other)
            and self.shapes == other.shapes
        )

    def __hash__(self) -> int:
        return hash((type(self), self.shapes))


def _type_of(value: Any) -> Any:
    own = getattr(type(value), "__tf_tracing_type__", None)
    return value if own is None else own(value, None)
