"""A Function: dispatches calls of Python code to its traces.

Follows https://www.tensorflow.org/guide/function.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import threading
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Final, TypeAlias

from tfcheck_runtime import dispatch, events
from tfcheck_runtime.events import Cause, CauseKind, Site
from tfcheck_runtime.function import public_type
from tfcheck_runtime.function.cache import FunctionCache
from tfcheck_runtime.function.concrete import ConcreteFunction
from tfcheck_runtime.function.flat_key import Key, flat_call
from tfcheck_runtime.function.prepared import Prepared, prepare
from tfcheck_runtime.function.retracing import detector_of
from tfcheck_runtime.function.running import clock, load_stages
from tfcheck_runtime.function.signature import FunctionType, PolymorphicSignature, cast_values
from tfcheck_runtime.function.traceable import BoundMethod, definition
from tfcheck_runtime.function.tracer import Tracer
from tfcheck_runtime.site import user_site
from tfcheck_runtime.values.trackable import Trackable

_numbers: Final = itertools.count(1)
_PREPARED_LIMIT: Final = 1024
"""Prepared calls kept per Function: keys of ever new Python values must not fill the memory."""

FlatCall: TypeAlias = tuple[Key, list[Any]]


@dataclass(frozen=True, slots=True)
class Options:
    """What `tf.function` was asked for."""

    input_signature: object = None
    autograph: bool = True
    reduce_retracing: bool = False


class _Mode:
    """Whether all Functions run as plain Python."""

    eagerly: bool = False


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Let all Functions run as plain Python, for debugging, or stop doing so."""
    _Mode.eagerly = bool(run_eagerly)


def functions_run_eagerly() -> bool:
    """Whether Functions run as plain Python."""
    return _Mode.eagerly


@dataclass(frozen=True, slots=True)
class FunctionSpec:
    """What scripts ask of a Function's signature."""

    fullargspec: inspect.FullArgSpec
    input_signature: tuple[Any, ...] | None


class Function(Trackable):
    """A Python function that is traced to graphs and dispatches its calls to them."""

    def __init__(self, python_function: Callable[..., Any], options: Options) -> None:
        load_stages()
        functools.update_wrapper(self, python_function, updated=())
        self._python_function = python_function
        self._options = options
        self._name: str = getattr(python_function, "__name__", "function")
        self._signature = PolymorphicSignature(python_function, options.input_signature)
        self._order = {name: i for i, name in enumerate(self._signature.inspected.parameters)}
        self._number = next(_numbers)
        self._tracer = Tracer(
            python_function, self._name, number=self._number, autograph=options.autograph
        )
        self._cache: FunctionCache[ConcreteFunction] = FunctionCache()
        self._prepared: dict[Key, Prepared] = {}
        self._instances: dict[int, tuple[weakref.ReferenceType[Any], Function]] = {}
        self._detector = detector_of(definition(python_function))
        self._lock = threading.RLock()
        if events.listeners:
            events.emit(_created(python_function, self._name, number=self._number))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the graph that fits the arguments; trace one first if there is none."""
        state = dispatch.state
        if state.graph is not None:
            return self._call(args, kwargs)
        if events.listeners:
            return self._call_observed(args, kwargs)
        if state.tapes or _Mode.eagerly:
            return self._call(args, kwargs)
        flat = flat_call(args, kwargs, self._order)
        if flat is None:
            return self._call(args, kwargs)
        prepared = self._prepared.get(flat[0])
        if prepared is None:
            return self._call(args, kwargs, flat)
        self._detector.calls += 1
        return prepared.call(flat[1])

    def _call(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], flat: FlatCall | None = None
    ) -> Any:
        """Dispatch by trace types; remember the flat key for the next time."""
        if _Mode.eagerly:
            return self._python_function(*args, **kwargs)
        try:
            concrete, inputs = self._dispatch(args, kwargs)
        except events.DeclinedError:
            return self._python_function(*args, **kwargs)
        result = concrete.call_inputs(inputs)
        if flat is not None and (prepared := prepare(concrete, inputs, flat[1])) is not None:
            if len(self._prepared) >= _PREPARED_LIMIT:
                self._prepared.clear()
            self._prepared[flat[0]] = prepared
        return result

    def _call_observed(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call from eager code while somebody listens: as `__call__`, with a watch."""
        if _Mode.eagerly:
            events.emit(events.EagerlyRun(self._number, user_site()))
            return self._python_function(*args, **kwargs)
        start = perf_counter()
        flat = None if dispatch.state.tapes else flat_call(args, kwargs, self._order)
        prepared = self._prepared.get(flat[0]) if flat else None
        if flat is None or prepared is None:
            return self._call_unprepared(args, kwargs, flat, start=start)
        self._detector.calls += 1
        ready = perf_counter()
        result: Any = None
        failed: str | None = None
        try:
            result = prepared.call(flat[1])
            return result
        except BaseException as error:
            failed = type(error).__name__
            raise
        finally:
            end = perf_counter()
            # By position: names take as long as the whole tuple.
            events.emit(
                events.Called(
                    self._number,
                    prepared.trace,
                    user_site(),
                    start,
                    end - start,
                    end - ready,
                    self,
                    args,
                    kwargs,
                    failed,
                    result,
                )
            )

    def _call_unprepared(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], flat: FlatCall | None, *, start: float
    ) -> Any:
        before = clock.seconds
        failed: str | None = None
        result: Any = None
        clock.served = 0
        try:
            result = self._call(args, kwargs, flat)
            return result
        except BaseException as error:
            failed = type(error).__name__
            raise
        finally:
            events.emit(
                events.Called(
                    function=self._number,
                    trace=clock.served,
                    site=user_site(),
                    start=start,
                    seconds=perf_counter() - start,
                    running_seconds=clock.seconds - before,
                    callee=self,
                    args=args,
                    kwargs=kwargs,
                    failed=failed,
                    result=result,
                )
            )

    def _dispatch(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[ConcreteFunction, list[Any]]:
        """The concrete function for a call, and what its graph takes."""
        values, kind = self._bind(args, kwargs)
        with self._lock:
            concrete = self._cache.get(kind)
            if concrete is None:
                why = self._tracer.why(kind, self._cache.types)
                if events.guards and any(each.kind is not CauseKind.FIRST_TRACE for each in why):
                    events.ask(events.Retracing(self, self._name, why, user_site()))
                concrete = self._trace(kind, values, why)
                self._detector.traced(definition(self._python_function), why, user_site())
            else:
                self._detector.calls += 1
        clock.served = concrete.trace
        return concrete, concrete.inputs_of(cast_values(values, concrete.type))

    def _bind(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Sequence[Any], FunctionType]:
        """The arguments in canonical order, cast to the input signature, and their types."""
        bound = self._signature.bind(args, kwargs)
        kind = self._signature.type_of(bound)
        if self._signature.constraint is None:
            return bound.values, kind
        try:
            return cast_values(bound.values, kind), kind
        except (TypeError, ValueError) as error:
            raise self._signature.failure(error, args, kwargs) from error

    def inputs_of_call(self, *args: Any, **kwargs: Any) -> list[Any]:
        """The tensors and handles that a call would give to its graph, in the order of its inputs.

        Traces if no trace fits the call.

        Raises:
            TypeError: the arguments do not fit the signature.
        """
        return self._dispatch(args, kwargs)[1]

    def _trace(
        self, kind: FunctionType, values: Sequence[Any] | None, why: tuple[Cause, ...]
    ) -> ConcreteFunction:
        if self._options.reduce_retracing and self._signature.constraint is None:
            kind = self._cache.generalize(kind)
        traced = self._tracer.trace(kind, values, why)
        concrete = ConcreteFunction(traced, self._name, trace=self._tracer.count)
        self._cache.add(kind, concrete)
        return concrete

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The concrete function for these arguments or specs, traced now if there is none.

        Raises:
            TypeError: the arguments do not fit the signature.
        """
        kind = self._signature.constraint
        if kind is None or args or kwargs:
            _, kind = self._bind(args, kwargs)
        with self._lock:
            known = self._cache.get(kind)
            return known or self._trace(kind, None, self._tracer.why(kind, self._cache.types))

    def __get__(self, instance: Any, owner: type | None = None) -> Function:
        """The Function of a method: each instance has its own, with its own traces."""
        if instance is None:
            return self
        key = id(instance)
        known = self._instances.get(key)
        if known is not None and known[0]() is instance:
            return known[1]
        instances = self._instances
        reference = weakref.ref(instance, lambda _: instances.pop(key, None))
        made = Function(BoundMethod(self._python_function, reference), self._options)
        instances[key] = (reference, made)
        return made

    @property
    def name(self) -> str:
        """The name of the Python function."""
        return self._name

    @property
    def python_function(self) -> Callable[..., Any]:
        """The function that was wrapped."""
        return self._python_function

    @property
    def signature(self) -> inspect.Signature:
        """The parameters of the Python function, annotations left out."""
        return self._signature.inspected

    @property
    def traces(self) -> tuple[ConcreteFunction, ...]:
        """The concrete functions traced so far, oldest first."""
        return tuple(self._cache)

    @property
    def input_signature(self) -> tuple[Any, ...] | None:
        """The input signature, if one was given; that of a function without parameters is empty."""
        given = self._signature.input_signature
        return () if given is None and not self.signature.parameters else given

    @property
    def function_type(self) -> public_type.FunctionType:
        """The parameters, with the types of the input signature."""
        constraint = self._signature.constraint
        types = {p.name: p.type for p in constraint.parameters} if constraint else {}
        return public_type.FunctionType(
            [
                public_type.Parameter(
                    p.name, p.kind, optional=p.default is not p.empty,
                    type_constraint=types.get(p.name),
                )
                for p in self.signature.parameters.values()
            ],
            text=self._signature.text(),
            captures={},
            output=None,
        )  # fmt: skip

    @property
    def function_spec(self) -> FunctionSpec:
        """The Python signature."""
        return FunctionSpec(inspect.getfullargspec(self._python_function), self.input_signature)

    def experimental_get_tracing_count(self) -> int:
        """How often the Python function was traced."""
        return self._tracer.count

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """The signatures of all traces, oldest first."""
        if not verbose:
            return "\n".join(c.pretty_printed_signature(verbose=False) for c in self._cache)
        return "\n\n".join("\n".join(c.signature_lines()) for c in self._cache)

    def __repr__(self) -> str:
        return f"<tf.function {self._name} at 0x{id(self):x}>"


def _created(function: Callable[..., Any], name: str, *, number: int) -> events.FunctionCreated:
    code = getattr(definition(function), "__code__", None)
    made_at = user_site()
    defined = Site(code.co_filename, code.co_firstlineno, name) if code else made_at
    return events.FunctionCreated(number, name, defined, made_at, perf_counter())
