"""Where results go: standard output, or files that are replaced as a whole."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tfcheck.errors import OutputError


def write_result(text: str) -> None:
    """Print a result on standard output; a reader that went away (`| head`) is no error."""
    try:
        sys.stdout.write(_printable(text))
        sys.stdout.flush()
    except BrokenPipeError:
        # What is still buffered goes nowhere, also when Python flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def talk(line: str) -> None:
    """Say something that is not the result, on standard error."""
    print(line, file=sys.stderr)


def write_file(path: Path, content: bytes) -> None:
    """Write `content` to `path`: all of it or, if that fails, nothing.

    Raises:
        OutputError: the place cannot be written.
    """
    try:
        if path.exists() and not path.is_file():
            # A device or pipe such as /dev/stdout is written, never replaced; where its name
            # leads to need not be a file that can be opened.
            path.write_bytes(content)
        else:
            _replace(Path(os.path.realpath(path)), content)
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror or error}") from error


def _replace(target: Path, content: bytes) -> None:
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        temporary.write_bytes(content)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def _printable(text: str) -> str:
    """`text` with what the encoding of standard output lacks as escapes."""
    encoding = sys.stdout.encoding or "utf-8"
    return text.encode(encoding, errors="backslashreplace").decode(encoding)
