"""Ragged tensors from and to tensors, and their bounding shapes."""

from __future__ import annotations

from typing import Any

from tfcheck_runtime.ops.array.broadcasting import broadcast_to
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.extremes import reduce_max
from tfcheck_runtime.ops.array.filling import fill, zeros
from tfcheck_runtime.ops.array.gathering import gather
from tfcheck_runtime.ops.array.joining import concat
from tfcheck_runtime.ops.array.known import get_static_value
from tfcheck_runtime.ops.array.masking import boolean_mask, sequence_mask
from tfcheck_runtime.ops.array.packing import stack
from tfcheck_runtime.ops.array.quantifiers import reduce_all
from tfcheck_runtime.ops.array.ranges import range_
from tfcheck_runtime.ops.array.selection import where
from tfcheck_runtime.ops.array.shaping import reshape, shape as shape_of
from tfcheck_runtime.ops.array.squeezing import expand_dims
from tfcheck_runtime.ops.math.comparison import not_equal
from tfcheck_runtime.ops.ragged.tensor import RaggedTensor
from tfcheck_runtime.specs.dtypes import as_dtype
from tfcheck_runtime.specs.shapes import TensorShape
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.operators import implements
from tfcheck_runtime.values.tensor import Tensor


@implements("ragged.to_tensor")
def to_tensor(ragged: RaggedTensor, default_value: object, shape: object) -> Tensor:
    """A tensor with rows filled up to the longest, or filled up and cut to `shape`."""
    if default_value is None:
        default: Tensor = zeros((), ragged.dtype)
    else:
        default = convert_to_tensor(default_value, ragged.dtype)
    made: Any = _filled(ragged, default, _sizes(shape, ragged))
    static = TensorShape(ragged.static_shape)
    if shape is None:
        made.set_shape(static)
    filled: Tensor = made
    return filled


def _sizes(shape: Any, ragged: RaggedTensor) -> list[Any]:
    """The wanted size of each axis that is partitioned, None for what it takes."""
    count = ragged.ragged_rank + 1
    if shape is None:
        return [None] * count
    if isinstance(shape, Tensor):
        return [None if v is not None and v < 0 else part for v, part in _parts(shape)][:count]
    sizes = TensorShape(shape).as_list()
    return [None if s is None or s < 0 else s for s in sizes][:count]


def _parts(shape: Any) -> list[tuple[int | None, Any]]:
    content = get_static_value(shape)
    length = shape.shape[0]
    return [(None if content is None else int(content[i]), shape[i]) for i in range(length)]


def _filled(ragged: Any, default: Tensor, sizes: list[Any]) -> Tensor:
    inner = ragged.values
    values = _filled(inner, default, [None, *sizes[2:]]) if _is_ragged(inner) else inner
    dtype = ragged.row_splits.dtype
    lengths: Any = ragged.row_lengths()
    width: Any = ragged.static_row_length if sizes[1] is None else sizes[1]
    if width is None:
        width = reduce_max(concat([convert_to_tensor([0], dtype), lengths], 0))
    width = cast(convert_to_tensor(width, dtype_hint=dtype), dtype)
    inside = sequence_mask(lengths, width)
    # Places outside take the row behind the values.
    row_shape: Any = shape_of(values)[1:]
    extra = expand_dims(broadcast_to(default, row_shape), 0)
    behind: Any = shape_of(values, out_type=dtype)[0]
    places = expand_dims(ragged.row_starts(), 1) + range_(width, dtype=dtype)
    made: Any = gather(concat([values, extra], 0), where(inside, places, behind))
    return made if sizes[0] is None else _cut(made, default, sizes[0])


def _cut(made: Any, default: Tensor, count: Any) -> Tensor:
    have: Any = shape_of(made)
    rest = cast(convert_to_tensor(count), have.dtype) - have[0]
    missing = where(rest > 0, rest, 0)
    more = broadcast_to(default, concat([[missing], have[1:]], 0))
    filled: Any = concat([made, more], 0)
    cut: Tensor = filled[:count]
    return cut


def _is_ragged(value: object) -> bool:
    return isinstance(value, RaggedTensor)


@implements("ragged.bounding_shape")
def bounding_shape(ragged: RaggedTensor, axis: Any, out_type: Any) -> Tensor:
    """The shape of the smallest tensor that holds it, or some of its sizes."""
    dtype = as_dtype(out_type) if out_type else ragged.row_splits.dtype
    longest = [
        reduce_max(concat([convert_to_tensor([0], n.dtype), n], 0))
        for n in ragged.nested_row_lengths()
    ]
    inner: Any = shape_of(ragged.flat_values, out_type=dtype)
    sizes = [cast(s, dtype) for s in (ragged.nrows(), *longest)]
    whole = concat([stack(sizes), inner[1:]], 0)
    return whole if axis is None else gather(whole, axis)


@implements("ragged.from_tensor")
def from_tensor(
    tensor: object, lengths: object, padding: object, ragged_rank: int, row_splits_dtype: object
) -> RaggedTensor:
    """The rows of a tensor, cut to `lengths` or without trailing `padding`."""
    dtype = as_dtype(row_splits_dtype)
    whole: Any = convert_to_tensor(tensor)
    if lengths is not None and padding is not None:
        raise ValueError("Specify argument `lengths` or `padding`, but not both.")
    if ragged_rank <= 0:
        raise ValueError(f"Argument `ragged_rank` must be greater than 0. Received {ragged_rank}.")
    if whole.ndim is not None and ragged_rank >= whole.ndim:
        raise ValueError(
            f"Argument `tensor` must have rank greater than {ragged_rank}, got shape {whole.shape}"
        )
    if isinstance(lengths, list | tuple) and lengths and isinstance(lengths[0], list | Tensor):
        return _nested_lengths(whole, lengths)
    if ragged_rank > 1:
        return _merged(whole, lengths, padding, ragged_rank=ragged_rank, dtype=dtype)
    if padding is not None:
        lengths = _without_padding(whole, convert_to_tensor(padding, whole.dtype), dtype)
    if lengths is not None:
        counts = cast(convert_to_tensor(lengths, dtype_hint=dtype), dtype)
        width: Any = shape_of(whole, out_type=dtype)[1]
        counts = where(counts > width, width, counts)
        counts = where(counts < 0, 0, counts)
        kept = boolean_mask(whole, sequence_mask(counts, width))
        return RaggedTensor.from_row_lengths(kept, counts, validate=False)
    sizes: Any = shape_of(whole)
    flat = reshape(whole, concat([[sizes[0] * sizes[1]], sizes[2:]], 0))
    width = whole.shape[1] if whole.shape[1] is not None else sizes[1]
    count = cast(sizes[0], dtype)
    splits: Any = range_(count + 1) * cast(convert_to_tensor(width, dtype_hint=dtype), dtype)
    return RaggedTensor(flat, cast(splits, dtype), whole.shape[1])


def _merged(
    whole: Any, lengths: object, padding: object, *, ragged_rank: int, dtype: Any
) -> RaggedTensor:
    """Rows of rows: those of all but the innermost ragged axis are uniform."""
    sizes: Any = shape_of(whole)
    flat = reshape(whole, concat([[sizes[0] * sizes[1]], sizes[2:]], 0))
    inner = from_tensor(flat, lengths, padding, ragged_rank - 1, dtype)
    width = whole.shape[1] if whole.shape[1] is not None else sizes[1]
    return RaggedTensor.from_uniform_row_length(inner, width, nrows=sizes[0], validate=False)


def _nested_lengths(whole: Any, lengths: Any) -> RaggedTensor:
    first, *rest = lengths
    made = from_tensor(whole, first, None, 1, convert_to_tensor(first, dtype_hint=None).dtype)
    made = made.with_row_splits_dtype("int64")
    return made.with_values(_nested_lengths(made.values, rest)) if rest else made


def _without_padding(whole: Any, padding: Tensor, dtype: Any) -> Any:
    """How far each row goes before nothing but padding follows."""
    differs: Any = not_equal(whole, padding)
    inner = list(range(2, whole.ndim))
    if inner:
        differs = ~reduce_all(~differs, axis=inner)
    width: Any = shape_of(whole, out_type=dtype)[1]
    ends: Any = (range_(width, dtype=dtype) + 1) * cast(differs, dtype)
    start = fill([shape_of(whole)[0], 1], convert_to_tensor(0, dtype))
    return reduce_max(concat([start, ends], 1), axis=1)


@implements("ragged.merge_dims")
def merge_dims(ragged: RaggedTensor, outer_axis: int, inner_axis: int) -> Any:
    """Axes `outer_axis` to `inner_axis` made one."""
    rank = ragged.shape.rank
    outer, inner = (a + rank if a < 0 and rank is not None else a for a in (outer_axis, inner_axis))
    if outer > inner:
        raise ValueError(
            f"Expected outer_axis ({outer_axis}) to be less than or equal to inner_axis"
            f" ({inner_axis})"
        )
    return _merge(ragged, outer, inner)


def _merge(value: Any, outer: int, inner: int) -> Any:
    if outer == inner:
        return value
    if not isinstance(value, RaggedTensor):
        sizes: Any = shape_of(value)
        total: Any = 1
        for axis in range(outer, inner + 1):
            total = total * sizes[axis]
        return reshape(value, concat([sizes[:outer], [total], sizes[inner + 1 :]], 0))
    if outer == 0:
        return _merge(value.values, 0, inner - 1)
    if outer > 1:
        return value.with_values(_merge(value.values, outer - 1, inner - 1))
    return _merge_rows(value, inner)


def _merge_rows(value: RaggedTensor, inner: int) -> Any:
    """The first rows joined with the axes inside them."""
    below = value.values
    if isinstance(below, RaggedTensor):
        splits = gather(below.row_splits, value.row_splits)
        return _merge(RaggedTensor.from_row_splits(below.values, splits, validate=False), 1,
                      inner - 1)  # fmt: skip
    sizes: Any = shape_of(below, out_type=value.row_splits.dtype)
    flat = _merge(below, 0, inner - 1)
    per: Any = 1
    for axis in range(1, inner):
        per = per * sizes[axis]
    splits = value.row_splits * per
    return RaggedTensor.from_row_splits(flat, splits, validate=False)
