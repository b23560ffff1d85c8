from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SCRIPT = """\
import tensorflow as tf

@tf.function
def step(x, n):
    return x * n

@tf.function
def head(x):
    print("head")
    return x[:2]

@tf.function
def unused(x, n):
    return x + n

for n in range(4):
    step(tf.ones([]), n)
    head(tf.ones([3]))

def later():
    for n in range(4):
        unused(tf.ones([]), n)
"""


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The JSON of a profile of the script."""
    folder = tmp_path_factory.mktemp("profiled")
    (folder / "train.py").write_text(SCRIPT, encoding="utf-8")
    subprocess.run(
        [sys.executable, "-m", "tfcheck", "profile", "--json", "profile.json", "train.py"],
        cwd=folder,
        capture_output=True,
        check=True,
        timeout=120,
    )
    return (folder / "profile.json").read_text(encoding="utf-8")


@pytest.fixture
def project(folder: Path, saved: str) -> Path:
    (folder / "train.py").write_text(SCRIPT, encoding="utf-8")
    (folder / "profile.json").write_text(saved, encoding="utf-8")
    return folder


def test_findings_are_ranked_by_what_the_run_showed(
    project: Path, tfcheck: Callable[..., Any]
) -> None:
    ended = tfcheck("lint", "--evidence", "profile.json", "--output", "json", "train.py")

    records = json.loads(ended.out)
    assert ended.status == 1
    assert [(each["code"], each["location"]["row"], each["evidence"]) for each in records] == [
        ("TFC101", 17, "proven"),
        ("TFC301", 9, "proven"),
        ("TFC101", 22, "not-reached"),
    ]
    assert records[0]["seen"] == "3 traces"
    assert records[0]["cost_s"] > 0.0


def test_the_summary_says_what_the_run_proved(project: Path, tfcheck: Callable[..., Any]) -> None:
    ended = tfcheck("lint", "--evidence", "profile.json", "--output", "concise", "train.py")

    assert "(proven: 3 traces, " in ended.out
    assert "(the run did not reach this code)" in ended.out
    assert " of 3 findings." in ended.out


def test_code_that_changed_since_the_run_has_no_evidence(
    project: Path, tfcheck: Callable[..., Any]
) -> None:
    (project / "train.py").write_text("\n" + SCRIPT.replace("x * n", "x - n"), encoding="utf-8")

    ended = tfcheck("lint", "--evidence", "profile.json", "--output", "json", "train.py")

    records = json.loads(ended.out)
    assert [(each["code"], each.get("evidence")) for each in records] == [
        ("TFC301", "proven"),
        ("TFC101", "not-reached"),
        ("TFC101", None),
    ]
    assert ended.err == (
        "profile.json is older than the code of 1 finding:"
        " run `tfcheck profile` again for evidence on it\n"
    )


def test_what_is_no_profile_is_an_error(project: Path, tfcheck: Callable[..., Any]) -> None:
    (project / "profile.json").write_text("[]", encoding="utf-8")

    ended = tfcheck("lint", "--evidence", "profile.json", "train.py")

    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith("error: profile.json: not a profile of tfcheck")


def test_standard_input_has_no_evidence(project: Path, tfcheck: Callable[..., Any]) -> None:
    ended = tfcheck("lint", "--evidence", "profile.json", "-")

    assert ended.err == "error: --evidence works on files, not on standard input\n"
