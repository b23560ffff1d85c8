"""Activation functions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tfcheck_runtime.op import Array, Attributes, Aval, Call, Emitter, Op, Term, case, define
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.examples import f32, f64, i32
from tfcheck_runtime.ops.array.filling import zeros_like
from tfcheck_runtime.ops.array.joining import concat
from tfcheck_runtime.ops.array.selection import where
from tfcheck_runtime.ops.math.arithmetic import abs as magnitude, add, multiply, negative, square
from tfcheck_runtime.ops.math.comparison import greater, less
from tfcheck_runtime.ops.math.division import realdiv
from tfcheck_runtime.ops.math.exponential import lower_expm1, pow, sigmoid, tanh
from tfcheck_runtime.ops.math.families import ORT_FLOATS, ORT_SINGLE, Unary, elementwise
from tfcheck_runtime.ops.math.logic import logical_and
from tfcheck_runtime.ops.math.operands import FLOATS, REALS, alike
from tfcheck_runtime.ops.math.special import erfc
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply

_CASES: Final = (
    case(f32([[-1.5, 0.5, 2.0], [7.0, -3.0, 5.5]])),
    case(f64([0.25, -1.5]), unknown=((0, 0),)),
    case(f32([0.0, 6.0, np.inf]), differentiable=False),
)
_INTEGERS: Final = (case(i32([-1, 0, 7]), differentiable=False),)
_SCALE: Final = 1.0507009873554804934193349852946
_SCALE_ALPHA: Final = 1.7580993408473768599402175208123


def _const(onnx: Emitter, value: float, like: Term) -> object:
    return onnx.constant(np.asarray(value, like.dtype.numpy))


def _expm1_below_zero(onnx: Emitter, x: Term, factor: float) -> object:
    """Factor * (e**x - 1) where x < 0, 0 elsewhere; ONNX's Elu has float32 only."""
    below = onnx.op("Min", x, _const(onnx, 0, x))
    return onnx.op("Mul", lower_expm1(onnx, Term(below, x.aval)), _const(onnx, factor, x))


def _lower_elu(onnx: Emitter, x: Term) -> object:
    if x.dtype.name in ORT_SINGLE:
        return onnx.op("Elu", x)
    above = onnx.op("Max", x, _const(onnx, 0, x))
    return onnx.op("Add", above, _expm1_below_zero(onnx, x, 1.0))


def _lower_selu(onnx: Emitter, x: Term) -> object:
    if x.dtype.name in ORT_SINGLE:
        return onnx.op("Selu", x)
    above = onnx.op("Mul", onnx.op("Max", x, _const(onnx, 0, x)), _const(onnx, _SCALE, x))
    return onnx.op("Add", above, _expm1_below_zero(onnx, x, _SCALE_ALPHA))


def _lower_softsign(onnx: Emitter, x: Term) -> object:
    return onnx.op("Div", x, onnx.op("Add", onnx.op("Abs", x), _const(onnx, 1, x)))


def _lower_clip(low: float, high: float) -> Callable[[Emitter, Term], object]:
    def lower(onnx: Emitter, x: Term) -> object:
        return onnx.op("Min", onnx.op("Max", x, _const(onnx, low, x)), _const(onnx, high, x))

    return lower


def _lower_relu(onnx: Emitter, x: Term) -> object:
    if x.dtype.is_integer:
        return onnx.op("Max", x, _const(onnx, 0, x))
    return onnx.op("Relu", x)


def _inside(dy: Tensor, y: Tensor) -> Tensor:
    """`dy` where 0 < y < 6."""
    return where(logical_and(greater(y, 0), less(y, 6)), dy, zeros_like(dy))


relu_op = define(
    Unary(
        "Relu", lambda x: np.maximum(x, np.zeros((), x.dtype)), lowering=_lower_relu,
        gradient=lambda dy, x, y: multiply(dy, cast(greater(y, 0), dy.dtype)),
        allowed=REALS, lowered=("float32", "float64", "int32", "int64"),
        cases=(*_CASES, *_INTEGERS),
    )
)  # fmt: skip
relu6_op = define(
    Unary(
        "Relu6", lambda x: np.clip(x, np.zeros((), x.dtype), np.asarray(6, x.dtype)),
        lowering=_lower_clip(0, 6), gradient=lambda dy, x, y: _inside(dy, y),
        allowed=REALS, lowered=("float32", "float64", "int32", "int64"),
        cases=(*_CASES, *_INTEGERS),
    )
)  # fmt: skip
elu_op = define(
    Unary(
        "Elu", lambda x: np.where(x < 0, np.expm1(np.minimum(x, 0)), x), lowering=_lower_elu,
        gradient=lambda dy, x, y: where(less(y, 0), multiply(dy, add(y, 1)), dy),
        allowed=FLOATS, lowered=ORT_FLOATS, cases=_CASES,
    )
)  # fmt: skip


def _selu(x: Array) -> Array:
    below = np.asarray(_SCALE_ALPHA, x.dtype) * np.expm1(np.minimum(x, 0))
    return np.where(x < 0, below, np.asarray(_SCALE, x.dtype) * x)


selu_op = define(
    Unary(
        "Selu", _selu, lowering=_lower_selu,
        gradient=lambda dy, x, y: multiply(
            dy, where(less(y, 0), add(y, _SCALE_ALPHA), add(zeros_like(y), _SCALE))
        ),
        allowed=FLOATS, lowered=ORT_FLOATS, cases=_CASES,
    )
)  # fmt: skip
softsign_op = define(
    Unary(
        "Softsign", lambda x: x / (np.abs(x) + np.ones((), x.dtype)), lowering=_lower_softsign,
        gradient=lambda dy, x, y: realdiv(dy, square(add(magnitude(x), 1))),
        allowed=FLOATS, lowered=ORT_FLOATS, cases=_CASES[:2],
    )
)  # fmt: skip


class _LeakyRelu(Op):
    """x, and alpha * x below zero."""

    type = "LeakyRelu"
    cases = tuple(
        case(*c.inputs, unknown=c.unknown, differentiable=c.differentiable, alpha=0.25)
        for c in _CASES
    )

    def infer(self, features: Aval, *, alpha: float) -> Aval:
        return Aval(features.dtype, features.shape)

    def eager(self, features: Array, *, alpha: float) -> Array:
        return np.where(features > 0, features, np.asarray(alpha, features.dtype) * features)

    def lower(self, onnx: Emitter, features: Term, *, alpha: float) -> object:
        if features.dtype.name in ORT_SINGLE:
            return onnx.op("LeakyRelu", features, alpha=alpha)
        above = onnx.op("Greater", features, _const(onnx, 0, features))
        below = onnx.op("Mul", features, _const(onnx, alpha, features))
        return onnx.op("Where", above, features, below)

    def lowers(self, inputs: Any, outputs: Any, attrs: Attributes) -> bool:
        return inputs[0].dtype.name in ORT_FLOATS

    def gradient(self, call: Call[Tensor], dy: Tensor) -> list[Tensor]:
        alpha = call.attrs["alpha"]
        return [where(greater(call.inputs[0], 0), dy, multiply(dy, alpha))]


leaky_relu_op = define(_LeakyRelu())


def relu(features: object, name: str | None = None) -> Tensor:
    """max(x, 0) (https://www.tensorflow.org/api_docs/python/tf/nn/relu)."""
    return elementwise(relu_op, features, name=name)


def relu6(features: object, name: str | None = None) -> Tensor:
    """min(max(x, 0), 6) (https://www.tensorflow.org/api_docs/python/tf/nn/relu6)."""
    return elementwise(relu6_op, features, name=name)


def leaky_relu(features: object, alpha: float = 0.2, name: str | None = None) -> Tensor:
    """x, and alpha * x below zero (https://www.tensorflow.org/api_docs/python/tf/nn/leaky_relu)."""
    tensor = convert_to_tensor(features)
    if tensor.dtype.is_integer:
        tensor = cast(tensor, dtypes.float32)
    operands = alike("LeakyRelu", [tensor], allowed=FLOATS)
    if not isinstance(alpha, int | float):
        return where(greater(tensor, 0), tensor, multiply(alpha, tensor), name=name or "LeakyRelu")
    return apply(leaky_relu_op, *operands, name=name, alpha=float(alpha))


def elu(features: object, name: str | None = None) -> Tensor:
    """x, and e**x - 1 below zero (https://www.tensorflow.org/api_docs/python/tf/nn/elu)."""
    return elementwise(elu_op, features, name=name)


def selu(features: object, name: str | None = None) -> Tensor:
    """A scaled `elu` that keeps mean and variance.

    https://www.tensorflow.org/api_docs/python/tf/nn/selu
    """
    return elementwise(selu_op, features, name=name)


def softsign(features: object, name: str | None = None) -> Tensor:
    """`x / (|x| + 1)` (https://www.tensorflow.org/api_docs/python/tf/nn/softsign)."""
    return elementwise(softsign_op, features, name=name)


def gelu(features: object, approximate: bool = False, name: str | None = None) -> Tensor:
    """The product of x and the normal distribution function of x, or its approximation by a tanh.

    https://www.tensorflow.org/api_docs/python/tf/nn/gelu

    Raises:
        ValueError: `features` is not of floats.
    """
    x = convert_to_tensor(features)
    if not x.dtype.is_floating:
        raise ValueError(
            f"`features.dtype` must be a floating point tensor. Received: features.dtype={x.dtype}"
        )
    label = name or "Gelu"
    half = multiply(x, 0.5)
    if not approximate:
        return multiply(half, erfc(multiply(negative(x), math.sqrt(0.5))), name=label)
    inner = add(x, multiply(pow(x, 3), 0.044715))
    return multiply(half, add(tanh(multiply(inner, math.sqrt(2 / math.pi))), 1.0), name=label)


def silu(features: object, beta: object = 1.0) -> Tensor:
    """`x * sigmoid(beta * x)` (https://www.tensorflow.org/api_docs/python/tf/nn/silu)."""
    x = convert_to_tensor(features)
    factor = convert_to_tensor(beta, x.dtype)
    return multiply(x, sigmoid(multiply(factor, x)))


def swish(features: object, beta: object = 1.0) -> Tensor:
    """`x * sigmoid(beta * x)` (https://www.tensorflow.org/api_docs/python/tf/nn/swish)."""
    return silu(features, beta)


def crelu(features: object, axis: int = -1, name: str | None = None) -> Tensor:
    """`relu` of x and of -x, side by side.

    https://www.tensorflow.org/api_docs/python/tf/nn/crelu
    """
    x = convert_to_tensor(features)
    return relu(concat([x, negative(x)], axis), name=name or "CRelu")
