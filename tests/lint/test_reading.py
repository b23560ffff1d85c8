"""Bytes to source and back, with every byte kept that no edit touches."""

from __future__ import annotations

import codecs

import pytest

from tfcheck.diagnostics import Edit, Position, Span
from tfcheck.lint.reading import UnreadableError, read_document

FILES = {
    "plain": b"a = 1\nb = 2\n",
    "no end": b"a = 1\nb = 2",
    "windows": b"a = 1\r\nb = 2\r\n",
    "mixed": b"a = 1\r\nb = 2\nc = 3\r",
    "mark": codecs.BOM_UTF8 + b"a = 1\nb = 2\n",
    "latin": "# coding: latin-1\na = 'ä'\nb = 2\n".encode("latin-1"),
    "form feed": b"a = 1\n\x0cb = 2\n",
    "empty": b"",
}


@pytest.mark.parametrize("content", FILES.values(), ids=FILES)
def test_no_edit_gives_the_same_bytes(content: bytes) -> None:
    assert read_document(content, filename="a.py").edited([]) == content


@pytest.mark.parametrize("content", FILES.values(), ids=FILES)
def test_an_edit_changes_its_span_only(content: bytes) -> None:
    document = read_document(content, filename="a.py")
    rows = [row for row, line in enumerate(document.source.lines, start=1) if "b = 2" in line]
    column = document.source.lines[rows[0] - 1].index("2") + 1 if rows else 1
    edits = [
        Edit(Span(Position(row, column), Position(row, column + 1)), "(2,\n 3)") for row in rows
    ]

    result = document.edited(edits)

    end = b"\r\n" if b"2\r\n" in content else b"\n"
    assert result == content.replace(b"b = 2", b"b = (2," + end + b" 3)")


def test_whole_lines_can_be_removed() -> None:
    document = read_document(b"a\r\nb\r\nc\n", filename="a.py")

    result = document.edited([Edit(Span(Position(2, 1), Position(3, 1)), "")])

    assert result == b"a\r\nc\n"


def test_the_last_line_can_be_removed() -> None:
    document = read_document(b"a\nb", filename="a.py")

    assert document.edited([Edit(Span(Position(2, 1), Position(3, 1)), "")]) == b"a\n"


UNREADABLE = {
    "not utf-8": (
        b"a = 1\nb = '\xff'\n",
        "cannot be decoded as utf-8: byte 0xff in line 2; save it as UTF-8 or declare its encoding",
    ),
    "unknown codec": (b"# coding: klingon\n", "cannot be decoded: unknown encoding: klingon"),
}


@pytest.mark.parametrize(("content", "message"), UNREADABLE.values(), ids=UNREADABLE)
def test_undecodable_bytes_say_where_and_what_to_do(content: bytes, message: str) -> None:
    with pytest.raises(UnreadableError) as error:
        read_document(content, filename="a.py")

    assert str(error.value) == message
