from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

TRACED = """\
import tensorflow as tf


@tf.function
def step(x):
    print("x is", x)
    return x
"""
FINDING = "6:5: TFC301 `print` runs only while tracing, not in each call\n"


def result(ended: Any) -> tuple[int, str]:
    """Status and output, the last line without the time it took."""
    return ended.status, ended.out


def test_findings_end_with_1(tfcheck: Any, folder: Path) -> None:
    (folder / "train.py").write_text(TRACED, encoding="utf-8")

    ended = tfcheck("lint", "train.py")

    assert ended.status == 1
    assert ended.out.startswith(f"train.py:{FINDING}1 finding (1 warning) in 1 file, ")
    assert ended.err == ""


def test_exit_zero_hides_findings_from_the_status(tfcheck: Any, folder: Path) -> None:
    (folder / "train.py").write_text(TRACED, encoding="utf-8")

    assert tfcheck("lint", "--exit-zero", "train.py").status == 0


def test_clean_code_ends_with_0(tfcheck: Any, folder: Path) -> None:
    (folder / "train.py").write_text("x = 1\n", encoding="utf-8")

    ended = tfcheck("lint")

    assert ended.status == 0
    assert ended.out.startswith("No findings: no traced code in 1 file (looked for ")


def test_a_missing_file_costs_only_itself(tfcheck: Any, folder: Path) -> None:
    (folder / "train.py").write_text(TRACED, encoding="utf-8")

    ended = tfcheck("lint", "trian.py", "train.py")

    assert ended.status == 2
    assert ended.err == "error: no file or folder trian.py to lint; did you mean train.py?\n"
    assert ended.out.startswith(f"train.py:{FINDING}")


def test_an_unknown_rule_is_wrong_use(tfcheck: Any, folder: Path) -> None:
    (folder / "train.py").write_text(TRACED, encoding="utf-8")

    ended = tfcheck("lint", "--select", "python-prnt", "train.py")

    assert (ended.status, ended.out) == (2, "")
    assert "python-print" in ended.err
    assert ended.err.count("\n") == 1


def test_several_outputs_at_once(tfcheck: Any, folder: Path) -> None:
    (folder / "train.py").write_text(TRACED, encoding="utf-8")

    ended = tfcheck("lint", "train.py", "--output", "concise", "--output", "json=out.json")

    records = json.loads((folder / "out.json").read_text(encoding="utf-8"))
    assert ended.out.startswith(f"train.py:{FINDING}")
    assert [(each["code"], each["location"]) for each in records] == [
        ("TFC301", {"row": 6, "column": 5})
    ]


def test_a_report_that_cannot_be_written_is_printed(tfcheck: Any, folder: Path) -> None:
    (folder / "train.py").write_text(TRACED, encoding="utf-8")

    ended = tfcheck("lint", "train.py", "--output", "json=no/out.json")

    assert ended.status == 2
    assert ended.err == (
        "error: cannot write no/out.json: No such file or directory;"
        " the report follows on standard output\n"
    )
    assert json.loads(ended.out)[0]["code"] == "TFC301"


def test_fix_changes_the_file(tfcheck: Any, folder: Path) -> None:
    (folder / "train.py").write_text(TRACED, encoding="utf-8")

    ended = tfcheck("lint", "--fix", "train.py")

    assert ended.status == 0
    assert ended.out.startswith("1 fixed. No findings in 1 file, ")
    assert (folder / "train.py").read_text(encoding="utf-8") == TRACED.replace(
        "print(", "tf.print("
    )


def test_diff_shows_the_fix_and_changes_nothing(tfcheck: Any, folder: Path) -> None:
    (folder / "train.py").write_text(TRACED, encoding="utf-8")

    ended = tfcheck("lint", "--diff", "train.py")

    assert ended.status == 1
    assert '-    print("x is", x)\n+    tf.print("x is", x)\n' in ended.out
    assert (folder / "train.py").read_text(encoding="utf-8") == TRACED


def test_standard_input_is_linted_under_its_name(
    tfcheck: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    stdin = SimpleNamespace(buffer=io.BytesIO(TRACED.encode()))
    monkeypatch.setattr(sys, "stdin", stdin)

    ended = tfcheck("lint", "-", "--stdin-filename", "cell.py")

    assert ended.out.startswith(f"cell.py:{FINDING}")


def test_fixing_standard_input_prints_the_fixed_text(
    tfcheck: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    stdin = SimpleNamespace(buffer=io.BytesIO(TRACED.encode()))
    monkeypatch.setattr(sys, "stdin", stdin)

    ended = tfcheck("lint", "--fix", "-")

    assert result(ended) == (0, TRACED.replace("print(", "tf.print("))


def test_the_rich_report_quotes_the_code(tfcheck: Any, folder: Path) -> None:
    (folder / "train.py").write_text(TRACED, encoding="utf-8")

    ended = tfcheck("lint", "train.py", "--output", "rich")

    assert ended.out.splitlines()[1:5] == [
        "   |",
        ' 6 |     print("x is", x)',
        "   |     ^^^^^^^^^^^^^^^^",
        "   |",
    ]


def test_a_rule_is_explained_by_code_and_by_name(tfcheck: Any) -> None:
    by_code, by_name = tfcheck("rule", "TFC301"), tfcheck("rule", "python-print")

    assert by_code == by_name
    assert by_code.out.startswith("TFC301 python-print\n")
    assert "\nBad:\n" in by_code.out


def test_all_rules_are_listed_as_json(tfcheck: Any) -> None:
    records = json.loads(tfcheck("rule", "--all", "--output", "json").out)

    assert "TFC301" in [each["code"] for each in records]


def test_several_formats_are_written_at_once(tfcheck: Any, folder: Path) -> None:
    (folder / "a.py").write_text(
        "import tensorflow as tf\n@tf.function\ndef f(x):\n    print(x)\n", encoding="utf-8"
    )
    formats = ("sarif", "gitlab", "junit", "jsonl", "markdown", "json", "rich", "github")
    outputs = [f"--output={name}=out.{name}" for name in formats]

    ended = tfcheck("lint", "--output=concise", *outputs, "a.py")

    sizes = {name: (folder / f"out.{name}").stat().st_size for name in formats}
    assert ended.status == 1
    assert ended.out.startswith("a.py:4:5: TFC301 ")
    assert all(sizes.values())
    assert "\x1b" not in (folder / "out.rich").read_text(encoding="utf-8")
