"""The steps of action.yml, run as a runner would, with tfcheck installed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ACTION = Path(__file__).parents[2] / "action.yml"
STEPS: dict[str, Any] = {
    step["name"]: step
    for step in yaml.safe_load(ACTION.read_text(encoding="utf-8"))["runs"]["steps"]
}
SCRIPT = """\
import sys
import tensorflow as tf

@tf.function
def f(x):
    print(x)
    return x

f(tf.constant(len(sys.argv)))
"""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="bash")


def run(step: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs a step; what it says goes to the files `output` and `summary` in the folder."""
    (folder / "script.py").write_text(SCRIPT, encoding="utf-8")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return subprocess.run(
        ["bash", "-eo", "pipefail", "-c", STEPS[step]["run"]],
        cwd=folder,
        env={
            **os.environ,
            "PATH": path,
            "RUNNER_TEMP": str(folder),
            "GITHUB_OUTPUT": str(folder / "output"),
            "GITHUB_STEP_SUMMARY": str(folder / "summary"),
            **environment,
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_findings_annotate_the_change_and_fail(tmp_path: Path) -> None:
    ended = run("Lint", tmp_path, LINT_PATHS="script.py", LINT_ARGS="--select TFC301")

    assert ended.returncode == 1
    assert ended.stdout.startswith("::warning title=TFC301 python-print,file=script.py,line=6,")
    assert (tmp_path / "tfcheck.sarif").exists()
    assert (tmp_path / "output").read_text() == f"sarif={tmp_path}/tfcheck.sarif\n"
    assert (tmp_path / "summary").read_text().startswith("### tfcheck lint\n")


def test_a_script_is_profiled_with_its_arguments_and_gated(tmp_path: Path) -> None:
    ended = run("Profile", tmp_path, SCRIPT="script.py --fast", PROFILE_ARGS="--max-traces 0")

    assert ended.returncode == 1
    assert "script.py: 1 Function, 1 call, 1 trace; " in ended.stdout
    assert (tmp_path / "tfcheck-profile.json").exists()
    assert (tmp_path / "tfcheck-profile.html").exists()
    assert "| **failed** | max-traces | 1 | 0 |" in (tmp_path / "summary").read_text()


def test_no_step_lets_an_input_into_its_script() -> None:
    assert [name for name, step in STEPS.items() if "${{" in step["run"]] == []
