"""The gradient of a convolution by its filters, as matrix products that onnxruntime does fast."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Final

from tfcheck_runtime.op import Emitter
from tfcheck_runtime.ops.array import known
from tfcheck_runtime.ops.nn.windows import Sizes, Window, onnx_pads

_MOST_PRODUCTS: Final = 32
"""Each is four nodes; beyond, the many are no better than one convolution."""

_MOST_SHIFTS: Final = 16
"""Each is one more copy of the input in memory."""


def worth_products(window: Window, places: Sizes) -> bool:
    """Whether `filter_products` suits the window, which has so many places."""
    *outer, last = window.kernel
    products = 1
    for size in outer:
        products *= size
    return products <= _MOST_PRODUCTS and last <= _MOST_SHIFTS and 0 not in places


def filter_products(
    onnx: Emitter, x: object, dy: object, window: Window, *, sizes: Sizes, filters: Sequence[int]
) -> object:
    """The gradient by filters of shape (*kernel, in, out).

    As a convolution over the batch it has only as many places as the filter has cells, which
    onnxruntime multiplies slowly. Here the copies of the input that the cells of the last axis see
    lie side by side, and each row of cells is one product with the output's gradient.

    Args:
        onnx: Where nodes are added.
        x: The input, channels first.
        dy: The output's gradient, channels last.
        window: The filter's window.
        sizes: The spatial sizes of `x`.
        filters: The filters' shape.
    """
    places = window.places(sizes)
    *_, inputs, outputs = filters
    count = 1
    for size in places:
        count *= size
    shifted = _shifted(onnx, _padded(onnx, x, window, sizes), window, places)
    columns = onnx.op("Reshape", dy, known.int64([-1, count, outputs]))
    rows = []
    for offset in itertools.product(*(range(k) for k in window.kernel[:-1])):
        cells = window.cells((*offset, 0), places)[:-1]
        seen = _cut(onnx, shifted, cells, range(2, window.rank + 1)) if cells else shifted
        matrix = onnx.op("Reshape", seen, known.int64([-1, window.kernel[-1] * inputs, count]))
        product = onnx.op("MatMul", matrix, columns)
        rows.append(onnx.op("ReduceSum", product, known.int64([0]), keepdims=0))
    joined = onnx.op("Concat", *rows, axis=0) if len(rows) > 1 else rows[0]
    return onnx.op("Reshape", joined, known.int64(filters))


def _padded(onnx: Emitter, x: object, window: Window, sizes: Sizes) -> object:
    pads = window.pads(sizes)
    if not any(before or after for before, after in pads):
        return x
    return onnx.op("Pad", x, known.int64(onnx_pads(((0, 0), (0, 0), *pads))))


def _shifted(onnx: Emitter, x: object, window: Window, places: Sizes) -> object:
    """What each cell of the last axis sees along that axis, side by side as channels."""
    axis, zeros = window.rank + 1, (0,) * (window.rank - 1)
    copies = [
        _cut(onnx, x, window.cells((*zeros, cell), places)[-1:], [axis])
        for cell in range(window.kernel[-1])
    ]
    return onnx.op("Concat", *copies, axis=1) if len(copies) > 1 else copies[0]


def _cut(onnx: Emitter, x: object, cells: Sequence[slice], axes: Sequence[int]) -> object:
    bounds = [[cell.start for cell in cells], [cell.stop for cell in cells], list(axes)]
    steps = [cell.step for cell in cells]
    return onnx.op("Slice", x, *(known.int64(bound) for bound in bounds), known.int64(steps))
