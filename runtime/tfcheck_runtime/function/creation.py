"""Variables created while a function is traced: once, on the first call, or an error.

Follows https://www.tensorflow.org/guide/function#creating_tfvariables.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from tfcheck_runtime import dispatch, events
from tfcheck_runtime.function.tracing import Active, Evaluated, innermost, trace_of
from tfcheck_runtime.graph.ir import Graph, Value
from tfcheck_runtime.site import user_site
from tfcheck_runtime.values.resource import Resource
from tfcheck_runtime.values.tensor import EagerTensor, SymbolicTensor, Tensor


class FirstCall:
    """The first trace of a Function may create variables.

    `arguments` are the values of the call, in the order of the graph's inputs, for initial values
    that depend on them; None when there is no call.
    """

    def __init__(self, arguments: Sequence[Any] | None) -> None:
        self.arguments = arguments
        self.created = 0
        self.evaluated: Evaluated = {}

    def allow(self) -> None:
        """Count a new variable."""
        self.created += 1


class NoCreation:
    """Later traces may not."""

    def __init__(self, created_before: bool) -> None:
        self.arguments: Sequence[Any] | None = None
        self.evaluated: Evaluated = {}
        self._created_before = created_before

    def allow(self) -> None:
        """Refuse.

        Raises:
            ValueError: always.
        """
        if self._created_before:
            raise ValueError(
                "tf.function only supports singleton tf.Variables created on the first call. Make"
                " sure the tf.Variable is only created once or created outside tf.function. See"
                " https://www.tensorflow.org/guide/function#creating_tfvariables for more"
                f" information. {_where()}"
            )
        raise ValueError(
            "Creating variables on a non-first call to a function decorated with tf.function."
            f" {_where()}"
        )


def _where() -> str:
    site = user_site()
    return f"({site.file}:{site.line}) [variable-created-in-trace]"


def create(graph: object, make_value: Callable[[], Tensor]) -> EagerTensor:
    """The initial value of a variable created inside `graph`, if it may be created.

    Raises:
        ValueError: it may not, or its value depends on an argument without a value.
    """
    active = trace_of(graph)
    if active is None:
        raise RuntimeError(f"{graph!r} is not the graph of a function under trace")
    active.request.creation.allow()
    if events.listeners:
        events.emit(
            events.SideEffect(
                active.request.number,
                active.request.trace,
                kind="variable-creation",
                site=user_site(),
            )
        )
    return evaluate(make_value(), active)


def note_lifted() -> None:
    """A variable is created in a `tf.init_scope` inside a trace, or where there is no trace.

    Raises:
        ValueError: the trace may not create variables, wherever they are.
    """
    active = innermost()
    if active is not None:
        active.request.creation.allow()


def evaluate(tensor: Tensor, active: Active) -> EagerTensor:
    """The value of a tensor of a graph under trace, from constants, state and call arguments.

    Raises:
        ValueError: it depends on an argument and there is no call.
    """
    if isinstance(tensor, EagerTensor):
        return tensor
    if not isinstance(tensor, SymbolicTensor):
        raise TypeError(f"expected a tensor, got {tensor!r}")
    known: dict[int, Any] = {}
    graph: Graph | None = tensor.graph
    while graph is not None:
        known.update((id(c.internal), c.external) for c in graph.captures)
        around = trace_of(graph)
        if around is not None and around.request.creation.arguments is not None:
            # Those of a Function that another calls are values of the graph of that one.
            pairs = zip(around.graph.inputs, around.request.creation.arguments, strict=True)
            known.update((id(v), argument) for v, argument in pairs)
        graph = graph.outer
    with dispatch.building(None):
        array = _Evaluation(known, active.request.creation.evaluated).value(tensor)
    return EagerTensor(np.asarray(array), tensor.dtype)


class _Evaluation:
    """Runs the eager kernels of the nodes that a value depends on."""

    def __init__(self, known: Mapping[int, Any], values: Evaluated) -> None:
        self._known = known
        self._values = values

    def value(self, value: Value) -> Any:
        """The array of a value, or the resource it stands for."""
        if id(value) in self._values:
            return self._values[id(value)][1]
        external = self._known.get(id(value))
        if isinstance(external, EagerTensor):
            return external.array
        if isinstance(external, Resource | np.ndarray):
            return external
        if isinstance(external, Value):
            return self.value(external)
        if value.node.op.type == "Placeholder":
            raise _depends_on(value)
        self._run(value)
        return self._values[id(value)][1]

    def _run(self, value: Value) -> None:
        node = value.node
        folded = value.aval.constant()
        if folded is not None:
            self._values[id(value)] = value, folded
            return
        arrays = [
            _of_shape(v) if node.op.type in _SHAPE_ONLY and _is_static(v) else self.value(v)
            for v in node.inputs
        ]
        results = node.op.eager(*arrays, **node.attrs)
        whole = results if isinstance(results, tuple) else (results,)
        self._values.update((id(v), (v, r)) for v, r in zip(node.outputs, whole, strict=True))


_SHAPE_ONLY: Final = frozenset({"OnesLike", "ZerosLike", "Shape", "ShapeN", "Size", "Rank"})
"""Types of ops that look at the shape of their input only."""


def _is_static(value: Value) -> bool:
    shape = value.aval.shape
    return shape is not None and None not in shape and value.aval.dtype.is_numpy_compatible


def _of_shape(value: Value) -> Any:
    return np.zeros([d or 0 for d in value.aval.shape or ()], value.aval.dtype.numpy)


def _depends_on(value: Value) -> ValueError:
    return ValueError(
        "the initial value of a variable created in a tf.function depends on the argument"
        f" `{value.node.name}`, which has no value yet: call the function instead of"
        " get_concrete_function, or create the variable outside [variable-created-in-trace]"
    )
