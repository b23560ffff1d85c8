"""`tensor[...]`: Python's indices as a strided slice or a mask."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.masking import boolean_mask
from tfcheck_runtime.ops.array.slicing import strided_slice_op
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values import operators
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply, is_tensor


@dataclass(slots=True)
class _Spec:
    """The inputs and masks of a strided slice, part by part."""

    begin: list[object] = field(default_factory=list)
    end: list[object] = field(default_factory=list)
    strides: list[object] = field(default_factory=list)
    begin_mask: int = 0
    end_mask: int = 0
    ellipsis_mask: int = 0
    new_axis_mask: int = 0
    shrink_axis_mask: int = 0

    def add(self, part: object) -> None:
        """Append one part of an index."""
        bit = 1 << len(self.begin)
        if isinstance(part, slice):
            self._add_slice(part, bit)
        elif part is Ellipsis:
            self.ellipsis_mask |= bit
            self._append(0, 0, 1)
        elif part is None:
            self.new_axis_mask |= bit
            self._append(0, 0, 1)
        else:
            element = _checked(part)
            self.shrink_axis_mask |= bit
            self._append(element, _next(element), 1)

    def _add_slice(self, part: slice, bit: int) -> None:
        if part.start is None:
            self.begin_mask |= bit
        if part.stop is None:
            self.end_mask |= bit
        self._append(
            0 if part.start is None else _checked(part.start),
            0 if part.stop is None else _checked(part.stop),
            1 if part.step is None else _checked(part.step),
        )

    def _append(self, begin: object, end: object, stride: object) -> None:
        self.begin.append(begin)
        self.end.append(end)
        self.strides.append(stride)


@operators.implements("getitem")
def getitem(value: object, index: object) -> Tensor:
    """The elements of a tensor that a Python index names.

    Takes integers, slices, `...`, `tf.newaxis`, scalar integer tensors and boolean masks.
    https://www.tensorflow.org/api_docs/python/tf/Tensor#__getitem__

    Raises:
        TypeError: a part of the index is none of these.
        InvalidArgumentError: an element lies outside its axis, or there are more parts than axes
            (ValueError in a graph).
    """
    tensor = convert_to_tensor(value)
    if _is_mask(index):
        return boolean_mask(tensor, index)
    bounds, masks = slice_of(index)
    return apply(strided_slice_op, tensor, *bounds, name="strided_slice", **masks)


def slice_of(index: object) -> tuple[list[Tensor], dict[str, int]]:
    """The strided slice that a Python index stands for: begin, end and strides, and the masks.

    Raises:
        TypeError: a part of the index is no integer, slice, `...` or `tf.newaxis`.
    """
    spec = _Spec()
    for part in index if isinstance(index, tuple | list) else (index,):
        spec.add(part)
    masks = {
        "begin_mask": spec.begin_mask,
        "end_mask": spec.end_mask,
        "ellipsis_mask": spec.ellipsis_mask,
        "new_axis_mask": spec.new_axis_mask,
        "shrink_axis_mask": spec.shrink_axis_mask,
    }
    return _bounds(spec), masks


def _is_mask(index: object) -> bool:
    if isinstance(index, bool):
        return True
    return (isinstance(index, np.ndarray) or is_tensor(index)) and _dtype_name(index) == "bool"


def _dtype_name(value: object) -> str | None:
    return getattr(getattr(value, "dtype", None), "name", None)


def _bounds(spec: _Spec) -> list[Tensor]:
    names = ("strided_slice/stack", "strided_slice/stack_1", "strided_slice/stack_2")
    lists = (spec.begin, spec.end, spec.strides)
    tensors = [_vector(parts, name) for parts, name in zip(lists, names, strict=True)]
    if any(t.dtype is dtypes.int64 for t in tensors):
        return [cast(t, dtypes.int64) for t in tensors]
    return tensors


def _vector(parts: Sequence[object], name: str) -> Tensor:
    wide = any(_dtype_name(p) == "int64" for p in parts if is_tensor(p))
    if wide:
        parts = [cast(p, dtypes.int64) if is_tensor(p) else p for p in parts]
    return known.integer_tensor(list(parts), name=name, what="index")


def _checked(part: object) -> object:
    """A part that is an integer or an integer scalar; NumPy integers as Python's."""
    if isinstance(part, int | np.integer) and not isinstance(part, bool):
        return int(part)
    if isinstance(part, np.ndarray) and part.shape == () and part.dtype.kind in "iu":
        return int(part)
    if is_tensor(part):
        tensor = convert_to_tensor(part)
        if tensor.dtype.name in ("int32", "int64") and tensor.ndim in (0, None):
            return tensor
        if tensor.dtype.is_integer and tensor.ndim == 0:
            return cast(tensor, dtypes.int32)
    raise TypeError(
        "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar"
        f" tf.int32/tf.int64 tensors are valid indices, got {part!r}"
    )


def _next(element: Any) -> object:  # an int or a tensor
    return element + 1
