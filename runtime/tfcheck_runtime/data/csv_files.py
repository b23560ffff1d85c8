"""Datasets of comma-separated values.

Follows https://www.tensorflow.org/api_docs/python/tf/data/experimental/CsvDataset and
https://www.tensorflow.org/api_docs/python/tf/data/experimental/make_csv_dataset.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, Final

import numpy as np

from tfcheck_runtime.data import sources
from tfcheck_runtime.data.dataset import Dataset
from tfcheck_runtime.data.files import TextLineDataset, names_of
from tfcheck_runtime.data.parts import Parts
from tfcheck_runtime.ops.files.compression import checked_compression, reading
from tfcheck_runtime.ops.files.csv import Dialect, check_selection, cut, decode_csv
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.dtypes import DType
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.tensor import Tensor


class CsvDataset(Dataset):
    """Tuples of the columns of CSV files, one line each.

    Args:
        filenames: names of files, or a dataset of names.
        record_defaults: for each column a dtype, if none may be missing, or what stands for a
            missing one.
        compression_type: "", "GZIP" or "ZLIB".
        buffer_size: accepted, without effect.
        header: whether the first line of each file is left out.
        field_delim: what separates the fields.
        use_quote_delim: whether fields may be in double quotes.
        na_value: what else counts as missing.
        select_cols: the numbers of the columns to read, rising.
        exclude_cols: not supported.

    Raises:
        NotImplementedError: `exclude_cols` is given.
        ValueError: there are not as many selected columns as defaults.
    """

    def __init__(
        self, filenames: object, record_defaults: Sequence[object],
        compression_type: str | None = None, buffer_size: object = None, header: bool = False,
        field_delim: str = ",", use_quote_delim: bool = True, na_value: str = "",
        select_cols: Sequence[int] | None = None, exclude_cols: Sequence[int] | None = None,
    ) -> None:  # fmt: skip
        if exclude_cols is not None:
            raise NotImplementedError(
                f"CsvDataset(exclude_cols={exclude_cols}) is not in the embedded runtime; name the"
                " columns to read by select_cols"
            )
        if select_cols is not None:
            check_selection(select_cols, len(record_defaults))
        defaults = [_default(default) for default in record_defaults]

        def columns(line: Tensor) -> tuple[Tensor, ...]:
            return tuple(
                decode_csv(line, defaults, field_delim, use_quote_delim, na_value, select_cols)
            )

        lines = _lines(filenames, compression_type, header=header)
        parts = lines.map(columns)._parts
        super().__init__(parts.variant, parts.spec, "Csv")

    @classmethod
    def of(cls, parts: Parts) -> Dataset:  # type: ignore[override]  # transformations are no files
        """A dataset of other parts."""
        return Dataset.of(parts)


def _default(default: Any) -> Tensor:
    if isinstance(default, DType):
        empty: Any = np.zeros(0, default.numpy)
        return convert_to_tensor(empty, default)
    return convert_to_tensor(default)


def _lines(filenames: object, compression: str | None, *, header: bool) -> Dataset:
    if not header:
        return TextLineDataset(filenames, compression)
    names = names_of(filenames)
    return names.flat_map(lambda name: TextLineDataset(name, compression).skip(1))


_INFERRED: Final = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64, dtypes.string)
"""The types that columns may have, the narrowest first."""


def make_csv_dataset(
    file_pattern: object, batch_size: int, column_names: Sequence[str] | None = None,
    column_defaults: Sequence[object] | None = None, label_name: str | None = None,
    select_columns: Sequence[Any] | None = None, field_delim: str = ",",
    use_quote_delim: bool = True, na_value: str = "", header: bool = True,
    num_epochs: int | None = None, shuffle: bool = True, shuffle_buffer_size: int = 10000,
    shuffle_seed: int | None = None, prefetch_buffer_size: int | None = None,
    num_parallel_reads: int | None = None, sloppy: bool = False,
    num_rows_for_inference: int | None = 100, compression_type: str | None = None,
    ignore_errors: bool = False, encoding: str = "utf-8",
) -> Dataset:  # fmt: skip
    """Batches of the columns of CSV files by name, the label apart from the others.

    Args:
        file_pattern: a pattern of file names, or several.
        batch_size: number of lines in a batch.
        column_names: by default from the first line of the first file.
        column_defaults: for each column that is read a dtype, or what stands for a missing value;
            by default the narrowest type that fits the first lines.
        label_name: the column that is the second part of each element.
        select_columns: the names or numbers of the columns to read.
        field_delim: what separates the fields.
        use_quote_delim: whether fields may be in double quotes.
        na_value: what else counts as missing.
        header: whether the first line of each file holds names.
        num_epochs: how often to go through the files; without end for None.
        shuffle: whether lines are drawn at random from a buffer.
        shuffle_buffer_size: its size.
        shuffle_seed: of the draws.
        prefetch_buffer_size: accepted, without effect.
        num_parallel_reads: how many files to read in turn.
        sloppy: accepted, without effect.
        num_rows_for_inference: how many lines decide about types; None for all of them.
        compression_type: "", "GZIP" or "ZLIB".
        ignore_errors: whether lines that cannot be read are left out.
        encoding: of the first line.

    Raises:
        InvalidArgumentError: no file matches.
        ValueError: a column is named that does not exist, or names are not unique.
    """
    files = [name.decode() for name in sources.matching_files(file_pattern)]
    names = _File(files[0], Dialect(field_delim, use_quote_delim, na_value), compression_type)
    columns = list(column_names or names.header(encoding))
    if len(set(columns)) < len(columns):
        raise ValueError("Cannot have duplicate column names.")
    chosen = _chosen(select_columns, columns)
    read = columns if chosen is None else [columns[i] for i in chosen]
    if label_name is not None and label_name not in read:
        raise ValueError("`label_name` provided must be one of the columns.")
    defaults = column_defaults
    if defaults is None:
        wanted = range(len(columns)) if chosen is None else chosen
        defaults = [_typed(names.column(i, num_rows_for_inference, header=header)) for i in wanted]

    def lines(name: Tensor) -> Dataset:
        return CsvDataset(
            name, defaults, compression_type, header=header, field_delim=field_delim,
            use_quote_delim=use_quote_delim, na_value=na_value, select_cols=chosen,
        )  # fmt: skip

    def by_name(*values: Tensor) -> Any:
        features = dict(zip(read, values, strict=True))
        return features if label_name is None else (features, features.pop(label_name))

    every = Dataset.from_tensor_slices(convert_to_tensor(files, dtypes.string))
    if shuffle:
        every = every.shuffle(len(files), shuffle_seed)
    rows = every.interleave(lines, num_parallel_reads or 1)
    if ignore_errors:
        rows = rows.ignore_errors()
    if shuffle:
        rows = rows.shuffle(shuffle_buffer_size, shuffle_seed)
    if num_epochs != 1:
        rows = rows.repeat(num_epochs)
    return rows.batch(batch_size, drop_remainder=num_epochs is None).map(by_name)


class _File:
    """The first file, which tells the names and types of the columns."""

    def __init__(self, name: str, dialect: Dialect, compression: str | None) -> None:
        self._name, self._dialect = name, dialect
        self._compression = checked_compression(compression)

    def _rows(self) -> Iterator[list[bytes]]:
        with reading(self._name, self._compression) as file:
            for line in file:
                yield list(cut(line.rstrip(b"\r\n"), self._dialect))

    def header(self, encoding: str) -> list[str]:
        """The names in the first line."""
        return [name.decode(encoding) for name in next(self._rows(), [])]

    def column(self, index: int, count: int | None, *, header: bool) -> list[bytes]:
        """The content of the first lines of a column, what is missing left out."""
        start = int(header)
        rows = islice(self._rows(), start, None if count is None else start + count)
        missing = (b"", self._dialect.missing.encode())
        return [row[index] for row in rows if row[index] not in missing]


def _chosen(columns: Sequence[Any] | None, names: list[str]) -> list[int] | None:
    if columns is None:
        return None
    unknown = [c for c in columns if isinstance(c, str) and c not in names]
    if unknown:
        raise ValueError(f"Value '{unknown[0]}' is not one of the column names {names}.")
    return sorted(names.index(c) if isinstance(c, str) else int(c) for c in columns)


def _typed(values: list[bytes]) -> Any:
    """What stands for a missing value, of the narrowest type that fits all values."""
    kind = next(d for d in _INFERRED if all(_fits(value, d) for value in values))
    return convert_to_tensor(b"" if kind is dtypes.string else 0, kind)


def _fits(value: bytes, dtype: DType) -> bool:
    if dtype is dtypes.string:
        return True
    convert: Callable[[bytes], Any] = int if dtype.is_integer else float
    try:
        number = convert(value)
    except ValueError:
        return False
    return bool(dtype.min <= number <= dtype.max) or not np.isfinite(float(number))
