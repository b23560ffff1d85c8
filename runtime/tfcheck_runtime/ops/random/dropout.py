"""Dropout: some elements set to 0, the others scaled up to keep the mean."""

from __future__ import annotations

from collections.abc import Callable

from tfcheck_runtime.ops.array.selection import where
from tfcheck_runtime.ops.array.shaping import shape as shape_of
from tfcheck_runtime.ops.math.arithmetic import multiply, one_minus
from tfcheck_runtime.ops.math.comparison import greater_equal
from tfcheck_runtime.ops.math.division import realdiv
from tfcheck_runtime.ops.random.stateful import uniform
from tfcheck_runtime.ops.random.stateless import stateless_uniform
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor


def dropout(
    x: object,
    rate: object,
    noise_shape: object = None,
    seed: object = None,
    name: str | None = None,
) -> Tensor:
    """`x` with each element set to 0 with probability `rate`, the others over 1 - rate.

    https://www.tensorflow.org/api_docs/python/tf/nn/dropout

    Args:
        x: a float tensor.
        rate: a number or scalar tensor in [0, 1).
        noise_shape: of the random mask, which broadcasts to `x`.
        seed: of this op; see `tf.random.set_seed`.
        name: of the nodes.

    Raises:
        ValueError: `rate` lies outside [0, 1), or `x` is not of floats.
    """
    label = name or "dropout"

    def draw(shape: object, tensor: Tensor) -> Tensor:
        return uniform(shape, seed=seed, dtype=tensor.dtype, name=f"{label}/random_uniform")

    return _dropped(x, rate, noise_shape, draw=draw, name=label)


def stateless_dropout(
    x: object,
    rate: object,
    seed: object,
    rng_alg: object = "auto_select",
    noise_shape: object = None,
    name: str | None = None,
) -> Tensor:
    """`dropout` whose mask depends on `seed`, two integers, alone.

    https://www.tensorflow.org/api_docs/python/tf/nn/experimental/stateless_dropout
    """

    def draw(shape: object, tensor: Tensor) -> Tensor:
        return stateless_uniform(shape, seed, dtype=tensor.dtype, alg=rng_alg)

    return _dropped(x, rate, noise_shape, draw=draw, name=name or "stateless_dropout")


def _dropped(
    x: object,
    rate: object,
    noise_shape: object,
    *,
    draw: Callable[[object, Tensor], Tensor],
    name: str,
) -> Tensor:
    tensor = convert_to_tensor(x)
    if not tensor.dtype.is_floating:
        raise ValueError(
            "`x.dtype` must be a floating point tensor as `x` will be scaled. Received:"
            f" x_dtype={tensor.dtype!r}"
        )
    if isinstance(rate, int | float):
        _check_rate(rate)
        if rate == 0:
            return tensor
        kept = multiply(tensor, 1 / (1 - rate), name=f"{name}/Mul")
        threshold: object = rate
    else:
        share = convert_to_tensor(rate, tensor.dtype)
        threshold = share
        kept = realdiv(tensor, one_minus(share), name=f"{name}/RealDiv")
    shape = _noise_shape(tensor, noise_shape)
    mask = greater_equal(draw(shape, tensor), threshold, name=f"{name}/GreaterEqual")
    return where(mask, kept, 0.0, name=f"{name}/SelectV2")


def _check_rate(rate: float) -> None:
    if not 0 <= rate < 1:
        raise ValueError(
            f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate={rate}"
        )


def _noise_shape(x: Tensor, noise_shape: object) -> object:
    """The shape of the mask; None in it stands for the size of `x`."""
    if noise_shape is None:
        return shape_of(x)
    if not isinstance(noise_shape, list | tuple):
        return noise_shape
    sizes = shape_of(x)
    return [sizes[i] if size is None else size for i, size in enumerate(noise_shape)]
