"""What importing the runtime costs, and leaves behind in a forked child."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest


def run(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout


def test_eager_code_loads_nothing_that_builds_models() -> None:
    program = """
import sys, tfcheck_runtime as tf
tf.constant([1.0]) + 1.0
print([name for name in ("onnx", "onnx_ir", "onnxruntime", "sympy") if name in sys.modules])
tf.function(lambda: 1)
print("onnxruntime" in sys.modules)
"""

    assert run(program) == "[]\nTrue\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no processes to fork here")
def test_a_forked_child_that_runs_a_graph_ends() -> None:
    program = """
import os, sys, tfcheck_runtime as tf
double = tf.function(lambda x: x * 2.0)
double(tf.constant(1.0))
if os.fork() == 0:
    sys.exit(int(double(tf.constant(2.0)).numpy()))
print(os.waitstatus_to_exitcode(os.wait()[1]))
"""

    assert run(program) == "4\n"
