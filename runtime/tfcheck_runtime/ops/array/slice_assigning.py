"""Assignment to a slice of a variable: `v[1:3].assign(…)`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Attributes, Aval, Emitter, Op, Term, define
from tfcheck_runtime.ops.array import known, slice_lowering
from tfcheck_runtime.ops.array.indexing import slice_of
from tfcheck_runtime.ops.array.slice_plan import index_of, plan
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import DType
from tfcheck_runtime.specs.shapes import Shape
from tfcheck_runtime.values import operators
from tfcheck_runtime.values.resource import Resource, undisturbed
from tfcheck_runtime.values.tensor import Tensor


class _StridedSliceAssign(Op):
    """Replaces the elements that an index picks; masks as in `StridedSlice`."""

    type = "ResourceStridedSliceAssign"
    stateful = True

    def infer(
        self, resource: Aval, begin: Aval, end: Aval, strides: Aval, value: Aval,
        *, dtype: DType, shape: Shape, **masks: int,
    ) -> tuple[Aval, ...]:  # fmt: skip
        return ()

    @undisturbed
    def eager(
        self, resource: Resource, begin: Array, end: Array, strides: Array, value: Array,
        *, dtype: DType, shape: Shape, **masks: int,
    ) -> tuple[Array, ...]:  # fmt: skip
        content = resource.content.copy()
        try:
            steps = plan(content.ndim, len(begin), masks)
            index = index_of(steps, content.shape, begin, end, strides)
        except ValueError as error:
            raise invalid_argument(str(error), self.type) from error
        target = content[index].shape
        try:
            content[index] = value
        except ValueError as error:
            raise invalid_argument(
                f"Cannot broadcast input shape {list(value.shape)} into final shape {list(target)}",
                self.type,
            ) from error
        resource.replace(content)
        return ()

    def lower_resource(
        self, onnx: Emitter, current: Term, begin: Term, end: Term, strides: Term, value: Term,
        *, dtype: DType, shape: Shape, **masks: int,
    ) -> tuple[object, tuple[()]]:  # fmt: skip
        # Slice the numbers of all places as the index says: that is where the value goes.
        sizes, flat = onnx.op("Shape", current), known.int64([-1])
        count = onnx.op("ReduceProd", sizes, keepdims=0)
        numbers = onnx.op("Range", np.int64(0), count, np.int64(1))
        grid = Term(onnx.op("Reshape", numbers, sizes, allowzero=1), Aval(dtypes.int64, shape))
        chosen = slice_lowering.lower_strided_slice(onnx, grid, (begin, end, strides), masks)
        spread = onnx.op("Expand", value, onnx.op("Shape", chosen))
        filled = onnx.op(
            "ScatterElements",
            onnx.op("Reshape", current, flat),
            onnx.op("Reshape", chosen, flat),
            onnx.op("Reshape", spread, flat),
        )
        return onnx.op("Reshape", filled, sizes, allowzero=1), ()

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        _, begin, _, strides, _ = inputs
        known_form = attrs["shape"] is not None and known.elements(begin) is not None
        complete = known_form and known.complete(strides) is not None
        return complete and super().lowers(inputs, outputs, attrs)


strided_slice_assign_op = define(_StridedSliceAssign())


@operators.implements("variable_slice_assign")
def slice_assignment(index: object) -> tuple[Op, list[Tensor], dict[str, int]]:
    """The op that assigns to what an index picks, its bounds and its masks."""
    bounds, masks = slice_of(index)
    return strided_slice_assign_op, bounds, masks
