"""How `tf.print` shows tensors: TensorFlow's own layout and number format, not NumPy's."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from tfcheck_runtime.op import Array

_ESCAPES: Final = {
    "\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "'": "\\'", "\\": "\\\\",
}  # fmt: skip


def summary(array: Array, summarize: int) -> str:
    """A tensor's content, at most `summarize` elements at each end of an axis; -1 shows all."""
    element = _element_format(array)
    if array.ndim == 0:
        return element(array[()])
    return _axis(array, summarize, element, depth=1)


def _axis(array: Array, summarize: int, element: Callable[[Any], str], *, depth: int) -> str:
    size = len(array)
    shortened = summarize >= 0 and size > 2 * summarize
    if array.ndim == 1:
        shown = [element(e) for e in _ends(array, summarize, shortened)]
        if shortened:
            shown.insert(summarize, "...")
        return f"[{' '.join(shown)}]"
    rows = [
        _axis(row, summarize, element, depth=depth + 1)
        for row in _ends(array, summarize, shortened)
    ]
    if shortened:
        rows.insert(summarize, "...")
    separator = "\n" * (array.ndim - 1) + " " * depth
    return f"[{separator.join(rows)}]"


def _ends(array: Array, summarize: int, shortened: bool) -> Iterator[Any]:
    if not shortened:
        yield from array
        return
    yield from array[:summarize]
    yield from array[len(array) - summarize :]


def _element_format(array: Array) -> Callable[[Any], str]:
    kind = array.dtype.kind
    if kind == "O":
        return _quoted
    if kind in "biu":
        return lambda e: str(int(e))
    if kind == "c":
        return lambda e: "?"
    if array.dtype == np.float64:
        return lambda e: number(float(e), short=15, full=17)
    return lambda e: number(float(e), short=6, full=9)


def _quoted(value: bytes) -> str:
    text = value.decode("utf-8", "backslashreplace")
    return f'"{"".join(_ESCAPES.get(c, c) for c in text)}"'


def number(value: float, *, short: int, full: int) -> str:
    """The shorter of two precisions that still gives the same float32 or float64."""
    text = f"{value:.{short}g}"
    same = float(text) == value if short > 6 else np.float32(text) == np.float32(value)
    return text if same or math.isnan(value) else f"{value:.{full}g}"
