"""Compares what a program prints with what was recorded: floats nearly, all else exactly."""

from __future__ import annotations

import math
import re
from itertools import zip_longest
from typing import Final

_FLOAT: Final = re.compile(
    r"(?<![\w.])[-+]?(?:\d+\.\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?"
    r"|\d+[eE][-+]?\d+|inf|nan)(?![\w.])"
)


def differences(printed: str, recorded: str) -> list[tuple[str | None, str | None]]:
    """The lines that differ; None where one of the two has ended."""
    lines = zip_longest(printed.splitlines(), recorded.splitlines())
    return [pair for pair in lines if not same(*pair)]


def same(printed: str | None, recorded: str | None) -> bool:
    """Whether two lines are the same up to the last digits of floats."""
    if printed is None or recorded is None:
        return False
    if _words(printed) != _words(recorded):
        return False
    pairs = zip(_FLOAT.findall(printed), _FLOAT.findall(recorded), strict=True)
    return all(_close(float(a), float(b)) for a, b in pairs)


def _words(text: str) -> list[str]:
    # NumPy pads floats to a common width, which depends on their digits.
    return [part.strip() for part in _FLOAT.split(text)]


def _close(a: float, b: float) -> bool:
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    return a == b or math.isclose(a, b, rel_tol=1e-4, abs_tol=1e-6)
