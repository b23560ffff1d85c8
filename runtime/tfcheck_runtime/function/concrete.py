"""A traced function that can be called: one graph for one function type.

Follows https://www.tensorflow.org/guide/function#obtaining_concrete_functions.
"""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Sequence
from typing import Any, Final

from tfcheck_runtime import dispatch
from tfcheck_runtime.errors import InvalidArgumentError
from tfcheck_runtime.function import public_type
from tfcheck_runtime.function.call import call_graph
from tfcheck_runtime.function.graph import FunctionGraph
from tfcheck_runtime.function.key import TracingContext, from_value
from tfcheck_runtime.function.packing import packer
from tfcheck_runtime.function.signature import FunctionType, binding_error, cast_values
from tfcheck_runtime.function.tracing import Traced
from tfcheck_runtime.specs.trace_type import TraceType
from tfcheck_runtime.values.tensor import Tensor
from tfcheck_runtime.values.trackable import Trackable
from tfcheck_runtime.values.variable import Variable

_numbers: Final = itertools.count(1)


class ConcreteFunction(Trackable):
    """A graph with the signature it was traced for.

    Call it with the arguments of the Python function, or with its tensors alone, by position or by
    name.
    """

    def __init__(self, traced: Traced, name: str, *, trace: int) -> None:
        self.trace: Final = trace
        """Number of the trace within its Function."""
        self._graph = traced.graph
        self._type = traced.type
        self._outputs = traced.outputs
        self._label = name
        self._name = f"__inference_{name}_{next(_numbers)}"
        self.pack: Final = packer(traced.outputs)
        """From flat outputs to what the Python function returned."""
        self.externals: Final = tuple(c.external for c in traced.graph.captures)
        """Captured tensors and resources, in the order of the graph's parameters."""
        self._inspected = traced.type.inspected()
        self.positional_limit: int | None = None
        """How many tensors may come without their names; None for all."""

    @property
    def name(self) -> bytes:
        """A unique name."""
        return self._name.encode()

    @property
    def graph(self) -> FunctionGraph:
        """The graph."""
        return self._graph

    @property
    def type(self) -> FunctionType:
        """The trace types of the parameters and of what is returned."""
        return self._type.returning(self._output_type())

    @property
    def function_type(self) -> public_type.FunctionType:
        """The type as TensorFlow shows it: parameters, captures and result."""
        return public_type.FunctionType(
            [public_type.Parameter(p.name, p.kind, optional=False, type_constraint=p.type)
             for p in self._type.parameters],
            text=self._type.text(self._output_type()),
            details="\n".join(self.signature_lines()),
            captures={id(c.external): output_type(c.internal) for c in self._graph.captures},
            output=self._output_type(),
        )  # fmt: skip

    @property
    def inference_fn(self) -> public_type.AtomicFunction:
        """What runs when nothing is differentiated."""
        return public_type.AtomicFunction(self.name, self.function_type, self._graph)

    @property
    def inputs(self) -> list[Any]:
        """The graph's parameters: those of arguments, then those of captures."""
        return list(self._graph.parameters)

    @property
    def outputs(self) -> list[Any]:
        """The graph's output tensors."""
        return list(self._graph.outputs)

    @property
    def structured_input_signature(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Positional and keyword arguments, with specs for tensors."""
        return self._type.structured()

    @property
    def structured_outputs(self) -> Any:
        """What the Python function returned, with the graph's tensors as leaves."""
        return self._outputs

    @property
    def output_shapes(self) -> Any:
        """The shapes of the outputs, in their structure."""
        return self.pack([t.shape for t in self.outputs])

    @property
    def output_dtypes(self) -> Any:
        """The dtypes of the outputs, in their structure."""
        return self.pack([t.dtype for t in self.outputs])

    @property
    def captured_inputs(self) -> list[Any]:
        """The tensors and resources that the graph uses from outside."""
        return list(self.externals)

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The captured variables."""
        return self._graph.variables

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """The captured variables that are trainable."""
        return self._graph.trainable_variables

    def to_onnx(self) -> Any:  # onnx is named by `lower` and `execute` only
        """The graph as a checked `onnx.ModelProto`."""
        # Loaded here for the reason that `running` gives.
        lowering = importlib.import_module("tfcheck_runtime.lower.model")
        return lowering.to_model(self._graph, name=self._label)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the graph.

        Raises:
            TypeError: the arguments fit neither the Python signature nor the flat one.
            InvalidArgumentError: a tensor has another dtype than the graph was traced for.
        """
        try:
            values = self._bind(args, kwargs)
        except TypeError as error:
            return self.call_inputs(self._bind_flat(args, kwargs, error))
        return self.call_inputs(self.inputs_of(values))

    def inputs_of(self, values: Sequence[Any]) -> list[Any]:
        """The tensors and handles inside cast arguments, in the order of the graph's inputs."""
        found: list[Any] = []
        seen: set[int] = set()
        for kind, value in zip(self._type.types, values, strict=True):
            for leaf in kind.to_tensors(value):
                if not isinstance(leaf, Variable):
                    found.append(leaf)
                elif id(leaf.handle) not in seen:
                    seen.add(id(leaf.handle))
                    self._watch(leaf)
                    found.append(leaf.handle)
        return found

    def call_inputs(self, inputs: Sequence[Any]) -> Any:
        """Run the graph on tensors and handles in the order of its inputs."""
        for variable in self._graph.living_variables:
            self._watch(variable)
        return self.pack(call_graph(self._graph, [*inputs, *self.externals]))

    def _watch(self, variable: Variable) -> None:
        if variable.trainable:
            for tape in dispatch.state.tapes:
                tape.watch_variable(variable)

    def _bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        try:
            bound = self._inspected.bind(*args, **kwargs)
            values = list(bound.arguments.values())
            return cast_values(values, self._type)
        except (TypeError, ValueError) as error:
            signature = self._type.text(self._output_type())
            raise binding_error(error, args, kwargs, signature=signature) from error

    def _bind_flat(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], error: TypeError
    ) -> list[Any]:
        names = self._flat_names()
        problem = _flat_problem(names, args, kwargs, limit=self.positional_limit)
        if problem:
            summary = f"{self._label}({', '.join(names)})"
            raise TypeError(
                f"{error}\nFallback to flat signature also failed due to: {summary}{problem}"
            ) from error
        tensors = [*args, *(kwargs[name] for name in names[len(args) :])]
        for i, (tensor, parameter) in enumerate(zip(tensors, self._graph.inputs, strict=True)):
            expected = parameter.aval.dtype
            if expected.name != "resource" and tensor.dtype is not expected:
                raise InvalidArgumentError(
                    None,
                    None,
                    f"cannot compute {self._name} as input #{i}(zero-based) was expected to be a"
                    f" {_proto_name(expected.name)} tensor but is a"
                    f" {_proto_name(tensor.dtype.name)} tensor [Op:{self._name}]",
                )
        return [t.handle if isinstance(t, Variable) and _is_handle(p) else t
                for t, p in zip(tensors, self._graph.inputs, strict=True)]  # fmt: skip

    def _flat_names(self) -> list[str]:
        return [value.node.name for value in self._graph.inputs]

    def _output_type(self) -> TraceType:
        return output_type(self._outputs)

    def pretty_printed_signature(self, verbose: bool = True) -> str:
        """The parameters, outputs and captures: one a line, or all on one line."""
        if not verbose:
            return self._type.text(self._output_type())
        return "\n".join(self.signature_lines())

    def signature_lines(self) -> list[str]:
        """The lines that a Function prints for each of its traces."""
        return ["Input Parameters:", *self._type.lines(), *self._other_lines()]

    def _other_lines(self) -> list[str]:
        captures = [f"  {id(c.external)}: {_spec(c.internal)}" for c in self._graph.captures]
        return [
            "Output Type:",
            f"  {self._output_type()!r}",
            "Captures:",
            *(captures or ["  None"]),
        ]

    def __str__(self) -> str:
        return f"ConcreteFunction {self.pretty_printed_signature()}"

    def __repr__(self) -> str:
        text = self.pretty_printed_signature(verbose=False)
        return f"<ConcreteFunction {text} at 0x{id(self):X}>"


def output_type(outputs: Any) -> TraceType:
    """The trace type of what a function returned."""
    return from_value(outputs, TracingContext())


def _flat_problem(
    names: list[str], args: tuple[Any, ...], kwargs: dict[str, Any], *, limit: int | None
) -> str:
    most = len(names) if limit is None else limit
    if len(args) > most:
        return f" takes {most} positional arguments, got {len(args)}."
    missing = [n for n in names[len(args) :] if n not in kwargs]
    if missing:
        return f" missing required arguments: {', '.join(missing)}."
    unexpected = [n for n in kwargs if n not in names[len(args) :]]
    if unexpected:
        return f" got unexpected keyword arguments: {', '.join(unexpected)}."
    for i, value in enumerate((*args, *(kwargs[n] for n in names[len(args) :]))):
        if not isinstance(value, Tensor | Variable):
            return (
                f": expected argument #{i}(zero-based) to be a Tensor; got"
                f" {type(value).__name__} ({value})."
            )
    return ""


def _is_handle(parameter: Any) -> bool:
    return bool(parameter.aval.dtype.name == "resource")


def _spec(value: Any) -> str:
    return repr(output_type(value))


def _proto_name(dtype: str) -> str:
    return {"float32": "float", "float64": "double", "float16": "half"}.get(dtype, dtype)
