"""Running log-sum-exps."""

from __future__ import annotations

import numpy as np

from tfcheck_runtime.op import Array, Aval, Call, Op, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.examples import f32, f64, i32
from tfcheck_runtime.ops.array.filling import zeros_like
from tfcheck_runtime.ops.array.selection import where
from tfcheck_runtime.ops.math.arithmetic import add, negative, subtract
from tfcheck_runtime.ops.math.comparison import greater, less
from tfcheck_runtime.ops.math.exponential import exp, log
from tfcheck_runtime.ops.math.operands import FLOATS, alike
from tfcheck_runtime.values.tensor import Tensor, apply


class _CumulativeLogsumexp(Op):
    """log of the running sum of e**x along an axis."""

    type = "CumulativeLogsumexp"
    cases = (
        case(f32([[1.0, 2.0, -1.0]]), i32(1), exclusive=False, reverse=False),
        case(f64([0.5, 3.0, 1.0]), i32(0), exclusive=False, reverse=True, unknown=((0, 0),)),
        case(f64([[0.5], [3.0]]), i32(-2), exclusive=True, reverse=False, differentiable=False),
    )

    def infer(self, x: Aval, axis: Aval, *, exclusive: bool, reverse: bool) -> Aval:
        place, rank = known.scalar(axis), known.rank_of(x)
        if place is not None and rank is not None:
            known.axis_in(place, rank)
        return Aval(x.dtype, x.shape)

    def eager(self, x: Array, axis: Array, *, exclusive: bool, reverse: bool) -> Array:
        rows = np.moveaxis(x, int(axis), 0)
        rows = rows[::-1] if reverse else rows
        with np.errstate(all="ignore"):
            sums = np.logaddexp.accumulate(rows, axis=0)
        if exclusive:
            nothing = np.full_like(sums[:1], -np.inf)
            sums = np.concatenate([nothing, sums[:-1]])
        return np.moveaxis(sums[::-1] if reverse else sums, 0, int(axis))

    def gradient(self, call: Call[Tensor], dy: Tensor) -> list[Tensor | None]:
        """e**x times the running sum, from the other end, of dy e**-y; each sign on its own."""
        (x, axis), y = call.inputs, call.outputs[0]
        attrs = dict(call.attrs, reverse=not call.attrs["reverse"])

        def running(amount: Tensor) -> Tensor:
            present = greater(amount, 0)
            lowest = add(zeros_like(amount), float(np.finfo(amount.dtype.as_numpy_dtype).min))
            logarithm = where(present, log(where(present, amount, exp(zeros_like(x)))), lowest)
            back = apply(cumulative_logsumexp_op, subtract(logarithm, y), axis, **attrs)
            return exp(add(back, x))

        loss = where(less(dy, 0), negative(dy), zeros_like(dy))
        return [subtract(running(where(greater(dy, 0), dy, zeros_like(dy))), running(loss)), None]


cumulative_logsumexp_op = define(_CumulativeLogsumexp())


def cumulative_logsumexp(
    x: object,
    axis: object = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Log of the running sum of e**x along an axis.

    https://www.tensorflow.org/api_docs/python/tf/math/cumulative_logsumexp
    """
    (tensor,) = alike("CumulativeLogsumexp", [x], allowed=FLOATS)
    place = known.integer_tensor(axis, what="axis")
    return apply(
        cumulative_logsumexp_op, tensor, place, name=name or "CumulativeLogsumexp",
        exclusive=exclusive, reverse=reverse,
    )  # fmt: skip
