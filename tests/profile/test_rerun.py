from __future__ import annotations

from pathlib import Path

import pytest

from tfcheck.profile.rerun import Request, run_again

SCRIPT = """\
import sys
import tensorflow as tf

@tf.function
def f(x, n):
    return x * n

for n in range(int(sys.argv[1])):
    print(f(tf.constant(2.0), float(n)))
"""


def test_a_program_runs_again_in_a_process_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(SCRIPT + "sys.exit(3)\n", encoding="utf-8")

    again = run_again(Request("train.py", ("3",), False, "onnx"), folder=tmp_path)

    assert (again.status, again.error) == (3, None)
    assert (again.cost.traces, again.cost.calls) == (3, 3)
    assert [[float(leaf) for leaf in call] for call in again.results["f"]] == [[0.0], [2.0], [4.0]]


def test_files_of_the_folder_are_not_taken_for_others(tmp_path: Path) -> None:
    (tmp_path / "numpy.py").write_text("raise SystemExit(9)\n", encoding="utf-8")
    (tmp_path / "train.py").write_text("print(1)\n", encoding="utf-8")

    again = run_again(Request("train.py", (), False, "onnx"), folder=tmp_path)

    assert (again.status, again.cost.calls, dict(again.results)) == (0, 0, {})


def test_a_process_without_an_answer_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import os\nos.kill(os.getpid(), 9)\n", encoding="utf-8")

    with pytest.raises(ChildProcessError, match=r"^ended with exit -9: it said nothing$"):
        run_again(Request("train.py", (), False, "onnx"), folder=tmp_path)
