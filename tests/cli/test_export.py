from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest

SCRIPT = """\
import sys
import tensorflow as tf

weight = tf.Variable(2.0)
big, tally = tf.Variable(tf.ones([20000]), name="big"), tf.Variable(0.0, name="tally")

@tf.function
def scale(x):
    return x * weight

@tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32)])
def total(x):
    return tf.reduce_sum(x)

@tf.function
def shout(x):
    tf.print("x")
    tally.assign_add(x)
    return x + big

@tf.function
def draw(x):
    # Two ops that ONNX lacks.
    x += tf.random.uniform([2])
    return x + tf.random.normal([2])

@tf.function
def never(x):
    return x

class Model:
    @tf.function
    def call(self, x):
        return x + 1.0

def main():
    @tf.function
    def local(x):
        return x - 1.0
    local(tf.constant(1.0))

model = Model()
model.call(tf.constant(1.0))
if "--shout" in sys.argv:
    shout(tf.constant(1.0))
if "--draw" in sys.argv:
    draw(tf.constant(1.0))
scale(tf.constant([1.0]))
scale(tf.constant([1.0, 2.0]))
main()
if "--fail" in sys.argv:
    raise ValueError("bad")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "script.py").write_text(SCRIPT, encoding="utf-8")
    return tmp_path


def export(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tfcheck", "export", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_the_latest_trace_of_a_function_is_written(folder: Path) -> None:
    ended = export(folder, "script.py:scale", "-o", "scale.onnx")

    session = onnxruntime.InferenceSession(
        (folder / "scale.onnx").read_bytes(), providers=["CPUExecutionProvider"]
    )
    (result,) = session.run(None, {"x": np.array([1.0, 3.0], dtype=np.float32)})[:1]
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith("wrote scale.onnx: scale(x: float32[2]) → ")
    assert np.asarray(result).tolist() == [2.0, 6.0]


@pytest.mark.parametrize("name", ["total", "model.call", "local"])
def test_functions_are_found_by_signature_in_objects_and_inside_functions(
    folder: Path, name: str
) -> None:
    ended = export(folder, f"script.py:{name}")

    assert (ended.returncode, ended.stderr) == (0, "")
    assert (folder / "model.onnx").exists()


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (
            ["script.py:scael"],
            2,
            "error: no Function `scael` in the script, did you mean `scale`?; it has"
            " call, draw, local, model.call, never, scale, shout, total",
        ),
        (
            ["script.py:never"],
            2,
            "error: never was never called by the script and has no input_signature:"
            " call it once, or give it one",
        ),
        (
            ["script.py:scale", "-o", "no/scale.onnx"],
            2,
            "error: cannot write {folder}/no/scale.onnx: No such file or directory",
        ),
        (["scrpt.py:f"], 2, "error: no script scrpt.py to run; did you mean script.py?"),
    ],
)
def test_what_cannot_be_exported_is_one_line(
    folder: Path, arguments: list[str], status: int, message: str
) -> None:
    ended = export(folder, *arguments)

    assert (ended.returncode, ended.stdout) == (status, "")
    assert ended.stderr == f"{message.format(folder=folder)}\n"


def test_all_ops_without_an_onnx_form_are_named_by_line(folder: Path) -> None:
    ended = export(folder, "script.py:draw", "--", "--draw")

    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.splitlines() == [
        "error: `draw` cannot be exported to ONNX: 2 ops have no ONNX form",
        f"  RandomUniform `random_uniform/RandomUniform` at {folder / 'script.py'}:24 in draw",
        f"  RandomStandardNormal `random_normal/RandomStandardNormal`"
        f" at {folder / 'script.py'}:25 in draw",
        "Move them out of the function, or export a function without them",
    ]


def test_what_the_model_leaves_out_keeps_and_holds_is_told(folder: Path) -> None:
    ended = export(folder, "script.py:shout", "--", "--shout")

    place = folder / "script.py"
    assert (ended.returncode, ended.stderr) == (0, "x\n")
    assert ended.stdout.splitlines()[1:] == [
        f"  left out: PrintV2 at {place}:17 in shout",
        "  state: `tally` is an input, its new value the output `tally_new`",
        f"  holds 78 KiB of `big` (variable, frozen at its present value) at {place}:19",
    ]
    model = onnx.load(folder / "model.onnx")
    metadata = {each.key: json.loads(each.value) for each in model.metadata_props}
    assert metadata == {
        "tfcheck.dropped": [
            {
                "op": "PrintV2",
                "node": "PrintV2",
                "file": str(place),
                "line": 17,
                "function": "shout",
            }
        ],
        "tfcheck.written": {"tally": "tally_new"},
        "tfcheck.frozen": ["big"],
    }


def test_what_a_failing_script_traced_is_still_written(folder: Path) -> None:
    ended = export(folder, "script.py:scale", "--", "--fail")

    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-2:] == [
        "ValueError: bad",
        "warning: script.py ended with exit 1",
    ]
    assert (folder / "model.onnx").exists()
