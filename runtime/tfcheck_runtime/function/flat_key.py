"""The quick way from arguments to a trace: a flat key, and the arrays the graph takes.

Equal keys mean equal trace types, not the other way round: a key that was not met before only
means that the trace types must be compared once. Nothing here makes a trace type.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

import numpy as np

from tfcheck_runtime.specs import nest
from tfcheck_runtime.specs.trace_type import TraceType
from tfcheck_runtime.values.containers import ListWrapper
from tfcheck_runtime.values.resource import Resource
from tfcheck_runtime.values.tensor import EagerTensor, Tensor
from tfcheck_runtime.values.variable import Variable

Key: TypeAlias = tuple[Any, ...]


class _UnkeyableError(Exception):
    """An argument needs its trace type."""


class FlatCall:
    """The key of a call and the arrays and resources among its arguments."""

    __slots__ = ("_aliases", "leaves", "parts")

    def __init__(self) -> None:
        self.parts: list[Any] = []
        """The key so far."""
        self.leaves: list[Any] = []
        """In the order of the graph's inputs: by parameter, mappings by sorted key."""
        self._aliases: dict[int, int] | None = None

    def add(self, value: Any) -> None:
        """Enter one argument."""
        kind = type(value)
        handler = _HANDLERS.get(kind)
        if handler is None:
            handler = _HANDLERS[kind] = _handler_for(kind)
        handler(self, value)

    def tensor(self, value: EagerTensor) -> None:
        """A tensor: by dtype and shape."""
        array = value.array
        # DTypes are made once and never freed, so that their ids say which one it is.
        self.parts += (id(value.dtype), array.shape)
        self.leaves.append(array)

    def array(self, value: np.ndarray[Any, Any]) -> None:
        """A NumPy array or scalar: like a tensor."""
        array = np.array(value)  # the caller may change its own later
        if array.dtype.kind in "OUS":
            raise _UnkeyableError
        self.parts += (array.dtype, array.shape)
        self.leaves.append(array)

    def variable(self, value: Variable) -> None:
        """A variable: also by which variables of the call are the same."""
        handle = value.handle
        if not isinstance(handle, Resource):
            raise _UnkeyableError
        if self._aliases is None:
            self._aliases = {}
        alias = self._aliases.get(id(handle))
        if alias is None:
            alias = self._aliases[id(handle)] = len(self._aliases)
            self.leaves.append(handle)
        self.parts += (Variable, alias, id(value.dtype), value.static_shape, value.trainable)

    def primitive(self, value: Any) -> None:
        """A Python value: itself, and its type, as 1 and True are equal."""
        self.parts += (type(value), value)

    def sequence(self, value: Any) -> None:
        """A list or tuple: its type, length and elements."""
        self.parts += (type(value), len(value))
        for part in value:
            self.add(part)

    def mapping(self, value: dict[Any, Any]) -> None:
        """A dict: its keys, in any order, and values."""
        keys = tuple(nest.sorted_keys(value))
        self.parts += (dict, keys)
        for key in keys:
            self.add(value[key])

    def object(self, value: Any) -> None:
        """Any other object: the same or an equal one, as long as it lives."""
        reference = weakref.ref(value)
        hash(reference)  # fails here, not in the look-up, for what cannot be hashed
        self.parts += (weakref.ReferenceType, reference)

    def refuse(self, value: Any) -> None:
        """Something whose trace type decides."""
        raise _UnkeyableError


Handler: TypeAlias = Callable[[FlatCall, Any], None]

_HANDLERS: Final[dict[type, Handler]] = {
    EagerTensor: FlatCall.tensor,
    np.ndarray: FlatCall.array,
    list: FlatCall.sequence,
    tuple: FlatCall.sequence,
    dict: FlatCall.mapping,
    **dict.fromkeys((bool, int, float, complex, str, bytes, type(None)), FlatCall.primitive),
}


def _handler_for(kind: type) -> Handler:
    """How to enter values of a type that is met for the first time."""
    if hasattr(kind, "__tf_tracing_type__") or hasattr(kind, "__tf_components__"):
        return FlatCall.refuse
    if issubclass(kind, np.generic):
        return FlatCall.array
    if issubclass(kind, ListWrapper) or (issubclass(kind, tuple) and hasattr(kind, "_fields")):
        return FlatCall.sequence
    if issubclass(kind, Variable):
        return FlatCall.variable
    if issubclass(kind, list | tuple | Mapping | Tensor | TraceType):
        return FlatCall.refuse
    if hasattr(kind, "__attrs_attrs__") or kind.__weakrefoffset__ == 0:
        return FlatCall.refuse
    return FlatCall.object


def flat_call(
    args: tuple[Any, ...], kwargs: dict[str, Any], order: Mapping[str, int]
) -> tuple[Key, list[Any]] | None:
    """The key and the leaves of a call, or None when an argument needs its trace type.

    Args:
        args: positional arguments.
        kwargs: keyword arguments.
        order: position of each named parameter; others follow by name.
    """
    call = FlatCall()
    try:
        for value in args:
            call.add(value)
        if kwargs:
            names = sorted(kwargs, key=lambda name: (order.get(name, len(order)), name))
            call.primitive(tuple(names))
            for name in names:
                call.add(kwargs[name])
    except (_UnkeyableError, TypeError):
        return None
    return tuple(call.parts), call.leaves
