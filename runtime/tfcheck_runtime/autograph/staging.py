"""Errors that leave converted code, as AutoGraph hands them on.

TensorFlow makes each error anew, with a message that tells the user's lines; a type that it cannot
make from a message alone becomes a `StagingError`.
"""

from __future__ import annotations

import functools
import traceback
from collections.abc import Callable
from typing import Any, Final

from tfcheck_runtime.errors import (
    InaccessibleTensorError,
    OperatorNotAllowedInGraphError,
    OpError,
    StagingError,
)
from tfcheck_runtime.site import is_hidden_file

_KEPT: Final = frozenset(
    {
        AssertionError, AttributeError, InaccessibleTensorError, KeyError, NameError,
        OperatorNotAllowedInGraphError, RuntimeError, StagingError, StopIteration, TypeError,
        UnboundLocalError, ValueError,
    }
)  # fmt: skip


def staging(converted: Callable[..., Any]) -> Callable[..., Any]:
    """Converted code at the border to what is not converted: its errors are handed on."""

    @functools.wraps(converted)
    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            return converted(*args, **kwargs)
        except Exception as error:  # the user's program, whatever it raises
            told = staged(error)
            if told is error:
                raise
            raise told.with_traceback(error.__traceback__) from error

    return run


def staged(error: Exception) -> Exception:
    """What a caller of converted code gets for an error: itself where TensorFlow keeps the type."""
    kind = type(error)
    if kind in _KEPT or isinstance(error, OpError | NotImplementedError | StagingError):
        return error
    if kind.__init__ is Exception.__init__:
        return error
    frames = traceback.extract_tb(error.__traceback__)
    mine = [f for f in frames if not is_hidden_file(f.filename)]
    places = "".join(f'\n    File "{f.filename}", line {f.lineno}, in {f.name}' for f in mine)
    return StagingError(f"{kind.__name__}: {error}{places}")
