"""Ops that pass their input on: identity, barriers to gradients, shape assertions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Attributes, Aval, Call, Emitter, Op, Term, case, define
from tfcheck_runtime.ops.array.casting import moves
from tfcheck_runtime.ops.array.examples import f32
from tfcheck_runtime.specs.shapes import Shape, TensorShape, are_compatible, as_shape, merge
from tfcheck_runtime.values import operators
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply


class _PassOn(Op):
    """The input, unchanged."""

    def lower(self, onnx: Emitter, x: Term, **attrs: object) -> object:
        del attrs
        return onnx.op("Identity", x)

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        del attrs
        return moves(inputs, outputs)


class _Identity(_PassOn):
    """The input, unchanged."""

    type = "Identity"

    def infer(self, x: Aval) -> Aval:
        return _same(x)

    def eager(self, x: Array) -> Array:
        return x

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor]:
        del call
        return [grad]

    cases = (case(f32([1.5, 2.0])), case(np.zeros((0, 3), np.int32)))


class _StopGradient(_PassOn):
    """The input, whose gradient is nothing."""

    type = "StopGradient"

    def infer(self, x: Aval) -> Aval:
        return _same(x)

    def eager(self, x: Array) -> Array:
        return x

    cases = (case(f32([1.5, 2.0]), differentiable=False),)


class _PreventGradient(_PassOn):
    """The input, whose gradient is an error."""

    type = "PreventGradient"

    def infer(self, x: Aval, *, message: str) -> Aval:
        del message
        return _same(x)

    def eager(self, x: Array, *, message: str) -> Array:
        del message
        return x

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor]:
        del grad
        raise LookupError(
            f"Gradient explicitly disabled. Reason: {call.attrs['message'] or 'none given'}"
        )

    cases = (case(f32([1.5, 2.0]), message="", differentiable=False),)


def _same(x: Aval) -> Aval:
    aval = Aval(x.dtype, x.shape, partial=x.partial)
    aval.set_fold(x.constant)
    return aval


class _EnsureShape(_PassOn):
    """The input, checked to have a shape that is then known."""

    type = "EnsureShape"

    def infer(self, x: Aval, *, shape: Shape) -> Aval:
        return Aval(x.dtype, merge(x.shape, shape), partial=x.partial)

    def eager(self, x: Array, *, shape: Shape) -> Array:
        if not are_compatible(x.shape, shape):
            raise invalid_argument(
                f"Shape of tensor input: {list(x.shape)} is not compatible with expected shape"
                f" {TensorShape(shape)}",
                self.type,
            )
        return x

    def lowers(self, inputs: Sequence[Aval], outputs: Sequence[Aval], attrs: Attributes) -> bool:
        # ONNX has no assertion: unless the shape is known to fit, the check runs on the host.
        return inputs[0].shape == outputs[0].shape and super().lowers(inputs, outputs, attrs)

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[Tensor]:
        del call
        return [grad]

    cases = (
        case(np.ones((2, 3), np.float32), shape=(2, None)),
        case(np.ones((2, 3), np.float32), shape=(2, 3), unknown=((0, 0),)),
    )


identity_op = define(_Identity())
stop_gradient_op = define(_StopGradient())
prevent_gradient_op = define(_PreventGradient())
ensure_shape_op = define(_EnsureShape())


@operators.implements("identity")
def identity(input: object, name: str | None = None) -> Tensor:
    """A tensor of the same value; of a variable, its value now.

    https://www.tensorflow.org/api_docs/python/tf/identity
    """
    return apply(identity_op, convert_to_tensor(input, name="input"), name=name or "Identity")


def identity_n(input: Sequence[object], name: str | None = None) -> list[Tensor]:
    """Tensors of the same values (https://www.tensorflow.org/api_docs/python/tf/identity_n)."""
    return [identity(value, name=name) for value in input]


def stop_gradient(input: object, name: str | None = None) -> Tensor:
    """`input`, through which no gradient flows.

    https://www.tensorflow.org/api_docs/python/tf/stop_gradient
    """
    tensor = convert_to_tensor(input, name="input")
    return apply(stop_gradient_op, tensor, name=name or "StopGradient")


def prevent_gradient(input: object, message: str = "", name: str | None = None) -> Tensor:
    """`input`; asking for a gradient through it raises LookupError with `message`.

    https://www.tensorflow.org/api_docs/python/tf/raw_ops/PreventGradient
    """
    tensor = convert_to_tensor(input)
    return apply(prevent_gradient_op, tensor, message=message, name=name or "PreventGradient")


def ensure_shape(x: object, shape: object, name: str | None = None) -> Tensor:
    """`x`, checked when it runs to fit `shape`, which is known from then on.

    https://www.tensorflow.org/api_docs/python/tf/ensure_shape

    Raises:
        ValueError: the static shapes contradict each other.
        InvalidArgumentError: the value does not fit.
    """
    tensor = convert_to_tensor(x)
    wanted = as_shape(shape)
    return apply(ensure_shape_op, tensor, shape=wanted, name=name or "EnsureShape")
