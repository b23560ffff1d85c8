"""Which functions conversion leaves alone: libraries, generators, whatever asks for it."""

from __future__ import annotations

import inspect
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType
from typing import Any, Final

_LIBRARIES: Final = frozenset(
    {
        "tfcheck_runtime", "tensorflow", "tensorflow_probability", "tensorflow_datasets", "keras",
        "tf_keras", "numpy", "scipy", "pandas", "matplotlib", "ml_dtypes", "onnx", "onnx_ir",
        "onnxruntime", "pytest", "_pytest", "mock", "wrapt", "IPython", "ipykernel",
    }
) | sys.stdlib_module_names  # fmt: skip
"""Top-level packages whose functions run as they are; all others are the user's."""

_UNCONVERTED: Final = "__tf_do_not_convert__"
_NOT_PLAIN: Final = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class _Status(threading.local):
    disabled = False


_status = _Status()


def is_disabled() -> bool:
    """Whether this thread runs inside a function that must not be converted."""
    return _status.disabled


@contextmanager
def disabled(value: bool = True) -> Iterator[None]:
    """Leave functions called from converted code alone (or, with False, convert them again)."""
    before, _status.disabled = _status.disabled, value
    try:
        yield
    finally:
        _status.disabled = before


def mark_unconverted(function: Callable[..., Any]) -> None:
    """Never convert `function`."""
    setattr(function, _UNCONVERTED, True)


def is_left_alone(function: FunctionType) -> bool:
    """Whether a function runs as it is."""
    return (
        bool(function.__code__.co_flags & _NOT_PLAIN)
        or belongs_to_library(function.__globals__.get("__name__"))
        or _UNCONVERTED in function.__dict__
    )


def belongs_to_library(module: object) -> bool:
    """Whether a module is not the user's."""
    return isinstance(module, str) and module.partition(".")[0] in _LIBRARIES
