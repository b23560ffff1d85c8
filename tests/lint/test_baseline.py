"""Accepted findings: what keeps them, what is one too many, and what is stale."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tfcheck.config import Selector, Settings
from tfcheck.diagnostics import LintResult
from tfcheck.errors import ConfigError
from tfcheck.lint.baseline import (
    Applied,
    Baseline,
    apply_baseline,
    load_baseline,
    make_baseline,
    write_baseline,
)
from tfcheck.lint.engine import lint_paths
from tfcheck.lint.fingerprint import Fingerprint

PRINT = Settings(select=(Selector("TFC301", "test"),), cache=False)
STEP = "import tensorflow as tf\n\n@tf.function\ndef step(x):\n    print(x)\n    return x\n"


def lint(root: Path, settings: Settings = PRINT) -> LintResult:
    return lint_paths([root], settings=settings, jobs=1)


def accept(root: Path) -> Baseline:
    return make_baseline(lint(root), folder=root)


def compare(root: Path, baseline: Baseline, settings: Settings = PRINT) -> Applied:
    return apply_baseline(lint(root, settings), baseline, folder=root, settings=settings)


def rows(applied: Applied) -> list[int]:
    return [violation.span.start.row for violation in applied.result.violations]


LAYOUTS = {
    "moved down": "# a comment\n\n" + STEP,
    "laid out in another way": STEP.replace("print(x)", "print(\n        x,\n    )"),
    "with other code around": STEP.replace("    return x", "    y = x\n    return y"),
    "in a class of its own later": "class Other:\n    pass\n\n" + STEP,
}


@pytest.mark.parametrize("text", LAYOUTS.values(), ids=LAYOUTS)
def test_an_accepted_finding_stays_accepted_when_it_moves(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(STEP)
    baseline = accept(tmp_path)
    (tmp_path / "a.py").write_text(text)

    applied = compare(tmp_path, baseline)

    assert (rows(applied), applied.accepted, applied.stale) == ([], 1, ())


def test_one_more_of_the_same_is_one_too_many(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(STEP)
    baseline = accept(tmp_path)
    (tmp_path / "a.py").write_text(STEP.replace("    return", "    print(x)\n    return"))

    applied = compare(tmp_path, baseline)

    assert (rows(applied), applied.accepted) == ([6], 1)


def test_the_same_statement_in_another_function_is_another_finding(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(STEP)
    baseline = accept(tmp_path)
    (tmp_path / "a.py").write_text(STEP + STEP.replace("step", "other"))

    assert rows(compare(tmp_path, baseline)) == [11]


def test_what_was_mended_is_stale_and_pruned(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(STEP)
    (tmp_path / "b.py").write_text(STEP.replace("print(x)", "print(x)\n    print(x)"))
    baseline = accept(tmp_path)
    (tmp_path / "b.py").write_text(STEP)
    (tmp_path / "a.py").write_text("")

    applied = compare(tmp_path, baseline)

    gone = Fingerprint("TFC301", "step", "print(x)")
    assert baseline.total == 3
    assert applied.stale == (("a.py", gone), ("b.py", gone))
    assert applied.pruned == Baseline({("b.py", gone): 1})  # type: ignore[dict-item]  # an Entry is a tuple


def test_a_finding_that_moved_to_another_file_is_accepted_there(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(STEP)
    baseline = accept(tmp_path)
    (tmp_path / "a.py").rename(tmp_path / "b.py")

    applied = compare(tmp_path, baseline)

    assert (rows(applied), applied.stale) == ([], ())
    assert [entry.file for entry in applied.pruned.counts] == ["b.py"]


def test_a_copy_in_another_file_is_new(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(STEP)
    baseline = accept(tmp_path)
    (tmp_path / "b.py").write_text(STEP)

    both = compare(tmp_path, baseline)
    alone = apply_baseline(lint(tmp_path / "b.py"), baseline, folder=tmp_path, settings=PRINT)

    assert [Path(violation.filename).name for violation in both.result.violations] == ["b.py"]
    assert rows(alone) == [5]


def test_files_and_rules_that_were_not_looked_at_are_not_stale(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(STEP)
    (tmp_path / "b.py").write_text("")
    baseline = accept(tmp_path)
    other = Settings(select=(Selector("TFC302", "test"),), cache=False)

    one_file = apply_baseline(lint(tmp_path / "b.py"), baseline, folder=tmp_path, settings=PRINT)
    other_rule = compare(tmp_path, baseline, other)

    assert (one_file.stale, other_rule.stale) == ((), ())
    assert one_file.pruned == other_rule.pruned == baseline


def test_a_baseline_is_written_sorted_and_read_back(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "b.py").write_text(STEP.replace("print(x)", "print(x)\n    print(x)"))
    (tmp_path / "src" / "a.py").write_text(STEP)
    baseline = accept(tmp_path)
    file = tmp_path / "baseline.json"

    write_baseline(baseline, file)

    entry = {"rule": "TFC301", "function": "step", "statement": "print(x)"}
    assert json.loads(file.read_text()) == {
        "version": 1,
        "findings": {"src/a.py": [entry], "src/b.py": [{**entry, "count": 2}]},
    }
    assert load_baseline(file) == baseline


BROKEN = {
    "no JSON": ("{", "cannot be read as a baseline"),
    "another version": ('{"version": 2}', "expected a baseline of version 1, not 2"),
    "something else": ("[]", "expected a baseline of version 1, not None"),
    "no findings": ('{"version": 1}', "not a baseline: KeyError('findings')"),
    "no rule": ('{"version": 1, "findings": {"a.py": [{}]}}', "not a baseline: KeyError('rule')"),
}


@pytest.mark.parametrize(("text", "message"), BROKEN.values(), ids=BROKEN)
def test_what_is_no_baseline_is_an_error(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "baseline.json"
    file.write_text(text)

    with pytest.raises(ConfigError) as error:
        load_baseline(file)

    assert str(error.value).startswith(f"{file}: {message}")


STATEMENTS = {
    "head of a loop": (
        "@tf.function\ndef f(x):\n    for i in log(print(x)):\n        x += i\n    return x\n",
        Fingerprint("TFC301", "f", "for i in log(print(x))"),
    ),
    "method": (
        "class Net:\n    @tf.function\n    def f(self, x):\n        y = print( x )\n",
        Fingerprint("TFC301", "Net.f", "y = print(x)"),
    ),
    "lambda at module level": (
        "f = tf.function(lambda x: print(x))\n",
        Fingerprint("TFC301", "", "f = tf.function(lambda x: print(x))"),
    ),
    "one line": (
        "@tf.function\ndef f(x):\n    if x is None: print(x)\n",
        Fingerprint("TFC301", "f", "print(x)"),
    ),
}


@pytest.mark.parametrize(("code", "expected"), STATEMENTS.values(), ids=STATEMENTS)
def test_a_finding_is_told_apart_by_its_statement(
    code: str, expected: Fingerprint, tmp_path: Path
) -> None:
    (tmp_path / "a.py").write_text(f"import tensorflow as tf\n\n{code}")

    assert [entry.fingerprint for entry in accept(tmp_path).counts] == [expected]


def test_cells_of_notebooks_and_files_that_do_not_parse_have_fingerprints_too(
    tmp_path: Path,
) -> None:
    cells = [
        {"cell_type": "code", "source": "import tensorflow as tf"},
        {"cell_type": "code", "source": "@tf.function\ndef f(x):\n    print(x)\n"},
    ]
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": cells}))
    (tmp_path / "b.py").write_text("import tensorflow as tf\ntf.function(\n")

    result = lint(tmp_path, Settings(cache=False))

    assert list(make_baseline(result, folder=tmp_path).counts) == [
        ("a.ipynb", Fingerprint("TFC301", "f", "print(x)")),
        ("b.py", Fingerprint("TFC002", "", "does not parse: '(' was never closed")),
    ]
