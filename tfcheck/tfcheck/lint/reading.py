"""Bytes to source and back: encodings, line ends, byte order marks, notebooks."""

from __future__ import annotations

import codecs
import io
import re
import tokenize
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tfcheck.diagnostics import Edit
from tfcheck.lint.notebook import Cell, Notebook, NotebookError, parse_notebook
from tfcheck.lint.source import Source

_HEAD = 1000
"""Far more bytes than the two lines have that may declare an encoding."""
_LINE_END = re.compile(r"\r\n|\r|\n")


class UnreadableError(ValueError):
    """The bytes are no text or no notebook; the message says why and where."""


@dataclass(frozen=True, slots=True)
class Document:
    """A file that was read, with all that is needed to write it back."""

    source: Source
    encoding: str
    """The codec; `utf-8-sig` where there is a byte order mark."""
    text: str
    """The text of a module with its own line ends."""
    notebook: Notebook | None = None

    @property
    def ends(self) -> tuple[str, ...]:
        """The end of each line of a module."""
        return tuple(found[0] for found in _LINE_END.finditer(self.text))

    def edited(self, edits: Sequence[Edit]) -> bytes:
        """The bytes of the file after `edits`, which are in rows of the source."""
        return self.encoded(edited_lines(self.source.lines, edits))

    def encoded(self, lines: Sequence[tuple[int | None, str]]) -> bytes:
        """The bytes for edited lines, each with the row it came from."""
        if self.notebook is not None:
            return self.notebook.with_cells(self._cells(lines)).encode(self.encoding)
        ends = self.ends
        usual = ends[0] if ends else "\n"
        text: list[str] = []
        for position, (row, line) in enumerate(_with_rows(lines), start=1):
            end = ends[row - 1] if row <= len(ends) else ""
            text += [line, end if position == len(lines) else end or usual]
        return "".join(text).encode(self.encoding)

    def _cells(self, lines: Sequence[tuple[int | None, str]]) -> Mapping[int, str]:
        """The new source of each cell that changed, its magics as they were."""
        places = self.source.places
        code: dict[int, list[str]] = {}
        originals = {cell.number: cell.text.split("\n") for cell in _cells_of(self.notebook)}
        for row, line in _with_rows(lines):
            place = places[row - 1]
            if line == self.source.lines[row - 1]:
                line = originals[place.cell][place.row - 1]
            code.setdefault(place.cell, []).append(line)
        joined = {number: "\n".join(part) for number, part in code.items()}
        return {n: text for n, text in joined.items() if text != "\n".join(originals[n])}


def _cells_of(notebook: Notebook | None) -> Sequence[Cell]:
    return notebook.cells if notebook is not None else ()


def _with_rows(lines: Sequence[tuple[int | None, str]]) -> list[tuple[int, str]]:
    """The lines with a row for each: one that an edit adds goes with the one after it."""
    found: list[tuple[int, str]] = []
    following = 1
    for row, line in reversed(lines):
        following = following if row is None else row
        found.append((following, line))
    return found[::-1]


def edited_lines(lines: Sequence[str], edits: Sequence[Edit]) -> list[tuple[int | None, str]]:
    """The lines after `edits`, which must not overlap; rows that edits add have None."""
    result: list[tuple[int | None, str]] = list(enumerate(lines, start=1))
    for edit in sorted(edits, key=lambda edit: edit.span, reverse=True):
        start, end = edit.span.start, edit.span.end
        head = result[start.row - 1][1][: start.column - 1]
        # The last row of a file can be removed up to a next one that is not there.
        beyond = end.row > len(result)
        tail = "" if beyond else result[end.row - 1][1][end.column - 1 :]
        new = (head + edit.content + tail).split("\n")
        last = len(lines) if beyond else end.row
        result[start.row - 1 : end.row] = [*((None, line) for line in new[:-1]), (last, new[-1])]
    return result


def read_document(content: bytes, *, filename: str) -> Document:
    """Decode a module or notebook.

    Raises:
        UnreadableError: the bytes are not in the declared encoding, or no notebook.
    """
    if filename.endswith(".ipynb"):
        return _read_notebook(content, filename)
    text, encoding = _decode(content)
    joined = _LINE_END.sub("\n", text) if "\r" in text else text
    return Document(Source(filename, joined), encoding, text)


def _read_notebook(content: bytes, filename: str) -> Document:
    encoding = "utf-8-sig" if content.startswith(codecs.BOM_UTF8) else "utf-8"
    try:
        notebook = parse_notebook(content.decode(encoding))
    except UnicodeDecodeError as error:
        raise UnreadableError(_undecodable(content, error)) from error
    except NotebookError as error:
        raise UnreadableError(str(error)) from error
    code, places = notebook.python()
    return Document(Source(filename, code, places), encoding, "", notebook)


def _decode(content: bytes) -> tuple[str, str]:
    if content.isascii() and b"coding" not in content[:_HEAD]:
        return content.decode("ascii"), "utf-8"
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
    except SyntaxError as error:
        if "unknown encoding" in error.msg:
            raise UnreadableError(f"cannot be decoded: {error.msg}") from error
        encoding = "utf-8"  # bytes that are not UTF-8 in the first two lines: said below
    try:
        return content.decode(encoding), encoding
    except UnicodeDecodeError as error:
        raise UnreadableError(_undecodable(content, error)) from error


def _undecodable(content: bytes, error: UnicodeDecodeError) -> str:
    row = content.count(b"\n", 0, error.start) + 1
    byte = content[error.start]
    return (
        f"cannot be decoded as {error.encoding}: byte 0x{byte:02x} in line {row};"
        " save it as UTF-8 or declare its encoding"
    )
