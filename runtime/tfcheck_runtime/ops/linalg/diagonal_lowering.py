"""Diagonals as ONNX nodes: masks that compare the numbers of rows and columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcheck_runtime.op import Emitter, Term
from tfcheck_runtime.ops.array import known


def _numbers(onnx: Emitter, sizes: object, axis: int) -> Any:  # an ONNX value
    """0, 1, 2… as long as an axis."""
    size = onnx.op("Gather", sizes, np.int64(axis), axis=0)
    return onnx.op("Range", np.int64(0), size, np.int64(1))


def _offsets(onnx: Emitter, sizes: object) -> Any:  # an ONNX value
    """For each place of a matrix, column minus row."""
    rows = onnx.op("Unsqueeze", _numbers(onnx, sizes, -2), known.int64([1]))
    return onnx.op("Sub", _numbers(onnx, sizes, -1), rows)


def _zero(onnx: Emitter, term: Term) -> object:
    return onnx.constant(np.zeros((), term.dtype.numpy))


def square_matrix(onnx: Emitter, diagonal: Term, padding: Term) -> object:
    """The diagonals as columns, kept where row and column meet."""
    numbers = _numbers(onnx, known.onnx_shape(onnx, diagonal), -1)
    rows = onnx.op("Unsqueeze", numbers, known.int64([1]))
    column = onnx.op("Unsqueeze", diagonal, known.int64([-1]))
    return onnx.op("Where", onnx.op("Equal", rows, numbers), column, padding)


def diagonal(onnx: Emitter, x: Term, k: int) -> object:
    """Each row summed over the one place that lies on the diagonal, then the rows that have one."""
    sizes = known.onnx_shape(onnx, x)
    on = onnx.op("Equal", _offsets(onnx, sizes), np.int64(k))
    kept = onnx.op("Where", on, x, _zero(onnx, x))
    last_axis = known.int64([len(x.shape or ()) - 1])
    lines = onnx.op("ReduceSum", kept, last_axis, keepdims=0)
    columns = onnx.op("Gather", sizes, known.int64([-1]), axis=0)
    first = known.int64([max(-k, 0)])
    last = onnx.op("Sub", columns, known.int64([k]))
    return onnx.op("Slice", lines, first, last, known.int64([-1]))


def replaced_diagonal(onnx: Emitter, x: Term, diagonal: Term) -> object:
    """The diagonal spread along rows or columns, whichever are fewer, where they meet."""
    rows, columns = (x.shape or (0, 0))[-2:]
    on = onnx.op("Equal", _offsets(onnx, known.onnx_shape(onnx, x)), np.int64(0))
    along = -1 if (rows or 0) <= (columns or 0) else -2
    return onnx.op("Where", on, onnx.op("Unsqueeze", diagonal, known.int64([along])), x)


def band(onnx: Emitter, x: Term, lower: Term, upper: Term) -> object:
    """Zeros where the column is too far left or right of the row."""
    offsets = _offsets(onnx, known.onnx_shape(onnx, x))
    sides = []
    for width, distance in ((lower, onnx.op("Neg", offsets)), (upper, offsets)):
        limit = known.onnx_integers(onnx, width, rank=0)
        near = onnx.op("LessOrEqual", distance, limit)
        sides.append(onnx.op("Or", onnx.op("Less", limit, np.int64(0)), near))
    return onnx.op("Where", onnx.op("And", *sides), x, _zero(onnx, x))
