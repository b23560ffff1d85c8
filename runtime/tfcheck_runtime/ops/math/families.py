"""Families of elementwise ops: what differs between their members are a kernel and a gradient."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from tfcheck_runtime.op import Array, Attributes, Aval, Call, Case, Emitter, Op, Term
from tfcheck_runtime.ops.array.known import elements, integers
from tfcheck_runtime.ops.math.broadcasting import sum_like
from tfcheck_runtime.ops.math.operands import alike
from tfcheck_runtime.specs.dtypes import DType
from tfcheck_runtime.specs.shapes import broadcast
from tfcheck_runtime.values.tensor import Tensor, apply

Kernel: TypeAlias = Callable[..., Any]  # NumPy functions: arrays in, an array or scalar out
Lowering: TypeAlias = "str | Callable[..., object] | None"
"""An ONNX op type, a function of `(onnx, *terms)`, or None for ops that stay on the host."""

ORT_NUMBERS: Final = frozenset({"int32", "int64", "float32", "float64"})
ORT_FLOATS: Final = frozenset({"float32", "float64"})
ORT_SINGLE: Final = frozenset({"float32"})


class Unary(Op):
    """An elementwise op of one operand.

    Args:
        op_type: TensorFlow's op type.
        kernel: on NumPy arrays.
        lowering: to ONNX.
        gradient: of `(dy, x, y)`; None if the op has none.
        allowed: names of the data types the op takes.
        lowered: names of the data types onnxruntime's CPU provider runs the lowering for.
        kernelless: names of allowed data types for which TensorFlow has no kernel.
        result: data type of the result if not that of the operand.
        cases: examples.
    """

    def __init__(
        self,
        op_type: str,
        kernel: Kernel,
        *,
        lowering: Lowering,
        gradient: Callable[[Tensor, Tensor, Tensor], Tensor | None] | None,
        allowed: Collection[str],
        lowered: Collection[str] = ORT_FLOATS,
        kernelless: Collection[str] = (),
        result: DType | None = None,
        cases: Sequence[Case] = (),
    ) -> None:
        self.type = op_type
        self.kernel = kernel
        self.lowering = lowering
        self.allowed = allowed
        self.lowered = lowered
        self.kernelless = kernelless
        self.result = result
        self.cases = cases
        self.vjp = gradient
        if gradient is not None:
            self.gradient = self._gradient

    def infer(self, x: Aval) -> Aval:
        """Dtype and shape of the result."""
        return Aval(self.result or x.dtype, x.shape)

    def eager(self, x: Array) -> Array:
        """The kernel, without NumPy's warnings: TensorFlow gives none."""
        with np.errstate(all="ignore"):
            return np.asarray(self.kernel(x))

    def lower(self, onnx: Emitter, x: Term) -> object:
        """The ONNX nodes."""
        return _lower(self.lowering, onnx, x)

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        """Whether there is a lowering, and onnxruntime has kernels for the data type."""
        return self.lowering is not None and inputs[0].dtype.name in self.lowered

    def _gradient(self, call: Call[Tensor], dy: Tensor) -> list[Tensor | None]:
        assert self.vjp is not None  # else `gradient` is None
        return [self.vjp(dy, call.inputs[0], call.outputs[0])]


class Binary(Op):
    """An elementwise op of two operands that broadcast.

    The arguments are those of `Unary`; `gradient` of `(dy, x, y, z)` gives both operands' gradients
    before they are summed to the operands' shapes; None for an operand without one.
    """

    def __init__(
        self,
        op_type: str,
        kernel: Kernel,
        *,
        lowering: Lowering,
        gradient: Callable[[Tensor, Tensor, Tensor, Tensor], tuple[Tensor | None, Tensor | None]]
        | None,
        allowed: Collection[str],
        lowered: Collection[str] = ORT_NUMBERS,
        kernelless: Collection[str] = (),
        result: DType | None = None,
        cases: Sequence[Case] = (),
    ) -> None:
        self.type = op_type
        self.kernel = kernel
        self.lowering = lowering
        self.allowed = allowed
        self.lowered = lowered
        self.kernelless = kernelless
        self.result = result
        self.cases = cases
        self.vjp = gradient
        if gradient is not None:
            self.gradient = self._gradient

    def infer(self, x: Aval, y: Aval) -> Aval:
        """Dtype and shape of the result."""
        shape = x.shape if x.shape == y.shape else broadcast(x.shape, y.shape)
        if self.result is None and (x.partial is not None or y.partial is not None):
            return integers(x.dtype, shape, self._elements(x, y))
        return Aval(self.result or x.dtype, shape)

    def eager(self, x: Array, y: Array) -> Array:
        """The kernel, without NumPy's warnings: TensorFlow gives none."""
        with np.errstate(all="ignore"):
            return np.asarray(self.kernel(x, y))

    def lower(self, onnx: Emitter, x: Term, y: Term) -> object:
        """The ONNX nodes."""
        return _lower(self.lowering, onnx, x, y)

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        """Whether there is a lowering, and onnxruntime has kernels for the data type."""
        return self.lowering is not None and inputs[0].dtype.name in self.lowered

    def _gradient(self, call: Call[Tensor], dy: Tensor) -> list[Tensor | None]:
        assert self.vjp is not None  # else `gradient` is None
        x, y = call.inputs
        dx, dz = self.vjp(dy, x, y, call.outputs[0])
        return [
            None if dx is None else sum_like(dx, x, [y]),
            None if dz is None else sum_like(dz, y, [x]),
        ]

    def _elements(self, x: Aval, y: Aval) -> list[int | None] | None:
        """What follows elementwise from vectors of which some elements are known."""
        left, right = elements(x), elements(y)
        if left is None or right is None:
            return None
        count = max(len(left), len(right))
        if {len(left), len(right)} - {1, count}:
            return None
        pairs = zip(_repeat(left, count), _repeat(right, count), strict=True)
        return [self._element(a, b, x.dtype) for a, b in pairs]

    def _element(self, a: int | None, b: int | None, dtype: DType) -> int | None:
        if a is None or b is None:
            return None
        return int(self.eager(np.asarray(a, dtype.numpy), np.asarray(b, dtype.numpy)))


def elementwise(op: Unary | Binary, *values: object, name: str | None = None) -> Tensor:
    """Apply `op` to values of one data type, converting Python and NumPy data.

    Raises:
        TypeError: Python data does not fit the dtype; in graphs also a tensor of another dtype.
        InvalidArgumentError: eagerly, a tensor has another dtype or the op refuses the dtype.
    """
    return apply(op, *alike(op.type, values, allowed=op.allowed), name=name)


def _lower(lowering: Lowering, onnx: Emitter, *terms: Term) -> object:
    if isinstance(lowering, str):
        return onnx.op(lowering, *terms)
    assert lowering is not None  # `lowers` said no
    return lowering(onnx, *terms)


def _repeat(elements: tuple[int | None, ...], count: int) -> tuple[int | None, ...]:
    return elements if len(elements) == count else elements * count
