"""What public functions do with ragged tensors: one table, function by function.

A version is written with public functions on the tensors inside, so that eager code, graphs and
gradients follow. A namespace is made aware of the table where it is put together.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any, Final

from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.filling import ones_like, zeros_like
from tfcheck_runtime.ops.array.identity import identity, stop_gradient
from tfcheck_runtime.ops.math import arithmetic, comparison, division, exponential, logic, rounding
from tfcheck_runtime.ops.ragged.broadcasting import broadcast
from tfcheck_runtime.ops.ragged.tensor import RaggedTensor
from tfcheck_runtime.values import operators
from tfcheck_runtime.values.convert import convert_to_tensor, is_typed

Function = Callable[..., Any]

_UNARY: Final[tuple[Function, ...]] = (
    *(arithmetic.abs, arithmetic.negative, arithmetic.sign, arithmetic.square),
    *(exponential.exp, exponential.log, exponential.sqrt, exponential.sigmoid, exponential.tanh),
    *(rounding.ceil, rounding.floor, rounding.round),
    *(logic.logical_not, logic.invert),
    *(cast, identity, stop_gradient, ones_like, zeros_like),
)
_BINARY: Final[tuple[Function, ...]] = (
    *(arithmetic.add, arithmetic.subtract, arithmetic.multiply),
    *(arithmetic.maximum, arithmetic.minimum, arithmetic.squared_difference),
    *(comparison.equal, comparison.not_equal, comparison.less, comparison.less_equal),
    *(comparison.greater, comparison.greater_equal),
    *(division.divide, division.truediv, division.floordiv, division.floormod),
    *(exponential.pow, logic.logical_and, logic.logical_or, logic.logical_xor),
)
_OPERATORS: Final = {
    **dict.fromkeys(("negative", "abs", "invert"), 1),
    **dict.fromkeys(("add", "subtract", "multiply", "truediv", "floordiv", "mod", "pow"), 2),
    **dict.fromkeys(("and", "or", "xor", "equal", "not_equal"), 2),
    **dict.fromkeys(("less", "less_equal", "greater", "greater_equal"), 2),
}
"""Operators by the number of their operands."""


def _aware(function: Function, operands: int) -> Function:
    """`function`, element by element also on ragged tensors among its first `operands`."""
    names = tuple(inspect.signature(function).parameters)[:operands]

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        given = (*args[:operands], *(kwargs[name] for name in names if name in kwargs))
        if not any(isinstance(value, RaggedTensor) for value in given):
            return function(*args, **kwargs)
        flat, around = broadcast(_alike(given))
        rest = {name: value for name, value in kwargs.items() if name not in names}
        return around(function(*flat, *args[operands:], **rest))

    return call


def _aware_operator(function: Function, operands: int) -> Function:
    """The same for an operator: every `+` of plain tensors passes here, so it does little."""
    ragged = _aware(function, operands)

    def call(*args: Any) -> Any:
        for value in args:
            if type(value) is RaggedTensor:
                return ragged(*args)
        return function(*args)

    return call


def _alike(values: Iterable[Any]) -> list[Any]:
    """Plain operands as tensors: Python data takes the dtype of the ragged one."""
    listed = list(values)
    dtype = next(v.dtype for v in listed if isinstance(v, RaggedTensor))
    return [v if isinstance(v, RaggedTensor) else _tensor(v, dtype) for v in listed]


def _tensor(value: Any, dtype: Any) -> Any:
    return convert_to_tensor(value) if is_typed(value) else convert_to_tensor(value, dtype)


_VERSIONS: Final = {
    **{function: _aware(function, 1) for function in _UNARY},
    **{function: _aware(function, 2) for function in _BINARY},
}

for _name, _count in _OPERATORS.items():
    operators.implements(_name)(_aware_operator(operators.implementation(_name), _count))


def make_aware(namespace: dict[str, Any]) -> None:
    """Put the versions that take ragged tensors in place of the functions of a namespace."""
    for name, value in namespace.items():
        if inspect.isfunction(value) and value in _VERSIONS:
            namespace[name] = _VERSIONS[value]
