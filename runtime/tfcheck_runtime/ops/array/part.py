"""Parts of a tensor by begin and size."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tfcheck_runtime import dispatch
from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Attributes, Aval, Call, Emitter, Op, Term, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.casting import cast, moves
from tfcheck_runtime.ops.array.examples import counting, i32, i64
from tfcheck_runtime.ops.array.filling import ones_like
from tfcheck_runtime.ops.array.guarding import guarded
from tfcheck_runtime.ops.array.shaping import shape as shape_of
from tfcheck_runtime.ops.array.slice_plan import INT64_MAX, NO_MASKS
from tfcheck_runtime.ops.array.slicing import strided_slice_grad_op
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply


class _Slice(Op):
    """The part of the input that starts at `begin` and has a size; -1 goes to the end."""

    type = "Slice"

    def infer(self, x: Aval, begin: Aval, size: Aval) -> Aval:
        starts, sizes = known.elements(begin), known.elements(size)
        if starts is None or sizes is None:
            return Aval(x.dtype, None if x.shape is None else (None,) * len(x.shape))
        whole = x.shape or (None,) * len(starts)
        if len(whole) != len(starts) or len(sizes) != len(starts):
            raise ValueError(
                f"Expected begin and size arguments to be 1-D tensors of size {len(whole)}, but got"
                f" {len(starts)} and {len(sizes)} elements"
            )
        if any(s is not None and s < 0 for s in starts):
            raise invalid_argument(f"Expected begin >= 0, got {list(starts)}", self.type)
        for axis, (d, b, s) in enumerate(zip(whole, starts, sizes, strict=True)):
            if not (_inside(d, b, s) or None in (d, b, s)):
                raise invalid_argument(
                    f"Expected begin[{axis}] and size[{axis}] within {d}, got {b} and {s}",
                    self.type,
                )
        parts = zip(whole, starts, sizes, strict=True)
        shape = tuple(_size(d, b, s) for d, b, s in parts)
        return known.integers(x.dtype, shape, _contents(x, starts, shape))

    def eager(self, x: Array, begin: Array, size: Array) -> Array:
        parts: list[slice] = []
        bounds = zip(x.shape, begin.tolist(), size.tolist(), strict=True)
        for axis, (whole, first, count) in enumerate(bounds):
            if not 0 <= first <= whole:
                raise invalid_argument(
                    f"Expected begin[{axis}] in [0, {whole}], but got {first}", self.type
                )
            if not -1 <= count <= whole - first:
                raise invalid_argument(
                    f"Expected size[{axis}] in [0, {whole - first}], but got {count}", self.type
                )
            parts.append(slice(first, whole if count == -1 else first + count))
        return np.asarray(x[tuple(parts)])

    def lower(self, onnx: Emitter, x: Term, begin: Term, size: Term) -> object:
        starts, sizes = known.complete(begin.aval), known.complete(size.aval)
        first, count = known.onnx_integers(onnx, begin), known.onnx_integers(onnx, size)
        if not _always_inside(x.aval, begin.aval, size.aval):
            first = guarded(onnx, first, _outside(onnx, x, first, count), dtype=dtypes.int64)
        if starts is not None and sizes is not None:
            parts = zip(starts, sizes, strict=True)
            ends: object = known.int64([INT64_MAX if s == -1 else b + s for b, s in parts])
            return onnx.op("Slice", x, first, ends)
        open_ = onnx.op("Less", count, np.int64(0))
        ends = onnx.op("Where", open_, np.int64(INT64_MAX), onnx.op("Add", first, count))
        return onnx.op("Slice", x, first, ends)

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        del attrs
        return inputs[0].shape != () and moves(inputs, outputs)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        x, begin, _ = call.inputs
        sizes = shape_of(x, begin.dtype)
        end = begin + shape_of(grad, begin.dtype)
        steps = ones_like(begin)
        inputs = (sizes, begin, end, steps, grad)
        (spread,) = dispatch.run(strided_slice_grad_op, inputs, NO_MASKS)
        return [spread, None, None]

    cases = (
        case(counting(2, 3), i32([0, 1]), i32([2, -1])),
        case(counting(3, 4), i64([1, 0]), i64([-1, 2]), unknown=((0, 0),)),
        case(i32([1, 2, 3]), i32([3]), i32([0])),
    )


def _inside(whole: int | None, begin: int | None, size: int | None) -> bool:
    """Whether a part is known to lie inside an axis."""
    if begin == 0 and size in (0, -1):
        return True
    if whole is None or begin is None or size is None:
        return False
    return 0 <= begin <= whole and -1 <= size <= whole - begin


def _always_inside(x: Aval, begin: Aval, size: Aval) -> bool:
    starts, sizes = known.elements(begin), known.elements(size)
    if starts is None or sizes is None or x.shape is None:
        return False
    return all(_inside(*bounds) for bounds in zip(x.shape, starts, sizes, strict=True))


def _outside(onnx: Emitter, x: Term, begin: object, size: object) -> object:
    """On which axes the part begins or ends outside: onnxruntime would clip it silently."""
    room = onnx.op("Sub", known.onnx_shape(onnx, x), begin)
    too_large = onnx.op("Less", room, onnx.op("Max", size, np.int64(0)))
    below = onnx.op("Less", onnx.op("Min", begin, onnx.op("Add", size, np.int64(1))), np.int64(0))
    return onnx.op("Or", too_large, below)


def _size(whole: int | None, begin: int | None, size: int | None) -> int | None:
    if size != -1:
        return size
    return None if whole is None or begin is None else whole - begin


def _contents(
    x: Aval, starts: known.Elements, shape: tuple[int | None, ...]
) -> known.Elements | None:
    source = known.elements(x) if x.dtype.is_integer and len(shape) == 1 else None
    if source is None or starts[0] is None or shape[0] is None:
        return None
    part = source[starts[0] : starts[0] + shape[0]]
    return part if len(part) == shape[0] else None


slice_op = define(_Slice())


def slice_(input_: object, begin: object, size: object, name: str | None = None) -> Tensor:
    """The part of `input_` that starts at `begin` and has `size` (-1: all that is left).

    https://www.tensorflow.org/api_docs/python/tf/slice

    Raises:
        InvalidArgumentError: the part reaches outside.
        ValueError: in a graph, there is not one number per axis.
    """
    label = name or "Slice"
    first = known.integer_tensor(begin, name=f"{label}/begin", what="begin")
    count = known.integer_tensor(size, name=f"{label}/size", what="size")
    if first.dtype is not count.dtype:
        first, count = cast(first, dtypes.int64), cast(count, dtypes.int64)
    return apply(slice_op, convert_to_tensor(input_), first, count, name=label)
