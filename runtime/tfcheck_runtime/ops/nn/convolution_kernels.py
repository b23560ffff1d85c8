"""NumPy kernels of convolutions, made of matrix products.

All take tensors with channels last. A filter has the shape (*kernel, in, out); with fewer input
channels than the tensor, the convolution is grouped.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tfcheck_runtime.op import Array
from tfcheck_runtime.ops.nn.windows import Sizes, Window, padded, unpadded


def convolve(x: Array, filters: Array, window: Window) -> Array:
    """The convolution (in truth a correlation) of `x` with `filters`."""
    sizes = x.shape[1:-1]
    places = window.places(sizes)
    source = padded(x, window.pads(sizes))
    groups = x.shape[-1] // filters.shape[-2]
    parts = [
        _product(part, columns, window, places)
        for part, columns in zip(
            np.split(source, groups, -1), np.split(filters, groups, -1), strict=True
        )
    ]
    return np.concatenate(parts, axis=-1) if groups > 1 else parts[0]


def input_gradient(shape: Sizes, filters: Array, dy: Array, window: Window) -> Array:
    """The gradient of `convolve` by its input of shape `shape`."""
    sizes, places = shape[1:-1], dy.shape[1:-1]
    pads = window.pads(sizes)
    groups = shape[-1] // filters.shape[-2]
    full = [s + before + after for s, (before, after) in zip(sizes, pads, strict=True)]
    total = np.zeros((dy.shape[0], *full, shape[-1]), dy.dtype)
    pairs = zip(np.split(dy, groups, -1), np.split(filters, groups, -1), strict=True)
    for target, (part, columns) in zip(np.split(total, groups, -1), pairs, strict=True):
        flat = part.reshape(-1, part.shape[-1])
        for offset in window.offsets():
            cells = (slice(None), *window.cells(offset, places))
            target[cells] += (flat @ columns[offset].T).reshape(*part.shape[:-1], -1)
    return unpadded(total, pads)


def filter_gradient(x: Array, in_channels: int, dy: Array, window: Window) -> Array:
    """The gradient of `convolve` by filters of `in_channels` inputs."""
    sizes, places = x.shape[1:-1], dy.shape[1:-1]
    source = padded(x, window.pads(sizes))
    groups = x.shape[-1] // in_channels
    pairs = zip(np.split(source, groups, -1), np.split(dy, groups, -1), strict=True)
    parts = [_outer(part, given, window, places) for part, given in pairs]
    return np.concatenate(parts, axis=-1)


_COLUMNS_LIMIT: Final = 1 << 25
"""Up to this many elements the cells of all windows are laid out for one matrix product."""


def _product(source: Array, filters: Array, window: Window, places: Sizes) -> Array:
    shape = (source.shape[0], *places, filters.shape[-1])
    columns = _columns(source, window, places)
    if columns is not None:
        return (columns @ filters.reshape(columns.shape[-1], -1)).reshape(shape)
    total = np.zeros((int(np.prod(shape[:-1])), shape[-1]), source.dtype)
    for offset in window.offsets():
        cells = source[(slice(None), *window.cells(offset, places))]
        total += cells.reshape(-1, cells.shape[-1]) @ filters[offset]
    return total.reshape(shape)


def _outer(source: Array, dy: Array, window: Window, places: Sizes) -> Array:
    flat = dy.reshape(-1, dy.shape[-1])
    shape = (*window.kernel, source.shape[-1], dy.shape[-1])
    columns = _columns(source, window, places)
    if columns is not None:
        return (columns.T @ flat).reshape(shape)
    result = np.zeros(shape, source.dtype)
    for offset in window.offsets():
        cells = source[(slice(None), *window.cells(offset, places))]
        result[offset] = cells.reshape(-1, cells.shape[-1]).T @ flat
    return result


def _columns(source: Array, window: Window, places: Sizes) -> Array | None:
    """A row of cells for each place of the window, or None if that is too much."""
    count, channels = int(np.prod(window.kernel)), source.shape[-1]
    shape = (source.shape[0], *places, count, channels)
    if np.prod(shape) > _COLUMNS_LIMIT:
        return None
    columns = np.empty(shape, source.dtype)
    for i, offset in enumerate(window.offsets()):
        columns[..., i, :] = source[(slice(None), *window.cells(offset, places))]
    return columns.reshape(-1, count * channels)


def depthwise(x: Array, filters: Array, window: Window) -> Array:
    """Each channel convolved with its own filters, of shape (*kernel, in, multiplier)."""
    sizes = x.shape[1:-1]
    places = window.places(sizes)
    source = padded(x, window.pads(sizes))
    total = np.zeros((x.shape[0], *places, *filters.shape[-2:]), x.dtype)
    for offset in window.offsets():
        cells = source[(slice(None), *window.cells(offset, places))]
        total += cells[..., None] * filters[offset]
    return total.reshape(*total.shape[:-2], filters.shape[-2] * filters.shape[-1])


def depthwise_input_gradient(shape: Sizes, filters: Array, dy: Array, window: Window) -> Array:
    """The gradient of `depthwise` by its input of shape `shape`."""
    sizes, places = shape[1:-1], dy.shape[1:-1]
    pads = window.pads(sizes)
    full = [s + before + after for s, (before, after) in zip(sizes, pads, strict=True)]
    total = np.zeros((dy.shape[0], *full, filters.shape[-2]), dy.dtype)
    split = dy.reshape(*dy.shape[:-1], *filters.shape[-2:])
    for offset in window.offsets():
        cells = (slice(None), *window.cells(offset, places))
        total[cells] += (split * filters[offset]).sum(-1)
    return unpadded(total, pads)


def depthwise_filter_gradient(x: Array, multiplier: int, dy: Array, window: Window) -> Array:
    """The gradient of `depthwise` by its filters."""
    sizes, places = x.shape[1:-1], dy.shape[1:-1]
    source = padded(x, window.pads(sizes))
    channels = x.shape[-1]
    split = dy.reshape(-1, channels, multiplier)
    result = np.zeros((*window.kernel, channels, multiplier), x.dtype)
    for offset in window.offsets():
        cells = source[(slice(None), *window.cells(offset, places))].reshape(-1, channels)
        result[offset] = np.einsum("pc,pcm->cm", cells, split)
    return result
