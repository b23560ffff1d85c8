"""Elements of datasets: structures of tensors, their types, and how they lie flat in rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfcheck_runtime.data.spec import NoneTensorSpec
from tfcheck_runtime.function.packing import packer
from tfcheck_runtime.ops.control.iterating import Kinds
from tfcheck_runtime.specs import nest
from tfcheck_runtime.specs.shapes import common_supershape
from tfcheck_runtime.specs.tensor_spec import TensorSpec, TypeSpec
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.resource import Row
from tfcheck_runtime.values.tensor import EagerTensor, Tensor

Element = Any  # a nested structure of tensors and datasets
Spec = Any  # the same structure of their types


def as_element(value: object) -> Element:
    """Python data as an element: tuples, dicts and named tuples nest; lists become tensors.

    Raises:
        TypeError, ValueError: something in it has no tensor form.
    """
    if value is None or _own_type(value) is not None:
        return value
    if isinstance(value, list) or not nest.is_nested(value):
        return convert_to_tensor(value)
    return nest.rebuild(value, [as_element(part) for _, part in nest.children(value)])


def spec_of(element: Element) -> Spec:
    """The element's types, in the same structure."""
    return nest.map_structure(_leaf_spec, element)


def _leaf_spec(leaf: Any) -> TypeSpec:
    if leaf is None:
        return NoneTensorSpec()
    own = _own_type(leaf)
    if own is not None:
        kind: TypeSpec = own(leaf, None)
        return kind
    return TensorSpec(leaf.shape, leaf.dtype)


def _own_type(value: object) -> Callable[[Any, None], Any] | None:
    return getattr(type(value), "__tf_tracing_type__", None)


def kinds_of(spec: Spec) -> Kinds:
    """The types of the arrays in the rows of elements of type `spec`."""
    flat = nest.flatten(spec, expand_composites=True)
    return tuple((s.dtype, s.static_shape) for s in flat)


def tensors_of(element: Element) -> list[Tensor]:
    """The tensors of an element in the order of its row."""
    return [t for t in nest.flatten(element, expand_composites=True) if t is not None]


def row_of(element: Element) -> Row:
    """The arrays of an eager element."""
    return tuple(t.array for t in tensors_of(element) if isinstance(t, EagerTensor))


class Layout:
    """Puts rows back into the structure of their elements."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.kinds = kinds_of(spec)
        self.pack: Callable[[Sequence[Any]], Element] = packer(spec)
        """From tensors to an element."""

    def element(self, row: Row) -> Element:
        """The element of a row."""
        pairs = zip(row, self.kinds, strict=True)
        return self.pack([EagerTensor(array, dtype) for array, (dtype, _) in pairs])


def merged_spec(a: Spec, b: Spec) -> Spec:
    """The most specific types that cover two element types.

    Raises:
        TypeError, ValueError: they differ in structure or dtype.
    """

    def merge(x: TypeSpec, y: TypeSpec) -> Any:
        if isinstance(x, TensorSpec) and isinstance(y, TensorSpec) and x.dtype is y.dtype:
            return TensorSpec(common_supershape(x.static_shape, y.static_shape), x.dtype)
        return x.most_specific_compatible_type(y)

    return nest.map_structure(merge, a, b)
