"""Reading and writing bands of diagonals in NumPy.

A band is `(k,)` or `(lowest, highest)`; diagonals are packed from the highest down, shorter ones
aligned left or right: `RIGHT_LEFT` puts superdiagonals right and subdiagonals left.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np

from tfcheck_runtime.op import Array

Band: TypeAlias = tuple[int, ...]


def band_of(k: Array) -> Band:
    """The band that an input names."""
    return tuple(int(d) for d in k.reshape(-1))


def is_single(band: Band) -> bool:
    """Whether the band is one diagonal."""
    return band[0] == band[-1]


def is_main(band: Band | None) -> bool:
    """Whether the band is just the diagonal in the middle."""
    return band is not None and band[0] == band[-1] == 0


def longest(rows: int | None, columns: int | None, band: Band) -> int | None:
    """The length of the longest diagonal of a band.

    Raises:
        ValueError: the band lies outside the matrix.
    """
    if rows is None or columns is None:
        return None
    for k in band:
        if not -rows < k < columns and (rows, columns) != (0, 0) and k != 0:
            raise ValueError(f"k = {k} is out of range for matrices of {rows} x {columns}")
    return min(rows + min(band[-1], 0), columns - max(band[0], 0))


def matrix_size(
    length: int | None, band: Band, asked: tuple[int | None, int | None]
) -> tuple[int | None, int | None]:
    """Rows and columns of the smallest matrix with such diagonals, or those asked for (not -1).

    Raises:
        ValueError: those asked for are too small.
    """
    least_rows = None if length is None else length - min(band[-1], 0)
    least_columns = None if length is None else length + max(band[0], 0)
    if asked == (-1, -1):
        if least_rows is None or least_columns is None:
            return None, None
        size = max(least_rows, least_columns)
        return size, size
    rows, columns = (
        least if given == -1 else given
        for given, least in zip(asked, (least_rows, least_columns), strict=True)
    )
    for given, least, what in ((rows, least_rows, "rows"), (columns, least_columns, "columns")):
        if given is not None and least is not None and given < least:
            raise ValueError(f"the number of {what} is too small: need {least}, got {given}")
    return rows, columns


def _places(
    shape: tuple[int, ...], band: Band, align: str, width: int
) -> Iterator[tuple[int, slice, Array, Array]]:
    """For each diagonal: its number in the pack, where it stands there, its rows and columns."""
    rows, columns = shape[-2:]
    upper, _, lower = align.partition("_")
    for i, k in enumerate(range(band[-1], band[0] - 1, -1)):
        count = max(min(rows + min(k, 0), columns - max(k, 0)), 0)
        side = upper if k >= 0 else lower
        start = width - count if side == "RIGHT" else 0
        steps = np.arange(count)
        yield i, slice(start, start + count), steps - min(k, 0), steps + max(k, 0)


def write(matrix: Array, diagonals: Array, band: Band, align: str) -> None:
    """Put packed diagonals into matrices, in place."""
    for i, place, rows, columns in _places(matrix.shape, band, align, diagonals.shape[-1]):
        matrix[..., rows, columns] = diagonals[..., i, place]


def read(matrix: Array, band: Band, align: str, *, length: int, padding: Array) -> Array:
    """The packed diagonals of matrices."""
    count = band[-1] - band[0] + 1
    out = np.full((*matrix.shape[:-2], count, length), padding, matrix.dtype)
    for i, place, rows, columns in _places(matrix.shape, band, align, length):
        out[..., i, place] = matrix[..., rows, columns]
    return out
