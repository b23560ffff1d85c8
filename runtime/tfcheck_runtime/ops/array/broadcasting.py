"""Tensors repeated to fill a larger shape, and gradients summed back to the smaller one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tfcheck_runtime.op import Array, Attributes, Aval, Call, Emitter, Op, Term, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.casting import cast, moves
from tfcheck_runtime.ops.array.examples import counting, f32, i32, i64
from tfcheck_runtime.ops.array.joining import concat
from tfcheck_runtime.ops.array.locating import indices_where
from tfcheck_runtime.ops.array.packing import stack
from tfcheck_runtime.ops.array.permuting import transpose
from tfcheck_runtime.ops.array.ranges import range_
from tfcheck_runtime.ops.array.shaping import rank, reshape, shape as shape_of, size
from tfcheck_runtime.specs.shapes import Shape, TensorShape, broadcast as broadcast_shapes
from tfcheck_runtime.values import operators
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply


class _BroadcastTo(Op):
    """The input repeated along axes of size 1 and new leading axes, to fill a shape."""

    type = "BroadcastTo"

    def infer(self, x: Aval, sizes: Aval) -> Aval:
        wanted = known.as_shape(sizes)
        if any(size is not None and size < 0 for size in known.elements(sizes) or ()):
            raise ValueError(f"broadcast_to: no size may be negative, got {known.elements(sizes)}")
        if wanted is None or x.shape is None:
            return Aval(x.dtype, wanted)
        if len(x.shape) > len(wanted):
            raise ValueError(
                f"Rank of input ({len(x.shape)}) must be no greater than rank of output shape"
                f" ({len(wanted)})."
            )
        if broadcast_shapes(x.shape, wanted) != wanted and None not in (*x.shape, *wanted):
            raise ValueError(f"Incompatible shapes: {list(x.shape)} vs. {list(wanted)}")
        return Aval(x.dtype, wanted)

    def eager(self, x: Array, sizes: Array) -> Array:
        return np.broadcast_to(x, tuple(sizes.tolist()))

    def lower(self, onnx: Emitter, x: Term, sizes: Term) -> object:
        return onnx.op("Expand", x, known.onnx_integers(onnx, sizes))

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        del attrs
        # onnxruntime's Expand does not shrink an axis of size 1 to 0.
        emptied = outputs[0].shape is not None and 0 in outputs[0].shape
        return not emptied and moves(inputs, outputs)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        return [sum_to(grad, call.inputs[0]), None]

    cases = (
        case(counting(3), i32([2, 3])),
        case(np.ones((2, 1), np.float32), i64([2, 4]), unknown=((0, 0),)),
        case(f32(2.0), i32([0, 3])),
        case(np.array([True]), i32([2])),
    )


class _Tile(Op):
    """The input several times, side by side, along each axis."""

    type = "Tile"

    def infer(self, x: Aval, multiples: Aval) -> Aval:
        counts = known.elements(multiples)
        if counts is None or x.shape is None:
            axes = x.shape if counts is None else counts
            return Aval(x.dtype, None if axes is None else (None,) * len(axes))
        if len(counts) != len(x.shape):
            raise ValueError(
                f"Expected multiples argument to be a vector of length {len(x.shape)} but got"
                f" length {len(counts)}"
            )
        if any(c is not None and c < 0 for c in counts):
            raise ValueError(f"Expected multiples >= 0, got {list(counts)}")
        return Aval(x.dtype, tuple(_times(d, c) for d, c in zip(x.shape, counts, strict=True)))

    def eager(self, x: Array, multiples: Array) -> Array:
        return np.tile(x, tuple(multiples.tolist()))

    def lower(self, onnx: Emitter, x: Term, multiples: Term) -> object:
        if x.shape == ():
            return onnx.op("Identity", x)
        return onnx.op("Tile", x, known.onnx_integers(onnx, multiples))

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        del attrs
        return moves(inputs, outputs)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        x, multiples = call.inputs
        sizes = shape_of(x, multiples.dtype)
        # Each axis becomes two: the repetitions, then the axis itself.
        interleaved = reshape(transpose(stack([multiples, sizes])), [-1])
        repetitions = range_(0, size(interleaved), 2)
        total = operators.implementation("sum")(reshape(grad, interleaved), repetitions)
        return [reshape(total, sizes), None]

    cases = (
        case(counting(2, 3), i32([1, 2])),
        case(np.ones((2, 1), np.float32), i64([3, 2]), unknown=((0, 0),)),
        case(np.arange(2, dtype=np.int32), i32([0])),
    )


def _times(size: int | None, count: int | None) -> int | None:
    return None if size is None or count is None else size * count


broadcast_to_op = define(_BroadcastTo())
tile_op = define(_Tile())


def broadcast_to(input: object, shape: object, name: str | None = None) -> Tensor:
    """`input` repeated to fill `shape`, by NumPy's rule.

    https://www.tensorflow.org/api_docs/python/tf/broadcast_to

    Raises:
        InvalidArgumentError: the shapes do not fit (ValueError in a graph).
    """
    label = name or "BroadcastTo"
    tensor = convert_to_tensor(input, name="input")
    sizes = known.integer_tensor(shape, name=f"{label}/shape", what="shape")
    return apply(broadcast_to_op, tensor, sizes, name=label)


def tile(input: object, multiples: object, name: str | None = None) -> Tensor:
    """`input` repeated `multiples[i]` times along axis i.

    https://www.tensorflow.org/api_docs/python/tf/tile

    Raises:
        InvalidArgumentError: there is not one count per axis (ValueError in a graph).
    """
    label = name or "Tile"
    tensor = convert_to_tensor(input, name="input")
    counts = known.integer_tensor(multiples, name=f"{label}/multiples", what="multiples")
    return apply(tile_op, tensor, counts, name=label)


def broadcast_static_shape(shape_x: object, shape_y: object) -> TensorShape:
    """The shape two shapes broadcast to.

    https://www.tensorflow.org/api_docs/python/tf/broadcast_static_shape

    Raises:
        ValueError: they do not broadcast.
    """
    return TensorShape(
        broadcast_shapes(TensorShape(shape_x).as_tuple(), TensorShape(shape_y).as_tuple())
    )


def sum_to(gradient: Tensor, operand: Tensor) -> Tensor:
    """`gradient` summed to the shape of `operand`, which was broadcast to the shape it has."""
    own = operand.static_shape
    axes = _summed_axes(own, gradient.static_shape)
    if axes == []:
        return gradient
    chosen = _dynamic_axes(gradient, operand) if axes is None else axes
    return reshape(operators.implementation("sum")(gradient, chosen), shape_of(operand))


def _summed_axes(own: Shape, full: Shape) -> list[int] | None:
    """The axes of `full` to sum, or None if that is known only when the graph runs."""
    if own is None or full is None:
        return None
    lead = len(full) - len(own)
    axes = list(range(lead))
    for axis, (mine, other) in enumerate(zip(own, full[lead:], strict=True), start=lead):
        if mine is None and other != 1:
            return None
        if mine == 1 and other != 1:
            axes.append(axis)
    return axes


def _dynamic_axes(gradient: Tensor, operand: Tensor) -> Tensor:
    lead = rank(gradient) - rank(operand)
    repeated = cast(reshape(indices_where(shape_of(operand) == 1), [-1]), lead.dtype)
    return concat([range_(lead), repeated + lead], 0)
