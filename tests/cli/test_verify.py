from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """\
import sys
import numpy as np
import tensorflow as tf

scale = 1.0
total = tf.Variable(0.0)

@tf.function
def score(x, *, add):
    total.assign_add(1.0)
    return tf.nn.relu(x) * scale + add["n"]

@tf.function(input_signature=[tf.TensorSpec([None, 2])])
def mean(x):
    return tf.reduce_mean(x, 0)

@tf.function
def read(v):
    return v + 1.0

score(np.array([1.0, -2.0], np.float32), add={"n": tf.constant(3.0)})
read(total)
if "--stale" in sys.argv:
    scale = 2.0
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "script.py").write_text(SCRIPT, encoding="utf-8")
    return tmp_path


def verify(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tfcheck", "verify", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_recorded_and_generated_inputs_agree(folder: Path) -> None:
    ended = verify(folder, "script.py:score")

    assert (ended.returncode, ended.stderr) == (0, "")
    lines = ended.stdout.splitlines()
    assert lines[0] == "score: Python, graph and model agree on 6 kinds of inputs"
    assert lines[2].split() == ["inputs", "python", "onnxruntime", "reference"]
    assert lines[3].split() == ["recorded", "[2],", "[]", "equal", "equal", "equal"]


def test_a_function_that_was_never_called_is_tried_by_its_signature(folder: Path) -> None:
    ended = verify(folder, "script.py:mean")

    assert ended.returncode == 0
    assert [line.split()[0] for line in ended.stdout.splitlines()[3:]] == [
        "random", "singleton", "empty", "zeros", "NaN", "infinite", "extremes",
    ]  # fmt: skip


def test_a_frozen_value_is_found(folder: Path) -> None:
    ended = verify(folder, "script.py:score", "--", "--stale")

    assert ended.returncode == 1
    assert ended.stdout.splitlines()[0] == "score: differs on 4 of 6 kinds of inputs"
    assert (
        "recorded: python gives other numbers: the trace froze what Python computes anew"
        in ended.stdout
    )


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (
            "script.py:read",
            "error: read takes something else than tensors and Python values;"
            " verify a function that captures it instead",
        ),
        ("script.py", "error: expected SCRIPT:FUNCTION, such as train.py:predict, not script.py"),
    ],
)
def test_what_cannot_be_verified_is_one_line(folder: Path, target: str, message: str) -> None:
    ended = verify(folder, target)

    assert (ended.returncode, ended.stdout, ended.stderr) == (2, "", f"{message}\n")
