"""Notebooks: cells, magics, and changes that keep the rest of the JSON."""

from __future__ import annotations

import json

import pytest

from tfcheck.lint.notebook import NotebookError, parse_notebook, without_magics
from tfcheck.lint.source import Line


def notebook(*cells: object, language: str | None = None, **dump: object) -> str:
    metadata = {"kernelspec": {"language": language}} if language else {}
    document = {
        "cells": [
            {"cell_type": "code", "source": cell} if isinstance(cell, str | list) else cell
            for cell in cells
        ],
        "metadata": metadata,
        "nbformat": 4,
    }
    return json.dumps(document, **dump)  # type: ignore[arg-type]  # options of json.dumps


MARKDOWN = {"cell_type": "markdown", "source": ["# title"]}


def test_code_cells_are_joined_with_their_places() -> None:
    text = notebook(["a = 1\n", "b = 2"], MARKDOWN, "c = 3")

    code, places = parse_notebook(text).python()

    assert code == "a = 1\nb = 2\nc = 3"
    assert places == (Line(1, 1), Line(1, 2), Line(3, 1))


MAGICS = {
    "line": ("%matplotlib inline\nx = 1", "pass\nx = 1"),
    "shell": ("!pip install x\nx = 1", "pass\nx = 1"),
    "shell in lines": ("!run --dir x \\\n    --set y\nx = 1", "pass\n\nx = 1"),
    "shell without mark": ("ls ./data\nx = 1", "pass\nx = 1"),
    "all indented": ("  x = 1\n  y = 2", "\n"),
    "first line indented": (" x = f(1,\n       2)\ny = 2", "\n\n"),
    "help": ("x?\nx.y??\n?x", "pass\npass\npass"),
    "indented": ("if x:\n    %time f()", "if x:\n    pass"),
    "assigned": ("files = !ls\nx = 1", "pass\nx = 1"),
    "cell that is Python": ("%%time\nx = 1", "pass\nx = 1"),
    "cell in another language": ("%%bash\nls\npwd", "\n\n"),
    "no magic": ("x = (a\n% b)", "x = (a\n% b)"),
    "in a string": ("s = '''\n%time\n'''", "s = '''\n%time\n'''"),
    "empty": ("", ""),
}


@pytest.mark.parametrize(("cell", "code"), MAGICS.values(), ids=MAGICS)
def test_magics_are_blanked_row_by_row(cell: str, code: str) -> None:
    assert without_magics(cell) == code


def test_cells_in_r_are_blanked_in_a_notebook_that_changes_its_kernel() -> None:
    rows = "write.csv(fit,\n          row.names=FALSE)"
    mixed = notebook("x = 1", "fit <- glm(y ~ x)\n", rows, "f(x)")
    broken = notebook("x = 1", rows)

    assert parse_notebook(mixed).python()[0] == "x = 1\n\n\n\n\nf(x)"
    assert parse_notebook(broken).python()[0] == f"x = 1\n{rows}"


def test_notebooks_of_other_languages_hold_no_code() -> None:
    assert parse_notebook(notebook("x <- 1", language="R")).python() == ("", ())


NO_NOTEBOOKS = {
    "text": ("hello", "not a notebook: Expecting value: line 1 column 1 (char 0)"),
    "array": ("[]", 'not a notebook: expected a JSON object with a list "cells"'),
    "no cells": ('{"cells": 3}', 'not a notebook: expected a JSON object with a list "cells"'),
}


@pytest.mark.parametrize(("text", "message"), NO_NOTEBOOKS.values(), ids=NO_NOTEBOOKS)
def test_what_is_no_notebook_says_why(text: str, message: str) -> None:
    with pytest.raises(NotebookError) as error:
        parse_notebook(text)

    assert str(error.value) == message


@pytest.mark.parametrize("options", [{"indent": 1}, {"indent": None}, {"ensure_ascii": False}])
def test_a_changed_line_changes_nothing_else(options: dict[str, object]) -> None:
    text = notebook(["a = 'ä'\n", "b = 2\n", "c"], MARKDOWN, "print(3)\nx", **options)

    changed = parse_notebook(text).with_cells({1: "a = 'ä'\nB = 2\nc", 3: "log(3)\nx"})

    assert changed == text.replace("b = 2", "B = 2").replace("print(3)", "log(3)")


def test_lines_can_be_added_to_a_cell() -> None:
    text = notebook(["a\n", "b"])

    changed = parse_notebook(text).with_cells({1: "a\nnew\nb"})

    assert json.loads(changed)["cells"][0]["source"] == ["a\n", "new\n", "b"]
