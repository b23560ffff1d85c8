"""Running sums and products along an axis."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tfcheck_runtime.op import Array, Attributes, Aval, Call, Emitter, Op, Term, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.agreement import NUMBERS, check_kind
from tfcheck_runtime.ops.array.examples import counting, f32, i32, i64
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply


class _Scan(Op):
    """The sum or product of all elements up to each, along an axis.

    `exclusive` leaves the element itself out, `reverse` starts from the end.
    """

    neutral: int
    accumulate: np.ufunc

    def infer(self, x: Aval, axis: Aval, *, exclusive: bool, reverse: bool) -> Aval:
        del exclusive, reverse
        check_kind(self.type, x, NUMBERS)
        place = known.scalar(axis)
        if x.shape is not None and place is not None:
            known.runtime_axes(self.type, [place], len(x.shape))
        return Aval(x.dtype, x.shape)

    def eager(self, x: Array, axis: Array, *, exclusive: bool, reverse: bool) -> Array:
        lines = np.moveaxis(x, int(axis), 0)
        if reverse:
            lines = lines[::-1]
        with np.errstate(all="ignore"):
            found = self.accumulate.accumulate(lines, 0, dtype=x.dtype)
        if exclusive:
            shifted = np.full_like(found, self.neutral)
            shifted[1:] = found[:-1]
            found = shifted
        return np.moveaxis(found[::-1] if reverse else found, 0, int(axis))


class _Cumsum(_Scan):
    """Running sums."""

    type = "Cumsum"
    neutral = 0
    accumulate = np.add

    def lower(
        self, onnx: Emitter, x: Term, axis: Term, *, exclusive: bool, reverse: bool
    ) -> object:
        place = known.onnx_integers(onnx, axis, rank=0)
        return onnx.op("CumSum", x, place, exclusive=int(exclusive), reverse=int(reverse))

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        exclusive, reverse = call.attrs["exclusive"], call.attrs["reverse"]
        return [cumsum(grad, call.inputs[1], exclusive, not reverse), None]

    cases = (
        case(f32([1, 2, 3]), i32(0), exclusive=False, reverse=False),
        case(
            counting(2, 3),
            i32(-1),
            exclusive=True,
            reverse=True,
            unknown=((0, 0),),
        ),
        case(i32([[1, 2], [3, 4]]), i64(0), exclusive=True, reverse=False),
        case(np.zeros((0,), np.float32), i32(0), exclusive=True, reverse=False),
    )


class _Cumprod(_Scan):
    """Running products."""

    type = "Cumprod"
    neutral = 1
    accumulate = np.multiply

    def lower(
        self, onnx: Emitter, x: Term, axis: Term, *, exclusive: bool, reverse: bool
    ) -> object:
        # ONNX has no running product: partial products over 1, 2, 4… elements are joined.
        place, size = _place_and_size(x.aval, axis.aval)
        value: object = _flipped(onnx, x, place) if reverse else x
        if exclusive:
            value = _shifted(onnx, value, place, 1)
        reach = 1
        while reach < size:
            value = onnx.op("Mul", value, _shifted(onnx, value, place, reach))
            reach *= 2
        return _flipped(onnx, value, place) if reverse else onnx.op("Identity", value)

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        size_known = _place_and_size(*inputs)[1] >= 0
        return size_known and super().lowers(inputs, outputs, attrs)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        x, axis = call.inputs
        exclusive, reverse = call.attrs["exclusive"], call.attrs["reverse"]
        # As TensorFlow does; undefined where an element is zero.
        product = call.outputs[0]
        return [cumsum(product * grad, axis, exclusive, not reverse) / x, None]

    cases = (
        case(f32([1, 2, 3]), i32(0), exclusive=False, reverse=False),
        case(
            f32([[1, 2, 3], [4, 5, 6]]),
            i32(-1),
            exclusive=True,
            reverse=True,
            unknown=((0, 0),),
        ),
        case(i64([2, 3]), i32(0), exclusive=True, reverse=False),
    )


def _place_and_size(x: Aval, axis: Aval) -> tuple[int, int]:
    """The axis from the front and its size, -1 if not known."""
    place = known.scalar(axis)
    if x.shape is None or place is None:
        return 0, -1
    size = x.shape[place]
    return place % len(x.shape), -1 if size is None else size


def _flipped(onnx: Emitter, value: object, place: int) -> object:
    bounds = [known.int64([b]) for b in (-1, np.iinfo(np.int64).min, place, -1)]
    return onnx.op("Slice", value, *bounds)


def _shifted(onnx: Emitter, value: object, place: int, count: int) -> object:
    """The value moved along an axis by `count`, with ones entering."""
    first = [known.int64([b]) for b in (0, count, place)]
    head = onnx.op("Slice", value, *first)
    ones = onnx.op("CastLike", onnx.op("Expand", f32(1), onnx.op("Shape", head)), value)
    rest = onnx.op("Slice", value, *(known.int64([b]) for b in (0, -count, place)))
    return onnx.op("Concat", ones, rest, axis=place)


cumsum_op = define(_Cumsum())
cumprod_op = define(_Cumprod())


def cumsum(
    x: object,
    axis: object = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Running sums along `axis`.

    https://www.tensorflow.org/api_docs/python/tf/math/cumsum

    Args:
        x: numbers.
        axis: which axis.
        exclusive: whether each element is left out of its own sum.
        reverse: whether to start from the end.
        name: of the node.

    Raises:
        InvalidArgumentError: there is no such axis.
    """
    return _scan(cumsum_op, x, axis, exclusive=exclusive, reverse=reverse, name=name)


def cumprod(
    x: object,
    axis: object = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Running products along `axis`; for arguments and errors see `cumsum`.

    https://www.tensorflow.org/api_docs/python/tf/math/cumprod
    """
    return _scan(cumprod_op, x, axis, exclusive=exclusive, reverse=reverse, name=name)


def _scan(
    op: Op, x: object, axis: object, *, exclusive: bool, reverse: bool, name: str | None
) -> Tensor:
    label = name or op.type
    tensor = convert_to_tensor(x, name="x")
    place = known.integer_tensor(axis, name=f"{label}/axis", what="axis")
    return apply(op, tensor, place, exclusive=bool(exclusive), reverse=bool(reverse), name=label)
