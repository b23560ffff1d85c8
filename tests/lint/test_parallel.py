"""Worker processes: what one of them does to the others' files."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tfcheck.config import Selector, Settings
from tfcheck.diagnostics import InternalProblem
from tfcheck.lint.checker import Checker, Task
from tfcheck.lint.engine import lint_paths
from tfcheck.lint.outcome import Outcome, Surroundings

PRINT = Settings(select=(Selector("TFC301", "test"),), cache=False)
BAD = "import tensorflow as tf\n\n@tf.function\ndef step(x):\n    print(x)\n    return x\n"


@pytest.mark.skipif(sys.platform != "linux", reason="the processes have to be forked")
@pytest.mark.parametrize("phase", ["_explore", "_judge"])
def test_a_process_that_dies_costs_no_other_file(
    phase: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(6):
        (tmp_path / f"f{number}.py").write_text(BAD)
    check = getattr(Checker, phase)
    parent = os.getpid()

    def deadly(self: Checker, task: Task) -> Surroundings | Outcome:
        if task.path.name == "f3.py" and os.getpid() != parent:
            os._exit(1)
        result: Surroundings | Outcome = check(self, task)
        return result

    monkeypatch.setattr(Checker, phase, deadly)

    result = lint_paths([tmp_path], settings=PRINT, jobs=2)

    found = [Path(violation.filename).name for violation in result.violations]
    assert found == [f"f{number}.py" for number in range(6) if phase == "_explore" or number != 3]
    summary = "the process that checked the file died, for want of memory or by a fault of Python"
    lost = InternalProblem(f"{tmp_path}/f3.py", None, summary, "")
    assert result.internal == (() if phase == "_explore" else (lost,))


@pytest.mark.parametrize("lines_kept", [0, 25, 1000])
def test_how_much_is_kept_in_memory_changes_nothing(
    lines_kept: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(8):
        helper = f"def helper(x):\n    print(x, {number})\n"
        caller = BAD.replace("print(x)", f"f{(number + 1) % 8}.helper(x)")
        imported = f"import f{(number + 1) % 8}\n"
        (tmp_path / f"f{number}.py").write_text(imported + caller + "\n\n" + helper)
    monkeypatch.setattr("tfcheck.lint.parallel._LINES_KEPT", lines_kept)

    result = lint_paths([tmp_path], settings=PRINT, jobs=1)

    found = [(Path(each.filename).name, each.span.start.row) for each in result.violations]
    assert found == [(f"f{number}.py", 11) for number in range(8)]
