from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """\
import tensorflow as tf

@tf.function
def mean(x):
    return tf.reduce_mean(x)

@tf.function
def scaled(x, n):
    return x * (0.1 * n)

for n in (3, 5, 7):
    mean(tf.ones([n, 2]))
    scaled(tf.ones([2]), n)
"""
DECLARED = SCRIPT.replace(
    "@tf.function\ndef mean",
    "@tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])\ndef mean",
)


def profile(folder: Path, *arguments: str, answer: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tfcheck", "profile", *arguments, "train.py"],
        cwd=folder,
        input=answer,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "train.py").write_text(SCRIPT, encoding="utf-8")
    return tmp_path


def test_signatures_that_hold_are_written(project: Path) -> None:
    ended = profile(project, "--write-signatures", "--yes")

    assert ended.returncode == 0
    assert (project / "train.py").read_text(encoding="utf-8") == DECLARED
    assert "\n1 signature confirmed: the results of 6 calls are equal (mean)\n" in ended.stdout
    assert ended.stdout.endswith("wrote train.py\n")
    assert "no signature for scaled (train.py): 1 signature NOT confirmed: " in ended.stderr


def test_nothing_is_written_unless_somebody_agrees(project: Path) -> None:
    ended = profile(project, "--write-signatures")

    assert (project / "train.py").read_text(encoding="utf-8") == SCRIPT
    assert "\n+@tf.function(input_signature=[" in ended.stdout
    assert ended.stdout.endswith("Nothing is written.\n")
    assert ended.stderr.endswith("not written: add --yes to write without being asked\n")


def test_yes_alone_is_wrong_use(project: Path) -> None:
    ended = profile(project, "--yes")

    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == "error: --yes writes nothing by itself; add --write-signatures\n"
