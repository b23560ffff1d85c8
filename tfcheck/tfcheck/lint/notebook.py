"""Notebooks: code cells as one text, magics blanked, and back into the JSON byte by byte."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tfcheck.lint.source import Line

# These run the rest of their cell as Python; what follows any other `%%` is another language.
_PYTHON_MAGICS = frozenset({"capture", "prun", "time", "timeit", "python", "python3", "pypy"})
_SHELL = r"(?:cat|cd|conda|cp|ls|mkdir|mv|pip|pip3|pwd|rm|tail|head)\s+[^=(\s].*"
_MAGIC_LINE = re.compile(rf"^(\s*)(?:[%!?].*|(?:[\w.,\s]+=\s*)[%!].*|[\w.]+\?{{1,2}}\s*|{_SHELL})$")


_R_LINE = re.compile(r"^\s*[A-Za-z][\w.]*\s*<-\s|^\s*library\(|\b[a-z]\w*::\w", re.MULTILINE)


class NotebookError(ValueError):
    """The text is no notebook; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A code cell: its 1-based number among all cells and its source as written."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Notebook:
    """The JSON of a notebook with its code cells."""

    text: str
    cells: tuple[Cell, ...]

    def python(self) -> tuple[str, tuple[Line, ...]]:
        """The code of all cells as one text, and the place of each of its lines."""
        lines: list[str] = []
        places: list[Line] = []
        mixed = any(map(_is_r, self.cells))
        for cell in self.cells:
            text = without_magics(cell.text)
            if mixed and not _parses(text):
                text = "\n" * text.count("\n")  # to be run under a kernel for R
            code = text.split("\n")
            lines.extend(code)
            places.extend(Line(cell.number, row) for row in range(1, len(code) + 1))
        return "\n".join(lines), tuple(places)

    def with_cells(self, changed: Mapping[int, str]) -> str:
        """The JSON with the source of some cells replaced and every other character kept."""
        pieces: list[str] = []
        end = 0
        for number, start, stop in _source_values(self.text):
            if number in changed:
                pieces += [self.text[end:start], _written(self.text[start:stop], changed[number])]
                end = stop
        return "".join([*pieces, self.text[end:]])


def parse_notebook(text: str) -> Notebook:
    """Read the JSON of a notebook.

    Raises:
        NotebookError: it is not JSON, or has no list of cells.
    """
    try:
        document = json.loads(text)
    except ValueError as error:
        raise NotebookError(f"not a notebook: {error}") from error
    cells = document.get("cells") if isinstance(document, dict) else None
    if not isinstance(cells, list):
        raise NotebookError('not a notebook: expected a JSON object with a list "cells"')
    if _language(document) != "python":
        return Notebook(text, ())
    code = [
        Cell(number, _joined(cell.get("source")))
        for number, cell in enumerate(cells, start=1)
        if isinstance(cell, dict) and cell.get("cell_type") == "code"
    ]
    return Notebook(text, tuple(code))


def _language(document: Mapping[str, object]) -> str:
    metadata = document.get("metadata")
    if isinstance(metadata, dict):
        for key, name in (("kernelspec", "language"), ("language_info", "name")):
            part = metadata.get(key)
            if isinstance(part, dict) and isinstance(part.get(name), str):
                return str(part[name]).lower()
    return "python"


def _joined(source: object) -> str:
    if isinstance(source, list):
        source = "".join(str(part) for part in source)
    return str(source or "").replace("\r\n", "\n").replace("\r", "\n")


def without_magics(code: str) -> str:
    """The cell with lines that only IPython understands made `pass`, rows and columns kept."""
    first = code.lstrip().split("\n", 1)[0]
    if first.startswith("%%"):
        name = first[2:].split(maxsplit=1)[0] if first[2:].strip() else ""
        if name not in _PYTHON_MAGICS:
            return "\n" * code.count("\n")
        code = code.replace(first, "pass", 1)
    if _parses(code):
        return code
    indent = code[: len(code) - len(code.lstrip(" \t"))]
    if indent and _parses(re.sub(rf"^{indent}", "", code, flags=re.MULTILINE)):
        # IPython takes the indentation of the first line off, which would move the columns.
        return "\n" * code.count("\n")
    lines = code.split("\n")
    goes_on = False
    for row, line in enumerate(lines):
        found = None if goes_on else _MAGIC_LINE.match(line)
        if goes_on or found is not None:
            goes_on = line.endswith("\\")
            lines[row] = f"{found[1]}pass" if found is not None else ""
    return "\n".join(lines)


def _is_r(cell: Cell) -> bool:
    """Whether a cell is surely in R, as in notebooks that change their kernel on the way."""
    return _R_LINE.search(cell.text) is not None and not _parses(cell.text)


def _parses(code: str) -> bool:
    try:
        ast.parse(code)
    except (SyntaxError, ValueError):
        return False
    return True


_SPACE = re.compile(r"\s*")
_decode = json.JSONDecoder().raw_decode
# The JSON is known to be valid here: only places are to be found.


def _source_values(text: str) -> Iterator[tuple[int, int, int]]:
    """The number of each cell, and where the value of its `source` starts and ends."""
    for key, start, _ in _members(text, _skip(text, 0)):
        if key != "cells":
            continue
        for number, (cell, _) in enumerate(_items(text, start), start=1):
            for name, first, last in _members(text, cell):
                if name == "source":
                    yield number, first, last


def _skip(text: str, position: int) -> int:
    found = _SPACE.match(text, position)
    return found.end() if found is not None else position


def _members(text: str, start: int) -> Iterator[tuple[str, int, int]]:
    """The key of each member of the object at `start`, and where its value stands."""
    position = _skip(text, start + 1)
    while text[position] != "}":
        key, position = _decode(text, position)
        value = _skip(text, _skip(text, position) + 1)
        _, end = _decode(text, value)
        yield str(key), value, end
        position = _after_comma(text, end)


def _items(text: str, start: int) -> Iterator[tuple[int, int]]:
    """Where each item of the array at `start` stands."""
    position = _skip(text, start + 1)
    while text[position] != "]":
        _, end = _decode(text, position)
        yield position, end
        position = _after_comma(text, end)


def _after_comma(text: str, position: int) -> int:
    position = _skip(text, position)
    return _skip(text, position + 1) if text[position] == "," else position


def _written(raw: str, code: str) -> str:
    """`code` as a JSON value in the style of `raw`; unchanged lines keep their spelling."""
    ascii_only = raw.isascii()
    if not raw.startswith("["):
        return json.dumps(code, ensure_ascii=ascii_only)
    places = list(_items(raw, 0))
    lines = [line for line in re.split(r"(?<=\n)", code) if line]
    spelled = {json.loads(raw[start:end]): raw[start:end] for start, end in places}
    texts = [spelled.get(line) or json.dumps(line, ensure_ascii=ascii_only) for line in lines]
    if not places or not texts:
        return f"[{', '.join(texts)}]"
    between = raw[places[0][1] : places[1][0]] if len(places) > 1 else ", "
    return raw[: places[0][0]] + between.join(texts) + raw[places[-1][1] :]
