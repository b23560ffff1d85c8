"""Specifications of tensors and variables: `tf.TensorSpec` and its kin.

Follows https://www.tensorflow.org/api_docs/python/tf/TensorSpec.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import DType, as_dtype
from tfcheck_runtime.specs.shapes import (
    Shape,
    TensorShape,
    are_compatible,
    as_shape,
    common_supershape,
    is_subshape,
    shape_text,
)
from tfcheck_runtime.specs.trace_type import (
    CastContext,
    PlaceholderContext,
    Structure,
    TraceType,
)


class TypeSpec(TraceType):
    """What is known of a value without the value: base of `TensorSpec` and its kin."""

    def is_compatible_with(self, spec_or_value: object) -> bool:
        """Whether a value could have this type and be `spec_or_value`, or of its type."""
        raise NotImplementedError

    def most_specific_compatible_type(self, other: TraceType) -> TraceType:
        """The narrowest type that covers both.

        Raises:
            ValueError: there is none.
        """
        found = self.most_specific_common_supertype([other])
        if found is None:
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        return found


class ShapedSpec(TypeSpec):
    """The type of values that have a shape and a dtype."""

    __slots__ = ()

    _shape: Shape
    _dtype: DType

    @property
    def shape(self) -> TensorShape:
        """The shape."""
        return TensorShape(self._shape)

    @property
    def static_shape(self) -> Shape:
        """The shape as the runtime holds it."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self._dtype


class TensorSpec(ShapedSpec):
    """Shape, dtype and perhaps name of a tensor.

    Args:
        shape: what `tf.TensorShape` takes; None for an unknown rank.
        dtype: the element type.
        name: of the parameter in the graph.
    """

    __slots__ = ("_dtype", "_name", "_shape")

    def __init__(self, shape: object, dtype: object = dtypes.float32, name: str | None = None):
        self._shape = as_shape(shape)
        self._dtype = as_dtype(dtype)
        self._name = name

    @classmethod
    def from_spec(cls, spec: Any, name: str | None = None) -> TensorSpec:
        """The spec of anything with a shape and a dtype."""
        return cls(spec.shape, spec.dtype, name or getattr(spec, "name", None))

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> TensorSpec:
        """The spec of a tensor; of a symbolic one, with its name."""
        own = getattr(getattr(tensor, "op", None), "name", None)
        return cls(tensor.shape, tensor.dtype, name or own)

    @property
    def name(self) -> str | None:
        """The name, if one was given."""
        return self._name

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a tensor could fit this spec and the other; Python data never does."""
        dtype = getattr(spec_or_value, "dtype", None)
        if not isinstance(dtype, DType):
            return False
        return dtype is self._dtype and are_compatible(self._shape, as_shape(spec_or_value.shape))

    def is_subtype_of(self, other: TraceType) -> bool:
        """Whether every tensor of this spec also has spec `other`."""
        return (
            isinstance(other, TensorSpec)
            and self._dtype is other._dtype
            and is_subshape(self._shape, other._shape)
            and (self._name is None or self._name == other._name)
        )

    def most_specific_common_supertype(self, others: Sequence[TraceType]) -> TensorSpec | None:
        """The spec with the dimensions that all agree on; None when dtype or name differ."""
        shape = self._shape
        for other in others:
            if not isinstance(other, TensorSpec) or other._dtype is not self._dtype:
                return None
            if other._name != self._name:
                return None
            shape = common_supershape(shape, other._shape)
        return TensorSpec(shape, self._dtype, self._name)

    def placeholder_value(self, placeholder_context: PlaceholderContext | None = None) -> Any:
        """A parameter of the graph.

        Raises:
            ValueError: no graph is given.
        """
        if placeholder_context is None:
            raise ValueError(f"{self!r} needs a graph to make a placeholder in")
        return placeholder_context.tensor(self._dtype, self._shape, self._name)

    def cast(self, value: Any, cast_context: CastContext) -> Any:
        """`value` as a tensor of this spec.

        Raises:
            TypeError: it cannot become one.
        """
        return cast_context.tensor(value, self._dtype, self._shape, spec=self)

    def to_tensors(self, value: Any) -> list[Any]:
        """The tensor itself."""
        return [value]

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, TensorSpec)
            and self._shape == other._shape
            and self._dtype is other._dtype
            and self._name == other._name
        )

    def __hash__(self) -> int:
        return hash((self._shape, self._dtype.name))

    def __repr__(self) -> str:
        return (
            f"TensorSpec(shape={shape_text(self._shape)}, dtype={self._dtype!r},"
            f" name={self._name!r})"
        )

    def __reduce__(self) -> tuple[type[TensorSpec], tuple[Shape, DType, str | None]]:
        return TensorSpec, (self._shape, self._dtype, self._name)


class VariableSpec(ShapedSpec):
    """Shape, dtype and trainability of a variable, and which arguments of the call it equals.

    Two variables of one call have the same `alias` exactly when they are the same variable.
    """

    def __init__(
        self, shape: object, dtype: object = dtypes.float32, trainable: bool = True,
        alias_id: int | None = None,
    ) -> None:  # fmt: skip
        self._shape = as_shape(shape)
        self._dtype = as_dtype(dtype)
        self.trainable = trainable
        self.alias_id = alias_id

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a variable has this dtype and trainability, and a shape that fits."""
        return (
            getattr(spec_or_value, "dtype", None) == self._dtype
            and getattr(spec_or_value, "trainable", None) == self.trainable
            and are_compatible(self._shape, as_shape(spec_or_value.shape))
        )

    def is_subtype_of(self, other: TraceType) -> bool:
        """Whether `other` differs at most in knowing less of the shape."""
        return (
            isinstance(other, VariableSpec)
            and self._rest == other._rest
            and is_subshape(self._shape, other._shape)
        )

    def most_specific_common_supertype(self, others: Sequence[TraceType]) -> VariableSpec | None:
        """The spec with the dimensions that all agree on, or None when more differs."""
        shape = self._shape
        for other in others:
            if not isinstance(other, VariableSpec) or other._rest != self._rest:
                return None
            shape = common_supershape(shape, other._shape)
        return VariableSpec(shape, self._dtype, self.trainable, self.alias_id)

    def placeholder_value(self, placeholder_context: PlaceholderContext | None = None) -> Any:
        """A variable around a parameter of the graph.

        Raises:
            ValueError: no graph is given.
        """
        if placeholder_context is None:
            raise ValueError(f"{self!r} needs a graph to make a placeholder in")
        return placeholder_context.variable(
            self._dtype, self._shape, trainable=self.trainable, alias=self.alias_id or 0
        )

    def cast(self, value: Any, cast_context: CastContext) -> Any:
        """`value`, a variable that fits.

        Raises:
            TypeError: it does not fit.
        """
        return cast_context.variable(value, self)

    def to_tensors(self, value: Any) -> list[Any]:
        """The variable itself."""
        return [value]

    @property
    def _rest(self) -> tuple[str, bool, int | None]:
        return self._dtype.name, self.trainable, self.alias_id

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, VariableSpec)
            and self._shape == other._shape
            and self._rest == other._rest
        )

    def __hash__(self) -> int:
        return hash((self._shape, self._rest))

    def __repr__(self) -> str:
        return (
            f"VariableSpec(shape={shape_text(self._shape)}, dtype={self._dtype!r},"
            f" trainable={self.trainable}, alias_id={self.alias_id})"
        )


class CompositeType(Structure):
    """A value made of tensors, such as a `TensorArray`, by its class and components."""

    def __init__(self, kind: type, parts: Sequence[TraceType], example: Any) -> None:
        super().__init__(parts)
        self.kind = kind
        self._example = example

    @property
    def outline(self) -> tuple[Any, ...]:
        """The class."""
        return (CompositeType, self.kind)

    def placeholder_value(self, placeholder_context: Any = None) -> Any:
        """A value of the class around placeholders."""
        return placeholder_context.composite(
            self._example, self.parts[0].placeholder_value(placeholder_context)
        )

    def with_parts(self, parts: Sequence[TraceType]) -> CompositeType:
        """The same class around other components."""
        return CompositeType(self.kind, parts, self._example)

    def cast(self, value: Any, cast_context: CastContext) -> Any:
        """The value, which must be of the class.

        Raises:
            TypeError: it is not.
        """
        if not isinstance(value, self.kind):
            raise TypeError(f"Can not cast {value!r} to {self!r}")
        return value

    def split(self, value: Any) -> list[Any]:
        """The components as one structure."""
        return [value.__tf_components__()]

    def __repr__(self) -> str:
        return f"{self.kind.__name__}[{', '.join(map(repr, self.parts))}]"
