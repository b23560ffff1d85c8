"""Asks before TensorFlow traces a Function again, and runs calls eagerly where that is answered."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

from tensorflow.core.function.polymorphism.function_cache import FunctionCache
from tensorflow.python.eager.polymorphic_function import polymorphic_function, tracing_compilation

from tfcheck.profile.tensorflow_inside import Active, code_of, looking_up, place, why
from tfcheck.profile.tensorflow_types import function_type
from tfcheck_runtime.events import CauseKind, DeclinedError, Guard, Retracing

_FREE = frozenset({CauseKind.FIRST_TRACE, CauseKind.VARIABLE_CREATION})
"""Traces that nobody is asked about: there is no other way."""


class Guarding:
    """Stands between the calls of TensorFlow's Functions and what traces them."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self._active = Active()
        self._first: dict[Any, weakref.ref[Any]] = {}
        """The Function that was traced first, by code."""

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Ask while the context is open."""
        function = polymorphic_function.Function
        wrapped = (
            (function, "__call__", self._call),
            (tracing_compilation, "_create_concrete_function", self._create),
            (FunctionCache, "lookup", lambda original: looking_up(self._active, original)),
        )
        with ExitStack() as stack:
            for owner, name, wrap in wrapped:
                stack.enter_context(patch.object(owner, name, wrap(getattr(owner, name))))
            yield

    def _call(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def called(function: Any, *args: Any, **kwargs: Any) -> Any:
            self._active.functions.append(function)
            try:
                return original(function, *args, **kwargs)
            except DeclinedError:
                return function.python_function(*args, **kwargs)
            finally:
                self._active.functions.pop()

        return called

    def _create(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def created(kind: Any, type_context: Any, graph: Any, options: Any) -> Any:
            function = self._active.owner(options)
            if function is not None:
                ours = function_type(self._active.looked_up or kind)
                reasons = why(function, ours, options, is_first=self._is_first(function))
                if any(each.kind not in _FREE for each in reasons):
                    self._guard(Retracing(function, function.name, reasons, place()))
            return original(kind, type_context, graph, options)

        return created

    def _is_first(self, function: Any) -> bool:
        code = code_of(function)
        known = self._first.setdefault(code, weakref.ref(function))
        return code is None or known() is function
