"""A branch taken at once where its condition is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfcheck_runtime.ops.array.known import get_static_value
from tfcheck_runtime.ops.control.branching import cond
from tfcheck_runtime.values.tensor import Tensor


def smart_cond(
    pred: object,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    name: str | None = None,
) -> Any:
    """`true_fn()` or `false_fn()`, called now if `pred` has a value already; else `tf.cond`.

    Raises:
        TypeError: a branch is not callable, or `pred` is neither boolean nor 0 or 1.
    """
    for what, function in (("true_fn", true_fn), ("false_fn", false_fn)):
        if not callable(function):
            raise TypeError(f"Argument `{what}` must be callable.")
    known = _known(pred)
    if known is None:
        return cond(pred, true_fn, false_fn, name=name)
    chosen: Any = true_fn if known else false_fn
    return chosen()


def _known(pred: object) -> bool | None:
    if isinstance(pred, Tensor):
        value = get_static_value(pred)
        return None if value is None else bool(value)
    if pred in (0, 1):
        return bool(pred)
    raise TypeError(
        "Argument `pred` must be a Tensor, or a Python bool, or 1 or 0. Received: pred="
        f"{pred} of type {type(pred).__name__}"
    )
