"""`tf.debugging.assert_*`: checks of contents, at once where they are known, else in the graph.

Follows https://www.tensorflow.org/api_docs/python/tf/debugging.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfcheck_runtime import dispatch
from tfcheck_runtime.errors import InvalidArgumentError
from tfcheck_runtime.graph.operation import Operation
from tfcheck_runtime.op import Array
from tfcheck_runtime.ops.array.quantifiers import reduce_all
from tfcheck_runtime.ops.control.asserting import assert_
from tfcheck_runtime.ops.math import comparison
from tfcheck_runtime.specs.dtypes import as_dtype
from tfcheck_runtime.values.convert import convert_pair, convert_to_tensor
from tfcheck_runtime.values.tensor import EagerTensor, SymbolicTensor, Tensor, nothing_to_do

Compare = Callable[[object, object], Tensor]


def _compared(
    sign: str, compare: Compare, operands: tuple[object, object], *, message: str | None,
    summarize: int | None,
) -> Operation | None:  # fmt: skip
    x, y = convert_pair(*operands)
    holds = reduce_all(compare(x, y))
    known = _content(holds)
    if known is not None and bool(known):
        return nothing_to_do("NoOp")
    if dispatch.current_graph() is None:
        raise _failure(_eager_text(sign, (x, y), message, summarize))
    if known is not None:
        raise _failure(_static_text(sign, x, y, message))
    condition = f"Condition x {sign} y did not hold element-wise:"
    data = [message or "", condition, f"x ({_shown(x)}) = ", x, f"y ({_shown(y)}) = ", y]
    return assert_(holds, [d for d in data if not isinstance(d, str) or d], summarize)


def _failure(text: str) -> InvalidArgumentError:
    return InvalidArgumentError(None, None, text)


def _content(tensor: Tensor) -> Array | None:
    if isinstance(tensor, EagerTensor):
        return tensor.array
    assert isinstance(tensor, SymbolicTensor)  # a tensor is one or the other
    return tensor.aval.constant()


def _shown(tensor: Tensor) -> str:
    if isinstance(tensor, SymbolicTensor):
        return tensor.name
    return f"shape={tensor.shape} dtype={tensor.dtype.name}"


def _eager_text(
    sign: str, operands: tuple[Tensor, Tensor], message: str | None, summarize: int | None
) -> str:
    x, y = (np.asarray(o) for o in operands)
    limit = 3 if summarize is None else summarize
    lines = [*([message] if message else []), f"Condition x {sign} y did not hold."]
    if x.shape == y.shape and x.dtype.kind != "O":
        lines.extend(_differing(sign, x, y, limit))
    for name, array in (("x", x), ("y", y)):
        count = min(limit, array.size)
        lines.append(f"First {count} elements of {name}:\n{array.reshape(-1)[:count]}")
    return "\n".join(lines)


def _differing(sign: str, x: Array, y: Array, limit: int) -> list[str]:
    holds = {
        "==": np.equal, "!=": np.not_equal, "<": np.less, "<=": np.less_equal,
        ">": np.greater, ">=": np.greater_equal,
    }[sign](x, y)  # fmt: skip
    places = np.argwhere(~holds)[:limit]
    index = tuple(places.T)
    return [
        f"Indices of first {len(places)} different values:\n{places}",
        f"Corresponding x values:\n{x[index]}",
        f"Corresponding y values:\n{y[index]}",
    ]


def _static_text(sign: str, x: Tensor, y: Tensor, message: str | None) -> str:
    start = f"{message}\n" if message else ""
    return (
        f"{start}Condition x {sign} y did not hold element-wise:\nx ({_shown(x)}) = \n{_content(x)}"
        f"\ny ({_shown(y)}) = \n{_content(y)}\n"
    )


def assert_equal(
    x: object, y: object, message: str | None = None, summarize: int | None = None,
    name: str | None = None,
) -> Operation | None:  # fmt: skip
    """Check that `x == y` everywhere.

    Raises:
        InvalidArgumentError: it does not hold; at once where the values are known.
    """
    return _compared("==", comparison.equal, (x, y), message=message, summarize=summarize)


def assert_none_equal(
    x: object, y: object, summarize: int | None = None, message: str | None = None,
    name: str | None = None,
) -> Operation | None:  # fmt: skip
    """Check that `x != y` everywhere; see `assert_equal`."""
    return _compared("!=", comparison.not_equal, (x, y), message=message, summarize=summarize)


def assert_less(
    x: object, y: object, message: str | None = None, summarize: int | None = None,
    name: str | None = None,
) -> Operation | None:  # fmt: skip
    """Check that `x < y` everywhere; see `assert_equal`."""
    return _compared("<", comparison.less, (x, y), message=message, summarize=summarize)


def assert_less_equal(
    x: object, y: object, message: str | None = None, summarize: int | None = None,
    name: str | None = None,
) -> Operation | None:  # fmt: skip
    """Check that `x <= y` everywhere; see `assert_equal`."""
    return _compared("<=", comparison.less_equal, (x, y), message=message, summarize=summarize)


def assert_greater(
    x: object, y: object, message: str | None = None, summarize: int | None = None,
    name: str | None = None,
) -> Operation | None:  # fmt: skip
    """Check that `x > y` everywhere; see `assert_equal`."""
    return _compared(">", comparison.greater, (x, y), message=message, summarize=summarize)


def assert_greater_equal(
    x: object, y: object, message: str | None = None, summarize: int | None = None,
    name: str | None = None,
) -> Operation | None:  # fmt: skip
    """Check that `x >= y` everywhere; see `assert_equal`."""
    return _compared(">=", comparison.greater_equal, (x, y), message=message, summarize=summarize)


def _signed(
    sign: str, compare: Compare, x: object, *, message: str | None, summarize: int | None
) -> Operation | None:
    tensor = convert_to_tensor(x)
    holds = reduce_all(compare(tensor, convert_to_tensor(0, tensor.dtype)))
    known = _content(holds)
    if known is not None and bool(known):
        return nothing_to_do("NoOp")
    condition = f"Condition x {sign} 0 did not hold element-wise:"
    content = _content(tensor)
    if content is None:
        data = [message or "", condition, f"x ({_shown(tensor)}) = ", tensor]
        return assert_(holds, [d for d in data if not isinstance(d, str) or d], summarize)
    start = f"{message}.  \n" if message else ""
    values = [str(v) for v in content.reshape(-1).tolist()]
    raise _failure(f"{start}{condition}\nx ({_shown(tensor)}) = \n{values}")


def assert_negative(
    x: object, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> Operation | None:
    """Check that `x < 0` everywhere; see `assert_equal`."""
    return _signed("<", comparison.less, x, message=message, summarize=summarize)


def assert_positive(
    x: object, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> Operation | None:
    """Check that `x > 0` everywhere; see `assert_equal`."""
    return _signed(">", comparison.greater, x, message=message, summarize=summarize)


def assert_non_negative(
    x: object, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> Operation | None:
    """Check that `x >= 0` everywhere; see `assert_equal`."""
    return _signed(">=", comparison.greater_equal, x, message=message, summarize=summarize)


def assert_non_positive(
    x: object, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> Operation | None:
    """Check that `x <= 0` everywhere; see `assert_equal`."""
    return _signed("<=", comparison.less_equal, x, message=message, summarize=summarize)


def assert_near(
    x: object,
    y: object,
    rtol: object = None,
    atol: object = None,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Operation | None:
    """Check that `|x - y| <= atol + rtol * |y|`; both tolerances default to 10 ulps.

    Raises:
        InvalidArgumentError: it does not hold.
    """
    left, right = convert_pair(x, y)
    default = 10 * float(np.finfo(left.dtype.as_numpy_dtype).eps) if left.dtype.is_floating else 0
    relative = convert_to_tensor(default if rtol is None else rtol, left.dtype)
    absolute = convert_to_tensor(default if atol is None else atol, left.dtype)
    margin: Any = absolute + relative * abs(right)
    holds = reduce_all(comparison.less_equal(abs(left - right), margin))
    known = _content(holds)
    if known is not None and bool(known):
        return nothing_to_do("NoOp")
    text = f"x and y not equal to tolerance rtol = {relative}, atol = {absolute}"
    data = [message or "", text, f"x ({_shown(left)}) = ", left, f"y ({_shown(right)}) = ", right]
    return assert_(holds, data, summarize)


def assert_type(
    tensor: object, tf_type: object, message: str | None = None, name: str | None = None
) -> None:
    """Check the dtype of a tensor.

    Raises:
        TypeError: it is another one.
    """
    value = convert_to_tensor(tensor)
    wanted = as_dtype(tf_type)
    if value.dtype is not wanted:
        what = value.name if isinstance(value, SymbolicTensor) else "tensor"
        start = f"{message}  " if message else ""
        raise TypeError(f"{start}{what} must be of type {wanted!r}; got {value.dtype!r}")


def assert_integer(x: object, message: str | None = None, name: str | None = None) -> None:
    """Check that a tensor is of integer type.

    Raises:
        TypeError: it is not.
    """
    tensor = convert_to_tensor(x)
    if not tensor.dtype.is_integer:
        start = f"{message}  " if message else ""
        what = tensor.name if isinstance(tensor, SymbolicTensor) else "tensor"
        raise TypeError(
            f'{start}Expected "x" to be integer type.  Found: {what} of dtype {tensor.dtype!r}'
        )


def is_numeric_tensor(tensor: object) -> bool:
    """Whether a value is a tensor of numbers."""
    return isinstance(tensor, Tensor) and tensor.dtype.is_numeric
