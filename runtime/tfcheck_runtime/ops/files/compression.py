"""Files that are compressed as a whole."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Final

from tfcheck_runtime.errors import DataLossError, NotFoundError, invalid_argument
from tfcheck_runtime.ops.files import gfile

KINDS: Final = ("", "GZIP", "ZLIB")


def checked_compression(kind: str | None) -> str:
    """A kind of compression by its name; none for None.

    Raises:
        InvalidArgumentError: there is no such kind.
    """
    if kind is None:
        return ""
    if kind not in KINDS:
        raise invalid_argument(f"Unsupported compression_type: {kind}.")
    return kind


@contextmanager
def reading(name: str, compression: str) -> Iterator[IO[bytes]]:
    """A file open for reading, without its compression.

    Raises:
        NotFoundError: there is no such file.
        DataLossError: it is not compressed that way.
    """
    try:
        file = open(gfile.local(name), "rb")  # noqa: SIM115  # closed below
    except FileNotFoundError as error:
        raise NotFoundError(None, None, f"{name}; No such file or directory") from error
    with file:
        try:
            yield _plain(file, compression)
        except (zlib.error, gzip.BadGzipFile, EOFError) as error:
            raise DataLossError(
                None, None, f"{name} is not compressed as {compression}: {error}"
            ) from error


def _plain(file: IO[bytes], compression: str) -> IO[bytes]:
    if compression == "GZIP":
        return io.BufferedReader(gzip.open(file))
    return io.BytesIO(zlib.decompress(file.read())) if compression == "ZLIB" else file


def compressed(content: bytes, compression: str, level: int = -1) -> bytes:
    """Bytes compressed at once; `level` is zlib's."""
    if compression == "GZIP":
        return gzip.compress(content, 9 if level < 0 else level, mtime=0)
    return zlib.compress(content, level) if compression == "ZLIB" else content


def decompressed(content: bytes, compression: str) -> bytes:
    """What `compressed` was given.

    Raises:
        DataLossError: it is not compressed that way.
    """
    try:
        if compression == "GZIP":
            return gzip.decompress(content)
        return zlib.decompress(content) if compression == "ZLIB" else content
    except (zlib.error, gzip.BadGzipFile, EOFError) as error:
        raise DataLossError(None, None, f"inflate() failed: {error}") from error
