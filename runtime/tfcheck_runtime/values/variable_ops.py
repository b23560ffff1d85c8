"""The ops that read and assign whole variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfcheck_runtime.op import Array, Aval, Call, Emitter, Op, Term, define
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import DType
from tfcheck_runtime.specs.shapes import Shape
from tfcheck_runtime.values.resource import Resource
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

    def eager(self, resource: Resource, value: Array) -> tuple[Array, ...]:
        resource.replace(self.kernel(resource.content, value))
        return ()

    def lower_resource(self, onnx: Emitter, current: Term, value: Term) -> tuple[object, tuple[()]]:
        return onnx.op(self.onnx_type, current, value), ()


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
