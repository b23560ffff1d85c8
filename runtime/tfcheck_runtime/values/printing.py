"""How tensors print: NumPy's layout, TensorFlow's conventions for scalars and strings."""

from __future__ import annotations

import numpy as np

from tfcheck_runtime.op import Array


def array_str(array: Array) -> str:
    """The text inside `tf.Tensor(…)`."""
    if array.ndim == 0:
        return repr(array[()]) if array.dtype.kind == "O" else str(array[()])
    return _on_lines_of_its_own(np.array_str(array))


def array_repr(array: Array) -> str:
    """The text behind `numpy=`."""
    if array.ndim == 0:
        # Formatted, not shown: a float32 gets the digits of the Python float that it equals.
        return repr(array[()]) if array.dtype.kind == "O" else format(array[()])
    return _on_lines_of_its_own(repr(array))


def _on_lines_of_its_own(text: str) -> str:
    return f"\n{text}" if "\n" in text else text
