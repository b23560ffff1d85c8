"""Nested structures: flatten, pack, map.

Follows https://www.tensorflow.org/api_docs/python/tf/nest: lists, tuples, named tuples, mappings
(by sorted key), attrs classes and dataclasses that define `__tf_flatten__` are structures; all
else is a leaf. Composite tensors are opened by `expand_composites`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

Structure = Any  # any nesting of any leaves: that is what this module is about


@runtime_checkable
class Composite(Protocol):
    """A value made of tensors, such as a sparse tensor, that opens and closes again."""

    def __tf_components__(self) -> Structure:
        """The tensors inside."""

    def __tf_from_components__(self, components: Structure) -> Composite:
        """The same kind of value around other tensors."""


def is_namedtuple(value: object) -> bool:
    """Whether `value` is an instance of a named tuple class."""
    return isinstance(value, tuple) and hasattr(value, "_fields")


def is_attrs(value: object) -> bool:
    """Whether `value` is an instance of an attrs class."""
    return hasattr(type(value), "__attrs_attrs__")


def is_flattenable(value: object) -> bool:
    """Whether `value` is a dataclass instance that says how it flattens."""
    return hasattr(type(value), "__tf_flatten__") and hasattr(type(value), "__tf_unflatten__")


def is_nested(value: object) -> bool:
    """Whether `value` is a structure rather than a leaf."""
    return (
        isinstance(value, list | tuple | range | Mapping)
        or is_attrs(value)
        or is_flattenable(value)
    ) and not isinstance(value, str | bytes)


def class_of(value: object) -> type:
    """The class of a structure; for a container that an attribute wraps, that of the container."""
    own = getattr(value, "__tf_wrapped_class__", None)
    return type(value) if own is None else own()


def sorted_keys(mapping: Mapping[Any, Any]) -> list[Any]:
    """The keys in the order in which mappings flatten.

    Raises:
        TypeError: the keys cannot be sorted.
    """
    try:
        return sorted(mapping)
    except TypeError:
        raise TypeError(
            f"nest only supports dicts with sortable keys, got {list(mapping)!r}"
        ) from None


def children(value: Structure) -> list[tuple[str, Any]]:
    """The parts of a structure with the Python path that leads to each, `[0]` or `.field`."""
    if isinstance(value, Mapping):
        return [(f"[{key!r}]", value[key]) for key in sorted_keys(value)]
    if is_namedtuple(value):
        return [(f".{field}", getattr(value, field)) for field in value._fields]
    if is_attrs(value):
        return [(f".{a.name}", getattr(value, a.name)) for a in type(value).__attrs_attrs__]
    if is_flattenable(value):
        return [(f".<{i}>", part) for i, part in enumerate(value.__tf_flatten__()[1])]
    return [(f"[{i}]", part) for i, part in enumerate(value)]


def rebuild(value: Structure, parts: Sequence[Any]) -> Structure:
    """A structure like `value` with other parts, given in the order of `children`."""
    if isinstance(value, Mapping):
        return _rebuild_mapping(value, dict(zip(sorted_keys(value), parts, strict=True)))
    if is_namedtuple(value) or is_attrs(value):
        return type(value)(*parts)
    if is_flattenable(value):
        return type(value).__tf_unflatten__(value.__tf_flatten__()[0], tuple(parts))
    return list(parts) if isinstance(value, range) else type(value)(parts)


def _rebuild_mapping(value: Mapping[Any, Any], parts: dict[Any, Any]) -> Mapping[Any, Any]:
    ordered = {key: parts[key] for key in value}
    if hasattr(value, "default_factory"):
        made: Mapping[Any, Any] = type(value)(value.default_factory, ordered)  # type: ignore[call-arg]
        return made
    return type(value)(ordered)  # type: ignore[call-arg]  # mappings build from mappings


def flatten(structure: Structure, expand_composites: bool = False) -> list[Any]:
    """The leaves, left to right, mappings by sorted key; a leaf flattens to `[leaf]`."""
    return [leaf for _, leaf in flatten_with_paths(structure, expand_composites)]


def flatten_with_paths(
    structure: Structure, expand_composites: bool = False, path: str = ""
) -> list[tuple[str, Any]]:
    """The leaves with their Python paths, such as `['x'][0]`."""
    if expand_composites and isinstance(structure, Composite):
        structure = structure.__tf_components__()
    if not is_nested(structure):
        return [(path, structure)]
    found: list[tuple[str, Any]] = []
    for step, part in children(structure):
        found.extend(flatten_with_paths(part, expand_composites, path + step))
    return found


def pack_sequence_as(
    structure: Structure, flat_sequence: Iterable[Any], expand_composites: bool = False
) -> Structure:
    """A structure like `structure` around the leaves of `flat_sequence`.

    Raises:
        ValueError: there are more or fewer leaves than `structure` has.
    """
    flat = list(flat_sequence)
    wanted = len(flatten(structure, expand_composites))
    if wanted != len(flat):
        raise ValueError(
            f"Could not pack sequence. Structure had {wanted} atoms, but flat_sequence had"
            f" {len(flat)} items. Structure: {structure}, flat_sequence: {flat}."
        )
    return _pack(structure, iter(flat), expand_composites)


def _pack(structure: Structure, leaves: Iterator[Any], expand: bool) -> Structure:
    if expand and isinstance(structure, Composite):
        components = _pack(structure.__tf_components__(), leaves, expand)
        return structure.__tf_from_components__(components)
    if not is_nested(structure):
        return next(leaves)
    return rebuild(structure, [_pack(part, leaves, expand) for _, part in children(structure)])


def map_structure(
    func: Callable[..., Any], *structure: Structure, expand_composites: bool = False, **kwargs: Any
) -> Structure:
    """Apply `func` to corresponding leaves; the result has the shape of the first structure.

    Raises:
        ValueError: the structures differ.
        TypeError: `func` is not callable, or two sequences differ in type.
    """
    if not callable(func):
        raise TypeError(f"func must be callable, got: {func}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    check_types = bool(kwargs.pop("check_types", True))
    if kwargs:
        raise ValueError(
            f"Only valid keyword argument for map_structure is check_types, got {kwargs}"
        )
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types, expand_composites)
    rows = zip(*(flatten(s, expand_composites) for s in structure), strict=True)
    return pack_sequence_as(structure[0], [func(*row) for row in rows], expand_composites)


def assert_same_structure(
    nest1: Structure, nest2: Structure, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Check that two structures nest alike.

    Raises:
        ValueError: they differ in nesting, length or keys.
        TypeError: they differ in the types of their sequences, and `check_types` is set.
    """
    problem = _difference(nest1, nest2, check_types, expand_composites)
    if problem is None:
        return
    kind, text = problem
    raise kind(
        "The two structures don't have the same nested structure."
        f"\n\nFirst structure: {nest1!r}\n\n"
        f"Second structure: {nest2!r}\n\nMore specifically: {text}"
    )


def _difference(
    a: Structure, b: Structure, check_types: bool, expand: bool
) -> tuple[type[Exception], str] | None:
    if expand and isinstance(a, Composite) and isinstance(b, Composite):
        a, b = a.__tf_components__(), b.__tf_components__()
    if is_nested(a) != is_nested(b):
        nested, leaf = (a, b) if is_nested(a) else (b, a)
        return ValueError, f"{nested!r} is a sequence, but {leaf!r} is not"
    if not is_nested(a):
        return None
    if check_types and not _same_kind(a, b):
        return TypeError, f"type {type(a).__name__} does not match {type(b).__name__}"
    parts_a, parts_b = children(a), children(b)
    if isinstance(a, Mapping) and isinstance(b, Mapping) and set(a) != set(b):
        return ValueError, f"the keys {sorted_keys(a)} do not match {sorted_keys(b)}"
    if len(parts_a) != len(parts_b):
        return ValueError, f"{a!r} has {len(parts_a)} elements, {b!r} has {len(parts_b)}"
    for (_, x), (_, y) in zip(parts_a, parts_b, strict=True):
        found = _difference(x, y, check_types, expand)
        if found is not None:
            return found
    return None


def _same_kind(a: Structure, b: Structure) -> bool:
    kinds = class_of(a), class_of(b)
    if kinds[0] is kinds[1] or (isinstance(a, Mapping) and isinstance(b, Mapping)):
        return True
    if is_namedtuple(a) and is_namedtuple(b):
        return bool(kinds[0].__name__ == kinds[1].__name__ and a._fields == b._fields)
    return False
