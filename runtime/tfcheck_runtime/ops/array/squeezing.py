"""Axes of size 1, added and removed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tfcheck_runtime.op import Array, Attributes, Aval, Call, Emitter, Op, Term, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.casting import moves
from tfcheck_runtime.ops.array.examples import i32, i64
from tfcheck_runtime.ops.array.shaping import reshape, shape
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply


class _ExpandDims(Op):
    """The input with a new axis of size 1."""

    type = "ExpandDims"

    def infer(self, x: Aval, dim: Aval) -> Aval:
        axis = known.scalar(dim)
        if dim.shape not in (None, (), (1,), (None,)):
            raise ValueError(f"'dim' input must be a tensor with a single value, got {dim.shape}")
        if x.shape is None or axis is None:
            return Aval(x.dtype, None)
        place = known.axis_in(axis, len(x.shape) + 1, "Tried to expand dim index; axis")
        contents = known.elements(x) if x.shape == () and x.dtype.is_integer else None
        return known.integers(x.dtype, (*x.shape[:place], 1, *x.shape[place:]), contents)

    def eager(self, x: Array, dim: Array) -> Array:
        return np.expand_dims(x, int(dim.reshape(())))

    def lower(self, onnx: Emitter, x: Term, dim: Term) -> object:
        return onnx.op("Unsqueeze", x, known.onnx_integers(onnx, dim))

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        del attrs
        return moves(inputs, outputs)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        return [reshape(grad, shape(call.inputs[0])), None]

    cases = (
        case(np.ones((2, 3), np.float32), i32(1), unknown=((0, 0),)),
        case(np.ones((2, 3), np.float32), i32(-1)),
        case(i32(4), i32(0)),
        case(np.zeros((0, 3), np.bool_), i64(2)),
    )


class _Squeeze(Op):
    """The input without the given axes of size 1; without all of them if none is given."""

    type = "Squeeze"

    def infer(self, x: Aval, *, squeeze_dims: tuple[int, ...]) -> Aval:
        if x.shape is None:
            return Aval(x.dtype, None)
        if not squeeze_dims:
            unknown = None in x.shape
            return Aval(x.dtype, None if unknown else tuple(d for d in x.shape if d != 1))
        axes = known.axes_in(squeeze_dims, len(x.shape), "Tried to squeeze dim index; axis")
        for axis in axes:
            if x.shape[axis] not in (1, None):
                raise ValueError(
                    f"Can not squeeze dim[{axis}], expected a dimension of 1, got"
                    f" {x.shape[axis]} (shape {x.shape})"
                )
        left = tuple(d for i, d in enumerate(x.shape) if i not in axes)
        contents = known.elements(x) if len(x.shape) == 1 and x.dtype.is_integer else None
        return known.integers(x.dtype, left, contents)

    def eager(self, x: Array, *, squeeze_dims: tuple[int, ...]) -> Array:
        return np.squeeze(x, squeeze_dims or None)

    def lower(self, onnx: Emitter, x: Term, *, squeeze_dims: tuple[int, ...]) -> object:
        axes = (known.int64(squeeze_dims),) if squeeze_dims else ()
        return onnx.op("Squeeze", x, *axes)

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        del attrs
        return moves(inputs, outputs)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor]:
        return [reshape(grad, shape(call.inputs[0]))]

    cases = (
        case(np.ones((1, 3, 1), np.float32), squeeze_dims=()),
        case(np.ones((1, 3, 1), np.float32), squeeze_dims=(0,), unknown=((0, 0), (0, 1))),
        case(np.ones((1, 3, 1), np.float32), squeeze_dims=(-1,)),
        case(np.zeros((0, 1), np.int32), squeeze_dims=(1,)),
    )


expand_dims_op = define(_ExpandDims())
squeeze_op = define(_Squeeze())


def expand_dims(input: object, axis: object, name: str | None = None) -> Tensor:
    """`input` with a new axis of size 1 at `axis`, within [-(rank + 1), rank].

    https://www.tensorflow.org/api_docs/python/tf/expand_dims

    Raises:
        InvalidArgumentError: there is no such place (ValueError in a graph).
    """
    label = name or "ExpandDims"
    tensor = convert_to_tensor(input, name="input")
    place = known.integer_tensor(axis, name=f"{label}/dim", what="axis")
    return apply(expand_dims_op, tensor, place, name=label)


def squeeze(
    input: object, axis: int | Sequence[int] | None = None, name: str | None = None
) -> Tensor:
    """`input` without its axes of size 1, or without those named by `axis`.

    https://www.tensorflow.org/api_docs/python/tf/squeeze

    Raises:
        InvalidArgumentError: a named axis has another size (ValueError in a graph).
    """
    tensor = convert_to_tensor(input, name="input")
    axes = () if axis is None else tuple(int(a) for a in np.reshape(np.asarray(axis), -1))
    return apply(squeeze_op, tensor, squeeze_dims=axes, name=name or "Squeeze")
