"""Blocks of space moved into the depth or batch axis, and back."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfcheck_runtime.ops.array.agreement import refuse_value
from tfcheck_runtime.ops.array.padding import pad
from tfcheck_runtime.ops.array.part import slice_
from tfcheck_runtime.ops.array.permuting import transpose
from tfcheck_runtime.ops.array.shaping import reshape, shape as shape_of
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor


def space_to_depth(
    input: object, block_size: int, data_format: str = "NHWC", name: str | None = None
) -> Tensor:
    """Blocks of `block_size`² pixels as one pixel with all their channels.

    https://www.tensorflow.org/api_docs/python/tf/nn/space_to_depth

    Raises:
        ValueError: the rank is not 4 or the format unknown.
        InvalidArgumentError: the size is no multiple of the block (ValueError in a graph).
    """
    del name
    image, block = _channels_last(input, data_format), int(block_size)
    batch, height, width, depth = _sizes(image)
    for size in (height, width):
        if isinstance(size, int) and size % block:
            refuse_value(f"space_to_depth: image size {size} is no multiple of {block}")
    rows, columns = height // block, width // block
    cells = reshape(image, [batch, rows, block, columns, block, depth])
    merged = reshape(
        transpose(cells, [0, 1, 3, 2, 4, 5]), [batch, rows, columns, block * block * depth]
    )
    return _as_given(merged, data_format)


def depth_to_space(
    input: object, block_size: int, data_format: str = "NHWC", name: str | None = None
) -> Tensor:
    """The channels of each pixel as a block of `block_size`² pixels.

    https://www.tensorflow.org/api_docs/python/tf/nn/depth_to_space

    Raises:
        ValueError: the rank is not 4 or the format unknown.
        InvalidArgumentError: the channels do not fill blocks (ValueError in a graph).
    """
    del name
    image, block = _channels_last(input, data_format), int(block_size)
    batch, height, width, depth = _sizes(image)
    if isinstance(depth, int) and depth % (block * block):
        refuse_value(f"depth_to_space: depth {depth} is no multiple of {block * block}")
    left = depth // (block * block)
    cells = reshape(image, [batch, height, width, block, block, left])
    spread = reshape(
        transpose(cells, [0, 1, 3, 2, 4, 5]), [batch, height * block, width * block, left]
    )
    return _as_given(spread, data_format)


def _channels_last(input: object, data_format: str) -> Tensor:
    image = convert_to_tensor(input)
    if data_format not in ("NHWC", "NCHW"):
        raise ValueError(f"data_format must be NHWC or NCHW, got {data_format!r}")
    if image.ndim != 4:
        raise ValueError(f"expected an image batch of rank 4, got shape {image.shape}")
    return image if data_format == "NHWC" else transpose(image, [0, 2, 3, 1])


def _as_given(image: Tensor, data_format: str) -> Tensor:
    return image if data_format == "NHWC" else transpose(image, [0, 3, 1, 2])


def _sizes(tensor: Tensor) -> list[Any]:  # ints, or tensors where they are not known
    dynamic = shape_of(tensor)
    return [dynamic[i] if d is None else d for i, d in enumerate(tensor.shape)]


def space_to_batch(
    input: object, block_shape: object, paddings: object, name: str | None = None
) -> Tensor:
    """The pixels of padded blocks spread over the batch axis.

    https://www.tensorflow.org/api_docs/python/tf/space_to_batch

    Args:
        input: batch, then as many space axes as `block_shape` has numbers, then the rest.
        block_shape: static block sizes.
        paddings: static (before, after) per space axis.
        name: of the node.

    Raises:
        InvalidArgumentError: a padded size is no multiple of its block (ValueError in a graph).
    """
    del name
    blocks = [int(b) for b in np.atleast_1d(np.asarray(block_shape))]
    borders = np.asarray(paddings).reshape(-1, 2).tolist()
    tensor = convert_to_tensor(input)
    rest = len(tensor.shape) - 1 - len(blocks)
    padded = pad(tensor, [[0, 0], *borders, *([[0, 0]] * rest)])
    sizes = _sizes(padded)
    for size, block in zip(sizes[1:], blocks, strict=False):
        if isinstance(size, int) and size % block:
            refuse_value(f"padded size {size} is no multiple of block size {block}")
    cells: list[Any] = [sizes[0]]
    for size, block in zip(sizes[1:], blocks, strict=False):
        cells += [size // block, block]
    inner = sizes[1 + len(blocks) :]
    count = len(blocks)
    order = [2 + 2 * i for i in range(count)] + [0] + [1 + 2 * i for i in range(count)]
    order += [1 + 2 * count + i for i in range(rest)]
    moved = transpose(reshape(padded, [*cells, *inner]), order)
    outer = [size // block for size, block in zip(sizes[1:], blocks, strict=False)]
    return reshape(moved, [sizes[0] * math.prod(blocks), *outer, *inner])


def batch_to_space(
    input: object, block_shape: object, crops: object, name: str | None = None
) -> Tensor:
    """The inverse of `space_to_batch`: entries of the batch axis back into blocks, then cropped.

    https://www.tensorflow.org/api_docs/python/tf/batch_to_space

    Args:
        input: a batch that is a multiple of the block, then space axes, then the rest.
        block_shape: static block sizes.
        crops: static (before, after) per space axis.
        name: of the node.

    Raises:
        InvalidArgumentError: the batch is no multiple of the block (ValueError in a graph).
    """
    del name
    blocks = [int(b) for b in np.atleast_1d(np.asarray(block_shape))]
    tensor = convert_to_tensor(input)
    sizes, count, whole = _sizes(tensor), len(blocks), math.prod(blocks)
    if isinstance(sizes[0], int) and sizes[0] % whole:
        refuse_value(f"batch size {sizes[0]} is no multiple of the block's size {whole}")
    batch, space, inner = sizes[0] // whole, sizes[1 : 1 + count], sizes[1 + count :]
    order = [count]
    for i in range(count):
        order += [count + 1 + i, i]
    order += [1 + 2 * count + i for i in range(len(inner))]
    cells = transpose(reshape(tensor, [*blocks, batch, *space, *inner]), order)
    full = [size * block for size, block in zip(space, blocks, strict=True)]
    spread = reshape(cells, [batch, *full, *inner])
    return _cropped(spread, np.asarray(crops).reshape(-1, 2).tolist(), [batch, *full, *inner])


def _cropped(tensor: Tensor, crops: Sequence[Sequence[int]], sizes: Sequence[Any]) -> Tensor:
    if not any(any(pair) for pair in crops):
        return tensor
    rest = len(sizes) - 1 - len(crops)
    begin = [0, *(before for before, _ in crops), *([0] * rest)]
    space = [s - b - a for s, (b, a) in zip(sizes[1:], crops, strict=False)]
    return slice_(tensor, begin, [sizes[0], *space, *sizes[1 + len(crops) :]])
