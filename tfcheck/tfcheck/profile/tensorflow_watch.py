"""Wraps what makes, traces and runs TensorFlow's Functions, and emits the runtime's events."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Final
from unittest.mock import patch

from tensorflow.core.function.polymorphism.function_cache import FunctionCache
from tensorflow.python.eager import context
from tensorflow.python.eager.polymorphic_function import (
    concrete_function,
    polymorphic_function,
    tracing_compilation,
)

from tfcheck.profile.tensorflow_graphs import constant_bytes, side_effects
from tfcheck.profile.tensorflow_inside import Active, code_of, is_of_dataset, looking_up, place, why
from tfcheck.profile.tensorflow_types import function_type
from tfcheck_runtime import events
from tfcheck_runtime.events import Listener, Site
from tfcheck_runtime.site import user_site

_numbers: Final = itertools.count(1)


@dataclass(slots=True, eq=False)
class _Known:
    """What is known of one Function."""

    number: int
    traces: int = 0
    """How many were seen."""
    served: int = 0
    """The trace that served the latest call."""


class _Thread(Active):
    """What a thread is at."""

    def __init__(self) -> None:
        super().__init__()
        self.tracing: list[int] = []
        self.running = 0.0
        """Seconds spent in executing graphs."""


class Watch:
    """Hands the events of TensorFlow's Functions to a listener."""

    def __init__(self, listener: Listener) -> None:
        self._emit = listener
        self._known: weakref.WeakKeyDictionary[Any, _Known] = weakref.WeakKeyDictionary()
        self._traces: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._first: dict[Any, int] = {}
        """The Function that was traced first, by code."""
        self._thread = _Thread()

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Watch while the context is open."""
        function = polymorphic_function.Function
        wrapped = (
            (function, "__init__", self._init),
            (function, "__call__", self._call),
            (function, "get_concrete_function", self._inside),
            (tracing_compilation, "trace_function", self._trace_function),
            (tracing_compilation, "_create_concrete_function", self._create),
            (concrete_function.ConcreteFunction, "_call_flat", self._call_flat),
            (FunctionCache, "lookup", lambda original: looking_up(self._thread, original)),
        )
        with ExitStack() as stack:
            for owner, name, wrap in wrapped:
                stack.enter_context(patch.object(owner, name, wrap(getattr(owner, name))))
            yield

    def _of(self, function: Any) -> _Known:
        known = self._known.get(function)
        if known is None:
            known = self._known[function] = _Known(next(_numbers))
        return known

    def _init(self, original: Callable[..., None]) -> Callable[..., None]:
        def made(function: Any, *args: Any, **kwargs: Any) -> None:
            original(function, *args, **kwargs)
            if is_of_dataset(function):
                return
            number, name, here = self._of(function).number, function.name, user_site()
            code = code_of(function)
            defined = Site(code.co_filename, code.co_firstlineno, name) if code else here
            self._emit(events.FunctionCreated(number, name, defined, here, perf_counter()))

        return made

    def _call(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def called(function: Any, *args: Any, **kwargs: Any) -> Any:
            thread, known = self._thread, self._of(function)
            if function._run_functions_eagerly:
                self._emit(events.EagerlyRun(known.number, user_site()))
                return original(function, *args, **kwargs)
            if not context.executing_eagerly():
                return self._within(function, original, args, kwargs)
            start, before = perf_counter(), thread.running
            known.served, failed, result = 0, None, None
            try:
                result = self._within(function, original, args, kwargs)
                return result
            except BaseException as error:
                failed = type(error).__name__
                raise
            finally:
                self._emit(
                    events.Called(
                        function=known.number,
                        trace=known.served,
                        site=user_site(),
                        start=start,
                        seconds=perf_counter() - start,
                        running_seconds=thread.running - before,
                        callee=function,
                        args=args,
                        kwargs=kwargs,
                        failed=failed,
                        result=result,
                    )
                )

        return called

    def _inside(self, original: Callable[..., Any]) -> Callable[..., Any]:
        return lambda function, *args, **kwargs: self._within(function, original, args, kwargs)

    def _within(
        self,
        function: Any,
        original: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        self._thread.functions.append(function)
        try:
            return original(function, *args, **kwargs)
        finally:
            self._thread.functions.pop()

    def _trace_function(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def looked_up(args: Any = None, kwargs: Any = None, tracing_options: Any = None) -> Any:
            found = original(args, kwargs, tracing_options)
            function = self._thread.owner(tracing_options)
            if function is not None:
                self._of(function).served = self._traces.get(found, 0)
            return found

        return looked_up

    def _create(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def created(kind: Any, type_context: Any, graph: Any, options: Any) -> Any:
            function = self._thread.owner(options)
            if function is None:
                return original(kind, type_context, graph, options)
            return self._traced(
                function, kind, options, lambda: original(kind, type_context, graph, options)
            )

        return created

    def _traced(self, function: Any, kind: Any, options: Any, trace: Callable[[], Any]) -> Any:
        thread, known = self._thread, self._of(function)
        ours = function_type(kind)
        called = function_type(thread.looked_up or kind)
        reasons = why(function, called, options, is_first=self._is_first(function, known))
        inside = thread.tracing[-1] if thread.tracing else None
        start, site, found, failed = perf_counter(), place(), None, None
        thread.tracing.append(known.number)
        try:
            found = trace()
        except BaseException as error:
            failed = type(error).__name__
            raise
        else:
            known.traces += 1
            self._traces[found] = known.traces
            return found
        finally:
            thread.tracing.pop()
            number = known.traces + (found is None)
            self._emit(
                events.Traced(
                    function=known.number,
                    trace=number,
                    signature=ours.text(),
                    causes=reasons,
                    site=site,
                    start=start,
                    seconds=perf_counter() - start,
                    nodes=len(found.graph.get_operations()) if found else 0,
                    constant_bytes=constant_bytes(found.graph) if found else 0,
                    inside=inside,
                    failed=failed,
                )
            )
            for kind_, where in side_effects(found.graph) if found else ():
                self._emit(events.SideEffect(known.number, number, kind=kind_, site=where))

    def _is_first(self, function: Any, known: _Known) -> bool:
        """Whether no other Function of its code was traced before."""
        code = code_of(function)
        return code is None or self._first.setdefault(code, known.number) == known.number

    def _call_flat(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def called(function: Any, *args: Any, **kwargs: Any) -> Any:
            if not context.executing_eagerly():
                return original(function, *args, **kwargs)
            start = perf_counter()
            try:
                return original(function, *args, **kwargs)
            finally:
                self._thread.running += perf_counter() - start

        return called
