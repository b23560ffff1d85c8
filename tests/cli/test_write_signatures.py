from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tfcheck.cli.write_signatures import write_signatures
from tfcheck.profile.model import (
    Device,
    FixTrial,
    FunctionKey,
    FunctionProfile,
    Place,
    Profile,
    Retrace,
    RunCost,
    Script,
    Totals,
)
from tfcheck.profile.trial import Fixed

SCRIPT = """\
import tensorflow as tf

@tf.function
def mean(x):
    return tf.reduce_mean(x)

@tf.function
def scaled(x):
    return x * 2

for n in (3, 5):
    mean(tf.ones([n, 2]))
"""
SIGNATURE = "input_signature=[tf.TensorSpec([None, 2], tf.float32)]"
DECLARED = SCRIPT.replace("@tf.function\ndef mean", f"@tf.function({SIGNATURE})\ndef mean")
COST = RunCost(1.0, 0.5, 4, 6)


def function(name: str, line: int) -> FunctionProfile:
    cause = Retrace("shape", "x", "[1]", "[2]", 2, 0.2, Place("train.py", 12), "TFC105")
    return FunctionProfile(
        FunctionKey(name, "train.py", line),
        instances=1,
        calls=3,
        traces=3,
        trace_s=0.3,
        build_s=0.0,
        run_s=0.1,
        causes=(cause,),
        suggested_signature=SIGNATURE,
    )


def run(*functions: FunctionProfile) -> Profile:
    return Profile(
        tool="tfcheck",
        script=Script("train.py", ("train.py",), 0, None),
        device=Device("CPU", "onnxruntime"),
        totals=Totals(1.0, 0.3, 0.0, 0.1, 0.6, 3, 3),
        functions=functions,
    )


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "train.py").write_text(SCRIPT, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def attempt(project: Path) -> Callable[[Callable[[], Fixed]], FixTrial]:
    """A run that breaks as soon as `scaled` has a signature."""

    def attempt(change: Callable[[], Fixed]) -> FixTrial:
        fixed = change()
        changed = (project / "train.py").read_text(encoding="utf-8")
        (project / "train.py").write_text(SCRIPT, encoding="utf-8")
        broken = "the script ended otherwise: TypeError" if changed.count("input_sig") else None
        sound = "@tf.function\ndef scaled" in changed
        return FixTrial(
            COST,
            unsafe=True,
            fixes=fixed.number,
            diff=fixed.diff,
            after=COST,
            calls=6,
            failed=None if sound else broken,
        )

    return attempt


def test_signatures_that_hold_are_written(
    project: Path,
    attempt: Callable[[Callable[[], Fixed]], FixTrial],
    capsys: pytest.CaptureFixture[str],
) -> None:
    status = write_signatures(
        run(function("mean", 3), function("scaled", 7)), attempt=attempt, yes=True
    )

    out, err = capsys.readouterr()
    assert status == 0
    assert (project / "train.py").read_text(encoding="utf-8") == DECLARED
    assert "\n1 signature confirmed: the results of 6 calls are equal (mean)\n" in out
    assert out.endswith("wrote train.py\n")
    assert err == (
        "no signature for scaled (train.py):"
        " 1 signature NOT confirmed: the script ended otherwise: TypeError\n"
    )


def test_where_none_holds_nothing_is_written(
    project: Path, attempt: Callable[[Callable[[], Fixed]], FixTrial]
) -> None:
    status = write_signatures(run(function("scaled", 7)), attempt=attempt, yes=True)

    assert status == 1
    assert (project / "train.py").read_text(encoding="utf-8") == SCRIPT


def test_without_retraces_there_is_nothing_to_do(
    project: Path,
    attempt: Callable[[Callable[[], Fixed]], FixTrial],
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert write_signatures(run(), attempt=attempt, yes=True) == 0
    assert capsys.readouterr().out == (
        "No signatures to write: no Function traced again for its arguments.\n"
    )


def profile(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tfcheck", "profile", *arguments, "train.py"],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )


def test_nothing_is_written_unless_somebody_agrees(project: Path) -> None:
    ended = profile(project, "--write-signatures")

    assert ended.returncode == 0
    assert (project / "train.py").read_text(encoding="utf-8") == SCRIPT
    assert "\n1 signature confirmed: the results of 2 calls are equal (mean)\n" in ended.stdout
    assert "\n+@tf.function(input_signature=[" in ended.stdout
    assert ended.stdout.endswith("Nothing is written.\n")
    assert ended.stderr == "not written: add --yes to write without being asked\n"


def test_yes_alone_is_wrong_use(project: Path) -> None:
    ended = profile(project, "--yes")

    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == "error: --yes writes nothing by itself; add --write-signatures\n"
