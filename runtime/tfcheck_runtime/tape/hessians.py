"""`tf.hessians`: second derivatives inside a function."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcheck_runtime.ops.array.filling import zeros_like
from tfcheck_runtime.ops.array.packing import stack
from tfcheck_runtime.ops.array.shaping import reshape
from tfcheck_runtime.tape.derivatives import gradients
from tfcheck_runtime.tape.slices import dense
from tfcheck_runtime.values.tensor import Tensor


class AggregationMethod:
    """How TensorFlow adds up gradients; the sum is the same here for all of them."""

    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


def hessians(
    ys: Any,
    xs: Any,
    gate_gradients: bool = False,
    aggregation_method: int | None = None,
    name: str = "hessians",
) -> list[Tensor]:
    """The second derivatives of `ys`, summed, with respect to each of `xs`, inside a function.

    https://www.tensorflow.org/api_docs/python/tf/hessians; all but the first two parameters say
    how TensorFlow runs it and change nothing here.

    Returns:
        Per source a tensor of its shape twice in a row.

    Raises:
        RuntimeError: there is no graph.
        ValueError: the shape of a source is not known, or it has no influence.
    """
    sources = xs if isinstance(xs, list | tuple) else [xs]
    return [_hessian(ys, source) for source in sources]


def _hessian(ys: Any, source: Any) -> Tensor:
    shape = source.shape.as_list()
    if None in shape:
        raise ValueError(f"hessians: the shape of {source!r} must be known; use tf.ensure_shape")
    (first,) = gradients(ys, source)
    if first is None:
        raise ValueError(f"hessians: {ys!r} does not depend on {source!r}")
    flat = reshape(dense(first), [-1])
    rows: list[Tensor] = []
    for i in range(int(np.prod(shape))):
        (row,) = gradients(flat[i], source)
        rows.append(zeros_like(source) if row is None else dense(row))
    return reshape(stack(rows), [*shape, *shape])
