"""The gradient of max pooling over windows that lie side by side, without a scatter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from tfcheck_runtime.op import Emitter, Term
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.nn.windows import CHANNELS_FIRST, Sizes, Window, known_sizes

_MOST_CELLS: Final = 16
"""Each is three nodes and one more pass over the result."""


def splits_into_cells(window: Window, x: Term, data_format: str) -> bool:
    """Whether `spread_to_winners` can lower the gradient: no cell is in two windows or padding."""
    sizes = known_sizes(x.shape, data_format)
    if data_format in CHANNELS_FIRST or x.shape is None or x.shape[-1] is None or sizes is None:
        return False
    places = window.places(sizes)
    return (
        window.strides == window.kernel
        and window.dilations == (1,) * window.rank
        and not any(before or after for before, after in window.pads(sizes))
        and 0 not in (*places, x.shape[-1])
        and 1 < len(list(window.offsets())) <= _MOST_CELLS
    )


def spread_to_winners(onnx: Emitter, x: Term, y: object, dy: object, window: Window) -> object:
    """The gradient: each cell that equals the largest takes it, unless one before it has.

    The last cell of a window takes what is left.

    Args:
        onnx: Where nodes are added.
        x: What was pooled, channels last.
        y: The pooled.
        dy: The gradient of `y`.
        window: One that `splits_into_cells`.
    """
    sizes = known_sizes(x.shape, "NHWC") or ()
    channels, places = int((x.shape or ())[-1] or 0), window.places(sizes)
    covered = tuple(n * k for n, k in zip(places, window.kernel, strict=True))
    axes = list(range(1, window.rank + 1))
    source: object = x
    if covered != sizes:
        zeros = known.int64([0] * window.rank)
        source = onnx.op("Slice", x, zeros, known.int64(covered), known.int64(axes))
    alone = _interleaved(places, (1,) * window.rank, channels)
    cells = _split(onnx, source, window.kernel, places=places, channels=channels)
    largest = onnx.op("Reshape", y, known.int64(alone))
    taken = _taken(onnx, cells, largest, onnx.op("Reshape", dy, known.int64(alone)), x)
    joined = _joined(onnx, taken, window.kernel)
    result = onnx.op("Reshape", joined, known.int64([-1, *covered, channels]))
    if covered == sizes:
        return result
    rest = [size - reached for size, reached in zip(sizes, covered, strict=True)]
    return onnx.op("Pad", result, known.int64([0] * (window.rank + 3) + [*rest, 0]))


def _taken(
    onnx: Emitter, cells: Sequence[object], largest: object, dy: object, x: Term
) -> list[object]:
    """What of `dy` goes to each cell."""
    nothing, rest, taken = onnx.constant(np.zeros((), x.dtype.numpy)), dy, []
    for cell in cells[:-1]:
        wins = onnx.op("Equal", cell, largest)
        taken.append(onnx.op("Where", wins, rest, nothing))
        rest = onnx.op("Where", wins, nothing, rest)
    return [*taken, rest]


def _interleaved(places: Sizes, kernel: Sizes, channels: int) -> list[int]:
    """A shape with an axis for the cells of each window after that for its places.

    The cells of the last axis lie with the channels, so that what belongs together is contiguous.
    """
    pairs = [size for pair in zip(places, kernel, strict=True) for size in pair]
    return [-1, *pairs[:-1], kernel[-1] * channels]


def _split(
    onnx: Emitter, x: object, kernel: Sizes, *, places: Sizes, channels: int
) -> list[object]:
    """The cells of all windows, one tensor for each cell of a window."""
    parts = [onnx.op("Reshape", x, known.int64(_interleaved(places, kernel, channels)))]
    for i, cells in enumerate(kernel):
        size = channels if i == len(kernel) - 1 else 1
        if cells > 1:
            lengths = known.int64([size] * cells)
            parts = [
                piece
                for part in parts
                for piece in onnx.op_n("Split", cells, part, lengths, axis=2 * i + 2)
            ]
    return parts


def _joined(onnx: Emitter, cells: Sequence[object], kernel: Sizes) -> object:
    """The reverse of `_split`, but for the shape."""
    parts = list(cells)
    for i, size in reversed(list(enumerate(kernel))):
        if size > 1:
            parts = [
                onnx.op("Concat", *parts[n : n + size], axis=2 * i + 2)
                for n in range(0, len(parts), size)
            ]
    return parts[0]
