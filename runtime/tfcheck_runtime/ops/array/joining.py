"""Tensors joined along an axis they have, and split along one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tfcheck_runtime.op import Array, Attributes, Aval, Call, Emitter, Op, Term, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.agreement import check_same_dtypes
from tfcheck_runtime.ops.array.casting import moves
from tfcheck_runtime.ops.array.examples import i32
from tfcheck_runtime.ops.array.identity import identity
from tfcheck_runtime.ops.array.packing import joinable
from tfcheck_runtime.ops.array.splitting import split_like
from tfcheck_runtime.specs.shapes import Shape
from tfcheck_runtime.values import operators
from tfcheck_runtime.values.convert import convert_to_tensor, is_tensor_like
from tfcheck_runtime.values.tensor import Tensor, apply


class _Concat(Op):
    """Tensors end to end along an axis; the other axes agree."""

    type = "ConcatV2"

    def infer(self, *inputs: Aval) -> Aval:
        values, axis = inputs[:-1], known.scalar(inputs[-1])
        check_same_dtypes(self.type, values)
        dtype = values[0].dtype
        shapes = [v.shape for v in values if v.shape is not None]
        if not shapes:
            return Aval(dtype, None)
        _check_ranks(shapes)
        if axis is None:
            return Aval(dtype, (None,) * len(shapes[0]))
        place = known.axis_in(axis, len(shapes[0]), "ConcatOp: concatenating dimension")
        shape = _joined([v.shape for v in values], place, len(shapes[0]))
        return known.integers(dtype, shape, _contents(values) if len(shape) == 1 else None)

    def eager(self, *inputs: Array) -> Array:
        return np.concatenate(inputs[:-1], int(inputs[-1]))

    def lower(self, onnx: Emitter, *inputs: Term) -> object:
        axis = known.scalar(inputs[-1].aval)
        return onnx.op("Concat", *inputs[:-1], axis=axis)

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        del attrs
        return known.scalar(inputs[-1]) is not None and moves(inputs, outputs)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        *values, axis = call.inputs
        return [*split_like(grad, values, axis), None]

    cases = (
        case(np.ones((2, 1), np.float32), np.zeros((2, 2), np.float32), i32(1)),
        case(
            np.ones((2, 3), np.float32),
            np.zeros((1, 3), np.float32),
            i32(-2),
            unknown=((0, 0), (1, 0)),
        ),
        case(np.zeros((0,), np.int64), np.array([1, 2]), i32(0)),
        case(np.array([True]), np.array([False, True]), i32(0)),
    )


def _check_ranks(shapes: Sequence[tuple[int | None, ...]]) -> None:
    for i, shape in enumerate(shapes):
        if not shape:
            raise ValueError("ConcatOp: Can't concatenate scalars (use tf.stack instead)")
        if len(shape) != len(shapes[0]):
            raise ValueError(
                f"ConcatOp: Ranks of all input tensors should match: shape[0] = {shapes[0]} vs."
                f" shape[{i}] = {shape}"
            )


def _joined(shapes: Sequence[Shape], place: int, rank: int) -> tuple[int | None, ...]:
    total: int | None = 0
    common: list[int | None] = [None] * rank
    for i, shape in enumerate(shapes):
        size = None if shape is None else shape[place]
        total = None if total is None or size is None else total + size
        for axis, own in enumerate(shape or ()):
            if axis == place or own is None:
                continue
            if common[axis] not in (None, own):
                raise ValueError(
                    "ConcatOp: Dimension"
                    f" {axis} in both shapes must be equal: shape[0] = {shapes[0]} vs."
                    f" shape[{i}] = {shape}"
                )
            common[axis] = own
    common[place] = total
    return tuple(common)


def _contents(values: Sequence[Aval]) -> list[int | None] | None:
    if not values[0].dtype.is_integer:
        return None
    joined: list[int | None] = []
    for value in values:
        part = known.elements(value) if value.shape and value.shape[0] is not None else None
        if part is None:
            return None
        joined.extend(part)
    return joined


concat_op = define(_Concat())


def _matching(values: Sequence[object]) -> list[Tensor]:
    if any(is_tensor_like(v) for v in values):
        return joinable(values)
    # Among Python data the first decides, and the others must fit.
    parts: list[Tensor] = []
    for value in values:
        parts.append(convert_to_tensor(value, parts[0].dtype if parts else None))
    return parts


@operators.implements("concat")
def concat(values: Sequence[object] | Tensor, axis: object, name: str = "concat") -> Tensor:
    """Join tensors end to end along `axis`; all other axes have the same sizes.

    https://www.tensorflow.org/api_docs/python/tf/concat

    Raises:
        ValueError: there are no values, or (in a graph) the shapes do not fit.
        InvalidArgumentError: the shapes do not fit.
    """
    parts = _matching(values if isinstance(values, list | tuple) else [values])
    if not parts:
        raise ValueError("concat: expected at least one value, got none")
    place = known.integer_tensor(axis, name=f"{name}/axis", what="axis")
    if len(parts) == 1:
        return identity(parts[0], name=name)
    return apply(concat_op, *parts, place, name=name)
