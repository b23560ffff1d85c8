"""What runs while tracing: the Python function, converted by AutoGraph, bound to its instance."""

from __future__ import annotations

import functools
import inspect
import weakref
from collections.abc import Callable
from typing import Any

from tfcheck_runtime.autograph import policy
from tfcheck_runtime.autograph.api import convert
from tfcheck_runtime.autograph.staging import staging


class BoundMethod:
    """A function as the method of an instance, which it does not keep alive."""

    def __init__(self, function: Callable[..., Any], reference: weakref.ReferenceType[Any]) -> None:
        functools.update_wrapper(self, function, updated=())
        parameters = list(inspect.signature(function).parameters.values())[1:]
        self.__signature__ = inspect.Signature(parameters)
        self.function = function
        self.reference = reference

    @property
    def __self__(self) -> Any:
        """The instance, as other bound methods name it; None when it is gone."""
        return self.reference()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the method; `self` is None when the instance is gone, as in TensorFlow."""
        return self.function(self.reference(), *args, **kwargs)

    def __repr__(self) -> str:
        return f"<bound method {self.function.__qualname__}>"


def traceable(function: Callable[..., Any], *, autograph: bool) -> Callable[..., Any]:
    """What a Function runs to trace `function`."""
    if isinstance(function, BoundMethod):
        inside = traceable(function.function, autograph=autograph)
        reference = function.reference

        @functools.wraps(function, updated=())
        def on_instance(*args: Any, **kwargs: Any) -> Any:
            return inside(reference(), *args, **kwargs)

        return on_instance
    converted = _converted(function) if autograph else function

    @functools.wraps(function)  # errors show it
    def run(*args: Any, **kwargs: Any) -> Any:
        # A Function called by one that is not converted decides for itself.
        with policy.disabled(not autograph):
            return converted(*args, **kwargs)

    return run


def _converted(function: Callable[..., Any]) -> Callable[..., Any]:
    made = convert(function)
    return function if made is function else staging(made)


def definition(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function that the user wrote, behind wrappers and methods."""
    unwrapped: Callable[..., Any] = inspect.unwrap(function)
    return unwrapped
