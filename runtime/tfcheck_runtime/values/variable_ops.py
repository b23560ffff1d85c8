"""The ops that read and assign whole variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Aval, Call, Emitter, Op, Term, define
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import DType
from tfcheck_runtime.specs.shapes import Shape, is_fully_defined
from tfcheck_runtime.values.resource import Resource, undisturbed
from tfcheck_runtime.values.tensor import Tensor


class _ReadVariable(Op):
    """The current value of a variable."""

    type = "ReadVariableOp"
    stateful = True

    def infer(self, resource: Aval, *, dtype: DType, shape: Shape) -> Aval:
        return Aval(dtype, shape)

    def eager(self, resource: Resource, *, dtype: DType, shape: Shape) -> Array:
        return resource.content

    def lower_resource(
        self, onnx: Emitter, current: Term, *, dtype: DType, shape: Shape
    ) -> tuple[None, object]:
        return None, current

    def gradient(self, call: Call[Tensor], dy: Tensor) -> list[Tensor]:
        return [dy]


class _Assign(Op):
    """Replace the value of a variable."""

    type = "AssignVariableOp"
    stateful = True

    def infer(self, resource: Aval, value: Aval) -> tuple[Aval, ...]:
        return ()

    def eager(self, resource: Resource, value: Array) -> tuple[Array, ...]:
        resource.replace(value)
        return ()

    def lower_resource(self, onnx: Emitter, current: Term, value: Term) -> tuple[object, tuple[()]]:
        return value, ()


class _AssignArithmetic(Op):
    """Add to, or subtract from, a variable."""

    stateful = True

    def __init__(self, op_type: str, onnx_type: str, kernel: Callable[..., Any]) -> None:
        self.type = op_type
        self.onnx_type = onnx_type
        self.kernel = kernel

    def infer(self, resource: Aval, value: Aval) -> tuple[Aval, ...]:
        return ()

    @undisturbed
    def eager(self, resource: Resource, value: Array) -> tuple[Array, ...]:
        content = resource.content
        if content.shape != value.shape:
            shapes = [str(list(s)).replace(" ", "") for s in (content.shape, value.shape)]
            raise invalid_argument(
                f"Cannot update variable with shape {shapes[0]} using a Tensor with shape"
                f" {shapes[1]}, shapes must be equal.",
                self.type,
            )
        resource.replace(self.kernel(content, value))
        return ()

    def lower_resource(self, onnx: Emitter, current: Term, value: Term) -> tuple[object, tuple[()]]:
        delta: object = value
        if not is_fully_defined(value.shape):
            # ONNX would broadcast a value of another shape; it cannot reshape it.
            delta = onnx.op("Reshape", value, onnx.op("Shape", current), allowzero=1)
        return onnx.op(self.onnx_type, current, delta), ()


class _IsInitialized(Op):
    """Whether a variable has a value."""

    type = "VarIsInitializedOp"
    stateful = True

    def infer(self, resource: Aval) -> Aval:
        return Aval(dtypes.bool, ())

    def eager(self, resource: Resource) -> Array:
        return np.array(resource.is_initialized)


read_variable_op = define(_ReadVariable())
assign_op = define(_Assign())
assign_add_op = define(_AssignArithmetic("AssignAddVariableOp", "Add", np.add))
assign_sub_op = define(_AssignArithmetic("AssignSubVariableOp", "Sub", np.subtract))
is_initialized_op = define(_IsInitialized())
