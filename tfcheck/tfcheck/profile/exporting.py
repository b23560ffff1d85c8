"""Takes a Function out of a program that has run, as an ONNX model."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Protocol, cast

from tfcheck.errors import InputError
from tfcheck.profile.collect import Collected
from tfcheck.profile.samples import Sample
from tfcheck_runtime.lower.model import ExportError

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


class _ConcreteFunction(Protocol):
    def to_onnx(self) -> _Model:
        """The graph as a checked model."""


class _Function(Protocol):
    input_signature: object

    def get_concrete_function(self, *args: object, **kwargs: object) -> _ConcreteFunction:
        """The trace that serves these arguments."""


def export_function(collected: Collected, name: str) -> Exported:
    """The model of the Function called `name`, of its latest trace.

    Raises:
        InputError: there is no such Function, nothing says what inputs it takes, or ONNX has no
            form for some of its ops.
    """
    found = dict(_functions(collected))
    if name not in found:
        raise InputError(_no_such(name, found))
    function = cast(_Function, found[name])  # the finder looks for what the protocol names
    sample = _latest(collected, function)
    if sample is not None:
        return _export(function.get_concrete_function(*sample.args, **sample.kwargs))
    if getattr(function, "input_signature", None) is None:
        raise InputError(
            f"{name} was never called by the script and has no input_signature:"
            " call it once, or give it one"
        )
    return _export(function.get_concrete_function())


def _functions(collected: Collected) -> Iterator[tuple[str, object]]:
    """Functions by the names they go by: that of their code, or of what holds them."""
    names = {each.function: each.name for each in collected.recording.created}
    for sample in collected.samples.samples.values():
        if sample.function in names:
            yield names[sample.function], sample.callee
    yield from _members(vars(sys.modules["__main__"]))


def _members(members: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    for name, value in list(members.items()):
        if name.startswith("__"):
            continue
        if hasattr(value, "get_concrete_function"):
            yield name, value
        elif not isinstance(value, type | ModuleType):
            yield from _methods(f"{name}.", value)


def _methods(prefix: str, owner: object) -> Iterator[tuple[str, object]]:
    """Functions that are attributes of an object or of its class."""
    # Plain dictionaries are looked at, as `getattr` would run the properties of user code.
    for name, value in {**vars(type(owner)), **getattr(owner, "__dict__", {})}.items():
        if hasattr(value, "get_concrete_function"):
            yield prefix + name, getattr(owner, name)


def _no_such(name: str, found: Mapping[str, object]) -> str:
    if not found:
        return f"no Function `{name}`: the script made none"
    close = difflib.get_close_matches(name, found, n=1)
    hint = f", did you mean `{close[0]}`?" if close else ""
    return f"no Function `{name}` in the script{hint}; it has {', '.join(sorted(found))}"


def _latest(collected: Collected, function: object) -> Sample | None:
    samples = [each for each in collected.samples.samples.values() if each.callee is function]
    return max(samples, key=lambda each: each.trace, default=None)


def _export(concrete: _ConcreteFunction) -> Exported:
    try:
        return _describe(concrete.to_onnx())
    except ExportError as error:
        raise InputError(str(error)) from error


def _describe(model: _Model) -> Exported:
    opset = next((each.version for each in model.opset_import if each.domain in {"", "ai.onnx"}), 0)
    return Exported(
        content=model.SerializeToString(),
        inputs=tuple(_value(each) for each in model.graph.input),
        outputs=tuple(_value(each) for each in model.graph.output),
        nodes=len(model.graph.node),
        opset=opset,
    )


def _value(value: _Value) -> str:
    tensor = value.type.tensor_type
    shape = ", ".join(str(each.dim_value or each.dim_param or "?") for each in tensor.shape.dim)
    return f"{value.name}: {_TYPES.get(tensor.elem_type, 'unknown')}[{shape}]"
