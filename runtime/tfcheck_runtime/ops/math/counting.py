"""Counts: of values, of non-zero elements, of pairs of classes, of what falls between bounds."""

from __future__ import annotations

import math

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Aval, Op, case, define
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.agreement import INDICES, check_kind
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.examples import f32, f64, i32, i64
from tfcheck_runtime.ops.array.extremes import reduce_max
from tfcheck_runtime.ops.array.filling import ones_like
from tfcheck_runtime.ops.array.packing import stack
from tfcheck_runtime.ops.array.reduction import reduce_sum
from tfcheck_runtime.ops.array.scattering import scatter_nd
from tfcheck_runtime.ops.array.shaping import reshape, shape, size
from tfcheck_runtime.ops.math.arithmetic import add, maximum, minimum, multiply, subtract
from tfcheck_runtime.ops.math.comparison import greater, not_equal
from tfcheck_runtime.ops.math.division import truediv
from tfcheck_runtime.ops.math.rounding import floor
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import DType, as_dtype
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor, apply


class _DenseBincount(Op):
    """How often each number occurs, or the sum of the weights it occurs with."""

    type = "DenseBincount"
    cases = (
        case(i32([0, 2, 2, 7]), i32(4), i32([]), binary_output=False),
        case(i32([0, 2, 2]), i32(3), f32([1, 2, 4]), binary_output=False,
             differentiable=False),
        case(i64([[0, 2, 2], [1, 1, 0]]), i64(3), i32([]), binary_output=True),
    )  # fmt: skip

    def infer(self, input: Aval, size: Aval, weights: Aval, *, binary_output: bool) -> Aval:
        rank = known.rank_of(input)
        if rank is not None and rank > 2:
            raise ValueError(f"input must be a vector or a matrix, got shape {input.shape}")
        count = known.scalar(size)
        return Aval(weights.dtype, None if input.shape is None else (*input.shape[:-1], count))

    def eager(self, input: Array, size: Array, weights: Array, *, binary_output: bool) -> Array:
        if (input < 0).any():
            raise invalid_argument("Input arr must be non-negative!", self.type)
        rows = input.reshape(math.prod(input.shape[:-1]), input.shape[-1])
        amounts = np.broadcast_to(
            weights.reshape(rows.shape) if weights.size else np.ones((), weights.dtype), rows.shape
        )
        result = np.zeros((len(rows), int(size)), weights.dtype)
        for target, row, amount in zip(result, rows, amounts, strict=True):
            kept = row < int(size)
            np.add.at(target, row[kept], amount[kept])
        if binary_output:
            result = (result != 0).astype(weights.dtype)
        return result.reshape(*input.shape[:-1], int(size))


class _Histogram(Op):
    """How many values fall into each bin of an evenly divided range; the rest into the end bins."""

    type = "HistogramFixedWidth"
    cases = (
        case(f32([-1.0, 0.0, 1.5, 15.0]), f32([0.0, 5.0]), i32(5), dtype=dtypes.int32),
        case(f64([[0.3, 0.7]]), f64([0.0, 1.0]), i32(10), dtype=dtypes.int64),
    )

    def infer(self, values: Aval, value_range: Aval, nbins: Aval, *, dtype: DType) -> Aval:
        return Aval(dtype, (known.scalar(nbins),))

    def eager(self, values: Array, value_range: Array, nbins: Array, *, dtype: DType) -> Array:
        low, high = value_range
        count = int(nbins)
        if count <= 0 or not low < high:
            raise invalid_argument(
                f"nbins must be positive and value_range increasing, got {count} and"
                f" {value_range.tolist()}",
                self.type,
            )
        step = float(high - low) / count
        places = (np.maximum(values, low) - low).astype(np.float64) / step
        bins = np.minimum(places, count - 1).astype(np.int64)
        return np.bincount(bins.reshape(-1), minlength=count).astype(dtype.numpy)


histogram_op = define(_Histogram())
dense_bincount_op = define(_DenseBincount())


def bincount(
    arr: object,
    weights: object = None,
    minlength: object = None,
    maxlength: object = None,
    dtype: object = dtypes.int32,
    name: str | None = None,
    axis: int | None = None,
    binary_output: bool = False,
) -> Tensor:
    """How often each number occurs in `arr`.

    https://www.tensorflow.org/api_docs/python/tf/math/bincount

    Args:
        arr: non-negative integers.
        weights: what each occurrence counts; 1 by default.
        minlength: least size of the result.
        maxlength: largest size of the result; larger numbers are not counted.
        dtype: of the result without `weights`.
        name: of the node.
        axis: None counts over all of `arr`, -1 over the last axis.
        binary_output: give 1 for every number that occurs.

    Raises:
        InvalidArgumentError: a number is negative.
        ValueError: `axis` is another one.
    """
    if axis not in (None, 0, -1):
        raise ValueError(f"Unsupported value for argument axis={axis}. Only 0 and -1 are supported")
    numbers = convert_to_tensor(arr)
    if not numbers.dtype.is_integer:
        numbers = cast(numbers, dtypes.int32)
    check_kind("DenseBincount", known.aval_of(numbers), INDICES, "arr")
    label = name or "bincount"
    length = _length(numbers, minlength, maxlength)
    kind = as_dtype(dtype)
    amounts = convert_to_tensor([], kind) if weights is None else convert_to_tensor(weights)
    if axis != -1:
        numbers = reshape(numbers, [-1])
        amounts = reshape(amounts, [-1])
    return apply(
        dense_bincount_op, numbers, length, amounts, name=f"{label}/DenseBincount",
        binary_output=binary_output,
    )  # fmt: skip


def _length(numbers: Tensor, least: object, most: object) -> Tensor:
    """One more than the largest number, within bounds; 0 if there are none."""
    occupied = cast(greater(size(numbers), 0), numbers.dtype)
    length = multiply(occupied, add(reduce_max(numbers), 1))
    if least is not None:
        length = maximum(convert_to_tensor(least, numbers.dtype), length)
    if most is not None:
        length = minimum(convert_to_tensor(most, numbers.dtype), length)
    return length


def count_nonzero(
    input: object,
    axis: object = None,
    keepdims: bool | None = None,
    dtype: object = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """The number of elements that are not 0 (for strings: not empty).

    https://www.tensorflow.org/api_docs/python/tf/math/count_nonzero
    """
    tensor = convert_to_tensor(input)
    nonzero = cast(not_equal(tensor, _zero(tensor.dtype)), dtypes.int64)
    label = name or "count_nonzero"
    total = reduce_sum(nonzero, axis, keepdims=bool(keepdims), name=f"{label}/Sum")
    return cast(total, as_dtype(dtype))


def _zero(dtype: DType) -> Tensor:
    if dtype is dtypes.string:
        return convert_to_tensor("")
    return convert_to_tensor(False if dtype.is_bool else 0, dtype)


def confusion_matrix(
    labels: object,
    predictions: object,
    num_classes: object = None,
    weights: object = None,
    dtype: object = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """How often each label (rows) met each prediction (columns).

    https://www.tensorflow.org/api_docs/python/tf/math/confusion_matrix

    Raises:
        InvalidArgumentError: a class is not below `num_classes`.
    """
    truth = cast(convert_to_tensor(labels), dtypes.int64)
    guess = cast(convert_to_tensor(predictions), dtypes.int64)
    if num_classes is None:
        count = add(maximum(reduce_max(guess), reduce_max(truth)), 1)
    else:
        count = cast(convert_to_tensor(num_classes), dtypes.int64)
    kind = as_dtype(dtype)
    values = cast(ones_like(guess), kind) if weights is None else cast(weights, kind)
    return scatter_nd(
        stack([truth, guess], axis=1), values, stack([count, count]),
        name=name or "confusion_matrix",
    )  # fmt: skip


def histogram_fixed_width_bins(
    values: object,
    value_range: object,
    nbins: object = 100,
    dtype: object = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """The bin of each value when a range is divided evenly; outside it, the first or last.

    https://www.tensorflow.org/api_docs/python/tf/histogram_fixed_width_bins
    """
    tensor = convert_to_tensor(values)
    flat = reshape(tensor, [-1])
    bounds = convert_to_tensor(value_range, tensor.dtype)
    bins = convert_to_tensor(nbins, dtypes.int32)
    scaled = truediv(subtract(flat, bounds[0]), subtract(bounds[1], bounds[0]))
    indices = floor(multiply(cast(bins, scaled.dtype), scaled))
    last = cast(subtract(bins, 1), scaled.dtype)
    clipped = minimum(maximum(indices, 0), last)
    placed = reshape(clipped, shape(tensor))
    return cast(placed, as_dtype(dtype), name=name or "histogram_fixed_width_bins")


def histogram_fixed_width(
    values: object,
    value_range: object,
    nbins: object = 100,
    dtype: object = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """How many values fall into each bin of an evenly divided range.

    https://www.tensorflow.org/api_docs/python/tf/histogram_fixed_width
    """
    tensor = convert_to_tensor(values)
    return apply(
        histogram_op, tensor, convert_to_tensor(value_range, tensor.dtype),
        convert_to_tensor(nbins, dtypes.int32), name=name or "histogram_fixed_width",
        dtype=as_dtype(dtype),
    )  # fmt: skip
