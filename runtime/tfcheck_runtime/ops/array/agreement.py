"""Checks that the inputs of an op agree in element type."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final, NoReturn

from tfcheck_runtime import dispatch
from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Aval
from tfcheck_runtime.specs.dtypes import DType


def check_same_dtypes(op_type: str, inputs: Sequence[Aval]) -> None:
    """Check that all inputs have the dtype of the first.

    Raises:
        InvalidArgumentError: they differ, in eager code.
        TypeError: they differ, while tracing.
    """
    first = inputs[0].dtype
    for i, aval in enumerate(inputs):
        if aval.dtype is not first:
            refuse_dtypes(
                f"cannot compute {op_type} as input #{i}(zero-based) was expected to be a"
                f" {first.name} tensor but is a {aval.dtype.name} tensor",
                op_type,
            )


def check_dtype(op_type: str, aval: Aval, dtype: DType, what: str) -> None:
    """Check one input's dtype.

    Raises:
        InvalidArgumentError: it is another, in eager code.
        TypeError: it is another, while tracing.
    """
    if aval.dtype is not dtype:
        refuse_dtypes(
            f"{op_type}: {what} must be a {dtype.name} tensor, got {aval.dtype.name}", op_type
        )


def check_kind(op_type: str, aval: Aval, accepted: Collection[str], what: str = "input") -> None:
    """Check that an input's dtype is among those the op takes.

    Raises:
        InvalidArgumentError: it is not, in eager code.
        TypeError: it is not, while tracing.
    """
    if aval.dtype.name not in accepted:
        refuse_dtypes(
            f"{op_type}: {what} has dtype {aval.dtype.name}, expected one of:"
            f" {', '.join(sorted(accepted))}",
            op_type,
        )


FLOATS: Final = frozenset({"bfloat16", "float16", "float32", "float64"})
INTEGERS: Final = frozenset(
    {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"}
)
REALS: Final = FLOATS | INTEGERS
COMPLEXES: Final = frozenset({"complex64", "complex128"})
NUMBERS: Final = REALS | COMPLEXES
INDICES: Final = frozenset({"int32", "int64"})


def refuse_dtypes(message: str, op_type: str | None = None) -> NoReturn:
    """Raise what TensorFlow raises for element types that an op does not take.

    Raises:
        InvalidArgumentError: in eager code.
        TypeError: while tracing.
    """
    if dispatch.current_graph() is None:
        raise invalid_argument(message, op_type)
    raise TypeError(message)


def refuse_value(message: str, op_type: str | None = None) -> NoReturn:
    """Raise what TensorFlow raises for shapes and sizes that an op cannot take.

    Raises:
        InvalidArgumentError: in eager code.
        ValueError: while tracing.
    """
    if dispatch.current_graph() is None:
        raise invalid_argument(message, op_type)
    raise ValueError(message)
