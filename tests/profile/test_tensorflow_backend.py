"""TensorFlow as the backend: the same events as the embedded runtime emits."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tfcheck.errors import MissingExtraError
from tfcheck.profile.backend import choose
from tfcheck.profile.settings import BackendName

SCRIPT = """
import tensorflow as tf

class Model(tf.Module):
    def __init__(self):
        self.w = None

    @tf.function
    def step(self, x, n):
        if self.w is None:
            self.w = tf.Variable(1.0)
        return x * self.w + float(n)

model = Model()
for n in range(3):
    model.step(tf.ones([2]), n)
model.step(tf.ones([3]), 0)
"""

installed = importlib.util.find_spec("tensorflow") is not None


@pytest.mark.skipif(installed, reason="TensorFlow is installed")
def test_asking_for_tensorflow_where_it_is_not_says_how_to_get_it() -> None:
    with pytest.raises(MissingExtraError, match=r"pip install 'tfcheck\[tensorflow\]'"):
        choose(BackendName.TENSORFLOW)


@pytest.mark.tensorflow
@pytest.mark.skipif(not installed, reason="no TensorFlow here")
def test_both_backends_tell_the_same_traces_and_causes(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT, encoding="utf-8")

    ours, theirs = (causes(tmp_path, backend) for backend in ("onnx", "tensorflow"))

    assert theirs == ours
    assert theirs == {
        "step": (4 + 1, [("python-value", "n", 2), ("shape", "x", 1)]),
    }


@pytest.mark.tensorflow
@pytest.mark.skipif(not installed, reason="no TensorFlow here")
def test_functions_that_datasets_make_are_nobodys(tmp_path: Path) -> None:
    script = (
        "import tensorflow as tf\n"
        "double = tf.function(lambda x: x * 2)\n"
        "for x in tf.data.Dataset.range(3).map(lambda x: double(x) + 1):\n"
        "    pass\n"
    )
    (tmp_path / "script.py").write_text(script, encoding="utf-8")

    ours, theirs = (causes(tmp_path, backend) for backend in ("onnx", "tensorflow"))

    assert ours == theirs == {"<lambda>": (1, [])}


@pytest.mark.tensorflow
@pytest.mark.skipif(not installed, reason="no TensorFlow here")
def test_both_backends_name_the_line_inside_of_a_traced_function(tmp_path: Path) -> None:
    script = (
        "import tensorflow as tf\n"
        "inner = tf.function(lambda x: x * 2)\n"
        "@tf.function\n"
        "def outer(x):\n"
        "    return inner(x) + tf.reduce_sum(inner(tf.zeros([3])))\n"
        "outer(tf.constant(1.0))\n"
    )
    (tmp_path / "script.py").write_text(script, encoding="utf-8")

    for backend in ("onnx", "tensorflow"):
        causes(tmp_path, backend)
        profile = json.loads((tmp_path / "profile.json").read_text(encoding="utf-8"))
        (cause,) = (cause for each in profile["functions"] for cause in each["causes"])
        assert cause["site"] == {"file": "script.py", "line": 5}


def causes(folder: Path, backend: str) -> dict[str, tuple[int, list[tuple[str, str, int]]]]:
    command = [sys.executable, "-m", "tfcheck", "profile", "--backend", backend]
    command += ["--json", "profile.json", "script.py"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    profile = json.loads((folder / "profile.json").read_text(encoding="utf-8"))
    return {
        each["name"]: (
            each["traces"],
            sorted((cause["kind"], cause["argument"], cause["count"]) for cause in each["causes"]),
        )
        for each in profile["functions"]
    }
