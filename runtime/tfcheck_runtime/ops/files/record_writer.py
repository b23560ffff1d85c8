"""Writers of TFRecord files.

Follows https://www.tensorflow.org/api_docs/python/tf/io/TFRecordWriter.
"""

from __future__ import annotations

import zlib
from types import TracebackType
from typing import Any, Final

from tfcheck_runtime.errors import FailedPreconditionError, NotFoundError
from tfcheck_runtime.ops.files import gfile
from tfcheck_runtime.ops.files.compression import checked_compression
from tfcheck_runtime.ops.files.records import framed


class TFRecordOptions:
    """How a TFRecord file is written.

    Args:
        compression_type: "", "GZIP" or "ZLIB".
        flush_mode: accepted, without effect.
        input_buffer_size: accepted, without effect.
        output_buffer_size: accepted, without effect.
        window_bits: accepted, without effect.
        compression_level: of zlib, 0 to 9.
        compression_method: accepted, without effect.
        mem_level: accepted, without effect.
        compression_strategy: accepted, without effect.

    Raises:
        ValueError: there is no such compression.
    """

    def __init__(
        self,
        compression_type: Any = None,
        flush_mode: int | None = None,
        input_buffer_size: int | None = None,
        output_buffer_size: int | None = None,
        window_bits: int | None = None,
        compression_level: int | None = None,
        compression_method: int | None = None,
        mem_level: int | None = None,
        compression_strategy: int | None = None,
    ) -> None:
        self.compression_type = _compression_of(compression_type)
        self.flush_mode = flush_mode
        self.input_buffer_size = input_buffer_size
        self.output_buffer_size = output_buffer_size
        self.window_bits = window_bits
        self.compression_level = compression_level
        self.compression_method = compression_method
        self.mem_level = mem_level
        self.compression_strategy = compression_strategy

    @classmethod
    def get_compression_type_string(cls, options: Any) -> str:
        """The compression that options, or a name, stand for."""
        return _compression_of(options)


def _compression_of(given: Any) -> str:
    if isinstance(given, TFRecordOptions):
        return given.compression_type
    if given not in (None, "", "GZIP", "ZLIB"):
        raise ValueError(f'Not a valid compression_type: "{given}"')
    return given or ""


_WINDOW_BITS: Final = {"GZIP": zlib.MAX_WBITS | 16, "ZLIB": zlib.MAX_WBITS}


class TFRecordWriter:
    """Writes records to a file, which it replaces; use it in a `with` statement, or close it.

    Args:
        path: of the file.
        options: `TFRecordOptions`, or the name of a compression.

    Raises:
        NotFoundError: there is no such folder.
    """

    def __init__(self, path: object, options: TFRecordOptions | str | None = None) -> None:
        kind = checked_compression(_compression_of(options))
        level = options.compression_level if isinstance(options, TFRecordOptions) else None
        self._pack = (
            zlib.compressobj(-1 if level is None else level, wbits=_WINDOW_BITS[kind])
            if kind
            else None
        )
        name = gfile.local(path)
        try:
            self._file = open(name, "wb")  # noqa: SIM115  # `close` closes it
        except FileNotFoundError as error:
            raise NotFoundError(None, None, f"{name}; No such file or directory") from error

    def write(self, record: bytes) -> None:
        """Append a record.

        Raises:
            TypeError: it is no string.
            FailedPreconditionError: the writer is closed.
        """
        if not isinstance(record, bytes | str):
            raise TypeError(
                f"write(): incompatible function arguments: a record must be bytes, got {record!r}"
            )
        if self._file.closed:
            raise FailedPreconditionError(None, None, "Writer is closed.")
        data = framed(record.encode() if isinstance(record, str) else record)
        self._file.write(data if self._pack is None else self._pack.compress(data))

    def flush(self) -> None:
        """Write what is held back.

        Raises:
            FailedPreconditionError: the writer is closed.
        """
        if self._file.closed:
            raise FailedPreconditionError(None, None, "Writer is closed.")
        if self._pack is not None:
            self._file.write(self._pack.flush(zlib.Z_SYNC_FLUSH))
        self._file.flush()

    def close(self) -> None:
        """Write what is held back and close the file."""
        if not self._file.closed:
            if self._pack is not None:
                self._file.write(self._pack.flush())
            self._file.close()

    def __enter__(self) -> TFRecordWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
