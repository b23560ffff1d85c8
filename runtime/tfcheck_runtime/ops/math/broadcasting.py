"""Gradients through broadcasting: sum a gradient back to the shape of the operand it belongs to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tfcheck_runtime.op import Array, Aval, Emitter, Op, Term, case, define
from tfcheck_runtime.ops.array.examples import i32
from tfcheck_runtime.ops.array.reduction import reduce_sum
from tfcheck_runtime.ops.array.shaping import reshape, shape
from tfcheck_runtime.specs.shapes import Shape
from tfcheck_runtime.values.tensor import Tensor, apply_n


class _BroadcastGradientArgs(Op):
    """The axes along which each of two shapes was repeated to fit the other."""

    type = "BroadcastGradientArgs"
    cases = (
        case(i32([3, 1, 5]), i32([4, 5])),
        case(i32([]), i32([2, 2])),
        case(i32([2, 3]), i32([2, 3])),
    )

    def infer(self, x: Aval, y: Aval) -> tuple[Aval, Aval]:
        return Aval(x.dtype, (None,)), Aval(x.dtype, (None,))

    def eager(self, x: Array, y: Array) -> tuple[Array, Array]:
        rank = max(len(x), len(y))
        left, right = (_padded(s, rank) for s in (x, y))
        return _repeated(left, right, x.dtype), _repeated(right, left, x.dtype)

    def lower(self, onnx: Emitter, x: Term, y: Term) -> tuple[object, object]:
        sizes = [onnx.op("Size", s) for s in (x, y)]
        rank = onnx.op("Max", *sizes)
        one = onnx.constant(np.array([1], x.dtype.numpy))
        padded = [
            onnx.op("Concat", _ones(onnx, onnx.op("Sub", rank, size), x), s, axis=0)
            for s, size in zip((x, y), sizes, strict=True)
        ]
        differs = onnx.op("Not", onnx.op("Equal", *padded))
        results = []
        for own in padded:
            mask = onnx.op("And", onnx.op("Equal", own, one), differs)
            axes = onnx.op("Squeeze", onnx.op("NonZero", mask), np.array([0]))
            results.append(onnx.cast(axes, x.dtype))
        return results[0], results[1]


def _padded(sizes: Array, rank: int) -> Array:
    return np.concatenate([np.ones(rank - len(sizes), sizes.dtype), sizes])


def _repeated(own: Array, other: Array, dtype: np.dtype[np.generic]) -> Array:
    return np.flatnonzero((own == 1) & (other != 1)).astype(dtype)


def _ones(onnx: Emitter, count: object, like: Term) -> object:
    lengths = onnx.op("Unsqueeze", count, np.array([0]))
    return onnx.op("Expand", np.array([1], like.dtype.numpy), lengths)


broadcast_gradient_args_op = define(_BroadcastGradientArgs())


def sum_like(gradient: Tensor, operand: Tensor, others: Sequence[Tensor]) -> Tensor:
    """Sum `gradient`, of the shape that `operand` and `others` broadcast to, to `operand`'s shape.

    Axes are chosen while tracing if the shapes tell, else when the graph runs.
    """
    own = operand.static_shape
    axes = _static_axes(own, [o.static_shape for o in others])
    if axes is None:
        return _sum_dynamically(gradient, operand, others)
    if not axes:
        return gradient
    assert own is not None  # the axes are known, so the rank is
    total = reduce_sum(gradient, axes)
    result_rank = None if gradient.ndim is None else gradient.ndim - len(axes)
    if result_rank == len(own):
        return total
    return reshape(total, own if None not in own else shape(operand))


def _sum_dynamically(gradient: Tensor, operand: Tensor, others: Sequence[Tensor]) -> Tensor:
    own = shape(operand)
    del others  # the gradient has the shape everything was broadcast to
    axes, _ = apply_n(broadcast_gradient_args_op, own, shape(gradient))
    return reshape(reduce_sum(gradient, axes), own)


def _static_axes(own: Shape, others: Sequence[Shape]) -> list[int] | None:
    """The axes to sum, or None if they depend on sizes that only the running graph knows."""
    if own is None or any(o is None for o in others):
        return None
    known = [o for o in others if o is not None]
    rank = max(len(own), *(len(o) for o in known))
    axes = list(range(rank - len(own)))
    for i, size in enumerate(own, start=rank - len(own)):
        if size is not None and size != 1:
            continue
        partners = [o[i - (rank - len(o))] for o in known if i >= rank - len(o)]
        if all(p == 1 for p in partners):
            continue
        if size is None:
            return None
        axes.append(i)
    return axes
