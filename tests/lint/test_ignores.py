"""Suppression comments that are written for what is found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tfcheck.config import Settings
from tfcheck.diagnostics import FileProblem
from tfcheck.lint import engine
from tfcheck.lint.engine import fix_paths, ignore_paths, lint_paths
from tfcheck.lint.inputs import Inputs

SETTINGS = Settings(cache=False)
HEAD = "import tensorflow as tf\n\n@tf.function\ndef step(x):\n"

LINES = {
    "plain": ("    print(x)\n", "    print(x)  # tfcheck: ignore[TFC301]\n"),
    "with a comment": (
        "    print(x)  # so what\n",
        "    print(x)  # so what  # tfcheck: ignore[TFC301]\n",
    ),
    "with a comment for another rule": (
        "    print(x)  # tfcheck: ignore[TFC302]\n",
        "    print(x)  # tfcheck: ignore[TFC301, TFC302]\n",
    ),
    "two on a line": (
        "    print(x); print(x)\n",
        "    print(x); print(x)  # tfcheck: ignore[TFC301]\n",
    ),
    "over several lines": (
        "    print(\n        x,\n    )\n",
        "    print(  # tfcheck: ignore[TFC301]\n        x,\n    )\n",
    ),
    "a string over several lines": (
        '    print("""\n    text""")\n',
        '    print("""\n    text""")  # tfcheck: ignore[TFC301]\n',
    ),
    "continued by a backslash": (
        "    y = 1 + \\\n        print(x)\n",
        "    y = 1 + \\\n        print(x)  # tfcheck: ignore[TFC301]\n",
    ),
    "spaces at the end": ("    print(x)   \n", "    print(x)  # tfcheck: ignore[TFC301]\n"),
}


@pytest.mark.parametrize(("line", "expected"), LINES.values(), ids=LINES)
def test_each_finding_gets_a_comment_that_suppresses_it(
    line: str, expected: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.py"
    path.write_text(HEAD + line + "    return x\n")

    result = ignore_paths([path], settings=SETTINGS)

    assert path.read_text() == HEAD + expected + "    return x\n"
    codes = [violation.code for violation in result.remaining.violations]
    assert codes == (["TFC001"] if "TFC302" in line else [])
    assert lint_paths([path], settings=SETTINGS).violations == result.remaining.violations


def test_windows_line_ends_and_marks_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    content = "\ufeff" + (HEAD + "    print(x)\n").replace("\n", "\r\n")
    path.write_bytes(content.encode())

    ignore_paths([path], settings=SETTINGS)

    expected = content.replace("print(x)", "print(x)  # tfcheck: ignore[TFC301]")
    assert path.read_bytes() == expected.encode()


def test_cells_of_notebooks_get_comments(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "code", "source": ["!ls\n", "import tensorflow as tf"]},
        {"cell_type": "code", "source": ["@tf.function\n", "def f(x):\n", "    print(x)\n"]},
    ]
    path = tmp_path / "a.ipynb"
    path.write_text(json.dumps({"cells": cells}))

    ignore_paths([path], settings=SETTINGS)

    changed = json.loads(path.read_text())["cells"]
    assert changed[0] == cells[0]
    assert changed[1]["source"][2] == "    print(x)  # tfcheck: ignore[TFC301]\n"


def test_without_writing_there_is_only_a_diff(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(HEAD + "    print(x)\n")

    result = ignore_paths([path], settings=SETTINGS, write=False)

    assert path.read_text() == HEAD + "    print(x)\n"
    assert "+    print(x)  # tfcheck: ignore[TFC301]\n" in result.diff
    assert (result.remaining.fixed, result.remaining.violations) == (1, ())


def test_what_does_not_parse_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("import tensorflow as tf\ntf.function(\n")

    result = ignore_paths([path], settings=SETTINGS)

    assert path.read_text() == "import tensorflow as tf\ntf.function(\n"
    assert [violation.code for violation in result.remaining.violations] == ["TFC002"]


@pytest.mark.parametrize("change", [ignore_paths, fix_paths])
def test_a_file_that_was_changed_meanwhile_is_left_alone_and_reported(
    change: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.py"
    path.write_text(HEAD + "    print(x)\n")

    class Outdated(Inputs):
        def __init__(self, paths: tuple[Path, ...], unsaved: None) -> None:
            super().__init__(paths, unsaved)
            path.write_text("# new\n" + HEAD + "    print(x)\n")

    monkeypatch.setattr(engine, "Inputs", Outdated)

    result = change([path], settings=SETTINGS)  # type: ignore[operator]  # the functions above

    assert path.read_text() == "# new\n" + HEAD + "    print(x)\n"
    assert result.remaining.problems == (
        FileProblem(str(path), "was changed by someone else while it was checked; run again"),
    )
