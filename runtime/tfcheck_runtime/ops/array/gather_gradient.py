"""The gradient of a gather: rows added up where they were picked."""

from __future__ import annotations

from tfcheck_runtime.op import Call
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.joining import concat
from tfcheck_runtime.ops.array.permuting import inverse, transpose
from tfcheck_runtime.ops.array.ranges import range_
from tfcheck_runtime.ops.array.shaping import reshape, shape as shape_of, size
from tfcheck_runtime.ops.array.squeezing import expand_dims
from tfcheck_runtime.values import operators
from tfcheck_runtime.values.convert import constant
from tfcheck_runtime.values.indexed_slices import IndexedSlices
from tfcheck_runtime.values.tensor import Tensor


def gather_gradient(call: Call[Tensor], grad: Tensor) -> Tensor | IndexedSlices:
    """The gradient of `GatherV2` for its first input: slices where rows were picked.

    Raises:
        ValueError: ranks or axis are not known while tracing.
    """
    params, indices, axis = call.inputs
    batch = int(call.attrs["batch_dims"])
    places = known.static_ints(axis)
    if params.ndim is None or indices.ndim is None or places is None:
        raise ValueError(
            "the gradient of gather needs ranks and axis while tracing,"
            f" got {params!r}, {indices!r}, axis {axis!r}"
        )
    place = places[0] % params.ndim
    if place == 0 and batch == 0:
        return row_slices(params, indices, grad)
    front = [*range(batch), place, *range(batch, place), *range(place + 1, params.ndim)]
    moved = _picked(shape_of(params), front)
    picked = indices.ndim - batch
    first = list(range(place, place + picked))
    rest = [i for i in range(batch, params.ndim - 1 + picked) if i not in first]
    rows = transpose(grad, [*range(batch), *first, *rest]) if batch < place else grad
    count = size(indices)
    lines = reshape(rows, concat([[count], moved[batch + 1 :]], 0))
    groups = operators.implementation("prod")(moved[: batch + 1])
    flat = concat([[groups], moved[batch + 1 :]], 0)
    targets = expand_dims(_flat_indices(indices, moved, batch), 1)
    total = reshape(operators.implementation("scatter_nd")(targets, lines, flat), moved)
    return transpose(total, inverse(constant(front))) if batch < place else total


def row_slices(params: Tensor, indices: Tensor, grad: Tensor) -> IndexedSlices:
    """The gradient `grad` of the rows of `params` at `indices`, as slices of `params`."""
    whole = shape_of(params)
    rows = reshape(grad, concat([[size(indices)], whole[1:]], 0))
    return IndexedSlices(rows, reshape(indices, [-1]), whole)


def _picked(sizes: Tensor, order: list[int]) -> Tensor:
    if order == sorted(order):
        return sizes
    static = known.static_ints(sizes)
    if static is not None:
        return constant([static[i] for i in order])
    return concat([[sizes[i]] for i in order], 0)


def _flat_indices(indices: Tensor, moved: Tensor, batch: int) -> Tensor:
    """The indices into the batch and gathered axes taken as one."""
    if batch == 0:
        return reshape(indices, [-1])
    groups = operators.implementation("prod")(moved[:batch])
    per_group = shape_of(indices)[batch:]
    table = reshape(indices, [groups, operators.implementation("prod")(per_group)])
    offsets = cast(expand_dims(range_(groups) * moved[batch], 1), table.dtype)
    return reshape(table + offsets, [-1])
