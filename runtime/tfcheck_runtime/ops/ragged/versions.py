"""What public functions do with ragged tensors, element by element or by rows."""

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
from tfcheck_runtime.values import operators, versions
from tfcheck_runtime.values.convert import fitted

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


def _by_element(function: Function, operands: int) -> Function:
    """`function`, element by element on ragged tensors among its first `operands`."""
    names = tuple(inspect.signature(function).parameters)[:operands]

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        given = (*args[:operands], *(kwargs[name] for name in names if name in kwargs))
        flat, around = broadcast(_alike(given))
        rest = {name: value for name, value in kwargs.items() if name not in names}
        return around(function(*flat, *args[operands:], **rest))

    return call


def _alike(values: Iterable[Any]) -> list[Any]:
    """Plain operands as tensors: Python data takes the dtype of the ragged one."""
    listed = list(values)
    dtype = next(v.dtype for v in listed if isinstance(v, RaggedTensor))
    return [v if isinstance(v, RaggedTensor) else fitted(v, dtype) for v in listed]


for _functions, _operands in ((_UNARY, 1), (_BINARY, 2)):
    for _function in _functions:
        versions.register(_function, RaggedTensor, _by_element(_function, _operands))

for _name, _count in _OPERATORS.items():
    _version = _by_element(operators.implementation(_name), _count)
    versions.register_operator(_name, RaggedTensor, _version)
