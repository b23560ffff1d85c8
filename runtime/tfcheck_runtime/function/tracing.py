"""Runs a Python function on placeholders and keeps the graph it builds."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeAlias

from tfcheck_runtime import dispatch
from tfcheck_runtime.autograph import policy
from tfcheck_runtime.errors import StagingError
from tfcheck_runtime.function.graph import FunctionGraph
from tfcheck_runtime.function.graph_summary import record_graph
from tfcheck_runtime.function.key import Placeholders
from tfcheck_runtime.function.mutation import Arguments, check_unchanged, copied
from tfcheck_runtime.function.signature import FunctionType
from tfcheck_runtime.graph.ir import Value
from tfcheck_runtime.ops.array.identity import identity
from tfcheck_runtime.ops.random.seeds import keep_global_seed
from tfcheck_runtime.site import is_hidden, user_frame
from tfcheck_runtime.specs import nest
from tfcheck_runtime.trace.interpreter import capture
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.naming import outside_scopes
from tfcheck_runtime.values.tensor import Tensor
from tfcheck_runtime.values.variable import Variable

Evaluated: TypeAlias = dict[int, tuple[Value, Any]]
"""Values with what they were computed to be, by their ids."""


class CreationPolicy(Protocol):
    """Decides about variables that are created while a function is traced."""

    arguments: Sequence[Any] | None
    """Values of the graph's inputs in the call that is traced for; None when there is no call."""
    evaluated: Evaluated
    """What initial values followed from.

    It is computed once: an op with a state acts once for all variables, as in TensorFlow.
    """

    def allow(self) -> None:
        """A variable is about to be created.

        Raises:
            ValueError: it must not be.
        """


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be traced, for whom."""

    owner: object
    """The Function, to notice recursion."""
    number: int
    """Unique number of the Function."""
    trace: int
    """Number of the trace within its Function."""
    name: str
    type: FunctionType
    creation: CreationPolicy
    variables: Sequence[Variable] = ()
    """Those among the arguments of the call that is traced for, each once, in order."""


@dataclass(frozen=True, slots=True)
class Active:
    """A trace under way."""

    request: Request
    graph: FunctionGraph


class _Stack(threading.local):
    def __init__(self) -> None:
        self.active: tuple[Active, ...] = ()


_stack: Final = _Stack()


def innermost() -> Active | None:
    """The trace that is under way in this thread, if any."""
    return _stack.active[-1] if _stack.active else None


def trace_of(graph: object) -> Active | None:
    """The trace that builds `graph` or a body inside it."""
    return next((a for a in reversed(_stack.active) if _is_inside(graph, a.graph)), None)


def _is_inside(graph: Any, outer: FunctionGraph) -> bool:
    return bool(graph.is_inside(outer))


@contextmanager
def _under_way(active: Active) -> Iterator[None]:
    before = _stack.active
    _stack.active = (*before, active)
    try:
        yield
    finally:
        _stack.active = before


def _check_recursion(wanted: Request) -> None:
    for other in _stack.active:
        if other.request.owner is wanted.owner and other.request.type == wanted.type:
            # TensorFlow meets Python's limit, and AutoGraph wraps the error in its own.
            error = RecursionError if policy.is_disabled() else StagingError
            raise error(
                f"`{wanted.name}` calls itself while it is traced for {wanted.type}: each trace"
                " needs another one like it first (maximum recursion depth exceeded). Use a loop"
                " over tensors, or a Python number that counts down [recursion]"
                f"{_statement()}"
            )


def _statement() -> str:
    """The statement of the traced function itself that leads to the call, as TensorFlow names it.

    The line of the call may stand deeper: in a branch, which is a function of its own.
    """
    frame, found = user_frame(), None
    while frame is not None and frame.f_code is not trace.__code__:
        if not is_hidden(frame):
            found = frame
        frame = frame.f_back
    if found is None:
        return ""
    code = found.f_code
    return f'\n    File "{code.co_filename}", line {found.f_lineno}, in {code.co_name}'


@dataclass(frozen=True, slots=True)
class Traced:
    """A traced function: its graph and the structure of what it returns."""

    graph: FunctionGraph
    type: FunctionType
    outputs: Any
    """What the function returned, with the graph's output tensors as leaves."""


def trace(function: Callable[..., Any], request: Request) -> Traced:
    """Run `function` on placeholders of the types that `request` names.

    Raises:
        StagingError or RecursionError: the same trace is under way already.
        TypeError: the function returns something that is not a tensor.
        ValueError: the function changes a list or dict that is an argument.
    """
    _check_recursion(request)
    graph = FunctionGraph(request.name, dispatch.current_graph())
    graph.label = (request.number, request.trace)
    keep_global_seed(graph)
    with _under_way(Active(request, graph)), dispatch.building(graph), outside_scopes():
        arguments = _placeholders(graph, request)
        before = copied(arguments)
        outputs = _outputs(graph, function(*arguments[0], **arguments[1]), function)
        check_unchanged(before, arguments, function)
    graph.closed = True
    graph.type = request.type
    graph.structured_outputs = outputs
    record_graph(graph)
    return Traced(graph, request.type, outputs)


def _placeholders(graph: FunctionGraph, request: Request) -> Arguments:
    context = Placeholders(graph, request.variables)
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    for parameter in request.type.parameters:
        context.argument = parameter.name
        value = parameter.type.placeholder_value(context)
        if parameter.by_keyword:
            kwargs[parameter.name] = value
        else:
            args.append(value)
    return args, kwargs


def _outputs(graph: FunctionGraph, result: Any, function: Callable[..., Any]) -> Any:
    flat = nest.flatten(result, expand_composites=True)
    tensors = [_as_output(leaf, function) for leaf in flat]
    named = [None if t is None else capture(graph, identity(t)) for t in tensors]
    graph.outputs = [t for t in named if isinstance(t, Value)]
    return nest.pack_sequence_as(result, named, expand_composites=True)


def _as_output(leaf: Any, function: Callable[..., Any]) -> Tensor | None:
    if leaf is None:
        return None
    try:
        return convert_to_tensor(leaf)
    except (TypeError, ValueError) as error:
        raise TypeError(
            "To be compatible with tf.function, Python functions must return zero or more Tensors"
            f" or ExtensionTypes or None values; in compilation of {function}, found return value"
            f" of type {type(leaf).__name__}, which is not a Tensor or ExtensionType."
        ) from error
