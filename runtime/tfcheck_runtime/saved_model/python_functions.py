"""Python functions that graphs call: they live in this process, a saved model has a token of each.

As in TensorFlow, a loaded model finds them in the process that saved it, and nowhere else.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any, Final, NoReturn

_functions: Final[dict[str, Callable[..., Any]]] = {}
_tokens: Final[dict[int, str]] = {}


def token_of(function: Callable[..., Any]) -> str:
    """A token under which this process knows a function from now on."""
    if id(function) not in _tokens:
        token = f"pyfunc_{len(_tokens)}_{uuid.uuid4().hex}"
        _tokens[id(function)] = token
        _functions[token] = function  # kept alive, so that its id stays its own
    return _tokens[id(function)]


def function_of(token: str) -> Callable[..., Any]:
    """The function of a token; one that refuses to be called where the token is not known."""
    return _functions.get(token) or _missing(token)


def _missing(token: str) -> Callable[..., NoReturn]:
    def refuse(*args: object) -> NoReturn:
        raise ValueError(
            f"callback {token} is not found: a Python function (tf.py_function, tf.numpy_function)"
            " is not saved with a model, and exists only in the process that saved it"
        )

    return refuse
