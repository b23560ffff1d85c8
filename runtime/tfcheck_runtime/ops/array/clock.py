"""The time of day."""

from __future__ import annotations

import time

import numpy as np

from tfcheck_runtime.op import Array, Aval, Op, define
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values.tensor import Tensor, apply


class _Timestamp(Op):
    """Seconds since 1970."""

    type = "Timestamp"
    stateful = True

    def infer(self) -> Aval:
        return Aval(dtypes.float64, ())

    def eager(self) -> Array:
        return np.array(time.time())


timestamp_op = define(_Timestamp())


def timestamp(name: str | None = None) -> Tensor:
    """Seconds since 1970 as float64, each time the graph runs.

    https://www.tensorflow.org/api_docs/python/tf/timestamp
    """
    return apply(timestamp_op, name=name)
