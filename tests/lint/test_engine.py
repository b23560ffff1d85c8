"""Whole runs: many files, broken files, broken rules, fixes."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tfcheck.config import Overrides, PerFileIgnore, Selector, Settings
from tfcheck.diagnostics import FileProblem
from tfcheck.errors import ConfigError, InputError
from tfcheck.lint import judge
from tfcheck.lint.engine import StdinSource, fix_paths, lint_paths
from tfcheck.lint.registry import load_rules
from tfcheck.lint.rule import Rule
from tfcheck.lint.selection import Selection

BAD = b"import tensorflow as tf\n\n@tf.function\ndef step(x):\n    print(x)\n    return x\n"
FIXED = BAD.replace(b"    print", b"    tf.print")
PRINT = Settings(select=(Selector("TFC301", "test"),))


def selected(*codes: str, **settings: object) -> Settings:
    chosen = tuple(Selector(code, "test") for code in codes)
    return Settings(select=chosen, **settings)  # type: ignore[arg-type]  # fields by name


def test_findings_come_sorted_by_file_and_place(tmp_path: Path) -> None:
    (tmp_path / "b.py").write_bytes(BAD + BAD)
    (tmp_path / "a.py").write_bytes(BAD)

    result = lint_paths([tmp_path / "b.py", tmp_path / "a.py"], settings=PRINT)

    found = [(Path(v.filename).name, v.span.start.row) for v in result.violations]
    assert found == [("a.py", 5), ("b.py", 5), ("b.py", 11)]
    assert (result.files, result.traced_files) == (2, 2)


def test_the_number_of_workers_changes_nothing(tmp_path: Path) -> None:
    for number in range(8):
        (tmp_path / f"f{number}.py").write_bytes(BAD * (number + 1))

    alone = lint_paths([tmp_path], settings=PRINT, jobs=1)
    shared = lint_paths([tmp_path], settings=PRINT, jobs=3)

    assert shared.violations == alone.violations
    assert len(alone.violations) == 36


def test_broken_files_do_not_stop_the_others(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"\xff")
    (tmp_path / "b.ipynb").write_bytes(b"no json")
    (tmp_path / "c.py").write_bytes(b"def f(:\n")
    (tmp_path / "d.py").write_bytes(BAD)
    (tmp_path / "e.py").write_bytes(b"x = 1\x00")

    result = lint_paths([tmp_path], settings=Settings())

    assert [(Path(v.filename).name, v.code) for v in result.violations] == [
        ("c.py", "TFC002"),
        ("d.py", "TFC301"),
        ("e.py", "TFC002"),
    ]
    assert result.problems == (
        FileProblem(
            f"{tmp_path}/a.py",
            "cannot be decoded as utf-8: byte 0xff in line 1;"
            " save it as UTF-8 or declare its encoding",
        ),
        FileProblem(
            f"{tmp_path}/b.ipynb", "not a notebook: Expecting value: line 1 column 1 (char 0)"
        ),
    )
    assert result.files == 3


def test_deeply_nested_code_ends_in_a_report(tmp_path: Path) -> None:
    code = "import tensorflow as tf\n\n@tf.function\ndef f(x):\n    return " + "-" * 30_000 + "x\n"
    (tmp_path / "deep.py").write_text(code)

    result = lint_paths([tmp_path], settings=Settings())

    assert len(result.violations) + len(result.internal) == 1


def test_a_rule_that_crashes_costs_that_rule_on_that_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken(Rule):
        code = "TFC999"
        since = "0.1"
        severity = load_rules()[0].severity

        def visit_Name(self, node: object) -> None:
            raise KeyError("lost")

    def with_broken(settings: Settings) -> Selection:
        rules = [rule for rule in load_rules() if rule.code == "TFC301"]
        return Selection((Broken, *rules), frozenset(), settings)

    monkeypatch.setattr(judge, "select_rules", with_broken)
    (tmp_path / "a.py").write_bytes(BAD)

    result = lint_paths([tmp_path], settings=Settings())

    assert [violation.code for violation in result.violations] == ["TFC301"]
    assert [(problem.rule, problem.summary) for problem in result.internal] == [
        ("TFC999", "TFC999 broken failed with KeyError: 'lost'")
    ]


def test_python_that_libcst_cannot_parse_is_reported_and_costs_its_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Visiting(Rule):
        code = "TFC999"
        since = "0.1"
        severity = load_rules()[0].severity

        def visit_Name(self, node: object) -> None:
            """Looks at libcst nodes."""

    def with_visiting(settings: Settings) -> Selection:
        rules = [rule for rule in load_rules() if rule.code == "TFC301"]
        return Selection((Visiting, *rules), frozenset(), settings)

    monkeypatch.setattr(judge, "select_rules", with_visiting)
    odd = "@tf.function\ndef odd():\n    (name): int\n\n"
    (tmp_path / "a.py").write_text(BAD.decode() + odd)

    result = lint_paths([tmp_path], settings=Settings())

    assert [violation.code for violation in result.violations] == ["TFC301"]
    assert [problem.summary for problem in result.internal] == [
        "lines 7 to 9 are Python that libcst cannot parse: not all rules ran"
    ]


def test_missing_paths_and_unknown_rules_are_errors(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("")

    with pytest.raises(InputError, match=r"nothing\.py: no such file or folder"):
        lint_paths([tmp_path / "nothing.py"], settings=Settings())
    with pytest.raises(ConfigError) as error:
        lint_paths([tmp_path], settings=selected("python-prnt"))

    assert str(error.value) == "unknown rule `python-prnt`: did you mean `python-print`? (test)"


def test_rules_are_selected_by_code_slug_and_prefix(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(BAD)

    def found(settings: Settings) -> list[str]:
        return [
            violation.code for violation in lint_paths([tmp_path], settings=settings).violations
        ]

    ignored = (Selector("TFC3", "test"),)
    per_file = (PerFileIgnore("a.py", (Selector("TFC301", "test"),)),)

    assert found(selected("python-print")) == ["TFC301"]
    assert found(selected("TFC3")) == ["TFC301"]
    assert found(selected("TFC2")) == []
    assert found(Settings(ignore=ignored)) == []
    assert found(selected("TFC301", ignore=ignored)) == ["TFC301"]
    assert found(Settings(root=tmp_path, per_file_ignores=per_file)) == []


def test_stdin_is_reported_under_the_name_given() -> None:
    result = lint_paths([], settings=PRINT, stdin=StdinSource(BAD, "src/a.py"))

    assert [(v.filename, v.span.start.row) for v in result.violations] == [("src/a.py", 5)]


def test_fixing_rewrites_files_and_says_what_changed(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(BAD)
    path.chmod(0o640)

    result = fix_paths([path], settings=PRINT)

    assert path.read_bytes() == FIXED
    assert path.stat().st_mode & 0o777 == 0o640
    assert result.remaining.violations == ()
    assert result.remaining.fixed == 1
    assert result.diff.splitlines()[4:] == [
        " @tf.function",
        " def step(x):",
        "-    print(x)",
        "+    tf.print(x)",
        "     return x",
    ]


def test_a_diff_alone_touches_no_file(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(BAD)

    result = fix_paths([tmp_path], settings=PRINT, write=False)

    assert (tmp_path / "a.py").read_bytes() == BAD
    assert "+    tf.print(x)" in result.diff


def test_unsafe_fixes_wait_to_be_asked_for(tmp_path: Path) -> None:
    program = (
        b"import tensorflow as tf\n\n@tf.function\ndef step(x):\n    return x\n\n"
        b"for i in range(9):\n    step(i)\n"
    )
    path = tmp_path / "a.py"
    path.write_bytes(program)

    first = fix_paths([path], settings=selected("TFC101"))
    second = fix_paths([path], settings=selected("TFC101"), unsafe=True)

    assert (first.remaining.fixed, len(first.remaining.violations)) == (0, 1)
    assert second.remaining.fixed == 1
    assert path.read_bytes() == program.replace(b"step(i)", b"step(tf.constant(i))")


def test_stdin_is_fixed_in_memory() -> None:
    result = fix_paths([], settings=PRINT, stdin=StdinSource(BAD, "a.py"))

    assert result.stdin == FIXED


def test_a_file_that_cannot_be_written_keeps_its_findings_and_the_others_are_fixed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.py").write_bytes(BAD)
    (tmp_path / "b.py").write_bytes(BAD)
    move = os.replace

    def refuse(source: str, target: Path) -> None:
        if target.name == "a.py":
            raise PermissionError(13, "Permission denied")
        move(source, target)

    monkeypatch.setattr(os, "replace", refuse)

    result = fix_paths([tmp_path], settings=PRINT).remaining

    assert result.problems == (
        FileProblem(f"{tmp_path}/a.py", "cannot be written: Permission denied"),
    )
    assert [Path(violation.filename).name for violation in result.violations] == ["a.py"]
    assert result.fixed == 1
    assert (tmp_path / "a.py").read_bytes() == BAD
    assert (tmp_path / "b.py").read_bytes() == FIXED
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.py", "b.py"]


def test_notebooks_are_reported_by_cell_and_fixed_in_place(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# print(x)"]},
        {"cell_type": "code", "source": ["%time\n", "import tensorflow as tf"]},
        {
            "cell_type": "code",
            "source": ["!ls\n", "@tf.function\n", "def step(x):\n", "    print(x)\n"],
            "outputs": [{"text": "ä"}],
        },
    ]
    text = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}, indent=1, ensure_ascii=False)
    path = tmp_path / "a.ipynb"
    path.write_text(text, encoding="utf-8")

    found = lint_paths([path], settings=PRINT).violations
    fix_paths([path], settings=PRINT)

    assert [(v.cell, v.span.start.row, v.traced[0].filename) for v in found] == [
        (3, 4, f"{path}:cell 3")
    ]
    assert path.read_text(encoding="utf-8") == text.replace("    print(x)", "    tf.print(x)")


def test_a_broken_cell_is_reported_by_its_number(tmp_path: Path) -> None:
    cells = [{"cell_type": "code", "source": source} for source in ("x = 1", "y = = 2")]
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": cells}))

    found = lint_paths([tmp_path], settings=Settings()).violations

    assert [(v.code, v.cell, v.span.start.row) for v in found] == [("TFC002", 2, 1)]


def test_a_folder_with_settings_of_its_own_goes_by_those(tmp_path: Path) -> None:
    text = "import tensorflow as tf\n@tf.function\ndef f(x):\n    print(x)\n    return x\n"
    (tmp_path / "inner").mkdir()
    for folder in (tmp_path, tmp_path / "inner"):
        (folder / "code.py").write_text(text)
    (tmp_path / "inner" / "tfcheck.toml").write_text('ignore = ["TFC301"]\n')

    result = lint_paths([tmp_path], settings=Settings(root=tmp_path, overrides=Overrides()))

    assert [v.filename for v in result.violations] == [(tmp_path / "code.py").as_posix()]
