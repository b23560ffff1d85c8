"""AutoGraph: Python control flow to graph control flow.

Follows https://www.tensorflow.org/api_docs/python/tf/autograph.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any, TypeVar

from tfcheck_runtime.autograph import policy
from tfcheck_runtime.autograph.calls import conversion_of, converted
from tfcheck_runtime.autograph.compilation import Conversion
from tfcheck_runtime.autograph.features import Feature
from tfcheck_runtime.autograph.options import set_loop_options
from tfcheck_runtime.autograph.staging import staging
from tfcheck_runtime.autograph.support import ConversionError
from tfcheck_runtime.ops.control.functional import convert_functions_with

__all__ = [
    "Feature", "convert", "do_not_convert", "set_loop_options", "set_verbosity", "tf_convert",
    "to_code", "to_graph", "trace",
]  # fmt: skip

Function = TypeVar("Function", bound=Callable[..., Any])


def convert(function: Callable[..., Any], *, recursive: bool = True) -> Callable[..., Any]:
    """`function` with `if`, `for`, `while` and the rest working on tensors.

    A function that cannot be converted comes back as it is, after a warning that says why.

    Args:
        function: a function, method, lambda, partial or callable object.
        recursive: convert the functions it calls, too.
    """
    made: Callable[..., Any] = converted(function)
    if recursive or made is function:
        return made

    @functools.wraps(function)
    def alone(*args: Any, **kwargs: Any) -> Any:
        with policy.disabled():
            return made(*args, **kwargs)

    return alone


def tf_convert(function: Callable[..., Any]) -> Callable[..., Any]:
    """`convert`, unless the caller itself must not be converted."""
    if policy.is_disabled():
        left: Callable[..., Any] = do_not_convert(function)
        return left
    made = convert(function)
    return made if made is function else staging(made)


def do_not_convert(func: Function | None = None) -> Any:
    """Run a function as it is inside converted code; a decorator with or without parentheses.

    See https://www.tensorflow.org/api_docs/python/tf/autograph/experimental/do_not_convert.
    """
    if func is None:
        return do_not_convert
    target = func

    @functools.wraps(target)
    def unconverted(*args: Any, **kwargs: Any) -> Any:
        with policy.disabled():
            return target(*args, **kwargs)

    policy.mark_unconverted(unconverted)
    return unconverted


def to_graph(
    entity: Callable[..., Any],
    recursive: bool = True,
    experimental_optional_features: object = None,
) -> Callable[..., Any]:
    """`convert` for a plain function or method, or an error.

    See https://www.tensorflow.org/api_docs/python/tf/autograph/to_graph.

    Raises:
        ConversionError: the function cannot be converted.
    """
    _conversion(entity)
    return convert(entity, recursive=recursive)


def to_code(
    entity: Callable[..., Any],
    recursive: bool = True,
    experimental_optional_features: object = None,
) -> str:
    """The source of what `convert` makes of a function.

    Raises:
        ConversionError: the function cannot be converted.
    """
    return ast.unparse(_conversion(entity).tree)


def _conversion(entity: object) -> Conversion:
    function = entity.__func__ if isinstance(entity, MethodType) else entity
    if not isinstance(function, FunctionType):
        raise ConversionError(
            f"converting {entity!r}: it is not a function written in Python; of a tf.function,"
            " pass f.python_function"
        )
    conversion = conversion_of(function)
    if conversion is None:
        raise ConversionError(f"converting {entity!r}: a warning says why it cannot be converted")
    return conversion


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Accepted, without effect: conversion here writes no log."""


def trace(*args: object) -> None:
    """Print what stands there while a function is traced."""
    print(*args)


convert_functions_with(tf_convert)
