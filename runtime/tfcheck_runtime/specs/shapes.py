"""Tensor shapes: plain tuples inside the runtime, `TensorShape` for users.

Follows https://www.tensorflow.org/api_docs/python/tf/TensorShape. `Shape` is None for an unknown
rank; a dimension is None when unknown.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias, overload

Shape: TypeAlias = tuple[int | None, ...] | None


class TensorShape:
    """A possibly partial shape: unknown rank, or a dimension per axis, each an int or None."""

    __slots__ = ("_dims",)

    def __init__(self, dims: object) -> None:
        self._dims = as_shape(dims)

    @property
    def rank(self) -> int | None:
        """The number of axes, or None."""
        return None if self._dims is None else len(self._dims)

    ndims = rank

    @property
    def dims(self) -> list[int | None] | None:
        """The dimensions, or None when the rank is unknown."""
        return None if self._dims is None else list(self._dims)

    def as_tuple(self) -> Shape:
        """The shape as the runtime holds it."""
        return self._dims

    def as_list(self) -> list[int | None]:
        """The dimensions.

        Raises:
            ValueError: the rank is unknown.
        """
        if self._dims is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return list(self._dims)

    def num_elements(self) -> int | None:
        """The product of the dimensions, or None when not all are known."""
        return num_elements(self._dims)

    def is_fully_defined(self) -> bool:
        """Whether the rank and all dimensions are known."""
        return is_fully_defined(self._dims)

    def is_compatible_with(self, other: object) -> bool:
        """Whether some tensor could have both shapes."""
        return are_compatible(self._dims, as_shape(other))

    def is_subtype_of(self, other: TensorShape) -> bool:
        """Whether every tensor of this shape also has shape `other`."""
        return is_subshape(self._dims, as_shape(other))

    def most_specific_common_supertype(self, others: Sequence[TensorShape]) -> TensorShape | None:
        """The narrowest shape that this one and all `others` are subtypes of."""
        dims = self._dims
        for other in others:
            dims = common_supershape(dims, as_shape(other))
        return TensorShape(dims)

    def most_specific_compatible_shape(self, other: object) -> TensorShape:
        """The narrowest shape that covers both."""
        return TensorShape(common_supershape(self._dims, as_shape(other)))

    def merge_with(self, other: object) -> TensorShape:
        """What is known from either.

        Raises:
            ValueError: the shapes contradict each other.
        """
        return TensorShape(merge(self._dims, as_shape(other)))

    def concatenate(self, other: object) -> TensorShape:
        """This shape followed by `other`; unknown if either rank is."""
        tail = as_shape(other)
        return TensorShape(None if self._dims is None or tail is None else self._dims + tail)

    def with_rank(self, rank: int) -> TensorShape:
        """This shape, known to have `rank` axes.

        Raises:
            ValueError: it has another rank.
        """
        if self._dims is None:
            return TensorShape([None] * rank)
        if len(self._dims) != rank:
            raise ValueError(f"Shape {self} must have rank {rank}")
        return self

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """This shape, checked to have `rank` axes or more.

        Raises:
            ValueError: it has fewer.
        """
        if self._dims is not None and len(self._dims) < rank:
            raise ValueError(f"Shape {self} must have rank at least {rank}")
        return self

    def assert_is_compatible_with(self, other: object) -> None:
        """Check compatibility.

        Raises:
            ValueError: no tensor could have both shapes.
        """
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {TensorShape(other)} are incompatible")

    def assert_has_rank(self, rank: int) -> None:
        """Check the rank.

        Raises:
            ValueError: it has another rank.
        """
        if self._dims is not None and len(self._dims) != rank:
            raise ValueError(f"Shape {self} must have rank {rank}")

    def assert_is_fully_defined(self) -> None:
        """Check that everything is known.

        Raises:
            ValueError: something is not.
        """
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    def __bool__(self) -> bool:
        return self._dims is not None

    def __len__(self) -> int:
        if self._dims is None:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        return len(self._dims)

    def __iter__(self) -> Iterator[int | None]:
        if self._dims is None:
            raise ValueError("Cannot iterate over a shape with unknown rank.")
        return iter(self._dims)

    @overload
    def __getitem__(self, key: int) -> int | None: ...
    @overload
    def __getitem__(self, key: slice) -> TensorShape: ...
    def __getitem__(self, key: int | slice) -> int | TensorShape | None:
        if self._dims is None:
            return TensorShape(None) if isinstance(key, slice) else None
        return TensorShape(self._dims[key]) if isinstance(key, slice) else self._dims[key]

    def __add__(self, other: object) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: object) -> TensorShape:
        return TensorShape(other).concatenate(self)

    def __eq__(self, other: object) -> bool:
        try:
            return self._dims == as_shape(other)
        except (TypeError, ValueError):
            return False

    def __hash__(self) -> int:
        return hash(self._dims)

    def __repr__(self) -> str:
        return f"TensorShape({'None' if self._dims is None else list(self._dims)})"

    def __str__(self) -> str:
        return shape_text(self._dims)

    def __reduce__(self) -> tuple[type[TensorShape], tuple[Shape]]:
        return TensorShape, (self._dims,)


UNKNOWN: Final[Shape] = None


def as_shape(value: object) -> Shape:
    """A shape from None, an int, a TensorShape or a sequence of dimensions.

    Raises:
        TypeError: a dimension is not an integer.
        ValueError: a dimension is negative.
    """
    if value is None:
        return None
    if isinstance(value, TensorShape):
        return value.as_tuple()
    if isinstance(value, tuple) and all(type(d) is int and d >= 0 for d in value):
        return value
    if not isinstance(value, Iterable):
        return (_dimension(value),)
    return tuple(_dimension(d) for d in value)


def _dimension(value: object) -> int | None:
    if value is None:
        return None
    try:
        size = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(
            f"Dimension value must be integer or None, got {value!r} of type {type(value).__name__}"
        ) from None
    if size < 0:
        raise ValueError(f"Dimension {size} must be >= 0")
    return size


def shape_text(shape: Shape) -> str:
    """A shape as TensorFlow prints it: `(2, None)`, or `<unknown>`."""
    return "<unknown>" if shape is None else str(shape)


def num_elements(shape: Shape) -> int | None:
    """The product of the dimensions, or None when not all are known."""
    if shape is None:
        return None
    count = 1
    for size in shape:
        if size is None:
            return None
        count *= size
    return count


def is_fully_defined(shape: Shape) -> bool:
    """Whether the rank and every dimension are known."""
    return shape is not None and None not in shape


def are_compatible(a: Shape, b: Shape) -> bool:
    """Whether some tensor could have both shapes."""
    if a is None or b is None:
        return True
    return len(a) == len(b) and all(
        x is None or y is None or x == y for x, y in zip(a, b, strict=True)
    )


def is_subshape(a: Shape, b: Shape) -> bool:
    """Whether every tensor of shape `a` also has shape `b`."""
    if b is None:
        return True
    if a is None or len(a) != len(b):
        return False
    return all(y is None or x == y for x, y in zip(a, b, strict=True))


def common_supershape(a: Shape, b: Shape) -> Shape:
    """The narrowest shape that covers both."""
    if a is None or b is None or len(a) != len(b):
        return None
    return tuple(x if x == y else None for x, y in zip(a, b, strict=True))


def merge(a: Shape, b: Shape) -> Shape:
    """What is known from either shape.

    Raises:
        ValueError: the shapes contradict each other.
    """
    if not are_compatible(a, b):
        raise ValueError(f"Shapes {shape_text(a)} and {shape_text(b)} are not compatible")
    if a is None or b is None:
        return b if a is None else a
    return tuple(y if x is None else x for x, y in zip(a, b, strict=True))


def broadcast(a: Shape, b: Shape) -> Shape:
    """The shape of an elementwise op on `a` and `b`, by NumPy's rule.

    Raises:
        ValueError: the shapes do not broadcast.
    """
    if a is None or b is None:
        return None
    rank = max(len(a), len(b))
    left = (1,) * (rank - len(a)) + a
    right = (1,) * (rank - len(b)) + b
    return tuple(_broadcast_dimension(x, y, (a, b)) for x, y in zip(left, right, strict=True))


def _broadcast_dimension(x: int | None, y: int | None, shapes: tuple[Shape, Shape]) -> int | None:
    if x == y or y == 1:
        return x
    if x == 1:
        return y
    if x is None or y is None:
        return y if x is None else x
    raise ValueError(
        f"Dimensions must be equal, but are {x} and {y}: shapes {shape_text(shapes[0])} and"
        f" {shape_text(shapes[1])} do not broadcast"
    )
