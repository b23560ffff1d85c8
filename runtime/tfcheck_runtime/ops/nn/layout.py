"""ONNX's layouts: channels first for tensors, output channels first for filters."""

from __future__ import annotations

from tfcheck_runtime.op import Emitter
from tfcheck_runtime.ops.nn.windows import CHANNELS_FIRST


def to_channels_first(onnx: Emitter, value: object, rank: int, data_format: str) -> object:
    """A tensor with `rank` spatial axes as ONNX wants it."""
    if data_format in CHANNELS_FIRST:
        return value
    return onnx.op("Transpose", value, perm=[0, rank + 1, *range(1, rank + 1)])


def from_channels_first(onnx: Emitter, value: object, rank: int, data_format: str) -> object:
    """ONNX's result in the order of `data_format`."""
    if data_format in CHANNELS_FIRST:
        return value
    return onnx.op("Transpose", value, perm=[0, *range(2, rank + 2), 1])


def to_channels_last(onnx: Emitter, value: object, rank: int, data_format: str) -> object:
    """A tensor with `rank` spatial axes with its channels at the end."""
    if data_format in CHANNELS_FIRST:
        return from_channels_first(onnx, value, rank, "NHWC")
    return value


def to_onnx_filter(onnx: Emitter, value: object, rank: int) -> object:
    """A filter of shape (*kernel, in, out) as (out, in, *kernel)."""
    return onnx.op("Transpose", value, perm=[rank + 1, rank, *range(rank)])


def swap_batch_and_channels(onnx: Emitter, value: object, rank: int, data_format: str) -> object:
    """A tensor as (channels, batch, *spatial)."""
    if data_format in CHANNELS_FIRST:
        return onnx.op("Transpose", value, perm=[1, 0, *range(2, rank + 2)])
    return onnx.op("Transpose", value, perm=[rank + 1, 0, *range(1, rank + 1)])
