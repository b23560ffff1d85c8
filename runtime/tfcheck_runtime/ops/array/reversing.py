"""Elements in reverse order, or rotated, along axes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Attributes, Aval, Call, Emitter, Op, Term, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.agreement import INDICES, check_kind
from tfcheck_runtime.ops.array.casting import moves
from tfcheck_runtime.ops.array.examples import counting, i32, i64
from tfcheck_runtime.ops.array.slice_plan import INT64_MIN
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.shapes import are_compatible
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply


class _Reverse(Op):
    """The elements in reverse order along axes."""

    type = "ReverseV2"

    def infer(self, x: Aval, axis: Aval) -> Aval:
        known.check_rank(axis, 1, "reverse: axis")
        axes = known.complete(axis)
        if x.shape is not None and axes is not None:
            known.axes_in(axes, len(x.shape), "reverse: axis")
        return Aval(x.dtype, x.shape)

    def eager(self, x: Array, axis: Array) -> Array:
        return np.flip(x, tuple(axis.reshape(-1).tolist()))

    def lower(self, onnx: Emitter, x: Term, axis: Term) -> object:
        axes = known.onnx_integers(onnx, axis)
        count = onnx.op("Shape", axes)
        last = onnx.op("Expand", np.int64(-1), count)
        return onnx.op("Slice", x, last, onnx.op("Expand", np.int64(INT64_MIN), count), axes, last)

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        del attrs
        return inputs[0].shape != () and moves(inputs, outputs)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        return [reverse(grad, call.inputs[1]), None]

    cases = (
        case(counting(2, 3), i32([1])),
        case(counting(2, 3), i32([0, -1]), unknown=((0, 0),)),
        case(i32([1, 2]), i64([])),
    )


class _Roll(Op):
    """The elements moved along axes; what leaves at one end enters at the other."""

    type = "Roll"

    def infer(self, x: Aval, shift: Aval, axis: Aval) -> Aval:
        for aval, what in ((shift, "shift"), (axis, "axis")):
            check_kind(self.type, aval, INDICES, what)
        if x.shape == ():
            raise ValueError("input must be 1-D or higher")
        if not are_compatible(shift.shape, axis.shape):
            raise ValueError(
                f"shift and axis must have the same size, got shapes {shift.shape} and {axis.shape}"
            )
        axes = known.complete(axis)
        if x.shape is not None and axes is not None:
            known.runtime_axes(self.type, axes, len(x.shape))
        return Aval(x.dtype, x.shape)

    def eager(self, x: Array, shift: Array, axis: Array) -> Array:
        steps, axes = shift.reshape(-1).tolist(), axis.reshape(-1).tolist()
        return np.roll(x, steps, axes)

    def lower(self, onnx: Emitter, x: Term, shift: Term, axis: Term) -> object:
        value: object = onnx.op("Identity", x)
        steps = known.onnx_integers(onnx, shift)
        sizes = known.onnx_shape(onnx, x)
        for i, place in enumerate(known.complete(axis.aval) or ()):
            size = onnx.op("Gather", sizes, np.int64(place), axis=0)
            step = onnx.op("Gather", steps, np.int64(i), axis=0)
            places = onnx.op("Range", np.int64(0), size, np.int64(1))
            # At least 1, as onnxruntime refuses to divide by 0 even for no elements.
            divisor = onnx.op("Max", size, np.int64(1))
            sources = onnx.op("Mod", onnx.op("Sub", places, step), divisor)
            value = onnx.op("Gather", value, sources, axis=place)
        return value

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        del attrs
        return known.complete(inputs[2]) is not None and moves(inputs, outputs)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        _, shift, axis = call.inputs
        return [roll(grad, -shift, axis), None, None]

    cases = (
        case(counting(2, 3), np.int32(1), np.int32(-1)),
        case(counting(2, 3), i32([1, -2]), i32([0, 1]), unknown=((0, 0),)),
        case(np.zeros((0,), np.bool_), np.int64(1), np.int64(0)),
    )


class _ReverseSequence(Op):
    """The first elements of each sequence in reverse order, the rest as they are."""

    type = "ReverseSequence"

    def infer(self, x: Aval, lengths: Aval, *, seq_dim: int, batch_dim: int) -> Aval:
        check_kind(self.type, lengths, INDICES, "seq_lengths")
        if x.shape is not None:
            time, batch = known.axes_in(
                (seq_dim, batch_dim), len(x.shape), "reverse_sequence: axis"
            )
            if not are_compatible(lengths.shape, (x.shape[batch],)):
                raise ValueError(
                    f"reverse_sequence: seq_lengths of shape {lengths.shape} for an input of shape"
                    f" {x.shape} with batch axis {batch}"
                )
            self._check_lengths(lengths, x.shape[time])
        return Aval(x.dtype, x.shape)

    def _check_lengths(self, lengths: Aval, size: int | None) -> None:
        content = lengths.constant()
        if content is None or size is None:
            return
        for length in content.reshape(-1).tolist():
            if not 0 <= length <= size:
                raise invalid_argument(f"seq_lens must lie in [0, {size}], got {length}", self.type)

    def eager(self, x: Array, lengths: Array, *, seq_dim: int, batch_dim: int) -> Array:
        out = np.moveaxis(x, (batch_dim, seq_dim), (0, 1)).copy()
        for line, length in zip(out, lengths.tolist(), strict=True):
            line[:length] = line[:length][::-1].copy()
        return np.moveaxis(out, (0, 1), (batch_dim, seq_dim))

    def lower(
        self, onnx: Emitter, x: Term, lengths: Term, *, seq_dim: int, batch_dim: int
    ) -> object:
        # ONNX wants batch and time to be the first two axes.
        axes = len(x.shape or ())
        front = [batch_dim % axes, seq_dim % axes]
        order = front + [a for a in range(axes) if a not in front]
        moved = onnx.op("Transpose", x, perm=order)
        counts = onnx.cast(lengths, dtypes.int64)
        found = onnx.op("ReverseSequence", moved, counts, batch_axis=0, time_axis=1)
        return onnx.op("Transpose", found, perm=[order.index(a) for a in range(axes)])

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        del attrs
        return inputs[0].shape is not None and moves(inputs, outputs)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        return [apply(reverse_sequence_op, grad, call.inputs[1], **call.attrs), None]

    cases = (
        case(counting(2, 3), i32([2, 3]), seq_dim=1, batch_dim=0),
        case(counting(3, 2, 2), i64([1, 3]), seq_dim=0, batch_dim=1, unknown=((0, 0),)),
    )


reverse_op = define(_Reverse())
roll_op = define(_Roll())
reverse_sequence_op = define(_ReverseSequence())


def reverse(tensor: object, axis: object, name: str | None = None) -> Tensor:
    """`tensor` in reverse order along the axes in the list `axis`.

    https://www.tensorflow.org/api_docs/python/tf/reverse

    Raises:
        InvalidArgumentError: there is no such axis (ValueError in a graph).
    """
    label = name or "ReverseV2"
    axes = known.integer_tensor(axis, name=f"{label}/axis", what="axis")
    return apply(reverse_op, convert_to_tensor(tensor), axes, name=label)


def roll(input: object, shift: object, axis: object, name: str | None = None) -> Tensor:
    """`input` moved by `shift` along `axis`, each a number or a list; what leaves comes back.

    https://www.tensorflow.org/api_docs/python/tf/roll

    Raises:
        InvalidArgumentError: there is no such axis (ValueError in a graph).
    """
    label = name or "Roll"
    steps = known.integer_tensor(shift, name=f"{label}/shift", what="shift")
    axes = known.integer_tensor(axis, name=f"{label}/axis", what="axis")
    return apply(roll_op, convert_to_tensor(input), steps, axes, name=label)


def reverse_sequence(
    input: object,
    seq_lengths: object,
    seq_axis: int | None = None,
    batch_axis: int | None = None,
    name: str | None = None,
) -> Tensor:
    """The first `seq_lengths[i]` elements of sequence i in reverse order.

    https://www.tensorflow.org/api_docs/python/tf/reverse_sequence

    Args:
        input: any tensor.
        seq_lengths: integers, one per entry of `batch_axis`.
        seq_axis: the axis along which to reverse.
        batch_axis: the axis that counts the sequences.
        name: of the node.

    Raises:
        ValueError: in a graph, there is no such axis.
        InvalidArgumentError: there is no such axis.
    """
    lengths = known.integer_tensor(seq_lengths, what="seq_lengths")
    return apply(
        reverse_sequence_op,
        convert_to_tensor(input),
        lengths,
        seq_dim=seq_axis or 0,
        batch_dim=batch_axis or 0,
        name=name or "ReverseSequence",
    )
