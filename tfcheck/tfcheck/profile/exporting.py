"""Takes a Function out of a program that has run, as an ONNX model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, cast

from tfcheck.errors import InputError
from tfcheck.profile.choosing import Chosen
from tfcheck.profile.collect import Collected
from tfcheck_runtime.lower.manifest import Manifest
from tfcheck_runtime.lower.model import ExportError, export_graph

# https://github.com/onnx/onnx/blob/main/onnx/onnx.proto, TensorProto.DataType
_TYPES: Mapping[int, str] = {
    1: "float32",
    2: "uint8",
    3: "int8",
    4: "uint16",
    5: "int16",
    6: "int32",
    7: "int64",
    8: "string",
    9: "bool",
    10: "float16",
    11: "float64",
    12: "uint32",
    13: "uint64",
    16: "bfloat16",
}


@dataclass(frozen=True, slots=True)
class Exported:
    """A serialised model and what it takes and gives, such as `x: float32[?, 784]`."""

    content: bytes
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    nodes: int
    opset: int
    manifest: Manifest


class _Dimension(Protocol):
    dim_value: int
    dim_param: str


class _Shape(Protocol):
    dim: Sequence[_Dimension]


class _TensorType(Protocol):
    elem_type: int
    shape: _Shape


class _Type(Protocol):
    tensor_type: _TensorType


class _Value(Protocol):
    name: str
    type: _Type


class _Graph(Protocol):
    input: Sequence[_Value]
    output: Sequence[_Value]
    node: Sequence[object]


class _Opset(Protocol):
    domain: str
    version: int


class _Model(Protocol):
    """The part of `onnx.ModelProto` that is looked at; `onnx` itself stays in the runtime."""

    graph: _Graph
    opset_import: Sequence[_Opset]

    def SerializeToString(self) -> bytes:  # noqa: N802  # protobuf's name
        """The model as bytes."""


def export_function(collected: Collected, name: str) -> Exported:
    """The model of the Function called `name`, of its latest trace.

    Raises:
        InputError: there is no such Function, nothing says what inputs it takes, or ONNX has no
            form for some of its ops.
    """
    trace = Chosen(collected, name).trace()
    try:
        exported = export_graph(trace.graph, name=name)
    except ExportError as error:
        raise InputError(str(error)) from error
    model = cast(_Model, exported.model)
    opset = next((each.version for each in model.opset_import if each.domain in {"", "ai.onnx"}), 0)
    return Exported(
        content=model.SerializeToString(),
        inputs=tuple(_value(each) for each in model.graph.input),
        outputs=tuple(_value(each) for each in model.graph.output),
        nodes=len(model.graph.node),
        opset=opset,
        manifest=exported.manifest,
    )


def _value(value: _Value) -> str:
    tensor = value.type.tensor_type
    shape = ", ".join(str(each.dim_value or each.dim_param or "?") for each in tensor.shape.dim)
    return f"{value.name}: {_TYPES.get(tensor.elem_type, 'unknown')}[{shape}]"
