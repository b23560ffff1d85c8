"""Files of this machine under the names of `tf.io.gfile`.

https://www.tensorflow.org/api_docs/python/tf/io/gfile. Paths with a scheme such as `gs://` raise
`UnimplementedError`.
"""

from __future__ import annotations

import glob as globbing
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import IO, Any

from tfcheck_runtime.errors import (
    AlreadyExistsError,
    FailedPreconditionError,
    NotFoundError,
    UnimplementedError,
)


def local(path: object) -> str:
    """A path as text.

    Raises:
        UnimplementedError: it has a scheme other than `file://`.
    """
    text = os.fsdecode(path)  # type: ignore[arg-type]  # raises TypeError for what is no path
    scheme, found, rest = text.partition("://")
    if found and scheme != "file":
        raise UnimplementedError(None, None, f"File system scheme '{scheme}' not implemented")
    return rest if found else text


@contextmanager
def _told_missing(path: object) -> Iterator[None]:
    """A file or folder that is not there is said TensorFlow's way."""
    try:
        yield
    except FileNotFoundError as error:
        raise NotFoundError(None, None, f"{local(path)}; No such file or directory") from error


class GFile:
    """A file: modes `r`, `w`, `a`, `r+` and these with `b`.

    Raises:
        NotFoundError: when it is first used, it cannot be opened.
    """

    def __init__(self, name: object, mode: str = "r") -> None:
        self.name = name
        self.mode = mode
        binary = "b" in mode
        with _told_missing(name):
            self._file: IO[Any] = open(  # noqa: SIM115  # stays open
                local(name), mode, encoding=None if binary else "utf-8"
            )

    def read(self, n: int = -1) -> str | bytes:
        """The next `n` bytes or characters, or all that are left."""
        content: str | bytes = self._file.read(n)
        return content

    def readline(self) -> str | bytes:
        """The next line with its end."""
        line: str | bytes = self._file.readline()
        return line

    def readlines(self) -> list[str | bytes]:
        """The lines that are left."""
        return list(self._file.readlines())

    def write(self, file_content: str | bytes) -> None:
        """Append to what was written."""
        self._file.write(file_content)

    def seek(self, offset: int | None = None, whence: int = 0) -> None:
        """Move to a place."""
        self._file.seek(offset or 0, whence)

    def tell(self) -> int:
        """The current place."""
        return self._file.tell()

    def size(self) -> int:
        """The size of the file in bytes."""
        self._file.flush()
        return os.path.getsize(local(self.name))

    def flush(self) -> None:
        """Write what is buffered."""
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def seekable(self) -> bool:
        """Whether `seek` works."""
        return True

    def __enter__(self) -> GFile:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __iter__(self) -> Iterator[str | bytes]:
        return iter(self._file)

    def __next__(self) -> str | bytes:
        line: str | bytes = next(iter(self._file))
        return line


def exists(path: object) -> bool:
    """Whether there is a file or folder."""
    return os.path.exists(local(path))


def isdir(path: object) -> bool:
    """Whether it is a folder."""
    return os.path.isdir(local(path))


def makedirs(path: object) -> None:
    """Make a folder and those above it; one that exists is left."""
    try:
        os.makedirs(local(path), exist_ok=True)
    except FileExistsError as error:
        raise FailedPreconditionError(None, None, f"{local(path)}; Not a directory") from error


def mkdir(path: object) -> None:
    """Make a folder.

    Raises:
        AlreadyExistsError: it exists.
        NotFoundError: the one above does not.
    """
    try:
        with _told_missing(path):
            os.mkdir(local(path))
    except FileExistsError as error:
        raise AlreadyExistsError(None, None, f"{local(path)}; File exists") from error


def listdir(path: object) -> list[str]:
    """The names in a folder, folders without a slash.

    Raises:
        NotFoundError: there is no such folder.
    """
    try:
        return os.listdir(local(path))
    except (FileNotFoundError, NotADirectoryError) as error:
        raise NotFoundError(None, None, f"Could not find directory {local(path)}") from error


def glob(pattern: object) -> list[str]:
    """The paths that match a pattern, or one of several, sorted per pattern."""
    patterns = list(pattern) if isinstance(pattern, Sequence) and not isinstance(
        pattern, str | bytes
    ) else [pattern]  # fmt: skip
    return [found for p in patterns for found in sorted(globbing.glob(local(p)))]


def remove(path: object) -> None:
    """Delete a file.

    Raises:
        NotFoundError: there is none.
    """
    with _told_missing(path):
        os.remove(local(path))


def rmtree(path: object) -> None:
    """Delete a folder with all in it.

    Raises:
        NotFoundError: there is none.
    """
    with _told_missing(path):
        shutil.rmtree(local(path))


def rename(src: object, dst: object, overwrite: bool = False) -> None:
    """Move a file or folder.

    Raises:
        AlreadyExistsError: `dst` exists and `overwrite` is False.
        NotFoundError: `src` does not exist.
    """
    _check_target(local(dst), overwrite)
    with _told_missing(src):
        os.replace(local(src), local(dst))


def copy(src: object, dst: object, overwrite: bool = False) -> None:
    """Copy a file; for errors see `rename`."""
    _check_target(local(dst), overwrite)
    with _told_missing(src):
        shutil.copyfile(local(src), local(dst))


def _check_target(path: str, overwrite: bool) -> None:
    if not overwrite and os.path.exists(path):
        raise AlreadyExistsError(None, None, f"file already exists: {path}")


@dataclass(frozen=True)
class FileStatistics:
    """Size in bytes, time of change in nanoseconds, and whether it is a folder."""

    length: int
    mtime_nsec: int
    is_directory: bool


def stat(path: object) -> FileStatistics:
    """What is known of a file.

    Raises:
        NotFoundError: there is none.
    """
    with _told_missing(path):
        found = os.stat(local(path))
    return FileStatistics(found.st_size, found.st_mtime_ns, os.path.isdir(local(path)))


def walk(
    top: object, topdown: bool = True, onerror: None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Folders, each with the names of folders and files in it."""
    del onerror
    return os.walk(local(top), topdown=topdown)


def get_registered_schemes() -> list[str]:
    """The schemes that paths may have."""
    return ["", "file"]
