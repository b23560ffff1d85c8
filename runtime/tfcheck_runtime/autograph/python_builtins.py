"""Builtins that mean something on tensors: `range`, `len`, `int`, `float`, `abs`, `sorted`.

`all`, `any`, `enumerate`, `filter`, `len`, `map` and `zip` mean something on datasets. The others
(`max`, `sum`…) stay Python's: TensorFlow does not convert them either.
"""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable
from typing import Any, Final

from tfcheck_runtime import dispatch
from tfcheck_runtime.autograph.symbolic import is_symbolic
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.gathering import gather
from tfcheck_runtime.ops.array.ranges import range_
from tfcheck_runtime.ops.array.shaping import shape
from tfcheck_runtime.ops.array.sorting import argsort, sort
from tfcheck_runtime.ops.control.functional import vectorized_map
from tfcheck_runtime.ops.control.tensor_array import TensorArray
from tfcheck_runtime.ops.ragged.tensor import RaggedTensor
from tfcheck_runtime.ops.strings.numbers import to_number
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import DType
from tfcheck_runtime.values import operators
from tfcheck_runtime.values.convert import convert_to_tensor


def _abs(x: Any) -> Any:
    return operators.implementation("abs")(x) if is_symbolic(x) else builtins.abs(x)


def _float(x: Any = 0) -> Any:
    return _number(x, dtypes.float32) if is_symbolic(x) else builtins.float(x)


def _int(x: Any = 0, *base: Any, **named: Any) -> Any:
    if not is_symbolic(x):
        return builtins.int(x, *base, **named)
    given = (*base, *named.values())
    if given not in ((), (10,)):
        raise NotImplementedError(f"int() of a tensor takes base 10 only, got {given[0]}")
    return _number(x, dtypes.int32)


def _number(x: Any, dtype: DType) -> Any:
    tensor = convert_to_tensor(x)
    return to_number(tensor, dtype) if tensor.dtype is dtypes.string else cast(tensor, dtype)


def _len(s: Any) -> Any:
    if isinstance(s, TensorArray) and dispatch.current_graph() is not None:
        return s.size()
    if isinstance(s, RaggedTensor) and dispatch.current_graph() is not None:
        rows = s.static_shape[0] if s.static_shape else None
        return s.nrows() if rows is None else rows
    if not is_symbolic(s):
        return _of_sequence(builtins.len)(s)
    tensor = convert_to_tensor(s)
    sizes = tensor.static_shape
    if sizes == ():
        raise ValueError(f"len requires a non-scalar tensor, got one of shape (): {tensor}")
    known = sizes[0] if sizes else None
    return shape(tensor)[0] if known is None else known


def _range(*bounds: Any) -> Any:
    if any(is_symbolic(bound) for bound in bounds):
        return range_(*bounds)
    return builtins.range(*bounds)


def _sorted(iterable: Any, /, *, key: Any = None, reverse: Any = False) -> Any:
    if not is_symbolic(iterable):
        return builtins.sorted(iterable, key=key, reverse=reverse)
    direction = "DESCENDING" if reverse else "ASCENDING"
    tensor = convert_to_tensor(iterable)
    keys = tensor if key is None else vectorized_map(key, tensor)
    if keys.ndim not in (1, None):
        raise ValueError(f"sorted needs a tensor with one axis, got shape {keys.shape}")
    if key is None:
        return sort(tensor, direction=direction)
    return gather(tensor, argsort(keys, direction=direction, stable=True))


def _of_sequence(builtin: Callable[..., Any]) -> Callable[..., Any]:
    """A builtin that a dataset among its arguments does in its own way inside graphs."""

    @functools.wraps(builtin, updated=())
    def call(*args: Any, **named: Any) -> Any:
        if dispatch.current_graph() is not None:
            for argument in args:
                own = getattr(type(argument), "__tf_builtin__", None)
                if own is not None:
                    return own(argument, builtin, args, named)
        return builtin(*args, **named)

    return call


_OVERLOADS: Final[dict[int, Callable[..., Any]]] = {
    id(builtins.abs): _abs,
    id(builtins.float): _float,
    id(builtins.int): _int,
    id(builtins.len): _len,
    id(builtins.range): _range,
    id(builtins.sorted): _sorted,
    **{
        id(builtin): _of_sequence(builtin)
        for builtin in (builtins.all, builtins.any, enumerate, builtins.filter, map, zip)
    },
}


def overload(function: object) -> Callable[..., Any] | None:
    """What a builtin is replaced by in converted code, if anything."""
    return _OVERLOADS.get(id(function))
