"""How ragged tensors print."""

from __future__ import annotations

import numpy as np


def ragged_text(value: object) -> str:
    """Nested lists, with NumPy's line breaks."""
    with np.printoptions(formatter={"all": _element}):
        return _element(value)


def _element(value: object) -> str:
    if not isinstance(value, np.ndarray):
        return repr(value) if isinstance(value, bytes) else str(value)
    if value.size == 0:
        return repr(value.tolist())
    return np.array2string(value, separator=", ")
