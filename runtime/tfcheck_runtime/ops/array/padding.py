"""Tensors with a border: of one value, or mirrored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Attributes, Aval, Call, Emitter, Op, Term, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.agreement import check_same_dtypes
from tfcheck_runtime.ops.array.examples import counting, i32
from tfcheck_runtime.ops.array.part import slice_
from tfcheck_runtime.ops.array.shaping import shape as shape_of
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.shapes import Shape, are_compatible
from tfcheck_runtime.values import operators
from tfcheck_runtime.values.convert import convert_to_tensor, is_typed
from tfcheck_runtime.values.tensor import SymbolicTensor, Tensor, apply


def _padded_shape(x: Aval, paddings: Aval) -> Shape:
    if paddings.shape is not None and (len(paddings.shape) != 2 or paddings.shape[1] != 2):
        raise ValueError(f"paddings must be a matrix with 2 columns, got shape {paddings.shape}")
    widths = _widths(paddings)
    if x.shape is None:
        rows = None if paddings.shape is None else paddings.shape[0]
        return None if rows is None else (None,) * rows
    if not are_compatible(paddings.shape, (len(x.shape), 2)):
        raise ValueError(
            f"The first dimension of paddings must be the rank of inputs: shape {x.shape} needs"
            f" paddings of shape ({len(x.shape)}, 2), got {paddings.shape}"
        )
    if widths is None:
        return (None,) * len(x.shape)
    if any(w < 0 for pair in widths for w in pair):
        raise ValueError(f"Paddings must be non-negative, got {widths}")
    return tuple(
        None if size is None else size + before + after
        for size, (before, after) in zip(x.shape, widths, strict=True)
    )


def _widths(paddings: Aval) -> list[tuple[int, int]] | None:
    content = paddings.constant()
    return None if content is None else [(int(b), int(a)) for b, a in content]


def _onnx_widths(onnx: Emitter, paddings: Term) -> object:
    """All widths before, then all after."""
    content = paddings.constant()
    if content is not None:
        return known.int64(content.T.reshape(-1).tolist())
    turned = onnx.op("Transpose", known.onnx_integers(onnx, paddings, rank=None), perm=[1, 0])
    widths = onnx.op("Reshape", turned, known.int64([-1]))
    # ONNX would cut with negative widths: an index beyond the end makes the run fail instead.
    negative = onnx.cast(onnx.op("Less", widths, np.int64(0)), dtypes.int64)
    place = onnx.op("Min", onnx.op("ReduceSum", negative, keepdims=0), np.asarray(1, np.int64))
    nothing = onnx.op("Gather", onnx.constant(np.zeros(1, np.int64)), place)
    return onnx.op("Add", widths, nothing)


class _Pad(Op):
    """The input with a border of zeros."""

    type = "Pad"

    def infer(self, x: Aval, paddings: Aval) -> Aval:
        return Aval(x.dtype, _padded_shape(x, paddings))

    def eager(self, x: Array, paddings: Array) -> Array:
        return np.pad(x, paddings)

    def lower(self, onnx: Emitter, x: Term, paddings: Term) -> object:
        return onnx.op("Pad", x, _onnx_widths(onnx, paddings))

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        x, paddings = call.inputs
        return [slice_(grad, paddings[:, 0], shape_of(x, paddings.dtype)), None]

    cases = (
        case(counting(2, 3), i32([[1, 0], [0, 2]]), unknown=((0, 0),)),
        case(i32([1, 2]), i32([[0, 1]])),
    )


class _PadV2(Op):
    """The input with a border of one value."""

    type = "PadV2"

    def infer(self, x: Aval, paddings: Aval, value: Aval) -> Aval:
        check_same_dtypes(self.type, (x, value))
        return Aval(x.dtype, _padded_shape(x, paddings))

    def eager(self, x: Array, paddings: Array, value: Array) -> Array:
        return np.pad(x, paddings, constant_values=value)

    def lower(self, onnx: Emitter, x: Term, paddings: Term, value: Term) -> object:
        return onnx.op("Pad", x, _onnx_widths(onnx, paddings), value)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        x, paddings, _ = call.inputs
        inside = slice_(grad, paddings[:, 0], shape_of(x, paddings.dtype))
        border = operators.implementation("sum")(grad) - operators.implementation("sum")(inside)
        return [inside, None, border]

    cases = (
        case(counting(2, 3), i32([[1, 0], [0, 2]]), np.float32(7)),
        case(counting(2, 3), i32([[0, 0], [1, 1]]), np.float32(0), unknown=((0, 0),)),
        case(i32([1, 2]), i32([[0, 1]]), np.int32(-1)),
        case(np.zeros((0, 1), np.float32), i32([[1, 1], [0, 0]]), np.float32(1)),
    )


_MIRRORS: Final = frozenset({"REFLECT", "SYMMETRIC"})


class _MirrorPad(Op):
    """The input with a border that mirrors it; SYMMETRIC repeats the outermost elements."""

    type = "MirrorPad"

    def infer(self, x: Aval, paddings: Aval, *, mode: str) -> Aval:
        del mode
        return Aval(x.dtype, _padded_shape(x, paddings))

    def eager(self, x: Array, paddings: Array, *, mode: str) -> Array:
        reach = 1 if mode == "REFLECT" else 0
        for size, (before, after) in zip(x.shape, paddings.tolist(), strict=True):
            if max(before, after) > size - reach:
                limit = "less than" if reach else "no greater than"
                raise invalid_argument(
                    f"paddings must be {limit} the dimension size: {before}, {after} not {limit}"
                    f" {size}",
                    self.type,
                )
        return np.pad(x, paddings, "reflect" if reach else "symmetric")

    def lower(self, onnx: Emitter, x: Term, paddings: Term, *, mode: str) -> object:
        if mode == "REFLECT":
            return onnx.op("Pad", x, _onnx_widths(onnx, paddings), mode="reflect")
        # ONNX has no symmetric mode: gather the mirrored places, axis by axis.
        value: object = x
        for axis, (before, after) in enumerate(_widths(paddings.aval) or ()):
            if before or after:
                size = (x.shape or ())[axis] or 0
                places = np.pad(np.arange(size, dtype=np.int64), (before, after), "symmetric")
                value = onnx.op("Gather", value, places, axis=axis)
        return value if value is not x else onnx.op("Identity", x)

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        x, paddings = inputs
        static = _widths(paddings) is not None and x.shape is not None and None not in x.shape
        return (attrs["mode"] == "REFLECT" or static) and super().lowers(inputs, outputs, attrs)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        paddings = call.inputs[1]
        spread = apply(mirror_pad_grad_op, grad, paddings, mode=call.attrs["mode"])
        return [spread, None]

    cases = (
        case(counting(3), i32([[2, 1]]), mode="REFLECT"),
        case(counting(2, 3), i32([[1, 0], [2, 2]]), mode="REFLECT", unknown=((0, 0),)),
        case(counting(2, 3), i32([[2, 0], [1, 3]]), mode="SYMMETRIC"),
    )


class _MirrorPadGrad(Op):
    """The gradient of a mirrored border, added where it was copied from."""

    type = "MirrorPadGrad"

    def infer(self, grad: Aval, paddings: Aval, *, mode: str) -> Aval:
        del mode
        widths = _widths(paddings)
        if grad.shape is None or widths is None:
            return Aval(grad.dtype, None if grad.shape is None else (None,) * len(grad.shape))
        sizes = zip(grad.shape, widths, strict=True)
        return Aval(grad.dtype, tuple(None if d is None else d - b - a for d, (b, a) in sizes))

    def eager(self, grad: Array, paddings: Array, *, mode: str) -> Array:
        for axis, (before, after) in enumerate(paddings.tolist()):
            size = grad.shape[axis] - before - after
            places = np.pad(np.arange(size), (before, after), mode.lower())  # type: ignore[call-overload]  # the modes' names are NumPy's
            lines = np.zeros((size, *np.delete(grad.shape, axis)), grad.dtype)
            np.add.at(lines, places, np.moveaxis(grad, axis, 0))
            grad = np.moveaxis(lines, 0, axis)
        return grad

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        mode = call.attrs["mode"]
        return [apply(mirror_pad_op, grad, call.inputs[1], mode=mode), None]

    cases = (case(counting(6), i32([[2, 1]]), mode="REFLECT"),)


pad_op = define(_Pad())
pad_v2_op = define(_PadV2())
mirror_pad_op = define(_MirrorPad())
mirror_pad_grad_op = define(_MirrorPadGrad())


def pad(
    tensor: object,
    paddings: object,
    mode: str = "CONSTANT",
    constant_values: object = 0,
    name: str | None = None,
) -> Tensor:
    """`tensor` with a border.

    https://www.tensorflow.org/api_docs/python/tf/pad

    Args:
        tensor: any tensor.
        paddings: an integer matrix with a row (before, after) per axis.
        mode: CONSTANT, REFLECT (mirrored at the outermost elements) or SYMMETRIC (mirrored
            past them); case does not matter.
        constant_values: the border's value in mode CONSTANT.
        name: of the node.

    Raises:
        ValueError: there is no such mode; in a graph, the paddings do not fit.
        InvalidArgumentError: the paddings do not fit.
    """
    value = convert_to_tensor(tensor, name="tensor")
    label = name or "Pad"
    widths = known.integer_tensor(paddings, name=f"{label}/paddings", what="paddings")
    kind = mode.upper()
    if kind in _MIRRORS:
        return apply(mirror_pad_op, value, widths, mode=kind, name=name or "MirrorPad")
    if kind != "CONSTANT":
        raise ValueError(
            'Value of argument `mode` expected to be one of "CONSTANT", "REFLECT", or'
            f' "SYMMETRIC". Received `mode` = {mode}'
        )
    if not is_typed(constant_values) and constant_values == 0:
        return _with_known_sizes(apply(pad_op, value, widths, name=label), value, paddings)
    filler = convert_to_tensor(constant_values, dtype_hint=value.dtype, name=f"{label}/Const")
    padded = apply(pad_v2_op, value, widths, filler, name=name or "PadV2")
    return _with_known_sizes(padded, value, paddings)


def _with_known_sizes(result: Tensor, value: Tensor, paddings: object) -> Tensor:
    """The result, with sizes known along axes whose paddings are numbers in a list of lists."""
    shape = value.static_shape
    if not isinstance(result, SymbolicTensor) or not isinstance(paddings, list | tuple):
        return result
    if shape is None or not all(isinstance(row, list | tuple) for row in paddings):
        return result
    sizes = [
        size + sum(row) if size is not None and all(isinstance(w, int) for w in row) else None
        for size, row in zip(shape, paddings, strict=True)
    ]
    result.set_shape(sizes)
    return result
