"""What the inside of TensorFlow's Functions tells: whose trace one is, its code, what it has."""

from __future__ import annotations

import inspect
import os
import threading
from collections.abc import Callable, Sequence
from typing import Any

from tensorflow.python.eager import context
from tensorflow.python.util import tf_decorator, tf_stack

from tfcheck.profile.tensorflow_types import function_type
from tfcheck_runtime.events import Cause, CauseKind, Site
from tfcheck_runtime.function.explain import causes
from tfcheck_runtime.function.signature import FunctionType
from tfcheck_runtime.site import is_hidden_file, user_site


class Active(threading.local):
    """The Functions that a thread is calling or tracing, the innermost last."""

    def __init__(self) -> None:
        self.functions: list[Any] = []
        self.looked_up: Any = None
        """The type of the latest call, before `reduce_retracing` makes it more general."""

    def owner(self, options: Any) -> Any:
        """The Function that traces with these options; None for those of datasets."""
        function = self.functions[-1] if self.functions else None
        if function is None or is_of_dataset(function):
            return None
        own = any(
            options is each
            for each in (
                function._variable_creation_config,
                function._no_variable_creation_config,
            )
        )
        return function if own else None


def is_of_dataset(function: Any) -> bool:
    """Whether a Function was made by a dataset of what it maps, and is nobody's own."""
    code = getattr(function.python_function, "__code__", None)
    return code is not None and code.co_filename.endswith(_STRUCTURED)


_STRUCTURED = os.path.join("tensorflow", "python", "data", "ops", "structured_function.py")


def looking_up(active: Active, original: Callable[..., Any]) -> Callable[..., Any]:
    """`FunctionCache.lookup` that leaves what was looked up with the thread."""

    def lookup(cache: Any, function_type: Any, context: Any = None) -> Any:
        active.looked_up = function_type
        return original(cache, function_type, context)

    return lookup


def existing(options: Any) -> list[FunctionType]:
    """The types of the traces that these options have made, oldest first."""
    made = options.function_cache._primary
    return [function_type(kind) for place, kind in made if place.scope_type == options.scope_type]


def why(function: Any, kind: FunctionType, options: Any, *, is_first: bool) -> tuple[Cause, ...]:
    """Why a trace is made; `is_first` says that no other Function of the code was traced yet."""
    known = existing(options)
    if known:
        # With nothing that differs it is the graph or device around the call.
        return causes(kind, known) or (Cause(CauseKind.CONTEXT, "", "", kind.text()),)
    second = options is function._no_variable_creation_config
    if second and function._variable_creation_config is not None:
        what = CauseKind.VARIABLE_CREATION
    else:
        what = CauseKind.FIRST_TRACE if is_first else CauseKind.NEW_FUNCTION
    return (Cause(what, "", "", kind.text()),)


def place() -> Site:
    """Where the user's code stands; AutoGraph's copy of it is taken for what it is a copy of."""
    if context.executing_eagerly():
        return user_site()
    return first_visible(tf_stack.extract_stack())


def first_visible(frames: Sequence[Any] | None) -> Site:
    """The innermost of TensorFlow's own stack frames that is the user's."""
    for frame in reversed(frames or ()):
        if not is_hidden_file(frame.filename):
            return Site(frame.filename, frame.lineno, frame.name)
    return Site("<unknown>", 0, "<unknown>")


def code_of(function: Any) -> Any:
    """The code of what the user wrote, behind decorators and methods; None if it has none."""
    _, target = tf_decorator.unwrap(function.python_function)
    return getattr(inspect.unwrap(target), "__code__", None)
