"""How the arguments of an elementwise op become tensors of one dtype, by TensorFlow's rules.

Eagerly the first argument that is a tensor decides the dtype, in graphs the first argument does;
Python numbers and NumPy data are converted to it, other tensors must have it already.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

import numpy as np

from tfcheck_runtime import dispatch
from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.specs.dtypes import DType
from tfcheck_runtime.values.convert import convert_to_tensor, is_tensor_like
from tfcheck_runtime.values.tensor import Tensor

HALVES: Final = ("bfloat16", "float16")
FLOATS: Final = (*HALVES, "float32", "float64")
COMPLEXES: Final = ("complex64", "complex128")
SIGNED: Final = ("int8", "int16", "int32", "int64")
UNSIGNED: Final = ("uint8", "uint16", "uint32", "uint64")
INTEGERS: Final = (*SIGNED, *UNSIGNED)
REALS: Final = (*FLOATS, *INTEGERS)
NUMBERS: Final = (*REALS, *COMPLEXES)
SIGNED_NUMBERS: Final = (*FLOATS, *SIGNED, *COMPLEXES)
INEXACT: Final = (*FLOATS, *COMPLEXES)

_PARAMETERS: Final = ("x", "y", "z")


def alike(
    op_type: str, values: Sequence[object], *, allowed: Collection[str] | None = None
) -> tuple[Tensor, ...]:
    """`values` as tensors of one dtype.

    Raises:
        TypeError: Python data does not fit the dtype; in graphs also a tensor of another dtype.
        ValueError: a value has no tensor form.
        InvalidArgumentError: eagerly, a tensor has another dtype, or the op refuses the dtype.
    """
    dtype = _deciding_dtype(values)
    tensors: list[Tensor] = []
    for value in values:
        tensor = _convert(value, dtype)
        dtype = dtype or tensor.dtype
        tensors.append(tensor)
    check_alike(op_type, tensors)
    check_allowed(op_type, tensors[0], allowed)
    return tuple(tensors)


def hinted(left: object, right: object) -> tuple[Tensor, Tensor]:
    """The operands of `tf.add` and of divisions: `right` takes the dtype of `left` if it can."""
    first = convert_to_tensor(left)
    if isinstance(right, np.ndarray | np.generic):
        return first, _convert(right, first.dtype)
    return first, convert_to_tensor(_fitted(right, first.dtype), dtype_hint=first.dtype)


def reflected(left: object, right: object) -> object:
    """The left operand of an operator, as a tensor of the right one's dtype if it is not typed.

    Python reaches the operator through the right operand then, whose dtype rules.
    """
    if is_tensor_like(left):
        return left
    return _convert(left, convert_to_tensor(right).dtype)


def check_alike(op_type: str, tensors: Sequence[Tensor]) -> None:
    """Check that all tensors have the first one's dtype.

    Raises:
        InvalidArgumentError: eagerly, one has not.
        TypeError: in a graph, one has not.
    """
    first = tensors[0].dtype
    for i, tensor in enumerate(tensors):
        if tensor.dtype is first:
            continue
        if dispatch.current_graph() is None:
            raise invalid_argument(
                f"cannot compute {op_type} as input #{i}(zero-based) was expected to be a"
                f" {first.name} tensor but is a {tensor.dtype.name} tensor",
                op_type,
            )
        raise TypeError(
            f"Input '{_PARAMETERS[i]}' of '{op_type}' Op has type {tensor.dtype.name} that does not"
            f" match type {first.name} of argument 'x'."
        )


def check_allowed(op_type: str, tensor: Tensor, allowed: Collection[str] | None) -> None:
    """Check that an op takes the dtype of `tensor`.

    Raises:
        InvalidArgumentError: eagerly, it does not.
        TypeError: in a graph, it does not.
    """
    if allowed is None or tensor.dtype.name in allowed:
        return
    names = ", ".join(allowed)
    if dispatch.current_graph() is None:
        raise invalid_argument(
            f"Value for attr 'T' of {tensor.dtype.name} is not in the list of allowed values:"
            f" {names}",
            op_type,
        )
    raise TypeError(
        f"Value passed to parameter 'x' of '{op_type}' has DataType {tensor.dtype.name} not in list"
        f" of allowed values: {names}"
    )


def _deciding_dtype(values: Sequence[object]) -> DType | None:
    considered = values if dispatch.current_graph() is None else values[:1]
    for value in considered:
        if isinstance(value, Tensor):
            return value.dtype
        own = getattr(value, "dtype", None) if is_tensor_like(value) else None
        if isinstance(own, DType):
            return own
    return None


def _convert(value: object, dtype: DType | None) -> Tensor:
    # A tensor of another dtype passes here: the caller's check words that error.
    if dtype is None or isinstance(value, Tensor):
        return convert_to_tensor(value)
    if is_tensor_like(value):
        return convert_to_tensor(value)
    return convert_to_tensor(_unbool(value, dtype), dtype)


def _fitted(value: object, dtype: DType) -> object:
    """A Python number as the dtype holds it: integers out of range wrap around."""
    number = _unbool(value, dtype)
    if not isinstance(number, int) or not dtype.is_integer or number.bit_length() > 63:
        return number
    span = 1 << 8 * dtype.size
    wrapped = number % span
    return wrapped - span if wrapped > int(dtype.max) else wrapped


def _unbool(value: object, dtype: DType) -> object:
    # TensorFlow lets True and False stand for 1 and 0 where a number is expected.
    return int(value) if isinstance(value, bool) and dtype.is_numeric else value
