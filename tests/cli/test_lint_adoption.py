"""Taking the tool up on old code: baselines, comments, statistics, what fails a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tfcheck.cli.watch import watch
from tfcheck.config import Settings

STEP = "import tensorflow as tf\n\n\n@tf.function\ndef step(x):\n    print(x)\n    return x\n"
MORE = STEP.replace("    return x\n", "    print(x, x)\n    return x\n")
SUMMARY = "1 finding (1 warning) in 1 file, 1 with traced code, "


def write(folder: Path, text: str, name: str = "train.py") -> None:
    (folder / name).write_text(text, encoding="utf-8")


def test_what_a_baseline_accepts_is_not_reported_again(tfcheck: Any, folder: Path) -> None:
    write(folder, STEP)
    written = tfcheck("lint", "--baseline", "old.json", "--write-baseline", "train.py")

    accepted = tfcheck("lint", "--baseline", "old.json", "train.py")
    write(folder, MORE)
    again = tfcheck("lint", "--baseline", "old.json", "train.py")

    assert (written.status, written.err) == (0, "wrote old.json: 1 finding accepted\n")
    assert (accepted.status, accepted.err) == (0, "")
    assert accepted.out.startswith("No findings in 1 file, ")
    assert again.status == 1
    assert again.out.startswith("train.py:7:5: TFC301 ")


def test_a_finding_that_is_gone_leaves_the_baseline(tfcheck: Any, folder: Path) -> None:
    write(folder, STEP)
    tfcheck("lint", "--baseline", "old.json", "--write-baseline", "train.py")
    write(folder, STEP.replace("print(x)", "pass"))

    ended = tfcheck("lint", "--baseline", "old.json", "train.py")

    assert ended.status == 0
    assert ended.err == "1 accepted finding fixed: taken out of old.json\n"
    assert json.loads((folder / "old.json").read_text()) == {"version": 1, "findings": {}}


def test_the_settings_can_name_the_baseline(tfcheck: Any, folder: Path) -> None:
    write(folder, STEP)
    write(folder, 'baseline = "old.json"\n', "tfcheck.toml")

    missing = tfcheck("lint", "train.py")
    tfcheck("lint", "--write-baseline", "train.py")

    assert missing.status == 2
    assert missing.err.endswith("old.json'; write one with --write-baseline\n")
    assert tfcheck("lint", "train.py").status == 0


def test_a_file_that_cannot_be_read_writes_no_baseline(tfcheck: Any, folder: Path) -> None:
    (folder / "train.py").write_bytes(b"x = '\xff'\n")

    ended = tfcheck("lint", "--baseline", "old.json", "--write-baseline")

    assert ended.status == 2
    assert not (folder / "old.json").exists()


def test_ignores_are_added_and_then_hide_the_findings(tfcheck: Any, folder: Path) -> None:
    write(folder, STEP)
    shown = tfcheck("lint", "--add-ignores", "--diff", "train.py")
    assert (folder / "train.py").read_text() == STEP

    added = tfcheck("lint", "--add-ignores", "train.py")

    assert (shown.status, "+    print(x)  # tfcheck: ignore[TFC301]\n" in shown.out) == (1, True)
    assert added.status == 0
    assert added.out.startswith("1 fixed. No findings in 1 file, ")
    assert "    print(x)  # tfcheck: ignore[TFC301]\n" in (folder / "train.py").read_text()


def test_statistics_count_the_findings_of_each_rule(tfcheck: Any, folder: Path) -> None:
    write(folder, MORE)

    ended = tfcheck("lint", "--statistics", "--output", "concise", "--output", "json=all.json")

    assert ended.status == 1
    assert ended.out.startswith("2 TFC301 python-print (2 with a fix)\n2 findings (2 warnings) ")
    assert len(json.loads((folder / "all.json").read_text())) == 2


@pytest.mark.parametrize(("severity", "status"), [("info", 1), ("warning", 1), ("error", 0)])
def test_findings_below_the_limit_do_not_fail(
    severity: str, status: int, tfcheck: Any, folder: Path
) -> None:
    write(folder, STEP)

    ended = tfcheck("lint", "--fail-on", severity, "train.py")

    assert ended.status == status
    assert SUMMARY in ended.out


def test_the_files_that_would_be_linted_are_listed(tfcheck: Any, folder: Path) -> None:
    write(folder, STEP)
    write(folder, "", "notes.txt")
    (folder / "build").mkdir()
    write(folder / "build", STEP)

    assert tfcheck("lint", "--show-files").out == "train.py\n"


def test_the_settings_that_hold_are_shown_as_a_file_would_have_them(
    tfcheck: Any, folder: Path
) -> None:
    write(
        folder,
        'select = ["TFC3"]\nexclude = []\nseverity = "info"\n\n'
        '[per-file-ignores]\n"tests/**" = ["TFC301"]\n',
        "tfcheck.toml",
    )

    ended = tfcheck("lint", "--show-settings", "--ignore", "TFC302")

    assert ended.out == (
        f"# patterns are relative to {folder.as_posix()}\n"
        'select = ["TFC3"]\nextend-select = []\nignore = ["TFC302"]\nexclude = []\n'
        "extend-exclude = []\nforce-exclude = false\nrespect-gitignore = true\n"
        'severity = "info"\nconfidence = "medium"\ncache = true\nscalar-limit = 3\n'
        'fail-on = "info"\n# baseline is not set\n\n'
        '[per-file-ignores]\n"tests/**" = ["TFC301"]\n'
    )


CONFLICTS = {
    ("--fix", "--add-ignores"): "--add-ignores and --fix cannot go together",
    ("--diff", "--write-baseline"): "--write-baseline and --diff cannot go together",
    ("--watch", "--show-files"): "--show-files and --watch cannot go together",
    ("--add-ignores", "-"): "--add-ignores works on files, not on standard input",
    ("--write-baseline",): "--write-baseline: where to? add --baseline FILE or set `baseline`",
    ("--add-ignores", "--diff", "--unsafe-fixes"): (
        "--unsafe-fixes and --add-ignores cannot go together"
    ),
}


@pytest.mark.parametrize(("options", "message"), CONFLICTS.items(), ids=map(" ".join, CONFLICTS))
def test_options_that_contradict_each_other_are_wrong_use(
    options: tuple[str, ...], message: str, tfcheck: Any
) -> None:
    ended = tfcheck("lint", *options)

    assert (ended.status, ended.out, ended.err) == (2, "", f"error: {message}\n")


def test_watching_checks_again_after_each_change(folder: Path) -> None:
    write(folder, "x = 1\n", "a.py")
    checked: list[list[str]] = []
    changes = iter([lambda: None, lambda: write(folder, "x = 22\n", "b.py")])

    def check() -> int:
        checked.append(sorted(path.name for path in folder.glob("*.py")))
        return 0

    def pause(_seconds: float) -> None:
        change = next(changes, None)
        if change is None:
            raise KeyboardInterrupt
        change()

    with pytest.raises(KeyboardInterrupt):
        watch([Path()], Settings(), check=check, pause=pause)

    assert checked == [["a.py"], ["a.py", "b.py"]]
