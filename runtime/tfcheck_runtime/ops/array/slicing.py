"""Strided slices, as indexing makes them, and their gradient."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Attributes, Aval, Call, Case, Emitter, Op, Term, define
from tfcheck_runtime.ops.array import known, slice_lowering
from tfcheck_runtime.ops.array.casting import moves
from tfcheck_runtime.ops.array.examples import counting, i32, i64
from tfcheck_runtime.ops.array.shaping import shape as shape_of
from tfcheck_runtime.ops.array.slice_plan import NO_MASKS, index_of, plan, sliced_shape
from tfcheck_runtime.values.convert import constant, convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply


def _case(*inputs: Array, unknown: tuple[tuple[int, int], ...] = (), **masks: int) -> Case:
    return Case(inputs, {**NO_MASKS, **masks}, unknown=unknown)


class _StridedSlice(Op):
    """The elements that an index picks: `masks` say which parts are open, new axes or elements."""

    type = "StridedSlice"

    def infer(self, x: Aval, begin: Aval, end: Aval, strides: Aval, **masks: int) -> Aval:
        if not begin.shape == end.shape == strides.shape and None not in (
            begin.shape,
            end.shape,
            strides.shape,
        ):
            raise ValueError(
                "strided_slice: begin, end and strides must be of one length, got shapes"
                f" {begin.shape}, {end.shape} and {strides.shape}"
            )
        first, last, steps = (known.elements(b) for b in (begin, end, strides))
        if x.shape is None or first is None or last is None or steps is None:
            return Aval(x.dtype, None)
        parts = plan(len(x.shape), len(first), masks)
        if None in first or None in last:
            # As in TensorFlow, one bound that is not known makes all of them so.
            first = last = (None,) * len(first)
        shape = sliced_shape(parts, x.shape, (first, last, steps))
        return known.integers(x.dtype, shape, _contents(x, (begin, end, strides), masks))

    def eager(self, x: Array, begin: Array, end: Array, strides: Array, **masks: int) -> Array:
        try:
            index = index_of(plan(x.ndim, len(begin), masks), x.shape, begin, end, strides)
        except ValueError as error:
            raise invalid_argument(str(error), self.type) from error
        return np.asarray(x[index])

    def lower(
        self, onnx: Emitter, x: Term, begin: Term, end: Term, strides: Term, **masks: int
    ) -> object:
        return slice_lowering.lower_strided_slice(onnx, x, (begin, end, strides), masks)

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        del attrs
        x, begin, _, strides = inputs
        known_form = x.shape is not None and known.elements(begin) is not None
        return known_form and known.complete(strides) is not None and moves(inputs, outputs)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        x, begin, end, strides = call.inputs
        sizes = shape_of(x, begin.dtype)
        spread = apply(strided_slice_grad_op, sizes, begin, end, strides, grad, **call.attrs)
        return [spread, None, None, None]

    cases = (
        _case(
            counting(2, 3, 4),
            i32([0, 0, -1]),
            i32([0, 2, 0]),
            i32([1, 1, -2]),
            begin_mask=1, end_mask=5,
            unknown=((0, 0), (0, 2)),
        ),
        _case(
            np.arange(6, dtype=np.int32).reshape(2, 3),
            i32([0, 0, -1]),
            i32([0, 0, 0]),
            i32([1, 1, 1]),
            ellipsis_mask=2, new_axis_mask=1, shrink_axis_mask=4,
        ),
        _case(
            counting(5), i64([1]), i64([-1]), i64([1]), unknown=((0, 0),),
        ),
        _case(np.zeros(3, np.bool_), i32([5]), i32([9]), i32([1])),
    )  # fmt: skip


def _contents(x: Aval, bounds: tuple[Aval, Aval, Aval], masks: Attributes) -> known.Elements | None:
    if not x.dtype.is_integer or x.shape is None or len(x.shape) != 1 or masks["new_axis_mask"]:
        return None
    elements = known.elements(x)
    ends = [known.complete(b) for b in bounds]
    if elements is None or any(e is None for e in ends):
        return None
    begin, end, strides = (np.array(e) for e in ends)
    (part,) = index_of(plan(1, len(begin), masks), (len(elements),), begin, end, strides)
    return elements[part] if isinstance(part, slice) else (elements[part or 0],)


class _StridedSliceGrad(Op):
    """Zeros of a shape, with a gradient where a strided slice was taken."""

    type = "StridedSliceGrad"

    def infer(
        self, sizes: Aval, begin: Aval, end: Aval, strides: Aval, dy: Aval, **masks: int
    ) -> Aval:
        del begin, end, strides, masks
        return Aval(dy.dtype, known.as_shape(sizes))

    def eager(
        self, sizes: Array, begin: Array, end: Array, strides: Array, dy: Array, **masks: int
    ) -> Array:
        out = np.zeros(tuple(sizes.tolist()), dy.dtype)
        index = index_of(plan(out.ndim, len(begin), masks), out.shape, begin, end, strides)
        out[index] = dy
        return out

    def lower(
        self,
        onnx: Emitter,
        sizes: Term,
        begin: Term,
        end: Term,
        strides: Term,
        dy: Term,
        **masks: int,
    ) -> object:
        return slice_lowering.lower_gradient(
            onnx, sizes, dy, bounds=(begin, end, strides), masks=masks
        )

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        sizes, begin, _, strides, _ = inputs
        known_form = known.elements(sizes) is not None and known.elements(begin) is not None
        complete = known_form and known.complete(strides) is not None
        return complete and super().lowers(inputs, outputs, attrs)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor | None]:
        _, begin, end, strides, _ = call.inputs
        sliced = apply(strided_slice_op, grad, begin, end, strides, **call.attrs)
        return [None, None, None, None, sliced]

    cases = (
        _case(
            i32([2, 5]),
            i32([0, 1]),
            i32([0, 4]),
            i32([1, 1]),
            np.ones((2, 3), np.float32),
            begin_mask=1,
            end_mask=1,
            unknown=((4, 0),),
        ),
        _case(
            i32([2, 5]),
            i32([-1, 4]),
            i32([0, 0]),
            i32([1, -2]),
            np.ones((2,), np.float32),
            shrink_axis_mask=1,
        ),
    )


strided_slice_op = define(_StridedSlice())
strided_slice_grad_op = define(_StridedSliceGrad())


def strided_slice(
    input_: object,
    begin: object,
    end: object,
    strides: object = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: None = None,
    name: str | None = None,
) -> Tensor:
    """The elements from `begin` to before `end` in steps of `strides`, per axis.

    https://www.tensorflow.org/api_docs/python/tf/strided_slice

    Args:
        input_: any tensor.
        begin: the first index per part.
        end: the index past the last per part.
        strides: the steps; by default 1.
        begin_mask: bit i set: part i starts at the axis' start.
        end_mask: bit i set: part i goes to the axis' end.
        ellipsis_mask: bit i set: part i stands for all axes not named.
        new_axis_mask: bit i set: part i is a new axis of size 1.
        shrink_axis_mask: bit i set: part i is one element, its axis goes away.
        var: must be None.
        name: of the node.

    Raises:
        InvalidArgumentError: an element lies outside its axis, there are more parts than axes,
            or a stride is 0 (ValueError in a graph, where it shows while tracing).
    """
    del var
    first, last = (known.integer_tensor(b, what="bounds") for b in (begin, end))
    count = (first.static_shape or (0,))[0] or 0
    steps = constant([1] * count, first.dtype) if strides is None else strides
    return apply(
        strided_slice_op,
        convert_to_tensor(input_),
        first,
        last,
        known.integer_tensor(steps, what="strides"),
        name=name or "StridedSlice",
        begin_mask=begin_mask,
        end_mask=end_mask,
        ellipsis_mask=ellipsis_mask,
        new_axis_mask=new_axis_mask,
        shrink_axis_mask=shrink_axis_mask,
    )
