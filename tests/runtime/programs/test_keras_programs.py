"""Programs that use Keras, from PyPI and unmodified, print what was recorded from TensorFlow."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from printed_lines import differences

ROOT = Path(__file__).parents[3]
PROGRAMS = sorted((ROOT / "fixtures" / "programs" / "keras").glob("*.py"))
RUNNER = ROOT / "tests" / "support" / "keras_programs.py"

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="no processes to fork here"),
    pytest.mark.skipif(importlib.util.find_spec("keras") is None, reason="no Keras here"),
]


# One test has them all, so that one process imports Keras and none of the others that run tests.
def test_programs_print_what_tensorflow_prints() -> None:
    command = [sys.executable, str(RUNNER), *map(str, PROGRAMS)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=900)
    assert run.returncode == 0, run.stderr
    printed: dict[str, str] = json.loads(run.stdout.splitlines()[-1])

    found = {
        path.name: differences(printed[str(path)], path.with_suffix(".out").read_text("utf-8"))
        for path in PROGRAMS
    }

    assert {name: lines for name, lines in found.items() if lines} == {}
