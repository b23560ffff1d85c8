"""Calls from converted code: user functions are converted on the way, the rest runs as it is."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from dataclasses import dataclass
from types import CellType, CodeType, FunctionType, MethodType, SimpleNamespace
from typing import Any, Final

from tfcheck_runtime.autograph import branches, logic, loops, undefined
from tfcheck_runtime.autograph.compilation import Conversion, convert_code, is_converted
from tfcheck_runtime.autograph.policy import belongs_to_library, is_disabled, is_left_alone
from tfcheck_runtime.autograph.python_builtins import overload
from tfcheck_runtime.autograph.support import ConversionError
from tfcheck_runtime.autograph.syntax import OPERATORS

_log: Final = logging.getLogger("tensorflow")


@dataclass(frozen=True, slots=True)
class _Known:
    """The outcome for a code object, which it keeps alive so that its id stays its own."""

    source: CodeType
    conversion: Conversion | None


_known: Final[dict[int, _Known]] = {}


def converted(function: Any) -> Any:
    """What converted code calls instead of `function`."""
    if is_disabled():
        return function
    if isinstance(function, FunctionType):
        return converted_function(function)
    if isinstance(function, MethodType):
        return _method(function)
    replacement = overload(function)
    if replacement is not None:
        return replacement
    if isinstance(function, type):
        return function
    if type(function) is functools.partial:
        return functools.partial(converted(function.func), *function.args, **function.keywords)
    return _callable_object(function)


def _method(method: MethodType) -> Any:
    function = method.__func__
    if not isinstance(function, FunctionType):
        return method
    made = converted_function(function)
    return method if made is function else MethodType(made, method.__self__)


def _callable_object(value: Any) -> Any:
    kind = type(value)
    call = getattr(kind, "__call__", None)  # noqa: B004  # the function itself is wanted
    if not isinstance(call, FunctionType) or belongs_to_library(kind.__module__):
        return value
    made = converted_function(call)
    return value if made is call else MethodType(made, value)


def converted_function(function: FunctionType) -> FunctionType:
    """`function` with convertible control flow, or itself when it is to run as it is."""
    code = function.__code__
    if is_converted(code) or is_left_alone(function):
        return function
    conversion = conversion_of(function)
    return function if conversion is None else _with_code(function, conversion.code)


def conversion_of(function: FunctionType) -> Conversion | None:
    """The conversion of a function's code, None where it cannot be converted; warns once."""
    code = function.__code__
    known = _known.get(id(code))
    if known is None:
        known = _known[id(code)] = _Known(code, _convert(function))
    return known.conversion


def _convert(function: FunctionType) -> Conversion | None:
    try:
        return convert_code(function.__code__, function.__qualname__)
    except ConversionError as error:
        _log.warning(
            "AutoGraph could not transform %s and will run it as-is.\nCause: %s\nTo silence this"
            " warning, decorate the function with @tf.autograph.experimental.do_not_convert",
            function,
            error,
        )
        return None


def _with_code(function: FunctionType, code: CodeType) -> FunctionType:
    """A copy of `function` that runs `code` with the same closure, defaults and globals."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    cells[OPERATORS] = _CELL
    closure = tuple(cells[name] for name in code.co_freevars)
    made = FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, closure
    )
    made.__kwdefaults__ = function.__kwdefaults__
    made.__qualname__ = function.__qualname__
    made.__module__ = function.__module__
    made.__doc__ = function.__doc__
    made.__dict__.update(function.__dict__)
    return made


_operators: Final[dict[str, Callable[..., Any]]] = {
    "converted": converted,
    "if_stmt": branches.if_stmt,
    "if_exp": branches.if_exp,
    "while_stmt": loops.while_stmt,
    "for_stmt": loops.for_stmt,
    "and_": logic.and_,
    "or_": logic.or_,
    "not_": logic.not_,
    "chained": logic.chained,
    "Undefined": undefined.Undefined,
    "UndefinedReturnValue": undefined.UndefinedReturnValue,
    "read": undefined.read,
    "returned": undefined.returned,
    "probe": undefined.probe,
    "is_defined": undefined.is_defined,
    "missing": undefined.missing,
    "own_names": undefined.own_names,
    "no_values": undefined.no_values,
    "no_setter": undefined.no_setter,
}
_CELL: Final = CellType(SimpleNamespace(**_operators))
