"""Numbers in even steps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from tfcheck_runtime.op import Array, Aval, Call, Emitter, Op, Term, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.agreement import check_same_dtypes
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.examples import f32, i32, i64
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import DType, as_dtype
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply


class _Range(Op):
    """The numbers from a start up to a limit in steps."""

    type = "Range"

    def infer(self, start: Aval, limit: Aval, delta: Aval) -> Aval:
        bounds = (start, limit, delta)
        check_same_dtypes(self.type, bounds)
        for aval, what in zip(bounds, ("start", "limit", "delta"), strict=True):
            known.check_rank(aval, 0, f"Range: {what}")
        contents = [aval.constant() for aval in bounds]
        first, last, step = contents
        if first is None or last is None or step is None:
            return Aval(start.dtype, (None,))
        count = _count(first, last, step)
        small = start.dtype.is_integer and count <= _CARRIED
        numbers = range(first.item(), last.item(), step.item()) if small else None
        return known.integers(start.dtype, (count,), numbers)

    def eager(self, start: Array, limit: Array, delta: Array) -> Array:
        steps = np.arange(_count(start, limit, delta)).astype(start.dtype)
        return np.asarray(start + delta * steps)

    def lower(self, onnx: Emitter, start: Term, limit: Term, delta: Term) -> object:
        if start.dtype.is_integer:
            return onnx.op("Range", start, limit, delta)
        # onnxruntime adds the step again and again, TensorFlow multiplies it.
        span = onnx.op("Div", onnx.op("Sub", limit, start), delta)
        count = onnx.cast(onnx.op("Ceil", onnx.op("Abs", span)), dtypes.int64)
        steps = onnx.op("Range", known.int64(0), count, known.int64(1))
        return onnx.op("Add", start, onnx.op("Mul", delta, onnx.cast(steps, start.dtype)))

    def gradient(self, call: Call[Tensor], grad: Tensor) -> list[None]:
        del call, grad
        return [None, None, None]

    cases = (
        case(i32(2), i32(9), i32(3), differentiable=False),
        case(i64(5), i64(0), i64(-2), differentiable=False),
        case(f32(0), f32(1), f32(0.1), differentiable=False),
        case(f32(0.1), f32(1.1), f32(0.1), differentiable=False),
        case(f32(3), f32(0.2), f32(-0.3), differentiable=False),
        case(i32(3), i32(3), i32(1), differentiable=False),
    )


_CARRIED: Final = 64


def _count(start: Array, limit: Array, delta: Array) -> int:
    if delta == 0:
        raise ValueError("Requires delta != 0: 0")
    if delta > 0 and start > limit:
        raise ValueError(f"Requires start <= limit when delta > 0: {start}/{limit}")
    if delta < 0 and start < limit:
        raise ValueError(f"Requires start >= limit when delta < 0: {start}/{limit}")
    if start.dtype.kind in "iu":
        return len(range(start.item(), limit.item(), delta.item()))
    # In the type of the numbers: 1.1 - 0.1 is 1 in float32, and more than that in float64.
    with np.errstate(invalid="ignore", over="ignore"):
        steps = float(abs((limit - start) / delta))
    if not math.isfinite(steps):
        raise ValueError(f"Requires finite bounds, got {start}, {limit} and {delta}")
    return math.ceil(steps)


range_op = define(_Range())

_PREFERENCE: Final = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64)


def range_(
    start: object,
    limit: object = None,
    delta: object = 1,
    dtype: object = None,
    name: str = "range",
) -> Tensor:
    """The numbers from `start` (or 0) to before `limit` in steps of `delta`.

    https://www.tensorflow.org/api_docs/python/tf/range

    Args:
        start: a scalar; the limit, if `limit` is not given.
        limit: a scalar, not among the numbers.
        delta: the step, not 0.
        dtype: of the result; by default the widest of the arguments'.
        name: of the node.

    Raises:
        InvalidArgumentError: the step is 0 or leads away from the limit (ValueError in a graph).
    """
    first, last = (0, start) if limit is None else (start, limit)
    wanted = None if dtype is None else as_dtype(dtype)
    bounds = [
        _bound(value, wanted, f"{name}/{what}")
        for value, what in ((first, "start"), (last, "limit"), (delta, "delta"))
    ]
    kind = wanted or _widest([b.dtype for b in bounds])
    return apply(range_op, *(cast(b, kind) for b in bounds), name=name)


def _bound(value: object, dtype: DType | None, name: str) -> Tensor:
    return convert_to_tensor(value, None if isinstance(value, Tensor) else dtype, name=name)


def _widest(kinds: Sequence[DType]) -> DType:
    for kind in kinds:
        if kind not in _PREFERENCE:
            raise TypeError(
                f"range: expected bounds of int32, int64, float32 or float64, got {kind.name};"
                " pass `dtype`"
            )
    return max(kinds, key=_PREFERENCE.index)
