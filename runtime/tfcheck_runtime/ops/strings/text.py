"""Length, case, parts and concatenation of strings; all run on the host.

https://www.tensorflow.org/api_docs/python/tf/strings
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Aval, Op, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.examples import i32
from tfcheck_runtime.ops.array.ranges import range_
from tfcheck_runtime.ops.array.shaping import rank
from tfcheck_runtime.ops.strings.elements import each, each_as, string_tensor, strings
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.shapes import Shape, broadcast
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply

_WORDS: Final = strings(b" Ab ", "\u00e4\u00d6 x".encode(), b"")


class _Change(Op):
    """Each string changed; in bytes, or in characters when `encoding` is utf-8."""

    def __init__(self, op_type: str, change: Callable[[bytes, str], bytes]) -> None:
        self.type = op_type
        self.change = change
        self.cases = (
            case(_WORDS, encoding=""),
            case(_WORDS, encoding="utf-8", unknown=((0, 0),)),
        )

    def infer(self, input: Aval, *, encoding: str) -> Aval:
        return Aval(dtypes.string, input.shape)

    def eager(self, input: Array, *, encoding: str) -> Array:
        return each(lambda text: self.change(text, encoding), input)


def _lower(text: bytes, encoding: str) -> bytes:
    return text.decode().lower().encode() if encoding else text.lower()


def _upper(text: bytes, encoding: str) -> bytes:
    return text.decode().upper().encode() if encoding else text.upper()


class _Strip(Op):
    """White space removed from both ends."""

    type = "StringStrip"
    cases = (case(_WORDS, unknown=((0, 0),)),)

    def infer(self, input: Aval) -> Aval:
        return Aval(dtypes.string, input.shape)

    def eager(self, input: Array) -> Array:
        return each(bytes.strip, input)


class _Length(Op):
    """The number of bytes or characters."""

    type = "StringLength"
    cases = (case(_WORDS, unit="BYTE"), case(_WORDS, unit="UTF8_CHAR", unknown=((0, 0),)))

    def infer(self, input: Aval, *, unit: str) -> Aval:
        return Aval(dtypes.int32, input.shape)

    def eager(self, input: Array, *, unit: str) -> Array:
        count = len if unit == "BYTE" else lambda text: len(text.decode())
        return each_as(dtypes.int32, count, input)


class _Substr(Op):
    """A part of each string, from a position on."""

    type = "Substr"
    cases = (
        case(strings(b"hello", b"world"), i32(1), i32(3), unit="BYTE"),
        case(strings(b"hello", b"world"), i32([-3, 0]), i32([2, 9]), unit="UTF8_CHAR"),
    )

    def infer(self, input: Aval, pos: Aval, len: Aval, *, unit: str) -> Aval:
        return Aval(dtypes.string, broadcast(input.shape, broadcast(pos.shape, len.shape)))

    def eager(self, input: Array, pos: Array, len: Array, *, unit: str) -> Array:
        if unit == "BYTE":
            return each(lambda t, p, n: self._part(t, p, n), input, pos, len)
        return each(lambda t, p, n: self._part(t.decode(), p, n).encode(), input, pos, len)

    def _part(self, text: Any, pos: int, count: int) -> Any:
        size = text.__len__()
        if not -size <= pos <= size:
            raise invalid_argument(f"pos {pos} out of range for string of length {size}", self.type)
        start = pos + size if pos < 0 else pos
        return text[start : start + count]


class _Join(Op):
    """Strings of several tensors, which broadcast from scalars, put together."""

    type = "StringJoin"
    cases = (
        case(strings(b"a", b"b"), strings(b"c", b"d"), separator="-", unknown=((0, 0),)),
        case(np.array(b"x", object), strings(b"c", b"d"), separator=""),
    )

    def infer(self, *inputs: Aval, separator: str) -> Aval:
        shape: Shape = ()
        for value in inputs:
            if shape == ():
                shape = value.shape
            elif value.shape not in ((), None) and shape is not None:
                shape = broadcast(shape, value.shape)
        return Aval(dtypes.string, shape)

    def eager(self, *inputs: Array, separator: str) -> Array:
        glue = separator.encode()
        return each(lambda *parts: glue.join(parts), *inputs)


class _ReduceJoin(Op):
    """Strings put together along axes."""

    type = "ReduceJoin"
    cases = (
        case(np.array([[b"a", b"b"], [b"c", b"d"]], object), i32([0]), keep_dims=False,
             separator=" "),
        case(np.array([[b"a", b"b"], [b"c", b"d"]], object), i32([1, 0]), keep_dims=True,
             separator=""),
    )  # fmt: skip

    def infer(self, inputs: Aval, axes: Aval, *, keep_dims: bool, separator: str) -> Aval:
        reduced = known.complete(axes)
        if inputs.shape is None or reduced is None:
            return Aval(dtypes.string, None)
        places = known.axes_in(reduced, len(inputs.shape))
        sizes = [
            1 if i in places else size
            for i, size in enumerate(inputs.shape)
            if keep_dims or i not in places
        ]
        return Aval(dtypes.string, tuple(sizes))

    def eager(self, inputs: Array, axes: Array, *, keep_dims: bool, separator: str) -> Array:
        places = known.axes_in([int(a) for a in axes.reshape(-1)], inputs.ndim)
        rest = [i for i in range(inputs.ndim) if i not in places]
        # The axes are joined in the order they are given: the first one varies fastest.
        moved = inputs.transpose(*rest, *reversed(places))
        outer = moved.shape[: len(rest)]
        rows = moved.reshape(int(np.prod(outer, dtype=int)), -1)
        joined = np.empty(len(rows), object)
        joined[:] = [separator.encode().join(row) for row in rows]
        kept = [1 if i in places else s for i, s in enumerate(inputs.shape)]
        return joined.reshape(kept if keep_dims else outer)


lower_op = define(_Change("StringLower", _lower))
upper_op = define(_Change("StringUpper", _upper))
strip_op = define(_Strip())
length_op = define(_Length())
substr_op = define(_Substr())
join_op = define(_Join())
reduce_join_op = define(_ReduceJoin())


def lower(input: object, encoding: str = "", name: str | None = None) -> Tensor:
    """Lower case: of ASCII letters, or of all with encoding "utf-8".

    https://www.tensorflow.org/api_docs/python/tf/strings/lower
    """
    return apply(lower_op, string_tensor(input), name=name, encoding=encoding)


def upper(input: object, encoding: str = "", name: str | None = None) -> Tensor:
    """Upper case: of ASCII letters, or of all with encoding "utf-8".

    https://www.tensorflow.org/api_docs/python/tf/strings/upper
    """
    return apply(upper_op, string_tensor(input), name=name, encoding=encoding)


def strip(input: object, name: str | None = None) -> Tensor:
    """White space removed (https://www.tensorflow.org/api_docs/python/tf/strings/strip)."""
    return apply(strip_op, string_tensor(input), name=name)


def length(input: object, unit: str = "BYTE", name: str | None = None) -> Tensor:
    """The length in bytes, or in characters with unit "UTF8_CHAR".

    https://www.tensorflow.org/api_docs/python/tf/strings/length
    """
    return apply(length_op, string_tensor(input), name=name, unit=unit)


def substr(
    input: object, pos: object, len: object, unit: str = "BYTE", name: str | None = None
) -> Tensor:
    """`len` bytes or characters from position `pos`, which counts from the end if negative.

    https://www.tensorflow.org/api_docs/python/tf/strings/substr

    Raises:
        InvalidArgumentError: the position lies outside a string.
    """
    start = known.integer_tensor(pos, what="pos")
    count = convert_to_tensor(len, start.dtype)
    return apply(substr_op, string_tensor(input), start, count, name=name, unit=unit)


def join(inputs: Sequence[object], separator: str = "", name: str | None = None) -> Tensor:
    """Strings of several tensors put together, element by element; scalars are repeated.

    https://www.tensorflow.org/api_docs/python/tf/strings/join
    """
    parts = [string_tensor(i) for i in inputs]
    return apply(join_op, *parts, name=name, separator=separator)


def reduce_join(
    inputs: object,
    axis: object = None,
    keepdims: bool = False,
    separator: str = "",
    name: str | None = None,
) -> Tensor:
    """Strings put together along axes, by default all.

    https://www.tensorflow.org/api_docs/python/tf/strings/reduce_join
    """
    tensor = string_tensor(inputs)
    axes: object = axis
    if axis is None:
        last = (rank(tensor) if tensor.ndim is None else tensor.ndim) - 1
        axes = range_(last, -1, -1) if tensor.ndim is None else list(range(last, -1, -1))
    places = convert_to_tensor(axes, dtype_hint=dtypes.int32)
    if isinstance(axes, list) and not axes:
        places = convert_to_tensor(np.zeros(0, np.int32))
    return apply(
        reduce_join_op, tensor, places, name=f"{name or 'ReduceJoin'}/ReduceJoin",
        keep_dims=keepdims, separator=separator,
    )  # fmt: skip
