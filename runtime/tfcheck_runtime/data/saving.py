"""Datasets kept in folders: saved, as snapshots, and caches.

A folder holds `spec.json`, the type and number of the elements, and `elements.tfrecord`, in which
each record is an element: its tensors as `TensorProto` messages, field 1 of one message. They are
not TensorFlow's files. Both are written under other names and moved into place, the type last.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from tfcheck_runtime.data import elements
from tfcheck_runtime.data.elements import Spec
from tfcheck_runtime.data.parts import Parts, Source
from tfcheck_runtime.data.spec_file import as_json, from_json
from tfcheck_runtime.errors import NotFoundError
from tfcheck_runtime.op import Array, define
from tfcheck_runtime.ops.control.iterating import DatasetOp, Kinds, Pipeline, Through
from tfcheck_runtime.ops.files import wire
from tfcheck_runtime.ops.files.compression import checked_compression, reading
from tfcheck_runtime.ops.files.record_writer import TFRecordWriter
from tfcheck_runtime.ops.files.records import records_in
from tfcheck_runtime.ops.files.tensor_message import decoded, encoded
from tfcheck_runtime.specs import dtypes
from tfcheck_runtime.values.convert import convert_to_tensor
from tfcheck_runtime.values.resource import Row
from tfcheck_runtime.values.tensor import apply

_SPEC: Final = "spec.json"
_ELEMENTS: Final = "elements.tfrecord"


def write(folder: Path, rows: Iterator[Row], spec: Spec, compression: str) -> Iterator[Row]:
    """Hand on rows and keep them; the folder counts as written after the last."""
    folder.mkdir(parents=True, exist_ok=True)
    kinds, count = elements.kinds_of(spec), 0
    unfinished = folder / f"{_ELEMENTS}.{os.getpid()}"
    with TFRecordWriter(unfinished, compression) as writer:
        for row in rows:
            writer.write(_record(row, kinds))
            count += 1
            yield row
    unfinished.replace(folder / _ELEMENTS)
    about = {"count": count, "compression": compression, "spec": as_json(spec)}
    unfinished.write_text(json.dumps(about), encoding="utf-8")
    unfinished.replace(folder / _SPEC)


def _record(row: Row, kinds: Kinds) -> bytes:
    return b"".join(
        wire.bytes_field(1, encoded(array, dtype))
        for array, (dtype, _) in zip(row, kinds, strict=True)
    )


def read(folder: Path, compression: str) -> Iterator[Row]:
    """The rows of a folder."""
    with reading(str(folder / _ELEMENTS), compression) as file:
        for record in records_in(file):
            yield tuple(decoded(tensor)[0] for tensor in wire.messages(record, 1))


def about(folder: Path) -> dict[str, Any] | None:
    """What is known of the dataset in a folder; None if there is none."""
    try:
        found: dict[str, Any] = json.loads((folder / _SPEC).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found


class _Saved(Pipeline):
    """The rows of a folder."""

    def __init__(self, folder: Array, *, compression: str, count: int) -> None:
        self._folder = Path(folder.item().decode())
        self._compression, self._count = compression, count

    def rows(self) -> Iterator[Row]:
        return read(self._folder, self._compression)

    def cardinality(self) -> int:
        return self._count


class _Kept(Through):
    """The rows of a folder if it was written, else those of another pipeline, which it keeps."""

    def __init__(self, source: Pipeline, folder: Array, *, spec: Spec, compression: str) -> None:
        super().__init__(source)
        self._folder = Path(folder.item().decode())
        self._spec, self._compression = spec, compression

    def rows(self) -> Iterator[Row]:
        if about(self._folder) is not None:
            return read(self._folder, self._compression)
        return super().rows()

    def over(self, rows: Iterator[Row]) -> Iterator[Row]:
        return write(self._folder, rows, self._spec, self._compression)


saved_op = define(DatasetOp("LoadDataset", _Saved))
snapshot_op = define(DatasetOp("SnapshotDatasetV2", _Kept))
cached_op = define(DatasetOp("CacheDataset", _Kept))


def save(rows: Iterator[Row], path: object, spec: Spec, compression: str | None) -> None:
    """Write rows to a folder."""
    folder = Path(os.fsdecode(path))  # type: ignore[arg-type]  # raises TypeError for no path
    for _ in write(folder, rows, spec, checked_compression(compression)):
        pass


def load(path: object, element_spec: Spec, compression: str | None) -> Parts:
    """The dataset in a folder.

    Raises:
        NotFoundError: there is none.
        ValueError: its elements are of another type than said.
    """
    folder = Path(os.fsdecode(path))  # type: ignore[arg-type]  # raises TypeError for no path
    found = about(folder)
    if found is None:
        raise NotFoundError(None, None, f"Could not find metadata file [{folder}/{_SPEC}]")
    spec = from_json(found["spec"])
    if element_spec is not None and element_spec != spec:
        raise ValueError(f"{path} holds elements of type {spec}, not {element_spec}")
    variant = apply(
        saved_op, convert_to_tensor(str(folder)), count=found["count"],
        compression=checked_compression(compression or found["compression"]),
    )  # fmt: skip
    return Parts(variant, spec, "Load")


def kept(source: Source, path: object, op: DatasetOp, kind: str, compression: str) -> Parts:
    """The elements of a dataset, written to a folder by the first complete iteration."""
    as_json(source.element_spec)  # which refuses what cannot be kept
    variant = apply(
        op, source.variant, convert_to_tensor(path, dtypes.string), spec=source.element_spec,
        compression=checked_compression(compression),
    )  # fmt: skip
    return Parts(variant, source.element_spec, kind)
