"""Functions over dataset elements: traced once for the dataset's element type.

As in TensorFlow they are no Functions of the user's: they are not counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from inspect import Parameter
from typing import Any, Final

from tfcheck_runtime.autograph import policy
from tfcheck_runtime.data.elements import Element, Spec, as_element, spec_of
from tfcheck_runtime.errors import OpError
from tfcheck_runtime.function.creation import NoCreation
from tfcheck_runtime.function.graph import FunctionGraph
from tfcheck_runtime.function.key import TracingContext, from_value
from tfcheck_runtime.function.running import executable_of
from tfcheck_runtime.function.signature import FunctionType, TypedParameter
from tfcheck_runtime.function.traceable import traceable
from tfcheck_runtime.function.tracing import Request, innermost, trace
from tfcheck_runtime.graph.ir import Graph, Node
from tfcheck_runtime.ops.control.iterating import Stateful
from tfcheck_runtime.specs.tensor_spec import TensorSpec
from tfcheck_runtime.values.resource import Row

RowFunction = Callable[[Row], Row]


@dataclass(frozen=True, slots=True)
class ElementFunction(Stateful):
    """A traced function from rows to rows."""

    graph: FunctionGraph
    spec: Spec
    """The type of the elements it returns."""
    label: str
    """The transformation it was given to, for messages."""

    @property
    def externals(self) -> list[Any]:
        """What it uses from outside: inputs of the dataset that runs it."""
        return [c.external for c in self.graph.captures]

    @property
    def stateful(self) -> str | None:
        """The type of its first op with a state that no checkpoint keeps."""
        found: str | None = self.graph.derive(("stateful",), lambda: _stateful_op(self.graph))
        return found

    def bind(self, captured: Sequence[Any]) -> RowFunction:
        """The function for values of what it captures."""
        run, rest = executable_of(self.graph).run, list(captured)

        def call(row: Row) -> Row:
            try:
                return tuple(run([*row, *rest]))
            except OpError as error:
                raise _told(error, self.label) from error

        return call


_WITHOUT_STATE: Final = frozenset({"Assert", "Placeholder", "PrintV2"})
"""Types of ops that are never left out of a graph, but have no state."""


def _stateful_op(graph: Graph) -> str | None:
    return next((found for found in map(_state_of, graph.nodes) if found is not None), None)


def _state_of(node: Node) -> str | None:
    if node.subgraphs:
        inside = map(_stateful_op, node.subgraphs)
        return next((found for found in inside if found is not None), None)
    keeps = node.op.stateful and node.op.type not in _WITHOUT_STATE
    return node.op.type if keeps else None


def _told(error: OpError, label: str) -> OpError:
    message = error.message
    if not message.startswith("Error in user-defined function"):
        message = f"Error in user-defined function passed to {label} transformation: {message}"
    return type(error)(error.node_def, error.op, message)


def arguments_of(element: Element) -> tuple[Any, ...]:
    """The arguments for an element: a tuple is spread over the parameters."""
    return element if type(element) is tuple else (element,)


def traced(
    function: Callable[..., Any], *specs: Spec, what: str, label: str = "MapDataset"
) -> ElementFunction:
    """Trace `function` for arguments of these types.

    Args:
        function: the user's.
        specs: the types of the arguments.
        what: the method it was given to, such as `Dataset.map()`.
        label: the transformation, as messages name it.

    Raises:
        ValueError: it is not callable.
        TypeError: it returns something that has no tensor form.
    """
    if not callable(function):
        raise ValueError(
            f"Argument `func` must be a callable: {what} received {function!r} (of type"
            f" {type(function)})"
        )
    context = TracingContext()
    parameters = [
        TypedParameter(f"args_{i}", Parameter.POSITIONAL_ONLY, from_value(spec, context))
        for i, spec in enumerate(specs)
    ]
    converted = traceable(function, autograph=not policy.is_disabled())

    def run(*args: Any) -> Element:
        return _normalized(converted(*args), what)

    around = innermost()
    request = Request(
        owner=object(),
        number=around.request.number if around else 0,
        trace=around.request.trace if around else 0,
        name=getattr(function, "__name__", type(function).__name__),
        type=FunctionType(parameters),
        creation=NoCreation(created_before=True),
    )
    made = trace(run, request)
    # It is not the user's: what it costs is part of running the dataset.
    made.graph.label = None
    return ElementFunction(made.graph, spec_of(made.outputs), label)


def _normalized(result: object, what: str) -> Element:
    # A list at the top is as likely a list of tensors that do not stack as one tensor.
    value = tuple(result) if isinstance(result, list) else result
    try:
        return as_element(value)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"Unsupported return value from function passed to {what}: {result!r}; return tensors,"
            f" numbers, strings, or tuples and dicts of them ({error})"
        ) from error


def is_scalar_bool(function: ElementFunction) -> bool:
    """Whether a function returns one bool."""
    spec = function.spec
    return isinstance(spec, TensorSpec) and spec.dtype.is_bool and spec.shape.rank in (0, None)
