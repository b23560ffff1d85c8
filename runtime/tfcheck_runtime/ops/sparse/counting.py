"""How often numbers occur in the rows of tensors, as a sparse tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, Aval, Case, Op, case, define
from tfcheck_runtime.ops.array.agreement import INDICES, check_kind
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.examples import f32, i32, i64
from tfcheck_runtime.ops.array.shaping import reshape
from tfcheck_runtime.ops.control.debugging import assert_equal
from tfcheck_runtime.ops.math.counting import bincount as dense_bincount
from tfcheck_runtime.ops.sparse.conversion import to_dense
from tfcheck_runtime.ops.sparse.parts import listed, parts_of
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import as_dtype
from tfcheck_runtime.values import versions
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.sparse_tensor import SparseTensor
from tfcheck_runtime.values.tensor import Tensor, apply_n

Rows = tuple[Array, Array, int | None]
"""The numbers, the row of each, and how many rows there are; None for a tensor without rows."""


class _Count(Op):
    """The numbers that occur in each row, and how often or with which sum of weights."""

    def __init__(
        self, op_type: str, rows: Callable[..., Rows], outer: Callable[..., int | None],
        *cases: Case,
    ) -> None:  # fmt: skip
        self.type = op_type
        self._rows = rows
        self._outer = outer
        self.cases = cases

    def infer(
        self, *inputs: Aval, minlength: int, maxlength: int, binary_output: bool
    ) -> tuple[Aval, Aval, Aval]:
        check_kind(self.type, inputs[-2], INDICES, "values")
        return parts_of(inputs[-1].dtype, self._outer(*inputs[:-1]))

    def eager(
        self, *inputs: Array, minlength: int, maxlength: int, binary_output: bool
    ) -> tuple[Array, Array, Array]:
        *source, weights = inputs
        values, rows, count = self._rows(*source)
        if (values < 0).any():
            raise invalid_argument("Input values must all be non-negative", self.type)
        if weights.size and weights.shape != source[-1].shape:
            raise invalid_argument(
                "Weights and data must have the same shape. Weight shape:"
                f" {listed(weights.shape)}; data shape: {listed(source[-1].shape)}",
                self.type,
            )
        width = max(int(values.max(initial=0)) + 1, minlength)
        if maxlength >= 0:
            width = maxlength
        kept = values < width
        pairs = np.stack([rows[kept], values[kept]], 1).astype(np.int64)
        places, numbers = np.unique(pairs, axis=0, return_inverse=True)
        totals = np.zeros(len(places), weights.dtype)
        amounts = weights.reshape(-1)[kept] if weights.size else 1
        np.add.at(totals, numbers.reshape(-1), amounts)
        if binary_output:
            totals[:] = 1
        outer = () if count is None else (count,)
        indices = places[:, 0 if outer else 1 :]
        return indices, totals, np.array([*outer, width], np.int64)


def _dense_rows(values: Array) -> Rows:
    if values.ndim not in (1, 2):
        raise invalid_argument(
            f"Input must be a 1 or 2-dimensional tensor. Got: {listed(values.shape)}",
            "DenseCountSparseOutput",
        )
    if values.ndim == 1:
        return values, np.zeros_like(values), None
    rows = np.repeat(np.arange(len(values)), values.shape[1])
    return values.reshape(-1), rows, len(values)


def _sparse_rows(indices: Array, shape: Array, values: Array) -> Rows:
    if len(shape) == 1:
        return values, np.zeros_like(values), None
    return values, indices[:, 0], int(shape[0])


def _ragged_rows(splits: Array, values: Array) -> Rows:
    return values, np.repeat(np.arange(len(splits) - 1), np.diff(splits)), len(splits) - 1


def _dense_rank(values: Aval) -> int | None:
    return None if values.shape is None else len(values.shape)


def _sparse_rank(indices: Aval, shape: Aval, values: Aval) -> int | None:
    size = shape.shape[0] if shape.shape else None
    return None if size is None else min(size, 2)


_NUMBERS: Final = i32([[1, 1, 2], [0, 5, 1]])


def _example(*inputs: Array) -> Case:
    return case(*inputs, minlength=3, maxlength=-1, binary_output=False)


dense_count_op = define(
    _Count(
        "DenseCountSparseOutput", _dense_rows, _dense_rank,
        _example(_NUMBERS, i32([])),
        case(_NUMBERS[0], f32([1, 2, 3]), minlength=-1, maxlength=2, binary_output=False),
    )
)  # fmt: skip
sparse_count_op = define(
    _Count(
        "SparseCountSparseOutput", _sparse_rows, _sparse_rank,
        _example(i64([[0, 0], [1, 1]]), i64([2, 3]), i32([4, 1]), i32([])),
    )
)  # fmt: skip
ragged_count_op = define(
    _Count(
        "RaggedCountSparseOutput", _ragged_rows, lambda splits, values: 2,
        _example(i64([0, 2, 2, 3]), i32([4, 1, 4]), i32([])),
    )
)  # fmt: skip


def bincount(
    values: object,
    weights: object = None,
    axis: int | None = 0,
    minlength: int | None = None,
    maxlength: int | None = None,
    binary_output: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """The numbers that occur, and how often; by row with an axis of -1.

    https://www.tensorflow.org/api_docs/python/tf/sparse/bincount

    Args:
        values: non-negative integers, in a dense, sparse or ragged tensor.
        weights: what each occurrence counts, of the same kind as `values`; 1 by default.
        axis: 0 or None counts over all, -1 over the last axis.
        minlength: least size of the last axis of the result.
        maxlength: its size; larger numbers are not counted.
        binary_output: give 1 for every number that occurs.
        name: of the node.

    Raises:
        ValueError: `axis` is another one, or both `weights` and `binary_output` are given.
        InvalidArgumentError: a number is negative, or weights do not fit.
    """
    check_options(axis, weights, binary_output=binary_output)
    options = counting_options(minlength, maxlength, binary_output=binary_output)
    if isinstance(values, SparseTensor):
        amounts = _weights_of(values, weights)
        if axis != -1:
            made = apply_n(dense_count_op, values.values, amounts, name=name, **options)
        else:
            made = apply_n(
                sparse_count_op, values.indices, values.dense_shape, values.values, amounts,
                name=name, **options,
            )  # fmt: skip
        return SparseTensor(*made)
    numbers = convert_to_tensor(values)
    kinds = dtypes.int32, dtypes.int64
    amounts = convert_to_tensor([], numbers.dtype if numbers.dtype in kinds else None)
    if weights is not None:
        amounts = convert_to_tensor(weights)
    if axis != -1:
        numbers, amounts = reshape(numbers, [-1]), reshape(amounts, [-1])
    return SparseTensor(*apply_n(dense_count_op, numbers, amounts, name=name, **options))


def check_options(axis: int | None, weights: object, *, binary_output: bool) -> None:
    """Check what all kinds of values have in common.

    Raises:
        ValueError: an axis that is not supported, or options that exclude each other.
    """
    if axis not in (None, 0, -1):
        raise ValueError(
            f"Unsupported value for argument axis={axis}. Only 0 and -1 are currently supported."
        )
    if weights is not None and binary_output:
        raise ValueError(
            "Arguments `binary_output` and `weights` are mutually exclusive. Please specify only"
            " one."
        )


def counting_options(
    minlength: int | None, maxlength: int | None, *, binary_output: bool
) -> dict[str, Any]:
    """The attributes of the ops; -1 stands for no bound."""
    return {
        "minlength": -1 if minlength is None else minlength,
        "maxlength": -1 if maxlength is None else maxlength,
        "binary_output": binary_output,
    }


def _weights_of(values: SparseTensor, weights: object) -> Tensor:
    if weights is None:
        return convert_to_tensor([], values.dtype)
    if not isinstance(weights, SparseTensor):
        raise ValueError(
            "Argument `weights` must be a SparseTensor if `values` is a SparseTensor. Received"
            f" weights={weights} of type: {type(weights).__name__}"
        )
    for what in ("indices", "dense_shape"):
        assert_equal(
            getattr(weights, what), getattr(values, what),
            message=f"'weights' and 'values' must have the same {what}.",
        )  # fmt: skip
    return weights.values


def _bincount(
    arr: SparseTensor,
    weights: object = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: object = dtypes.int32,
    name: str | None = None,
    axis: int | None = None,
    binary_output: bool = False,
) -> Tensor:
    """`tf.math.bincount` of a sparse tensor."""
    check_options(axis, weights, binary_output=binary_output)
    numbers = arr if arr.dtype.is_integer else arr.with_values(cast(arr.values, dtypes.int32))
    if axis != -1:
        amounts = None if weights is None else _weights_of(numbers, weights)
        return dense_bincount(
            numbers.values, amounts, minlength, maxlength, dtype, name, axis, binary_output
        )
    counts = bincount(numbers, weights, axis, minlength, maxlength, binary_output, name)
    kind = counts.dtype if weights is not None else as_dtype(dtype)
    return to_dense(counts.with_values(cast(counts.values, kind)))


versions.register(dense_bincount, SparseTensor, _bincount)
