"""Adds nodes to an ONNX graph, each with the line of Python it comes from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np
import onnx_ir as ir

from tfcheck_runtime.events import Site
from tfcheck_runtime.graph.ir import Node
from tfcheck_runtime.op import Array, Term
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import DType

_ONNX_TYPES: Final = {
    "bool": ir.DataType.BOOL,
    "int8": ir.DataType.INT8,
    "int16": ir.DataType.INT16,
    "int32": ir.DataType.INT32,
    "int64": ir.DataType.INT64,
    "uint8": ir.DataType.UINT8,
    "uint16": ir.DataType.UINT16,
    "uint32": ir.DataType.UINT32,
    "uint64": ir.DataType.UINT64,
    "float16": ir.DataType.FLOAT16,
    "bfloat16": ir.DataType.BFLOAT16,
    "float32": ir.DataType.FLOAT,
    "float64": ir.DataType.DOUBLE,
    "complex64": ir.DataType.COMPLEX64,
    "complex128": ir.DataType.COMPLEX128,
    "string": ir.DataType.STRING,
}
_SHARED_BYTES: Final = 256
"""Constants up to this size are shared by content, larger ones by identity."""


class ModelState:
    """What all graphs of one model share: names, initialisers, origins of nodes."""

    def __init__(self) -> None:
        self.initializers: dict[object, ir.Value] = {}
        self.arrays: dict[ir.Value, Array] = {}
        self.first_uses: dict[ir.Value, Site] = {}
        """The line of Python that asked for an initialiser first."""
        self.origins: dict[str, Node] = {}
        self.origin: Node | None = None
        self._names: dict[str, int] = {}

    def unique(self, name: str) -> str:
        """`name`, or with a number behind it when it is taken."""
        count = self._names.get(name)
        if count is None:
            self._names[name] = 0
            return name
        self._names[name] = count + 1
        return self.unique(f"{name}_{count + 1}")


class GraphEmitter:
    """The emitter that lowerings receive; one per ONNX graph, nested ones share the state."""

    def __init__(self, state: ModelState, name: str) -> None:
        self.state = state
        self.name = name
        self.nodes: list[ir.Node] = []
        self._made: set[ir.Value] = set()

    def child(self, name: str) -> GraphEmitter:
        """An emitter for a graph inside this one."""
        return GraphEmitter(self.state, self.state.unique(name))

    def op(self, op_type: str, *inputs: object, **attributes: object) -> ir.Value:
        """One node with one output; returns its value."""
        return self.op_n(op_type, 1, *inputs, **attributes)[0]

    def op_n(
        self, op_type: str, count: int, *inputs: object, **attributes: object
    ) -> list[ir.Value]:
        """One node with `count` outputs."""
        origin = self.state.origin
        name = self.state.unique(origin.name if origin else op_type)
        names = [name] if count == 1 else [f"{name}:{i}" for i in range(count)]
        outputs = [ir.Value(name=n) for n in names]
        node = ir.Node(
            "",
            op_type,
            [None if i is None else self.value(i) for i in inputs],
            [_attribute(k, v) for k, v in attributes.items() if v is not None],
            outputs=outputs,
            name=name,
            metadata_props=_provenance(origin),
        )
        if origin:
            self.state.origins[name] = origin
        self.nodes.append(node)
        self._made.update(outputs)
        return outputs

    def cast(self, value: object, dtype: DType) -> ir.Value:
        """`value` as `dtype`."""
        return self.op("Cast", value, to=dtype)

    def constant(self, value: object, dtype: DType | None = None) -> ir.Value:
        """An initialiser, shared with equal ones."""
        array = _array(value, dtype)
        key: object = id(array)
        if array.nbytes <= _SHARED_BYTES and array.dtype.kind != "O":
            key = array.dtype, array.shape, array.tobytes()
        known = self.state.initializers.get(key)
        if known is not None:
            return known
        return self.initializer("const", array, key=key)

    def initializer(self, name: str, array: Array, *, key: object = None) -> ir.Value:
        """An initialiser of its own name, found again under `key`."""
        tensor = _tensor(array)
        made = ir.Value(
            name=self.state.unique(name),
            type=ir.TensorType(tensor.dtype),
            shape=ir.Shape(array.shape),
            const_value=tensor,
        )
        tensor.name = made.name
        self.state.initializers[key or made] = made
        self.state.arrays[made] = array
        if self.state.origin is not None:
            self.state.first_uses[made] = self.state.origin.site
        return made

    def value(self, operand: object) -> ir.Value:
        """The ONNX value of a term, of a value, or of Python or NumPy data."""
        if isinstance(operand, Term):
            operand = operand.onnx
        return operand if isinstance(operand, ir.Value) else self.constant(operand)

    def input(self, name: str, dtype: DType, shape: Sequence[int | str | None] | None) -> ir.Value:
        """A parameter of a graph; an unknown size may have a name."""
        return ir.Value(
            name=self.state.unique(name),
            type=ir.TensorType(onnx_type(dtype)),
            shape=None if shape is None else ir.Shape(shape),
        )

    def graph(self, inputs: Sequence[ir.Value], outputs: Iterable[ir.Value]) -> ir.Graph:
        """The graph emitted so far; its outputs must be made inside and differ.

        Others go through an Identity.
        """
        seen: set[ir.Value] = set()
        own: list[ir.Value] = []
        for value in outputs:
            if value not in self._made or value in seen:
                value = self.op("Identity", value)
            seen.add(value)
            own.append(value)
        return ir.Graph(inputs, own, nodes=self.nodes, name=self.name)


def onnx_type(dtype: DType) -> ir.DataType:
    """ONNX's number for a data type.

    Raises:
        TypeError: ONNX has no such type.
    """
    try:
        return _ONNX_TYPES[dtype.name]
    except KeyError:
        raise TypeError(
            f"ONNX has no data type {dtype.name}; it has {', '.join(_ONNX_TYPES)}"
        ) from None


def _array(value: object, dtype: DType | None) -> Array:
    if isinstance(value, np.ndarray | np.generic):
        array = np.asarray(value)
    else:
        array = np.array(value)
        array = array.astype(np.float32) if array.dtype.kind == "f" else array
        array = array.astype(np.int64) if array.size == 0 and dtype is None else array
    return array if dtype in (None, dtypes.string) else array.astype(dtype.numpy, copy=False)


def _tensor(array: Array) -> ir.TensorProtocol:
    if array.dtype.kind == "O":
        return ir.StringTensor(array.reshape(-1).tolist(), shape=ir.Shape(array.shape))
    return ir.Tensor(array)


def _attribute(name: str, value: Any) -> ir.Attr:  # whatever a lowering passes
    if isinstance(value, bool | int | np.integer):
        return ir.AttrInt64(name, int(value))
    if isinstance(value, float | np.floating):
        return ir.AttrFloat32(name, float(value))
    if isinstance(value, str):
        return ir.AttrString(name, value)
    if isinstance(value, DType):
        return ir.AttrInt64(name, int(onnx_type(value)))
    if isinstance(value, ir.Graph):
        return ir.AttrGraph(name, value)
    if isinstance(value, np.ndarray):
        return ir.AttrTensor(name, ir.Tensor(value))
    if isinstance(value, Sequence):
        return _list_attribute(name, value)
    raise TypeError(f"{name}={value!r} cannot be an attribute of an ONNX node")


def _list_attribute(name: str, value: Sequence[Any]) -> ir.Attr:
    if any(isinstance(v, float | np.floating) for v in value):
        return ir.AttrFloat32s(name, [float(v) for v in value])
    if any(isinstance(v, str) for v in value):
        return ir.AttrStrings(name, list(value))
    return ir.AttrInt64s(name, [int(v) for v in value])


def _provenance(node: Node | None) -> dict[str, str]:
    if node is None:
        return {}
    site = node.site
    return {"file": site.file, "line": str(site.line), "function": site.function}
