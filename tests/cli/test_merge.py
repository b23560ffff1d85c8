from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

TRACED = """\
import tensorflow as tf
from helper import show

@tf.function
def step(x):
    print(x)
    return show(x)
"""
HELPER = "def show(x):\n    print(x)\n    return x\n"


@pytest.fixture
def project(folder: Path) -> Path:
    for name in ("a", "b", "c", "d"):
        (folder / f"{name}.py").write_text(TRACED, encoding="utf-8")
    (folder / "helper.py").write_text(HELPER, encoding="utf-8")
    (folder / "broken.py").write_text("def (:\n", encoding="utf-8")
    return folder


def parts(tfcheck: Any, folder: Path, count: int) -> list[str]:
    names = []
    for number in range(1, count + 1):
        ended = tfcheck("lint", ".", "--shard", f"{number}/{count}")
        assert (ended.status, ended.err) == (0, "")
        names.append(f"part{number}.json")
        (folder / names[-1]).write_text(ended.out, encoding="utf-8")
    return names


@pytest.mark.parametrize("count", [1, 2, 3, 8])
@pytest.mark.parametrize("form", ["concise", "json", "sarif"])
def test_parts_say_together_what_one_run_says(
    tfcheck: Any, project: Path, count: int, form: str
) -> None:
    whole = tfcheck("lint", ".", "--output", form)

    merged = tfcheck("merge", *parts(tfcheck, project, count), "--output", form)

    assert merged.status == whole.status == 1
    without_times = re.compile(r"\d+\.\d s\.")
    assert without_times.sub("", merged.out) == without_times.sub("", whole.out)


def test_a_baseline_accepts_what_parts_have_found(tfcheck: Any, project: Path) -> None:
    names = parts(tfcheck, project, 2)

    accepted = tfcheck("merge", *names, "--baseline", "base.json", "--write-baseline")
    clean = tfcheck("merge", *names, "--baseline", "base.json")

    assert (accepted.status, clean.status) == (0, 0)
    assert clean.out.startswith("No findings")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["part1.json"], "of 2 parts, 2 is missing: run them all"),
        (["part1.json", "part1.json", "part2.json"], "part 1/2 was given more than once"),
        (
            ["part1.json", "other.json"],
            "other.json is part 1/3, part1.json part 1/2: not of one run",
        ),
        (["nothing.json"], "cannot read nothing.json: No such file or directory"),
        (
            ["a.py"],
            "a.py is no part of a run: not JSON (Expecting value: line 1 column 1 (char 0))",
        ),
        (
            ["list.json"],
            "list.json is no part of a run; `tfcheck lint --shard I/N` writes those",
        ),
        (
            ["part1.json", "newer.json"],
            "newer.json is from tfcheck 99.0, part1.json from {version}:"
            " the parts of a run must come from one version",
        ),
    ],
)
def test_what_does_not_belong_together_is_one_line(
    tfcheck: Any, project: Path, arguments: list[str], message: str
) -> None:
    from tfcheck import __version__

    parts(tfcheck, project, 2)
    (project / "other.json").write_text(tfcheck("lint", ".", "--shard", "1/3").out)
    (project / "list.json").write_text("[]")
    newer = json.loads((project / "part2.json").read_text())
    newer[2] = "99.0"
    (project / "newer.json").write_text(json.dumps(newer))

    ended = tfcheck("merge", *arguments)

    assert (ended.status, ended.out) == (2, "")
    assert ended.err == f"error: {message.format(version=__version__)}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--shard", "0/2"], "--shard: expected I/N with 1 <= I <= N, such as 2/4, not 0/2"),
        (
            ["--shard", "1/2", "--output", "json"],
            "--shard prints a part; --output belongs to `tfcheck merge`",
        ),
        (["--shard", "1/2", "--fix"], "--shard and --fix cannot go together"),
    ],
)
def test_parts_are_for_merging_only(tfcheck: Any, arguments: list[str], message: str) -> None:
    ended = tfcheck("lint", *arguments)

    assert (ended.status, ended.err) == (2, f"error: {message}\n")
