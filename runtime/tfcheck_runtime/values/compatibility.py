"""`tf.compat`: text and bytes, kinds of numbers, dimensions.

Follows https://www.tensorflow.org/api_docs/python/tf/compat.
"""

from __future__ import annotations

import numbers
import os
from typing import Any, Final

import numpy as np

from tfcheck_runtime.specs.shapes import TensorShape

integral_types: Final = (numbers.Integral, np.integer)
real_types: Final = (numbers.Real, np.integer, np.floating)
complex_types: Final = (numbers.Complex, np.number)
bytes_or_text_types: Final = (bytes, str)


def as_bytes(bytes_or_text: Any, encoding: str = "utf-8") -> bytes:
    """Text encoded; bytes as they are.

    Raises:
        TypeError: it is neither.
    """
    if isinstance(bytes_or_text, bytearray):
        return bytes(bytes_or_text)
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


def as_text(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """Bytes decoded; text as it is.

    Raises:
        TypeError: it is neither.
    """
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


as_str = as_text


def as_str_any(value: Any, encoding: str = "utf-8") -> str:
    """Bytes decoded; everything else as `str` shows it."""
    return as_text(value, encoding) if isinstance(value, bytes) else str(value)


def path_to_str(path: Any) -> str:
    """A path as text."""
    return as_str_any(os.fspath(path) if hasattr(path, "__fspath__") else path)


def dimension_value(dimension: Any) -> Any:
    """A dimension as a Python number: it is one already."""
    return dimension


def dimension_at_index(shape: TensorShape, index: int) -> int | None:
    """The dimension at `index`, None where it is not known."""
    if shape.rank is None:
        return None
    size: int | None = shape.as_list()[index]
    return size


def forward_compatible(year: int, month: int, day: int) -> bool:
    """Whether TensorFlow's features of a day may be used: they may."""
    del year, month, day
    return True
