"""Trace types of arguments, and the contexts that turn them into placeholders and casts.

Follows the rules of https://www.tensorflow.org/guide/function#rules_of_tracing: tensors by dtype
and shape, variables also by which arguments are the same one, Python values by value, containers
part by part, any other object by identity or equality behind a weak reference.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from tfcheck_runtime.graph.ir import Graph
from tfcheck_runtime.specs import dtypes, nest
from tfcheck_runtime.specs.dtypes import DType, as_dtype
from tfcheck_runtime.specs.record_spec import RecordSpec
from tfcheck_runtime.specs.shapes import Shape, is_subshape
from tfcheck_runtime.specs.tensor_spec import CompositeType, TensorSpec, TypeSpec, VariableSpec
from tfcheck_runtime.specs.trace_type import (
    DictType,
    ListType,
    Literal,
    RecordType,
    TraceType,
    TupleType,
    Weakref,
)
from tfcheck_runtime.trace.interpreter import add_input
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.naming import scoped
from tfcheck_runtime.values.tensor import SymbolicTensor, Tensor
from tfcheck_runtime.values.variable import Variable

_PRIMITIVES = (bool, int, float, str, bytes, complex, type(None))


class TracingContext:
    """Numbers the variables of one call: equal numbers, same variable."""

    def __init__(self) -> None:
        self._aliases: dict[int, int] = {}

    def alias_id(self, variable: Variable) -> int:
        """The number of a variable in this call."""
        return self._aliases.setdefault(id(variable.handle), len(self._aliases))


def from_value(value: Any, context: TracingContext) -> TraceType:
    """The trace type of an argument.

    Raises:
        TypeError: the value can neither be hashed nor referred to weakly.
    """
    protocol = getattr(type(value), "__tf_tracing_type__", None)
    if protocol is not None:
        own: TraceType = value.__tf_tracing_type__(context)
        return own
    fields = getattr(type(value), "__tf_fields__", None)
    if fields is not None:
        parts = [from_value(getattr(value, field), context) for field in fields]
        return RecordSpec(type(value), fields, parts)
    if isinstance(value, Variable):
        return VariableSpec(
            value.static_shape, value.dtype, value.trainable, context.alias_id(value)
        )
    if isinstance(value, Tensor):
        return TensorSpec(value.static_shape, value.dtype)
    if isinstance(value, TraceType):
        return value
    # `np.str_` is a Python string, too, and is taken for one.
    if isinstance(value, np.ndarray | np.generic) and not isinstance(value, str):
        return _from_numpy(np.asarray(value))
    if isinstance(value, _PRIMITIVES):
        return Literal(value)
    return _from_container(value, context) or _from_object(value)


def _from_numpy(array: np.ndarray[Any, Any]) -> TensorSpec:
    if array.dtype.kind == "O":
        return TensorSpec(array.shape, convert_to_tensor(array).dtype)
    return TensorSpec(array.shape, as_dtype(array.dtype))


def _from_container(value: Any, context: TracingContext) -> TraceType | None:
    if nest.is_namedtuple(value) or nest.is_attrs(value):
        steps = nest.children(value)
        parts = [from_value(part, context) for _, part in steps]
        return RecordType(nest.class_of(value), [step[1:] for step, _ in steps], parts)
    if isinstance(value, list):
        return ListType([from_value(part, context) for part in value])
    if isinstance(value, tuple):
        return TupleType([from_value(part, context) for part in value])
    if isinstance(value, Mapping):
        keys = nest.sorted_keys(value)
        return DictType(keys, [from_value(value[key], context) for key in keys], value)
    if isinstance(value, nest.Composite) and not getattr(value, "__tf_by_identity__", False):
        return CompositeType(
            type(value), [from_value(value.__tf_components__(), context)], example=value
        )
    return None


def type_spec_from_value(value: Any) -> TypeSpec:
    """The spec of a tensor, variable or value made of tensors.

    See https://www.tensorflow.org/api_docs/python/tf/type_spec_from_value.

    Raises:
        TypeError: it is none of these.
    """
    if isinstance(value, Variable):
        return VariableSpec(value.static_shape, value.dtype, value.trainable)
    kind = from_value(value, TracingContext())
    if isinstance(kind, TypeSpec):
        return kind
    raise TypeError(f"Could not build a TypeSpec for {value!r} with type {type(value).__name__}")


def _from_object(value: Any) -> TraceType:
    try:
        return Weakref(weakref.ref(value))
    except TypeError:
        pass
    try:
        return Literal(value)
    except TypeError:
        raise TypeError(
            f"Could not generate a generic TraceType for {value!r}."
            " Please verify that it is immutable/hashable. Otherwise, consider implementing the"
            " Tracing Protocol for it."
        ) from None


class Placeholders:
    """Makes the parameters of a graph while an argument's trace type is opened.

    Args:
        graph: gets the parameters.
        variables: those of the call that is traced for, each once, in the order of the parameters.
    """

    def __init__(self, graph: Graph, variables: Iterable[Variable] = ()) -> None:
        self._graph = graph
        self._namesakes = iter(variables)
        self._variables: dict[int, Variable] = {}
        self.argument = "args"
        """Name of the argument whose parameters are made now."""

    def tensor(self, dtype: DType, shape: Shape, name: str | None) -> Any:
        """A symbolic tensor, named after its spec or argument."""
        return add_input(self._graph, dtype, shape, _node_name(name or self.argument))

    def variable(self, dtype: DType, shape: Shape, *, trainable: bool, alias: int) -> Variable:
        """A variable around a resource parameter; the same one for the same alias."""
        if alias in self._variables:
            return self._variables[alias]
        handle = add_input(self._graph, dtypes.resource, (), _node_name(self.argument))
        if not isinstance(handle, SymbolicTensor):
            raise TypeError(f"expected a graph of tensors, got {self._graph!r}")
        made = Variable.from_handle(
            handle,
            dtype=dtype,
            shape=shape,
            trainable=trainable,
            namesake=next(self._namesakes, None),
        )
        self._variables[alias] = made
        return made

    def composite(self, example: Any, components: Any) -> Any:
        """A value like `example` around placeholders."""
        return example.__tf_from_components__(components)


def _node_name(name: str) -> str:
    allowed = all(c.isalnum() or c in "_.\\/>-" for c in name)
    return name if allowed and scoped(name) else "Placeholder"


class Casts:
    """Brings arguments to the form of a trace that exists already."""

    def tensor(
        self, value: object, dtype: DType, shape: Shape, *, spec: TensorSpec
    ) -> Tensor | TensorSpec:
        """`value` as a tensor of the spec's dtype and shape; a spec stays a spec.

        Raises:
            TypeError: it cannot become one.
        """
        if isinstance(value, TensorSpec):
            if value.dtype is dtype and is_subshape(value.static_shape, shape):
                return value
            raise TypeError(f"Can not cast {value!r} to {spec!r}")
        try:
            tensor = value if isinstance(value, Tensor) else convert_to_tensor(value, dtype)
        except ValueError as error:
            raise TypeError(str(error)) from error
        if tensor.dtype is dtype and is_subshape(tensor.static_shape, shape):
            return tensor
        raise TypeError(
            f"Can not cast {TensorSpec(tensor.static_shape, tensor.dtype)!r} to {spec!r}"
        )

    def variable(self, value: object, spec: VariableSpec) -> Variable:
        """`value`, a variable that fits the spec.

        Raises:
            TypeError: it does not.
        """
        if isinstance(value, Variable) and spec.is_compatible_with(value):
            return value
        raise TypeError(f"Can not cast {value!r} to {spec!r}")

    def components(self, value: Any) -> Any:
        """The tensors inside a composite value."""
        return value.__tf_components__()
