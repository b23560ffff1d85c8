"""Numbers to strings and back; run on the host."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Aval, Op, case, define
from tfcheck_runtime.ops.array.examples import f32, i32
from tfcheck_runtime.ops.strings.elements import each, each_as, string_tensor, strings
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import DType, as_dtype
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply


class _AsString(Op):
    """Numbers and booleans as text, floats with six decimals by default."""

    type = "AsString"
    cases = (
        case(i32([1, -20]), precision=-1, scientific=False, shortest=False, width=4, fill="0"),
        case(f32([0.5, -2.0]), precision=2, scientific=True, shortest=False, width=-1, fill=""),
        case([True, False], precision=-1, scientific=False, shortest=False, width=-1, fill=""),
    )

    def infer(
        self, input: Aval, *, precision: int, scientific: bool, shortest: bool, width: int,
        fill: str,
    ) -> Aval:  # fmt: skip
        return Aval(dtypes.string, input.shape)

    def eager(
        self, input: Array, *, precision: int, scientific: bool, shortest: bool, width: int,
        fill: str,
    ) -> Array:  # fmt: skip
        kind = "e" if scientific else "g" if shortest else "f"
        digits = f".{precision}" if precision >= 0 else ""
        sizes = f"{fill}{width}" if width >= 0 else ""
        return each(_formatter(input.dtype.kind, sizes, f"{digits}{kind}"), input)


def _formatter(kind: str, sizes: str, digits: str) -> Callable[[Any], bytes]:
    if kind == "b":
        return lambda value: b"true" if value else b"false"
    if kind == "O":
        return lambda value: bytes(value)
    if kind in "iu":
        return lambda value: f"%{sizes}d".encode() % int(value)
    if kind == "c":
        return lambda value: (
            f"(%{sizes}{digits},%{sizes}{digits})" % (value.real, value.imag)
        ).encode()
    return lambda value: (f"%{sizes}{digits}" % float(value)).encode()


class _ToNumber(Op):
    """Numbers from text."""

    type = "StringToNumber"
    cases = (
        case(strings(b"1.5", b"-2"), out_type=dtypes.float32, unknown=((0, 0),)),
        case(strings(b"7"), out_type=dtypes.int64),
    )

    def infer(self, string_tensor: Aval, *, out_type: DType) -> Aval:
        return Aval(out_type, string_tensor.shape)

    def eager(self, string_tensor: Array, *, out_type: DType) -> Array:
        read: Callable[[bytes], object] = int if out_type.is_integer else float

        def convert(text: bytes) -> object:
            value: object = None
            with contextlib.suppress(ValueError):
                value = read(text)
            # Python reads 1_000 as a number, and integers of any size.
            fits = value is not None and b"_" not in text
            if fits and out_type.is_integer:
                fits = int(out_type.min) <= int(text) <= int(out_type.max)
            if not fits:
                raise invalid_argument(
                    f"StringToNumberOp could not correctly convert string: {text.decode()}",
                    self.type,
                )
            return value

        return each_as(out_type, convert, string_tensor)


as_string_op = define(_AsString())
to_number_op = define(_ToNumber())


def as_string(
    input: object,
    precision: int = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: int = -1,
    fill: str = "",
    name: str | None = None,
) -> Tensor:
    """Numbers and booleans as text.

    https://www.tensorflow.org/api_docs/python/tf/strings/as_string

    Args:
        input: the values.
        precision: decimals of floats; -1 for six.
        scientific: write floats with an exponent.
        shortest: write floats with an exponent where that is shorter.
        width: least length of the text.
        fill: what to fill with, a blank by default.
        name: of the node.

    Raises:
        ValueError: both notations are asked for.
    """
    if scientific and shortest:
        raise ValueError("as_string: cannot be both `scientific` and `shortest`")
    return apply(
        as_string_op, convert_to_tensor(input), name=name, precision=precision,
        scientific=scientific, shortest=shortest, width=width, fill=fill,
    )  # fmt: skip


def to_number(input: object, out_type: object = dtypes.float32, name: str | None = None) -> Tensor:
    """Numbers from text (https://www.tensorflow.org/api_docs/python/tf/strings/to_number).

    Raises:
        InvalidArgumentError: a string is no number.
    """
    return apply(to_number_op, string_tensor(input), name=name, out_type=as_dtype(out_type))
