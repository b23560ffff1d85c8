"""Types of datasets, iterators and missing values: what Functions are traced for.

Follows https://www.tensorflow.org/api_docs/python/tf/data/DatasetSpec.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from tfcheck_runtime.specs import dtypes, nest
from tfcheck_runtime.specs.shapes import TensorShape
from tfcheck_runtime.specs.tensor_spec import TensorSpec, TypeSpec
from tfcheck_runtime.specs.trace_type import CastContext, PlaceholderContext, TraceType

Made = Callable[[Any, Any], Any]  # a dataset or iterator from its tensor and element type


class _ElementwiseSpec(TypeSpec):
    """The type of something that hands out elements of one type."""

    make: ClassVar[Made]
    """Makes a value of this type; set by the module of the value's class."""

    def __init__(self, element_spec: Any) -> None:
        self._element_spec = element_spec

    @property
    def element_spec(self) -> Any:
        """The type of the elements."""
        return self._element_spec

    @property
    def handle(self) -> TensorSpec:
        """The type of the tensor that stands for the value in graphs."""
        raise NotImplementedError

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a value or type is of this kind, with elements that could fit."""
        own = getattr(type(spec_or_value), "__tf_tracing_type__", None)
        pairs = _pairs(self, spec_or_value if own is None else own(spec_or_value, None))
        return pairs is not None and all(a.is_compatible_with(b) for a, b in pairs)

    def is_subtype_of(self, other: TraceType) -> bool:
        """Whether the elements are of the same structure and of subtypes."""
        pairs = _pairs(self, other)
        return pairs is not None and all(a.is_subtype_of(b) for a, b in pairs)

    def most_specific_common_supertype(self, others: Sequence[TraceType]) -> TraceType | None:
        """The type with the elements' common supertypes, or None."""
        leaves = nest.flatten(self._element_spec)
        for other in others:
            pairs = _pairs(self, other)
            if pairs is None:
                return None
            found = [a.most_specific_common_supertype([b]) for a, (_, b) in
                     zip(leaves, pairs, strict=True)]  # fmt: skip
            if any(f is None for f in found):
                return None
            leaves = found
        return type(self)(nest.pack_sequence_as(self._element_spec, leaves))

    def placeholder_value(self, placeholder_context: PlaceholderContext | None = None) -> Any:
        """A value around a parameter of the graph.

        Raises:
            ValueError: no graph is given.
        """
        if placeholder_context is None:
            raise ValueError(f"{self!r} needs a graph to make a placeholder in")
        made = placeholder_context.tensor(self.handle.dtype, (), None)
        return self._made(made)

    def _made(self, handle: Any) -> Any:
        return type(self).make(handle, self._element_spec)

    def cast(self, value: Any, cast_context: CastContext) -> Any:
        """`value`, which must be of this kind; its elements are checked when they come.

        Raises:
            TypeError: it is of another kind.
        """
        own = getattr(type(value), "__tf_tracing_type__", None)
        kind = None if own is None else own(value, None)
        if type(kind) is not type(self):
            raise TypeError(f"Can not cast {value!r} to {self!r}")
        return value

    def __eq__(self, other: object) -> bool:
        pairs = _pairs(self, other)
        return pairs is not None and all(a == b for a, b in pairs)

    def __hash__(self) -> int:
        return hash((type(self), tuple(nest.flatten(self._element_spec))))


def _pairs(mine: _ElementwiseSpec, other: object) -> list[tuple[Any, Any]] | None:
    """The element types side by side, or None when the structures differ."""
    if type(other) is not type(mine) or not isinstance(other, _ElementwiseSpec):
        return None
    try:
        nest.assert_same_structure(mine.element_spec, other.element_spec)
    except (TypeError, ValueError):
        return None
    flat = nest.flatten(mine.element_spec), nest.flatten(other.element_spec)
    return list(zip(*flat, strict=True))


class _VariantSpec(_ElementwiseSpec):
    """The type of a value that is one variant tensor.

    A spec lies flat as its value does, so that the layout of elements follows from their spec.
    """

    @property
    def handle(self) -> TensorSpec:
        """A variant tensor."""
        return TensorSpec((), dtypes.variant)

    def to_tensors(self, value: Any) -> list[Any]:
        """The value's tensor."""
        return [value.__tf_components__()]

    def __tf_components__(self) -> TensorSpec:
        return self.handle

    def __tf_from_components__(self, components: Any) -> Any:
        return self._made(components)


class DatasetSpec(_VariantSpec):
    """The type of a dataset.

    Args:
        element_spec: the type of its elements.
        dataset_shape: always scalar here.
    """

    def __init__(self, element_spec: Any, dataset_shape: object = ()) -> None:
        super().__init__(element_spec)
        self._shape = TensorShape(dataset_shape)

    @classmethod
    def from_value(cls, value: Any) -> DatasetSpec:
        """The type of a dataset."""
        return cls(value.element_spec)

    def __repr__(self) -> str:
        return f"DatasetSpec({self._element_spec!r}, {self._shape!r})"


class OptionalSpec(_VariantSpec):
    """The type of a `tf.experimental.Optional`.

    Args:
        value_spec: the type of its value; None where that is not known.
    """

    def __init__(self, value_spec: Any) -> None:
        super().__init__(NoneTensorSpec() if value_spec is None else value_spec)
        self._value_spec = value_spec

    @classmethod
    def from_value(cls, value: Any) -> OptionalSpec:
        """The type of an optional."""
        return cls(value.element_spec)

    def _made(self, handle: Any) -> Any:
        return type(self).make(handle, self._value_spec)

    def __repr__(self) -> str:
        return f"OptionalSpec({self._value_spec!r},)"


class IteratorSpec(_ElementwiseSpec):
    """The type of an iterator.

    Args:
        element_spec: the type of what it hands out.
    """

    @property
    def handle(self) -> TensorSpec:
        """A resource."""
        return TensorSpec((), dtypes.resource)

    def to_tensors(self, value: Any) -> list[Any]:
        """The iterator's resource."""
        return [value.handle]

    def __repr__(self) -> str:
        return f"IteratorSpec({self._element_spec!r},)"


class NoneTensorSpec(TypeSpec):
    """The type of None inside an element."""

    def is_compatible_with(self, spec_or_value: object) -> bool:
        """Whether it is None or its type."""
        return spec_or_value is None or self == spec_or_value

    def is_subtype_of(self, other: TraceType) -> bool:
        """Whether `other` is the same."""
        return self == other

    def most_specific_common_supertype(self, others: Sequence[TraceType]) -> TraceType | None:
        """This type if all are the same."""
        return self if all(self == other for other in others) else None

    def placeholder_value(self, placeholder_context: Any = None) -> None:
        """None."""

    def __tf_components__(self) -> tuple[()]:
        return ()

    def __tf_from_components__(self, components: Any) -> None:
        return None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NoneTensorSpec)

    def __hash__(self) -> int:
        return hash(NoneTensorSpec)

    def __repr__(self) -> str:
        return "NoneTensorSpec()"
