"""Clipping, to a range or to a norm."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.filling import ones_like, zeros_like
from tfcheck_runtime.ops.array.reduction import reduce_sum
from tfcheck_runtime.ops.array.selection import where
from tfcheck_runtime.ops.math.arithmetic import add, maximum, minimum, multiply, subtract
from tfcheck_runtime.ops.math.comparison import greater
from tfcheck_runtime.ops.math.complexes import complex_, imag, real
from tfcheck_runtime.ops.math.division import realdiv
from tfcheck_runtime.ops.math.exponential import reciprocal, sqrt
from tfcheck_runtime.ops.math.norms import global_norm
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import DType, as_dtype
from tfcheck_runtime.specs.shapes import are_compatible
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.indexed_slices import IndexedSlices
from tfcheck_runtime.values.tensor import Tensor


def clip_by_value(
    t: object, clip_value_min: object, clip_value_max: object, name: str | None = None
) -> Tensor:
    """`t` with what lies outside [clip_value_min, clip_value_max] set to the nearer bound.

    https://www.tensorflow.org/api_docs/python/tf/clip_by_value

    Raises:
        ValueError: a bound broadcasts `t` to a larger shape.
    """
    label = name or "clip_by_value"
    values = convert_to_tensor(t)
    low = minimum(values, clip_value_max, name=f"{label}/Minimum")
    clipped = maximum(low, clip_value_min, name=label)
    if not are_compatible(values.static_shape, clipped.static_shape):
        raise ValueError(f"Shapes {values.shape} and {clipped.shape} are incompatible")
    return clipped


def clip_by_norm(
    t: object, clip_norm: object, axes: object = None, name: str | None = None
) -> Tensor:
    """`t` scaled down where its L2 norm over `axes` exceeds `clip_norm`.

    https://www.tensorflow.org/api_docs/python/tf/clip_by_norm
    """
    values = convert_to_tensor(t)
    total = reduce_sum(multiply(values, values), axes, keepdims=True)
    # The root of 0 has no finite gradient: zeros are masked out before and after.
    positive = greater(total, 0)
    norm = where(positive, sqrt(where(positive, total, ones_like(total))), total)
    scaled = multiply(values, clip_norm)
    return realdiv(scaled, maximum(norm, clip_norm), name=name or "clip_by_norm")


def clip_by_global_norm(
    t_list: Sequence[object],
    clip_norm: object,
    use_norm: object = None,
    name: str | None = None,
) -> tuple[list[Tensor | IndexedSlices | None], Tensor]:
    """All tensors scaled by one factor if their common norm exceeds `clip_norm`, and that norm.

    https://www.tensorflow.org/api_docs/python/tf/clip_by_global_norm. An infinite norm gives nan.

    Raises:
        TypeError: `t_list` is not a sequence.
    """
    label = name or "clip_by_global_norm"
    norm = global_norm(t_list) if use_norm is None else convert_to_tensor(use_norm)
    limit = convert_to_tensor(clip_norm, norm.dtype)
    factor = multiply(limit, minimum(reciprocal(norm), reciprocal(limit)))
    # norm - norm is 0, or nan for an infinite norm, which must not pass unseen.
    scale = add(factor, subtract(norm, norm))
    return [_scaled(t, scale, name=f"{label}/mul") for t in t_list], norm


def _scaled(value: object, scale: Tensor, *, name: str) -> Tensor | IndexedSlices | None:
    if isinstance(value, IndexedSlices):
        return value.with_rows(multiply(value.values, scale, name=name))
    return None if value is None else multiply(convert_to_tensor(value), scale, name=name)


def saturate_cast(value: object, dtype: object, name: str | None = None) -> Tensor:
    """`value` cast to `dtype`, clipped to its range first.

    https://www.tensorflow.org/api_docs/python/tf/saturate_cast
    """
    tensor, target = convert_to_tensor(value), as_dtype(dtype)
    source = tensor.dtype
    if source is target:
        return tensor
    if source.is_complex:
        return _saturated_complex(tensor, target, name=name)
    if target.is_complex and not source.is_bool:
        part = saturate_cast(tensor, target.real_dtype)
        return complex_(part, zeros_like(part), name=name)
    if target.is_bool or target is dtypes.string:
        raise TypeError(f"saturate_cast: {target.name} has no range to clip to")
    if source.is_bool:
        raise TypeError(f"saturate_cast: {source.name} has no range that could be clipped")
    low, high = _limits(target)
    if source.is_floating and target.is_integer:
        high = _largest_below(float(high), source.numpy)
    number = int if source.is_integer else float
    least, most = _limits(source)
    bounds = max(least, number(low)), min(most, number(high))
    return cast(clip_by_value(tensor, *bounds), target, name=name or "saturate_cast")


def _saturated_complex(tensor: Tensor, target: DType, *, name: str | None) -> Tensor:
    if not target.is_complex:
        return saturate_cast(real(tensor), target, name)
    first, second = (saturate_cast(part(tensor), target.real_dtype) for part in (real, imag))
    return complex_(first, second, name=name)


def _limits(dtype: DType) -> tuple[int | float, int | float]:
    """The range of a type; `int` of a bfloat16 beyond int64 gives 0, so floats come first."""
    number = int if dtype.is_integer else float
    return number(dtype.min), number(dtype.max)


def _largest_below(limit: float, dtype: np.dtype[np.generic]) -> float:
    """The largest float of a type that does not round above an integer limit."""
    rounded = np.asarray(limit, dtype)
    return float(np.nextafter(rounded, np.zeros((), dtype)) if float(rounded) > limit else rounded)
