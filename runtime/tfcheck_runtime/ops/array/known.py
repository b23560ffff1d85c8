"""What the contents of integer inputs (shapes, axes, bounds) say before they are computed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Aval, Emitter, Term
from tfcheck_runtime.ops.array.agreement import INDICES, refuse_dtypes
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import DType, as_dtype
from tfcheck_runtime.specs.shapes import Shape
from tfcheck_runtime.values.convert import convert_to_tensor, is_typed
from tfcheck_runtime.values.python_data import to_array
from tfcheck_runtime.values.tensor import EagerTensor, SymbolicTensor, Tensor

Elements: TypeAlias = tuple[int | None, ...]


def elements(aval: Aval) -> Elements | None:
    """The elements of an integer scalar or vector as far as known; None if not even how many."""
    content = aval.constant()
    if content is not None:
        return tuple(int(e) for e in content.reshape(-1).tolist())
    if aval.partial is not None:
        return aval.partial
    if aval.shape == ():
        return (None,)
    if aval.shape is not None and len(aval.shape) == 1 and aval.shape[0] is not None:
        return (None,) * aval.shape[0]
    return None


def complete(aval: Aval) -> tuple[int, ...] | None:
    """All elements of an integer scalar or vector, or None when one is not known."""
    found = elements(aval)
    if found is None or any(e is None for e in found):
        return None
    return tuple(e for e in found if e is not None)


def scalar(aval: Aval) -> int | None:
    """The value of an integer scalar, or None."""
    found = elements(aval)
    return found[0] if found else None


_PARTIAL_LIMIT: Final = 64
"""Longer vectors are no shapes; their contents are not worth carrying."""


def integers(dtype: DType, shape: Shape, contents: Iterable[int | None] | None) -> Aval:
    """The type of an integer scalar or vector whose elements are known in part."""
    found = None if contents is None else tuple(contents)
    if found is None or dtype.name not in INDICES or len(found) > _PARTIAL_LIMIT:
        return Aval(dtype, shape)
    if any(e is None for e in found):
        return Aval(dtype, shape, partial=found)
    array = np.array(found, np.int64).astype(dtype.numpy).reshape([s or 0 for s in shape or ()])
    return Aval(dtype, shape, constant=array)


def as_shape(aval: Aval) -> Shape:
    """An integer vector read as a shape: -1 and unknown elements are None."""
    found = elements(aval)
    return None if found is None else tuple(None if e is None or e < 0 else e for e in found)


def axis_in(axis: int, rank: int, what: str = "axis") -> int:
    """`axis` counted from the front.

    Raises:
        ValueError: there is no such axis.
    """
    if not -rank <= axis < rank:
        raise ValueError(f"{what} = {axis} not in [{-rank}, {rank}): the input has rank {rank}")
    return axis % rank


def axes_in(axes: Iterable[int], rank: int, what: str = "axis") -> tuple[int, ...]:
    """Each of `axes` counted from the front.

    Raises:
        ValueError: there is no such axis.
    """
    return tuple(axis_in(a, rank, what) for a in axes)


def runtime_axes(op_type: str, axes: Iterable[int], rank: int) -> tuple[int, ...]:
    """Each of `axes` counted from the front, for ops that check them only when they run.

    Raises:
        InvalidArgumentError: there is no such axis.
    """
    try:
        return axes_in(axes, rank)
    except ValueError as error:
        raise invalid_argument(str(error), op_type) from error


def rank_of(aval: Aval) -> int | None:
    """The number of axes, or None."""
    return None if aval.shape is None else len(aval.shape)


def check_rank(aval: Aval, rank: int, what: str) -> None:
    """Check the rank of an input where it is known.

    Raises:
        ValueError: it is another.
    """
    if aval.shape is not None and len(aval.shape) != rank:
        raise ValueError(
            f"{what} must be {_RANK_NAMES.get(rank, f'of rank {rank}')}, got shape {aval.shape}"
        )


_RANK_NAMES: Final = {0: "a scalar", 1: "a vector", 2: "a matrix"}


def integer_tensor(
    value: object, name: str | None = None, hint: DType = dtypes.int32, what: str = "value"
) -> Tensor:
    """A shape, axis, permutation or other integer argument as a tensor; Python ints are int32.

    Raises:
        InvalidArgumentError: it is not of integers (TypeError in a graph).
    """
    tensor = convert_to_tensor(value, dtype_hint=hint, name=name)
    if not tensor.dtype.is_integer:
        refuse_dtypes(f"{what} must be of integers, got {value!r} of dtype {tensor.dtype.name}")
    return tensor


def onnx_integers(onnx: Emitter, term: Term, rank: int | None = 1) -> object:
    """An integer input as the int64 that ONNX wants, reshaped to `rank` 0 or 1."""
    content = term.constant()
    if content is not None:
        array = content.astype(np.int64)
        return onnx.constant(array if rank is None else array.reshape((-1,) * rank))
    value = onnx.cast(term, dtypes.int64)
    if rank is None or term.aval.shape == (None,) * rank or _has_rank(term, rank):
        return value
    return onnx.op("Reshape", value, np.array((-1,) * rank, np.int64))


def _has_rank(term: Term, rank: int) -> bool:
    return term.shape is not None and len(term.shape) == rank


def onnx_indices(onnx: Emitter, term: Term) -> object:
    """Indices of a gather or scatter as int64, negative ones out of range.

    onnxruntime would count those from the end, TensorFlow refuses them.
    """
    content = term.constant()
    if content is not None and (content >= 0).all():
        return onnx.constant(content.astype(np.int64))
    wide = onnx.cast(term, dtypes.int64)
    outside = np.int64(np.iinfo(np.int64).max)
    return onnx.op("Where", onnx.op("Less", wide, np.int64(0)), outside, wide)


def onnx_axes(onnx: Emitter, axis: Term, rank: int | None) -> object:
    """The axes of a reduction as int64, counted from the front where that is known."""
    axes = complete(axis.aval)
    if axes is None or rank is None:
        return onnx_integers(onnx, axis)
    # onnxruntime reduces empty tensors wrongly over axes counted from the end.
    return onnx.constant(int64(axes_in(axes, rank)))


def onnx_shape(onnx: Emitter, term: Term) -> object:
    """The shape of a value as int64, static where it is known."""
    shape = term.shape
    if shape is not None and None not in shape:
        return onnx.constant(np.array(shape, np.int64))
    return onnx.op("Shape", term)


def int64(values: Sequence[int] | int) -> Array:
    """An int64 array, as ONNX takes axes and bounds."""
    return np.array(values, np.int64)


def dtype_of(value: object) -> DType:
    """The dtype a value would have as a tensor, without making one.

    Raises:
        TypeError: it has none.
        ValueError: it is ragged, or holds tensors.
    """
    if is_typed(value):
        return as_dtype(getattr(value, "dtype", None))
    return to_array(value, None)[1]


def aval_of(tensor: Tensor) -> Aval:
    """What is known of a tensor; of an eager one, everything."""
    if isinstance(tensor, SymbolicTensor):
        return tensor.aval
    content = tensor.array if isinstance(tensor, EagerTensor) else None
    return Aval(tensor.dtype, tensor.static_shape, constant=content)


def static_ints(tensor: Tensor) -> tuple[int, ...] | None:
    """The elements of an integer tensor if they are known now."""
    return complete(aval_of(tensor))


def get_static_value(tensor: object, partial: bool = False) -> Array | None:
    """The value of a tensor if it is known now, else None.

    https://www.tensorflow.org/api_docs/python/tf/get_static_value

    Args:
        tensor: an eager tensor has a value, one of a graph may follow from constants.
        partial: whether a vector with some elements known may be returned, with None for others.
    """
    if not isinstance(tensor, Tensor):
        return None
    aval = aval_of(tensor)
    content = aval.constant()
    if content is None and partial and aval.partial is not None:
        return np.array(aval.partial, object)
    return content
