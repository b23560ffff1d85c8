"""Words and numbers as all text reports write them."""

from __future__ import annotations

import math
import unicodedata

_UNSAFE_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Unicode categories that move the cursor, reorder text or cannot be encoded."""


def printable(text: str) -> str:
    """`text` with control and formatting characters as escapes: it cannot drive a terminal."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escape(character) for character in text)


def _escape(character: str) -> str:
    if unicodedata.category(character) not in _UNSAFE_CATEGORIES:
        return character
    return character.encode("unicode_escape").decode("ascii")


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """`1 file`, `2 files`."""
    return f"{number} {noun}" if number == 1 else f"{number} {plural or f'{noun}s'}"


def seconds(value: float) -> str:
    """A duration with its unit and about two significant digits: `3.9 s`, `11 ms`, `420 µs`."""
    if value == 0:
        return "0 s"
    factor, unit = _unit(value)
    return f"{_two_digits(value * factor)} {unit}"


def size(count: int) -> str:
    """An amount of bytes with its unit: `31.0 MiB`."""
    if count < 1024:
        return f"{count} B"
    return f"{count / 1024:.0f} KiB" if count < 1024**2 else f"{count / 1024**2:.1f} MiB"


def spread(median: float, half: float) -> str:
    """A duration with half the width of its interval, in one unit: `11.2 ms ±0.6`."""
    factor, unit = _unit(median)
    # As many decimals as the first digit of the width needs.
    decimals = 2 if half <= 0 else min(2, max(0, -math.floor(math.log10(half * factor))))
    return f"{median * factor:.{decimals}f} {unit} ±{half * factor:.{decimals}f}"


def _unit(value: float) -> tuple[float, str]:
    if value < 1e-3:
        return 1e6, "µs"
    return (1e3, "ms") if value < 1.0 else (1.0, "s")


def percent(part: float, whole: float) -> str:
    """`80 %`, and `0 %` of nothing."""
    return f"{100 * part / whole:.0f} %" if whole else "0 %"


def ratio(value: float) -> str:
    """A factor with about two significant digits."""
    return _two_digits(value)


def _two_digits(value: float) -> str:
    # Rounded first: 9.99 is not `10.0` but `10`.
    value = float(f"{value:.2g}") if value < 100 else value
    if value >= 10:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 1 else f"{value:.2f}"
