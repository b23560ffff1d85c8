"""A block of a tensor replaced by another, as XLA does it."""

from __future__ import annotations

from tfcheck_runtime.ops.array.casting import cast
from tfcheck_runtime.ops.array.packing import stack, unstack
from tfcheck_runtime.ops.array.ranges import range_
from tfcheck_runtime.ops.array.scattering import tensor_scatter_nd_update
from tfcheck_runtime.ops.array.shaping import shape
from tfcheck_runtime.ops.array.spacing import meshgrid
from tfcheck_runtime.ops.math.arithmetic import add, maximum, minimum, subtract
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor


def dynamic_update_slice(operand: object, update: object, start_indices: object) -> Tensor:
    """`operand` with `update` written at `start_indices`, moved so that it fits inside.

    See https://www.tensorflow.org/xla/operation_semantics#dynamicupdateslice.
    """
    whole, block = convert_to_tensor(operand), convert_to_tensor(update)
    if not whole.static_shape:
        return block
    sizes = shape(block)
    starts = cast(convert_to_tensor(start_indices), sizes.dtype)
    starts = maximum(minimum(starts, subtract(shape(whole), sizes)), 0)
    lines = [
        add(start, range_(size))
        for start, size in zip(unstack(starts), unstack(sizes), strict=True)
    ]
    places = stack(meshgrid(*lines, indexing="ij"), axis=-1)
    return tensor_scatter_nd_update(whole, places, block)
