"""What the runtime tells whoever subscribed: frozen records, no printing, no judging.

Guards are asked besides, before a Function is traced again; they may decline.

Nothing is built while nobody listens: emitters test `listeners` first. All durations are
seconds of `time.perf_counter`, all `start` values points on that clock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, TypeAlias


@dataclass(frozen=True, slots=True)
class Site:
    """A place in the user's code."""

    file: str
    line: int
    function: str


class CauseKind(StrEnum):
    """Why no existing trace fitted a call, from coarse to fine."""

    FIRST_TRACE = "first-trace"
    NEW_FUNCTION = "new-function"
    """The same code was wrapped again: another Function object, an empty cache."""
    STRUCTURE = "structure"
    """The nesting, length or keys of a container differ, or a tensor became something else."""
    DTYPE = "dtype"
    RANK = "rank"
    SHAPE = "shape"
    PYTHON_VALUE = "python-value"
    OBJECT = "object"
    """Another Python object, compared by identity or equality."""
    DEAD_REFERENCE = "dead-reference"
    """The object an earlier trace was made for no longer exists."""
    VARIABLE = "variable"
    """Variables are aliased differently, or differ in shape or dtype."""
    VARIABLE_CREATION = "variable-creation"
    """The first trace created variables, so the function was traced once more without."""
    CONTEXT = "context"
    """Called from another graph or on another device."""


@dataclass(frozen=True, slots=True)
class Cause:
    """One argument leaf that differs from the nearest existing trace."""

    kind: CauseKind
    argument: str
    """The Python path of the leaf, such as `batch['x'][0]`; empty when no argument is to blame."""
    before: str
    """The trace type of the nearest existing trace; empty for a first trace."""
    after: str


@dataclass(frozen=True, slots=True)
class FunctionCreated:
    """`tf.function` wrapped Python code."""

    function: int
    """Unique number of the Function object."""
    name: str
    definition: Site
    created_at: Site
    start: float


@dataclass(frozen=True, slots=True)
class Traced:
    """A Function ran its Python code to make a concrete function."""

    function: int
    trace: int
    """Number of the trace within its Function, from 1."""
    signature: str
    causes: tuple[Cause, ...]
    site: Site
    start: float
    seconds: float
    nodes: int
    constant_bytes: int
    inside: int | None
    """The Function whose trace caused this one, if any."""
    failed: str | None
    """The exception's type when tracing ended in one."""


@dataclass(frozen=True, slots=True)
class Built:
    """A concrete function was lowered and its onnxruntime sessions were created."""

    function: int
    trace: int
    start: float
    seconds: float
    nodes_before: int
    nodes_after: int
    regions: int
    host_steps: tuple[str, ...]
    """Types of the ops that run on the host between regions."""


class Called(NamedTuple):
    """A Function was called from eager code and returned (or raised).

    A named tuple, as one is made in each call: a frozen dataclass takes four times as long.
    """

    function: int
    trace: int
    """The trace that served the call; 0 when none was made."""
    site: Site
    start: float
    seconds: float
    running_seconds: float
    """The part of `seconds` spent executing the graph."""
    callee: object
    """The Function itself: `callee.python_function` is what eager execution would run."""
    args: tuple[object, ...]
    kwargs: dict[str, object]
    failed: str | None
    result: object = None
    """What was returned."""


@dataclass(frozen=True, slots=True)
class SideEffect:
    """Traced code did something that the graph does not repeat, or repeats on the host."""

    function: int
    trace: int
    kind: str
    """`tf.print`, `py_function`, `assert`, `variable-creation`, `random`."""
    site: Site


@dataclass(frozen=True, slots=True)
class EagerlyRun:
    """A Function ran as plain Python because `run_functions_eagerly(True)` is in force."""

    function: int
    site: Site


@dataclass(frozen=True, slots=True)
class Retracing:
    """A call is about to trace its Function again; no event, but a question to the guards."""

    callee: object
    """The Function."""
    name: str
    causes: tuple[Cause, ...]
    site: Site


class DeclinedError(BaseException):
    """Raised by a guard: the call shall run as plain Python, and nothing be traced.

    No `except Exception` of the program's is meant to catch it.
    """


Event: TypeAlias = FunctionCreated | Traced | Built | Called | SideEffect | EagerlyRun
Listener: TypeAlias = Callable[[Event], None]

Guard: TypeAlias = Callable[[Retracing], None]

listeners: list[Listener] = []
guards: list[Guard] = []
"""Asked before a Function is traced again; what they raise ends the call."""


def emit(event: Event) -> None:
    """Hand an event to every listener, in the order they subscribed."""
    for listener in tuple(listeners):
        listener(event)


@contextmanager
def subscribed(listener: Listener) -> Iterator[None]:
    """Deliver events to `listener` while the context is open."""
    listeners.append(listener)
    try:
        yield
    finally:
        listeners.remove(listener)


def ask(retracing: Retracing) -> None:
    """Let every guard have its say, in the order they came.

    Raises:
        DeclinedError: the call shall run as plain Python.
    """
    for guard in tuple(guards):
        guard(retracing)


@contextmanager
def guarded(guard: Guard) -> Iterator[None]:
    """Ask `guard` while the context is open."""
    guards.append(guard)
    try:
        yield
    finally:
        guards.remove(guard)


@contextmanager
def muted() -> Iterator[None]:
    """Tell nobody anything while the context is open."""
    kept = listeners[:]
    listeners.clear()
    try:
        yield
    finally:
        listeners[:] = kept
