"""Warns about Functions that trace too often, in TensorFlow's manner and on its logger."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Final

from tfcheck_runtime.events import Cause, Site

_log = logging.getLogger("tensorflow")

_HISTORY: Final = 10
"""Traces are judged within this many calls."""
_THRESHOLD: Final = 5
"""This many traces among them are too many."""
_MAX_WARNINGS: Final = 2


class Detector:
    """Counts the calls and traces of all Functions made at one place in the code."""

    def __init__(self) -> None:
        self.calls = 0
        self._traced_at: deque[int] = deque()
        self._warnings = 0

    def traced(self, function: Callable[..., Any], causes: Sequence[Cause], site: Site) -> None:
        """Count a call that traced; warn if that happened too often lately."""
        self.calls += 1
        self._traced_at.append(self.calls)
        # TensorFlow looks at the last calls from the oldest trace it still remembers.
        while self._traced_at and self.calls - self._traced_at[0] > _HISTORY:
            self._traced_at.popleft()
        if len(self._traced_at) < _THRESHOLD or self._warnings >= _MAX_WARNINGS:
            return
        self._warnings += 1
        span = self.calls - self._traced_at[0] + 1
        _log.warning(
            "%d out of the last %d calls to %s triggered tf.function retracing. Tracing is"
            " expensive. It happens again and again when (1) @tf.function is applied in a loop,"
            " (2) tensors of ever new shapes are passed: reduce_retracing=True helps, (3) Python"
            " values are passed where tensors would do. %sSee"
            " https://www.tensorflow.org/guide/function#controlling_retracing",
            len(self._traced_at),
            span,
            function,
            _last(causes, site),
        )


def _last(causes: Sequence[Cause], site: Site) -> str:
    place = f"The last trace, for the call at {site.file}:{site.line}"
    named = [c for c in causes if c.before and c.argument]
    if not named:
        return f"{place}, was of another Function or signature. "
    first = named[0]
    return f"{place}, differs in `{first.argument}`: {first.after}, before {first.before}. "


_detectors: Final[dict[tuple[str, int], Detector]] = {}


def detector_of(function: Callable[..., Any]) -> Detector:
    """The detector of the place where `function` was defined."""
    code = getattr(function, "__code__", None)
    if code is None:
        return Detector()
    return _detectors.setdefault((code.co_filename, code.co_firstlineno), Detector())
