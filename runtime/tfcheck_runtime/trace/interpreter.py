"""Adds an op to the graph being built, capturing what comes from outside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tfcheck_runtime import dispatch
from tfcheck_runtime.dispatch import Inputs
from tfcheck_runtime.errors import InvalidArgumentError
from tfcheck_runtime.graph.ir import Graph, Value
from tfcheck_runtime.op import Op, no_kernel
from tfcheck_runtime.site import user_site
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import DType
from tfcheck_runtime.specs.shapes import Shape
from tfcheck_runtime.trace.names import name_inputs
from tfcheck_runtime.values.convert import const_op
from tfcheck_runtime.values.naming import scoped
from tfcheck_runtime.values.parameters import add_input, placeholder_op
from tfcheck_runtime.values.resource import Resource
from tfcheck_runtime.values.tensor import EagerTensor
from tfcheck_runtime.values.variable_ops import read_variable_op

__all__ = ["add_input", "capture", "placeholder_op", "record"]

_CONSTANT_LIMIT: Final = 128
"""Eager tensors of up to this many elements become constants, as in TensorFlow."""

_NAMED_BY_USE: Final = (const_op, read_variable_op)


def record(
    graph: Graph, op: Op, inputs: Inputs, attrs: Mapping[str, Any], name: str | None
) -> Inputs:
    """Append `op` to `graph`.

    Raises:
        ValueError: the inputs do not fit the op.
        InvalidArgumentError: TensorFlow has no kernel for their data type.
        InaccessibleTensorError: an input belongs to a graph that cannot be reached from here.
    """
    values = tuple(capture(graph, value) for value in inputs)
    node = graph.add(op, values, attrs, name=scoped(name or op.type), site=user_site())
    if op.kernelless and values[0].aval.dtype.name in op.kernelless:
        raise InvalidArgumentError(None, None, no_kernel(op, values[0].aval.dtype))
    node.waits = dispatch.state.waiting
    if graph.unnamed:
        name_inputs(graph, node)
    if name is None and op in _NAMED_BY_USE:
        graph.unnamed.add(id(node))
    return node.outputs


def capture(graph: Graph, external: object) -> Value:
    """The value of `graph` that stands for `external`: itself, a constant or a captured parameter.

    Raises:
        InaccessibleTensorError: `external` belongs to a graph that cannot be reached from here.
    """
    if isinstance(external, Value):
        if external.graph is graph:
            return external
        graph.check_in_scope(external)
    known = graph.known_capture(external)
    if known is not None:
        return known
    if isinstance(external, EagerTensor) and external.array.size <= _CONSTANT_LIMIT:
        return _as_constant(graph, external)
    return _as_parameter(graph, external)


def _as_constant(graph: Graph, tensor: EagerTensor) -> Value:
    attrs = {"value": tensor.array, "dtype": tensor.dtype}
    internal = graph.add(const_op, (), attrs, name="Const", site=user_site()).outputs[0]
    graph.unnamed.add(id(internal.node))
    # Captured all the same: gradients flow to the tensor outside.
    graph.note_capture(tensor, internal)
    return internal


def _as_parameter(graph: Graph, external: object) -> Value:
    dtype, shape, name = _describe(external)
    internal = graph.placeholder(placeholder_op, dtype, shape, name=name, site=user_site())
    graph.note_capture(external, internal)
    if isinstance(external, Resource):
        graph.unnamed.add(id(internal.node))
    return internal


def _describe(external: object) -> tuple[DType, Shape, str]:
    if isinstance(external, Value):
        return external.aval.dtype, external.aval.shape, external.node.name
    if isinstance(external, EagerTensor):
        return external.dtype, external.static_shape, "capture"
    if isinstance(external, Resource):
        return dtypes.resource, (), "resource"
    raise TypeError(f"expected a tensor or resource as input of an op, got {external!r}")
