"""Functions of values where they stand: chosen, one-hot, normalised, dropped, mapped."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.gathering import gather
from tfcheck_runtime.ops.array.hot import one_hot as dense_one_hot
from tfcheck_runtime.ops.array.joining import concat
from tfcheck_runtime.ops.array.locating import indices_where
from tfcheck_runtime.ops.array.selection import where as dense_where
from tfcheck_runtime.ops.array.squeezing import expand_dims
from tfcheck_runtime.ops.control.debugging import assert_equal
from tfcheck_runtime.ops.math.exponential import exp
from tfcheck_runtime.ops.ragged import partition
from tfcheck_runtime.ops.ragged.broadcasting import broadcast, same_rows
from tfcheck_runtime.ops.ragged.joining import as_values
from tfcheck_runtime.ops.ragged.reducing import reduce_max, reduce_sum
from tfcheck_runtime.ops.ragged.tensor import RaggedTensor
from tfcheck_runtime.ops.random.dropout import dropout as dense_dropout
from tfcheck_runtime.specs import dtypes, nest
from tfcheck_runtime.specs.shapes import Shape, TensorShape
from tfcheck_runtime.values.convert import convert_to_tensor, fitted, is_typed
from tfcheck_runtime.values.tensor import Tensor

Values = Any  # a tensor, or a ragged tensor


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Values:
    """`tf.where` of which an argument is ragged.

    Raises:
        ValueError: only one of `x` and `y` is given.
    """
    if x is None and y is None:
        return _coordinates(condition)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    dtype = next((v.dtype for v in (x, y) if isinstance(v, RaggedTensor) or is_typed(v)), None)
    choices = [as_values(v, dtype) for v in (x, y)]
    if dtype is None:
        choices = [choices[0], fitted(y, choices[0].dtype)]
    truths = condition
    if not isinstance(condition, RaggedTensor):
        truths = convert_to_tensor(condition, dtypes.bool)
    flat, around = broadcast([truths, *choices])
    truth, yes, no = flat
    return around(dense_where(truth, yes, no))


def _coordinates(condition: RaggedTensor) -> Tensor:
    """The places of what is true, an int64 matrix with a column per axis."""
    found: Any = indices_where(condition.flat_values)
    columns: list[Any] = [found[:, 1:]]
    at: Any = found[:, 0]
    for splits in reversed(condition.nested_row_splits):
        places = partition.places_of(splits)
        columns.insert(0, expand_dims(cast(gather(places.positions, at), dtypes.int64), 1))
        at = gather(places.rows, at)
    return concat([expand_dims(cast(at, dtypes.int64), 1), *columns], 1)


def one_hot(
    indices: RaggedTensor,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: int | None = None,
    dtype: Any = None,
    name: str | None = None,
) -> RaggedTensor:
    """`tf.one_hot` of each value.

    Raises:
        ValueError: the new axis lies among the ragged ones.
    """
    if axis is not None and axis >= 0 and axis <= indices.ragged_rank:
        raise ValueError(
            f"axis ({axis}) must be greater than indices.ragged_rank ({indices.ragged_rank})."
        )
    place = axis if axis is None or axis < 0 else axis - indices.ragged_rank
    made = dense_one_hot(indices.flat_values, depth, on_value, off_value, place, dtype)
    return indices.with_flat_values(made)


def softmax(logits: RaggedTensor, axis: int | None = None, name: str | None = None) -> Values:
    """`tf.nn.softmax` along an axis, the last one by default."""
    place = -1 if axis is None else axis
    flat, around = broadcast([logits, reduce_max(logits, place, keepdims=True)])
    powers = around(exp(_minus(*flat)))
    flat, around = broadcast([powers, reduce_sum(powers, place, keepdims=True)])
    return around(_over(*flat))


def _minus(x: Any, y: Any) -> Any:
    return x - y


def _over(x: Any, y: Any) -> Any:
    return x / y


def dropout(
    x: RaggedTensor,
    rate: Any,
    noise_shape: Any = None,
    seed: Any = None,
    name: str | None = None,
) -> RaggedTensor:
    """`tf.nn.dropout` of each value.

    Raises:
        ValueError: a shape of the noise is given.
    """
    if noise_shape is not None:
        raise ValueError("noise_shape is not supported yet for RaggedTensor x")
    return x.with_flat_values(dense_dropout(x.flat_values, rate, seed=seed, name=name))


def map_flat_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """`op` with the innermost values of ragged tensors in their place among its arguments.

    https://www.tensorflow.org/api_docs/python/tf/ragged/map_flat_values

    Raises:
        InvalidArgumentError: the ragged tensors differ in their rows.
        ValueError: `op` does not keep the number of values.
    """
    found: list[RaggedTensor] = []

    def flat(value: Any) -> Any:
        if isinstance(value, RaggedTensor):
            found.append(value)
            return value.flat_values
        return value

    inner_args = nest.map_structure(flat, args)
    inner_kwargs = nest.map_structure(flat, kwargs)
    if not found:
        return op(*args, **kwargs)
    first = found[0]
    for other in found[1:]:
        _check_rows(first, other)
    made = op(*inner_args, **inner_kwargs)
    size, count = made.static_shape, first.flat_values.static_shape
    if size is not None and count and (not size or None not in (size[0], count[0])):
        _check_size(size, count)
    return first.with_flat_values(made)


def _check_rows(first: RaggedTensor, other: RaggedTensor) -> None:
    if same_rows(first, other):
        return
    mine, theirs = first.nested_row_splits, other.nested_row_splits
    if len(mine) != len(theirs):
        raise ValueError("All ragged inputs must have the same ragged_rank.")
    for a, b in zip(mine, theirs, strict=True):
        assert_equal(a, b, message="Inputs must have identical ragged splits")


def _check_size(made: Shape, flat: Shape) -> None:
    if made and flat and made[0] == flat[0]:
        return
    raise ValueError(
        "tf.ragged.map_flat_values requires that the output of `op` have the same outer-dimension"
        f" size as flat_values of any ragged inputs. (output shape: {TensorShape(made)}; expected"
        f" outer dimension: {flat[0] if flat else None})"
    )
