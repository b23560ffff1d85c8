"""The shape that two shapes broadcast to."""

from __future__ import annotations

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Aval, Op, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.agreement import check_same_dtypes
from tfcheck_runtime.ops.array.examples import i32
from tfcheck_runtime.specs.shapes import broadcast
from tfcheck_runtime.values.tensor import Tensor, apply


class _BroadcastArgs(Op):
    """The shape of an elementwise op on tensors of two shapes."""

    type = "BroadcastArgs"

    def infer(self, x: Aval, y: Aval) -> Aval:
        check_same_dtypes(self.type, (x, y))
        first, second = known.as_shape(x), known.as_shape(y)
        if first is None or second is None:
            return Aval(x.dtype, (None,))
        try:
            found = broadcast(first, second) or ()
        except ValueError:
            raise invalid_argument(
                f"Incompatible shapes: {first} vs. {second}", self.type
            ) from None
        return known.integers(x.dtype, (len(found),), found)

    def eager(self, x: Array, y: Array) -> Array:
        try:
            found = np.broadcast_shapes(tuple(x.tolist()), tuple(y.tolist()))
        except ValueError:
            raise invalid_argument(
                f"Incompatible shapes: {x.tolist()} vs. {y.tolist()}", self.type
            ) from None
        return np.array(found, x.dtype)

    cases = (case(i32([3, 1, 5]), i32([4, 5])), case(i32([]), i32([2])))


broadcast_args_op = define(_BroadcastArgs())


def broadcast_dynamic_shape(shape_x: object, shape_y: object) -> Tensor:
    """The shape that two shapes, given as integer vectors, broadcast to.

    https://www.tensorflow.org/api_docs/python/tf/broadcast_dynamic_shape

    Raises:
        InvalidArgumentError: they do not broadcast.
    """
    first = known.integer_tensor(shape_x, what="shape_x")
    second = known.integer_tensor(shape_y, what="shape_y")
    return apply(broadcast_args_op, first, second)
