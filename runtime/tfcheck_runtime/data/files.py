"""Datasets of the lines and records of files.

Follows https://www.tensorflow.org/api_docs/python/tf/data/TextLineDataset and its siblings.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import IO, Any

import numpy as np

from tfcheck_runtime.data.dataset import Dataset
from tfcheck_runtime.data.parts import Parts, count
from tfcheck_runtime.errors import invalid_argument
from tfcheck_runtime.op import Array, define
from tfcheck_runtime.ops.control.iterating import UNKNOWN, DatasetOp, Pipeline
from tfcheck_runtime.ops.files.compression import checked_compression, reading
from tfcheck_runtime.ops.files.records import records_in
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.specs.tensor_spec import TensorSpec
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.resource import Row
from tfcheck_runtime.values.tensor import apply


class _Files(Pipeline):
    """What files hold, one after the other; opened when their first row is asked for."""

    def __init__(self, names: Array, *, compression: str) -> None:
        self._names = [name.decode() for name in names.reshape(-1).tolist()]
        self._compression = compression

    def rows(self) -> Iterator[Row]:
        for name in self._names:
            with reading(name, self._compression) as file:
                for content in self.read(file):
                    yield (np.array(content, object),)

    @abstractmethod
    def read(self, file: IO[bytes]) -> Iterator[bytes]:
        """The content of the rows of one file."""

    def cardinality(self) -> int:
        return UNKNOWN


class _Lines(_Files):
    """Lines without their ends."""

    def read(self, file: IO[bytes]) -> Iterator[bytes]:
        return (line.rstrip(b"\n").removesuffix(b"\r") for line in file)


class _Records(_Files):
    """Records of TFRecord files."""

    def read(self, file: IO[bytes]) -> Iterator[bytes]:
        return records_in(file)


class _FixedLengthRecords(_Files):
    """Pieces of one size between a header and a footer."""

    def __init__(
        self, names: Array, header: Array, record: Array, footer: Array, *, compression: str
    ) -> None:
        super().__init__(names, compression=compression)
        for what, size in (("header_bytes", header), ("footer_bytes", footer)):
            if size < 0:
                raise invalid_argument(f"{what} must be >= 0", "FixedLengthRecordDatasetV2")
        if record <= 0:
            raise invalid_argument("record_bytes must be > 0", "FixedLengthRecordDatasetV2")
        self._header, self._record, self._footer = int(header), int(record), int(footer)

    def read(self, file: IO[bytes]) -> Iterator[bytes]:
        content = file.read()
        body = len(content) - self._header - self._footer
        if body % self._record or body < 0:
            raise invalid_argument(
                f"Excess bytes of {body % self._record} in input file, expected records of"
                f" {self._record} bytes after {self._header} and before {self._footer} others"
            )
        for start in range(self._header, self._header + body, self._record):
            yield content[start : start + self._record]


lines_op = define(DatasetOp("TextLineDataset", _Lines))
records_op = define(DatasetOp("TFRecordDataset", _Records))
fixed_length_op = define(DatasetOp("FixedLengthRecordDatasetV2", _FixedLengthRecords))

Reader = Callable[[object], Parts]


class _FileDataset(Dataset):
    """A dataset of strings out of files.

    Args:
        filenames: names of files, or a dataset of names.
        read: makes the dataset of one name or several.
        parallel: number of files to read in turn, one element from each; None for one after the
            other.
    """

    def __init__(self, filenames: object, read: Reader, parallel: object) -> None:
        parts = _all(filenames, read, parallel)
        super().__init__(parts.variant, parts.spec, parts.kind)

    @classmethod
    def of(cls, parts: Parts) -> Dataset:  # type: ignore[override]  # transformations are no files
        """A dataset of other parts."""
        return Dataset.of(parts)


def _all(filenames: object, read: Reader, parallel: object) -> Parts:
    if parallel is None and not isinstance(filenames, Dataset):
        return read(filenames)
    names = names_of(filenames)

    def contents(name: Any) -> Dataset:
        return Dataset.of(read(name))

    if parallel is None:
        return names.flat_map(contents)._parts
    cycle = None if parallel == -1 else parallel
    calls = -1 if parallel == -1 else None
    return names.interleave(contents, cycle, num_parallel_calls=calls)._parts


def names_of(filenames: object) -> Dataset:
    """A dataset of file names, from one, several, or a name alone."""
    if isinstance(filenames, Dataset):
        return filenames
    flat = convert_to_tensor(filenames, dtypes.string)
    single = flat.static_shape == ()
    return Dataset.from_tensors(flat) if single else Dataset.from_tensor_slices(flat)


class TextLineDataset(_FileDataset):
    """The lines of text files, without their ends.

    Args:
        filenames: names of files, or a dataset of names.
        compression_type: "", "GZIP" or "ZLIB".
        buffer_size: accepted, without effect.
        num_parallel_reads: how many files to read in turn; None for one after the other.
        name: accepted, without effect.
    """

    def __init__(
        self, filenames: object, compression_type: str | None = None, buffer_size: object = None,
        num_parallel_reads: object = None, name: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__(filenames, _reader(lines_op, compression_type), num_parallel_reads)


class TFRecordDataset(_FileDataset):
    """The records of TFRecord files.

    Args:
        filenames: names of files, or a dataset of names.
        compression_type: "", "GZIP" or "ZLIB".
        buffer_size: accepted, without effect.
        num_parallel_reads: how many files to read in turn; None for one after the other.
        name: accepted, without effect.
    """

    def __init__(
        self, filenames: object, compression_type: str | None = None, buffer_size: object = None,
        num_parallel_reads: object = None, name: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__(filenames, _reader(records_op, compression_type), num_parallel_reads)


class FixedLengthRecordDataset(_FileDataset):
    """Pieces of one size of binary files.

    Args:
        filenames: names of files, or a dataset of names.
        record_bytes: the size of each piece.
        header_bytes: how many bytes to leave out at the start of each file.
        footer_bytes: how many bytes to leave out at its end.
        buffer_size: accepted, without effect.
        compression_type: "", "GZIP" or "ZLIB".
        num_parallel_reads: how many files to read in turn; None for one after the other.
        name: accepted, without effect.
    """

    def __init__(
        self, filenames: object, record_bytes: object, header_bytes: object = None,
        footer_bytes: object = None, buffer_size: object = None,
        compression_type: str | None = None, num_parallel_reads: object = None,
        name: str | None = None,
    ) -> None:  # fmt: skip
        sizes = [
            count(0 if size is None else size, what)
            for size, what in (
                (header_bytes, "header_bytes"),
                (record_bytes, "record_bytes"),
                (footer_bytes, "footer_bytes"),
            )
        ]
        reader = _reader(fixed_length_op, compression_type, *sizes)
        super().__init__(filenames, reader, num_parallel_reads)


_KINDS = {lines_op: "TextLine", records_op: "TFRecord", fixed_length_op: "FixedLengthRecord"}


def _reader(op: DatasetOp, compression: str | None, *sizes: object) -> Reader:
    kind = checked_compression(compression)

    def read(names: object) -> Parts:
        variant = apply(op, convert_to_tensor(names, dtypes.string), *sizes, compression=kind)
        return Parts(variant, TensorSpec((), dtypes.string), _KINDS[op])

    return read
