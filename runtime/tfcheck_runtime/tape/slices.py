"""Gradients that are tensors or, where rows were picked, slices of a bigger tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, overload

from tfcheck_runtime.ops.array.joining import concat
from tfcheck_runtime.ops.math.arithmetic import add_n
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.indexed_slices import IndexedSlices
from tfcheck_runtime.values.tensor import Tensor

Gradient: TypeAlias = Tensor | IndexedSlices


@overload
def dense(gradient: Gradient) -> Tensor: ...
@overload
def dense(gradient: Gradient | None) -> Tensor | None: ...
def dense(gradient: Gradient | None) -> Tensor | None:
    """The gradient as a tensor."""
    return None if gradient is None else convert_to_tensor(gradient)


def total(parts: Sequence[Gradient]) -> Gradient:
    """The sum: slices side by side when all parts are slices, else a tensor."""
    # They were found from the last op to the first; TensorFlow lists them the other way round.
    slices = [part for part in reversed(parts) if isinstance(part, IndexedSlices)]
    if len(slices) < len(parts):
        return add_n([convert_to_tensor(part) for part in parts])
    values = concat([s.values for s in slices], 0)
    return IndexedSlices(values, concat([s.indices for s in slices], 0), slices[0].dense_shape)
