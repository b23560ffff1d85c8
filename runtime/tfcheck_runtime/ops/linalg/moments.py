"""Reductions made of others: variance, norms, the logarithm of a sum of exponentials."""

from __future__ import annotations

from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.extremes import reduce_max
from tfcheck_runtime.ops.array.identity import stop_gradient
from tfcheck_runtime.ops.array.reduction import reduce_mean, reduce_sum
from tfcheck_runtime.ops.array.selection import where
from tfcheck_runtime.ops.array.shaping import reshape, shape as shape_of
from tfcheck_runtime.ops.math.arithmetic import abs, add, multiply, square, subtract
from tfcheck_runtime.ops.math.complexes import conj, real
from tfcheck_runtime.ops.math.exponential import exp, log, sqrt
from tfcheck_runtime.ops.math.rounding import is_finite
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor


def reduce_variance(
    input_tensor: object, axis: object = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The population variance over `axis`, or of all elements.

    https://www.tensorflow.org/api_docs/python/tf/math/reduce_variance

    Raises:
        TypeError: the input is of integers.
    """
    tensor = convert_to_tensor(input_tensor)
    if not (tensor.dtype.is_floating or tensor.dtype.is_complex):
        raise TypeError(f"Input must be either real or complex. Received: {tensor.dtype.name}")
    difference = subtract(tensor, reduce_mean(tensor, axis, keepdims=True))
    if tensor.dtype.is_complex:
        squared = real(multiply(conj(difference), difference))
    else:
        squared = square(difference)
    return reduce_mean(squared, axis, keepdims, name)


def reduce_std(
    input_tensor: object, axis: object = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The population standard deviation over `axis`, or of all elements.

    https://www.tensorflow.org/api_docs/python/tf/math/reduce_std

    Raises:
        TypeError: the input is of integers.
    """
    return sqrt(reduce_variance(input_tensor, axis, keepdims), name=name)


def reduce_logsumexp(
    input_tensor: object, axis: object = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The logarithm of the sum of exponentials, without overflow; -inf of nothing.

    https://www.tensorflow.org/api_docs/python/tf/math/reduce_logsumexp. For arguments and errors
    see `reduce_sum`.
    """
    tensor = convert_to_tensor(input_tensor)
    highest = reduce_max(tensor, axis, keepdims=True)
    # Infinite maxima are left out: inf - inf would be NaN.
    offset = stop_gradient(where(is_finite(highest), highest, 0))
    total = log(reduce_sum(exp(subtract(tensor, offset)), axis, keepdims))
    return add(total, offset if keepdims else reshape(offset, shape_of(total)), name=name)


def reduce_euclidean_norm(
    input_tensor: object, axis: object = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The square root of the sum of squares over `axis`, or of all elements.

    https://www.tensorflow.org/api_docs/python/tf/math/reduce_euclidean_norm. For arguments and
    errors see `reduce_sum`.
    """
    tensor = convert_to_tensor(input_tensor)
    if tensor.dtype.is_integer:
        # TensorFlow's kernel takes integers and drops the fraction.
        exact = reduce_euclidean_norm(cast(tensor, dtypes.float64), axis, keepdims)
        return cast(exact, tensor.dtype, name=name)
    return sqrt(reduce_sum(square(abs(tensor)), axis, keepdims), name=name)
