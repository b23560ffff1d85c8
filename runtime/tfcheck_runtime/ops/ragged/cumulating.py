"""Sums along rows, products of stacks of matrices, pieces: what is computed row by row."""

from __future__ import annotations

from typing import Any

from tfcheck_runtime.ops.array.accumulating import cumsum as dense_cumsum
from tfcheck_runtime.ops.array.gathering import gather
from tfcheck_runtime.ops.array.joining import concat
from tfcheck_runtime.ops.array.shaping import reshape
from tfcheck_runtime.ops.control.debugging import assert_equal
from tfcheck_runtime.ops.linalg.matmul import matmul as dense_matmul
from tfcheck_runtime.ops.math.exponential import exp, log
from tfcheck_runtime.ops.ragged import partition
from tfcheck_runtime.ops.ragged.joining import as_values
from tfcheck_runtime.ops.ragged.reducing import reduce_sum
from tfcheck_runtime.ops.ragged.tensor import RaggedTensor
from tfcheck_runtime.values.tensor import Tensor

Values = Any  # a tensor, or a ragged tensor


def cumsum(
    x: RaggedTensor,
    axis: Any = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> RaggedTensor:
    """`tf.cumsum` along an axis."""
    rank = x.shape.rank
    place = int(axis) + (rank or 0) if int(axis) < 0 else int(axis)
    made: RaggedTensor = _sums(x, place, exclusive, reverse)
    return made


def _sums(x: Values, axis: int, exclusive: bool, reverse: bool) -> Values:
    if not isinstance(x, RaggedTensor):
        return dense_cumsum(x, axis, exclusive, reverse)
    if axis == 0:
        whole = dense_cumsum(x.to_tensor(), 0, exclusive, reverse)
        made: RaggedTensor = RaggedTensor.from_tensor(
            whole, lengths=x.nested_row_lengths() if x.ragged_rank > 1 else x.row_lengths(),
            row_splits_dtype=x.row_splits.dtype,
        )  # fmt: skip
        return made
    if axis > 1 or isinstance(x.values, RaggedTensor):
        return x.with_values(_sums(x.values, max(axis - 1, 0), exclusive, reverse))
    values: Any = x.values
    sums: Any = dense_cumsum(values, 0)
    before: Any = concat([values[:1] * 0, sums], 0) if values.static_shape != (0,) else sums
    rows = partition.places_of(x.row_splits).rows
    if reverse:
        ends: Any = gather(before, gather(x.row_limits(), rows))
        made_values = ends - sums + (0 if exclusive else values)
    else:
        starts: Any = gather(before, gather(x.row_starts(), rows))
        made_values = sums - starts - (values if exclusive else 0)
    return x.with_values(made_values)


def reduce_logsumexp(
    input_tensor: RaggedTensor, axis: Any = None, keepdims: Any = False, name: str | None = None
) -> Values:
    """`tf.reduce_logsumexp` of rows."""
    powers = input_tensor.with_flat_values(exp(input_tensor.flat_values))
    total = reduce_sum(powers, axis, keepdims)
    if isinstance(total, RaggedTensor):
        return total.with_flat_values(log(total.flat_values))
    return log(total)


def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: Any = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Values:
    """`tf.matmul` of stacks of matrices whose numbers of rows may differ.

    Raises:
        InvalidArgumentError: the columns of the matrices differ in length.
    """

    def product(x: Any, y: Any) -> Tensor:
        return dense_matmul(x, y, transpose_a, transpose_b, adjoint_a, adjoint_b)

    left, right = as_values(a), as_values(b)
    for value in (left, right):
        if isinstance(value, RaggedTensor):
            _check_inner(value)
    ragged_rows = isinstance(left, RaggedTensor) and left.shape.rank != 2
    if ragged_rows and not (transpose_a or adjoint_a) and not isinstance(right, RaggedTensor):
        # Rows of the left one that fill it up are products that nobody asks for.
        made = product(left.to_tensor(), right)
        lengths = left.row_lengths() if left.ragged_rank == 1 else left.nested_row_lengths()[:-1]
        kept: RaggedTensor = RaggedTensor.from_tensor(
            made, lengths=lengths, row_splits_dtype=left.row_splits.dtype
        )
        return kept
    parts = [v.to_tensor() if isinstance(v, RaggedTensor) else v for v in (left, right)]
    return product(parts[0], parts[1])


def _check_inner(value: RaggedTensor) -> None:
    if (value.flat_values.ndim or 1) > 1:
        return
    lengths: Any = value.nested_row_lengths()[-1]
    longest = value.bounding_shape(axis=value.ragged_rank, out_type=lengths.dtype)
    assert_equal(
        lengths, lengths * 0 + longest,
        message="The matrices in `a` and `b` may not be ragged in their innermost dimension.",
    )  # fmt: skip


def split(
    value: RaggedTensor, num_or_size_splits: Any, axis: int = 0, num: Any = None,
    name: str | None = None,
) -> list[RaggedTensor]:  # fmt: skip
    """`tf.split` along the first axis.

    Raises:
        NotImplementedError: along another one.
        ValueError: the rows do not fall into that many pieces.
    """
    if axis != 0:
        raise NotImplementedError(f"tf.split of ragged tensors along axis {axis}: only 0")
    sizes = num_or_size_splits
    if isinstance(sizes, int):
        count = (value.static_shape or (None,))[0]
        if count is None or count % sizes:
            raise ValueError(f"Cannot exactly split {value.shape} into {sizes} pieces")
        sizes = [count // sizes] * sizes
    made, start = [], 0
    for size in sizes:
        made.append(value[start : start + size])
        start += size
    return made


def flattened(tensor: RaggedTensor, shape: Any, name: str | None = None) -> Tensor:
    """`tf.reshape` to a vector.

    Raises:
        NotImplementedError: to any other shape.
    """
    if list(shape) != [-1]:
        raise NotImplementedError(f"tf.reshape of a ragged tensor to {shape}: only to [-1]")
    return reshape(tensor.flat_values, [-1])
