from __future__ import annotations

import json
from pathlib import Path

from tfcheck.cli.source import SourceReader


def test_rows_are_counted_as_python_counts_them(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"# coding: latin-1\r\na = 1 \x0c # \xe9\rb = 2\n")
    read = SourceReader()

    rows = [read(str(file), None, row) for row in (0, 1, 2, 3, 5)]

    assert rows == [None, "# coding: latin-1", "a = 1 \x0c # é", "b = 2", None]


def test_cells_are_numbered_among_all_cells(tmp_path: Path) -> None:
    file = tmp_path / "a.ipynb"
    cells = [
        {"cell_type": "markdown", "source": "# Title"},
        {"cell_type": "code", "source": ["a = 1\n", "b = 2"]},
    ]
    file.write_text(json.dumps({"cells": cells}), encoding="utf-8")
    read = SourceReader()

    assert [read(str(file), 2, 2), read(str(file), 3, 1)] == ["b = 2", None]


def test_given_texts_are_not_looked_up() -> None:
    read = SourceReader({"<stdin>": "first\nsecond"})

    assert read("<stdin>", None, 2) == "second"


def test_a_file_that_is_gone_has_no_rows() -> None:
    assert SourceReader()("no_such_file.py", None, 1) is None
