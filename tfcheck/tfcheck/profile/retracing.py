"""What to do when a Function is about to be traced again: fail, warn, or run it eagerly."""

from __future__ import annotations

import os
import threading
import warnings
from contextlib import AbstractContextManager, nullcontext
from enum import StrEnum
from types import CodeType, TracebackType
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakKeyDictionary

from tfcheck.errors import ConfigError

if TYPE_CHECKING:  # the runtime is loaded by those who trace only
    from tfcheck_runtime.events import Cause, Retracing

VARIABLE = "TFCHECK_ON_RETRACE"
"""The environment variable with the policy for a whole program."""

_Decorated = TypeVar("_Decorated")


class Policy(StrEnum):
    """What happens instead of an unexpected trace."""

    FAIL = "fail"
    """The call raises `RetraceError`, and nothing is traced."""
    WARN = "warn"
    """`RetraceWarning` at the line of the call; it is traced."""
    EAGER = "eager"
    """The call runs as plain Python."""


class RetraceError(Exception):
    """A Function would have been traced again where that was ruled out."""


class RetraceWarning(UserWarning):
    """A Function is traced again where that was not expected."""


def on_retrace(policy: str, *, allow: int = 0) -> OnRetrace:
    """What to do when a Function is about to be traced again, after its first trace.

        @tfcheck.profile.on_retrace("fail")
        @tf.function
        def train_step(batch): ...

        with tfcheck.profile.on_retrace("warn", allow=1):
            train()

    As a decorator it is about that Function, as a context about all Functions of all threads.
    Works on the embedded runtime and on TensorFlow, whichever `tensorflow` means here, and costs
    nothing in calls that trace nothing.

    Args:
        policy: `fail`, `warn` or `eager`.
        allow: traces after the first that each Function may make all the same.

    Raises:
        ConfigError: there is no such policy.
    """
    try:
        return OnRetrace(Policy(policy), allow=allow)
    except ValueError:
        known = ", ".join(Policy)
        raise ConfigError(f"no policy on retraces `{policy}`; known are {known}") from None


class OnRetrace:
    """A decorator of Functions, or a context."""

    def __init__(self, policy: Policy, *, allow: int) -> None:
        self._policy = policy
        self._allow = allow
        self._codes: set[CodeType] = set()
        """The code of decorated Functions; where there is none, all are meant."""
        self._made: WeakKeyDictionary[object, int] = WeakKeyDictionary()
        """Traces after the first, by Function."""
        self._lock = threading.Lock()
        self._contexts: list[AbstractContextManager[None]] = []

    def __call__(self, function: _Decorated) -> _Decorated:
        """Watch over this Function from now on; it stays the object that it is."""
        code = _code(function)
        if code is None:
            raise ConfigError(f"on_retrace decorates Functions, not {function!r}")
        if not self._codes:
            self.__enter__()
        self._codes.add(code)
        return function

    def __enter__(self) -> OnRetrace:
        # The runtime and numpy are loaded by those who trace only.
        from tfcheck.profile.backend import current

        context = current().guarding(self._guard)
        context.__enter__()
        self._contexts.append(context)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._contexts.pop().__exit__(kind, error, traceback)

    def _guard(self, retracing: Retracing) -> None:
        code = _code(retracing.callee)
        if self._codes and code not in self._codes:
            return
        with self._lock:
            made = self._made.get(retracing.callee, 0)
            if made < self._allow:
                self._made[retracing.callee] = made + 1
                return
        _apply(self._policy, retracing)


def _apply(policy: Policy, retracing: Retracing) -> None:
    from tfcheck_runtime.events import DeclinedError

    why = _why(retracing.causes)
    text = f"{retracing.name} would be traced again: {why}"
    if policy is Policy.FAIL:
        raise RetraceError(f"{text} ({retracing.site.file}:{retracing.site.line})")
    if policy is Policy.EAGER:
        raise DeclinedError(text)
    site = retracing.site
    warnings.warn_explicit(
        f"{retracing.name} is traced again: {why}",
        RetraceWarning,
        filename=site.file,
        lineno=site.line,
    )


def _why(causes: tuple[Cause, ...]) -> str:
    return ", ".join(
        f"`{each.argument}` {_brief(each.before)} → {_brief(each.after)}"
        if each.argument
        else each.kind.value
        for each in causes
    )


def _brief(text: str) -> str:
    from tfcheck.profile.analyse import brief

    return brief(text)


def _code(function: object) -> CodeType | None:
    """What a Function, or what will become one, was written as."""
    while (inner := getattr(function, "python_function", None)) is not None:
        function = inner
    while (inner := getattr(function, "__wrapped__", None)) is not None:
        function = inner
    code = getattr(function, "__code__", None)
    return code if isinstance(code, CodeType) else None


def from_environment() -> AbstractContextManager[object]:
    """A context with the policy that the environment asks for, if it asks for one.

    Raises:
        ConfigError: there is no such policy.
    """
    name = os.environ.get(VARIABLE)
    try:
        return on_retrace(name) if name else nullcontext()
    except ConfigError as error:
        raise ConfigError(f"{VARIABLE}: {error}") from error
