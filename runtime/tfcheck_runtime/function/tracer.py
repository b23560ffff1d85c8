"""Makes the traces of one Function: when variables may be created, why it traced, what it cost."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, Final
from weakref import WeakKeyDictionary

from tfcheck_runtime import events
from tfcheck_runtime.events import Cause, CauseKind
from tfcheck_runtime.function.creation import FirstCall, NoCreation
from tfcheck_runtime.function.explain import causes
from tfcheck_runtime.function.graph import FunctionGraph
from tfcheck_runtime.function.side_effects import tell_side_effects
from tfcheck_runtime.function.signature import FunctionType
from tfcheck_runtime.function.traceable import definition, traceable
from tfcheck_runtime.function.tracing import CreationPolicy, Request, Traced, innermost, trace
from tfcheck_runtime.site import user_site
from tfcheck_runtime.values.tensor import EagerTensor, SymbolicTensor
from tfcheck_runtime.values.variable import Variable

_first_traced: Final[WeakKeyDictionary[Any, dict[str, int]]] = WeakKeyDictionary()
"""Number of the Function that was traced first for a piece of code, by file.

Code objects of two files are equal when all but the file is.
"""


class Tracer:
    """Traces one Python function for one Function.

    Args:
        function: what is run.
        name: of the graphs.
        number: the Function's number.
        autograph: whether AutoGraph converts the function.
    """

    def __init__(
        self, function: Callable[..., Any], name: str, *, number: int, autograph: bool
    ) -> None:
        self._function = function
        self._autograph = autograph
        self._name = name
        self._number = number
        self._started = False
        self._creates_variables = False
        self.count = 0
        """Traces made so far."""

    @functools.cached_property
    def _traceable(self) -> Callable[..., Any]:
        return traceable(self._function, autograph=self._autograph)

    def why(self, kind: FunctionType, existing: Sequence[FunctionType]) -> tuple[Cause, ...]:
        """Why none of the existing traces serves a call of type `kind`."""
        if existing:
            return causes(kind, existing)
        code = getattr(definition(self._function), "__code__", None)
        first = self._number if code is None else _first(code, self._number)
        what = CauseKind.FIRST_TRACE if first == self._number else CauseKind.NEW_FUNCTION
        return (Cause(what, argument="", before="", after=kind.text()),)

    def trace(
        self, kind: FunctionType, values: Sequence[Any] | None, why: tuple[Cause, ...]
    ) -> Traced:
        """Run the Python function for arguments of type `kind`.

        The first trace may create variables; then there is a second one, which finds them made.

        Args:
            kind: the types of the parameters.
            values: those of the call that needs the trace, None when there is no call.
            why: for the event.
        """
        leaves = None if values is None else _leaves(kind, values)
        variables = [leaf for leaf in leaves or () if isinstance(leaf, Variable)]
        if self._started:
            return self._run(kind, NoCreation(self._creates_variables), variables, why=why)
        policy = FirstCall(None if leaves is None else _contents(leaves))
        traced = self._run(kind, policy, variables, why=why)
        self._started = True
        if not policy.created:
            return traced
        self._creates_variables = True
        again = (Cause(CauseKind.VARIABLE_CREATION, argument="", before="", after=kind.text()),)
        return self._run(kind, NoCreation(created_before=True), variables, why=again)

    def _run(
        self,
        kind: FunctionType,
        creation: CreationPolicy,
        variables: Sequence[Variable],
        *,
        why: tuple[Cause, ...],
    ) -> Traced:
        request = Request(self, self._number, self.count + 1, self._name, kind, creation, variables)
        inside = innermost()
        start = perf_counter()
        traced: Traced | None = None
        failed: str | None = None
        try:
            traced = trace(self._traceable, request)
        except BaseException as error:
            failed = type(error).__name__
            raise
        else:
            self.count += 1
            if events.listeners:
                tell_side_effects(self._number, request.trace, traced.graph)
            return traced
        finally:
            if events.listeners:
                events.emit(
                    events.Traced(
                        function=self._number,
                        trace=request.trace,
                        signature=kind.text(),
                        causes=why,
                        site=user_site(),
                        start=start,
                        seconds=perf_counter() - start,
                        nodes=len(traced.graph.nodes) if traced else 0,
                        constant_bytes=_constant_bytes(traced.graph) if traced else 0,
                        # 0 stands for a function of a dataset, which is nobody's Function.
                        inside=(inside.request.number or None) if inside else None,
                        failed=failed,
                    )
                )


def _first(code: Any, number: int) -> int:
    return _first_traced.setdefault(code, {}).setdefault(code.co_filename, number)


def _leaves(kind: FunctionType, values: Sequence[Any]) -> list[Any]:
    """What the graph's inputs stand for in a call, in their order: a variable only once."""
    found: dict[int, Any] = {}
    for part, value in zip(kind.types, values, strict=True):
        for leaf in part.to_tensors(value):
            found[id(leaf.handle) if isinstance(leaf, Variable) else id(leaf)] = leaf
    return list(found.values())


def _contents(leaves: Sequence[Any]) -> list[Any] | None:
    """Arrays, resources and values of a graph around, in the order of the graph's inputs.

    None when some have no value.
    """
    found: list[Any] = []
    for leaf in leaves:
        if isinstance(leaf, Variable):
            found.append(leaf.handle)
        elif isinstance(leaf, EagerTensor):
            found.append(leaf.array)
        elif isinstance(leaf, SymbolicTensor):
            found.append(leaf)
        else:
            return None
    return found


def _constant_bytes(graph: FunctionGraph) -> int:
    return sum(n.attrs["value"].nbytes for n in graph.nodes if n.op.type == "Const")
