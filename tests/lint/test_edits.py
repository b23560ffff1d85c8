"""Edits and notebooks under random input: nothing but the edited text changes."""

from __future__ import annotations

import json
from itertools import pairwise

from hypothesis import given, strategies as st

from tfcheck.diagnostics import (
    Applicability,
    Confidence,
    Edit,
    Fix,
    Position,
    Severity,
    Span,
    Violation,
)
from tfcheck.lint.fixes import choose, edits_of
from tfcheck.lint.notebook import parse_notebook
from tfcheck.lint.reading import read_document

LINES = st.lists(st.text("ab ä€\t", max_size=6), min_size=1, max_size=6)
ENDS = st.sampled_from(["\n", "\r\n", "\r"])


@given(LINES, ENDS, st.data())
def test_an_edit_replaces_its_span_and_keeps_the_rest(
    lines: list[str], end: str, data: st.DataObject
) -> None:
    row = data.draw(st.integers(1, len(lines)))
    first = data.draw(st.integers(1, len(lines[row - 1]) + 1))
    last = data.draw(st.integers(first, len(lines[row - 1]) + 1))
    new = data.draw(st.text("xy", max_size=3))
    document = read_document(end.join(lines).encode(), filename="a.py")

    result = document.edited([Edit(Span(Position(row, first), Position(row, last)), new)])

    changed = lines[row - 1][: first - 1] + new + lines[row - 1][last - 1 :]
    expected = [*lines[: row - 1], changed, *lines[row:]]
    assert result == end.join(expected).encode()


def violation(start: int, end: int) -> Violation:
    edit = Edit(Span(Position(1, start), Position(1, end)), "x")
    fix = Fix(Applicability.SAFE, "Replace it", (edit,))
    return Violation("TFC999", "x", "x", Severity.INFO, Confidence.HIGH, "a.py", edit.span, fix=fix)


@given(st.lists(st.tuples(st.integers(1, 20), st.integers(0, 5)), max_size=8))
def test_chosen_fixes_never_overlap_and_the_first_is_always_taken(
    spans: list[tuple[int, int]],
) -> None:
    found = [violation(start, start + length) for start, length in sorted(spans)]

    edits = sorted(edits_of(choose(found, unsafe=False)), key=lambda edit: edit.span)

    assert bool(edits) == bool(found)
    for one, other in pairwise(edits):
        assert one.span.end <= other.span.start
        assert one.span.start < other.span.start


CELLS = st.lists(st.text('ab"\\ä€\n\t{}[],:', max_size=12), min_size=1, max_size=4)


@given(CELLS, st.booleans(), st.sampled_from([None, 1]), st.booleans())
def test_cells_can_be_replaced_in_any_json(
    cells: list[str], as_lines: bool, indent: int | None, ascii_only: bool
) -> None:
    sources = [cell.splitlines(keepends=True) if as_lines else cell for cell in cells]
    document = {
        "cells": [{"source": source, "cell_type": "code", "x": "source"} for source in sources],
        "nbformat": 4,
    }
    text = json.dumps(document, indent=indent, ensure_ascii=ascii_only)
    new = {number: f"new {number}\n{cell}" for number, cell in enumerate(cells, start=1)}

    changed = parse_notebook(text).with_cells(new)

    assert [cell.text for cell in parse_notebook(changed).cells] == list(new.values())
    assert parse_notebook(text).with_cells({}) == text
