"""Losses and ratios made of other ops."""

from __future__ import annotations

import math

from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.filling import zeros_like
from tfcheck_runtime.ops.array.reduction import reduce_sum
from tfcheck_runtime.ops.array.selection import where
from tfcheck_runtime.ops.array.shaping import size
from tfcheck_runtime.ops.math.arithmetic import add, multiply, subtract
from tfcheck_runtime.ops.math.comparison import equal, greater_equal, less_equal
from tfcheck_runtime.ops.math.division import truediv
from tfcheck_runtime.ops.math.exponential import exp, log
from tfcheck_runtime.ops.math.logic import logical_and
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.shapes import are_compatible
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor


def log_poisson_loss(
    targets: object, log_input: object, compute_full_loss: bool = False, name: str | None = None
) -> Tensor:
    """The negative log likelihood of counts under Poisson rates given by their logarithms.

    https://www.tensorflow.org/api_docs/python/tf/nn/log_poisson_loss

    Raises:
        ValueError: the shapes differ.
    """
    rates = convert_to_tensor(log_input)
    counts = convert_to_tensor(targets, dtype_hint=rates.dtype)
    if not are_compatible(rates.static_shape, counts.static_shape):
        raise ValueError(
            "`log_input` and `targets` must have the same shape, received"
            f" ({rates.shape} vs {counts.shape})."
        )
    loss = subtract(exp(rates), multiply(rates, counts), name=name or "log_poisson_loss")
    return add(loss, _stirling(counts)) if compute_full_loss else loss


def _stirling(counts: Tensor) -> Tensor:
    """Stirling's approximation of log(n!), 0 for counts up to 1."""
    series = add(
        subtract(multiply(counts, log(counts)), counts),
        multiply(log(multiply(counts, 2 * math.pi)), 0.5),
    )
    small = logical_and(greater_equal(counts, zeros_like(counts)), less_equal(counts, 1))
    return where(small, zeros_like(counts), series)


def zero_fraction(value: object, name: str | None = None) -> Tensor:
    """The fraction of elements that are 0, as float32.

    https://www.tensorflow.org/api_docs/python/tf/nn/zero_fraction
    """
    tensor = convert_to_tensor(value)
    zeros = reduce_sum(cast(equal(tensor, zeros_like(tensor)), dtypes.int32))
    total = cast(size(tensor), dtypes.float32)
    return truediv(cast(zeros, dtypes.float32), total, name=name or "zero_fraction")


def compute_average_loss(
    per_example_loss: object,
    sample_weight: object = None,
    global_batch_size: object = None,
) -> Tensor:
    """The sum of losses over the size of the batch.

    https://www.tensorflow.org/api_docs/python/tf/nn/compute_average_loss

    Raises:
        ValueError: the loss is a scalar.
    """
    losses = convert_to_tensor(per_example_loss)
    if losses.ndim == 0:
        raise ValueError("`per_example_loss` must have one axis or more, got a scalar")
    if sample_weight is not None:
        losses = multiply(losses, cast(sample_weight, losses.dtype))
    count = size(losses) if global_batch_size is None else convert_to_tensor(global_batch_size)
    return truediv(reduce_sum(losses), cast(count, losses.dtype))


def scale_regularization_loss(regularization_loss: object) -> Tensor:
    """The sum of a regularisation loss over the number of replicas, which is one here.

    https://www.tensorflow.org/api_docs/python/tf/nn/scale_regularization_loss
    """
    return truediv(reduce_sum(convert_to_tensor(regularization_loss)), 1)
