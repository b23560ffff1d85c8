from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tfcheck.diagnostics import (
    Applicability,
    Confidence,
    Fix,
    Position,
    Severity,
    Span,
    Violation,
)
from tfcheck.profile import trial
from tfcheck.profile.model import FixTrial, RunCost
from tfcheck.profile.rerun import Again, Ran, Request
from tfcheck.profile.trial import Fixed, try_fixes

BEFORE = RunCost(2.0, 1.0, 30, 33)
AFTER = RunCost(1.2, 0.1, 2, 33)
REQUEST = Request("train.py", (), is_module=False, backend="onnx")


def ran(cost: RunCost, value: float, *, status: int = 0, error: str | None = None) -> Ran:
    return Ran(status, error, cost, {"step": [[np.array(value)]]})


def finding(file: str = "train.py", *, safe: bool = True) -> Violation:
    applicability = Applicability.SAFE if safe else Applicability.UNSAFE
    return Violation(
        code="TFC301",
        name="slug",
        message="message",
        severity=Severity.WARNING,
        confidence=Confidence.HIGH,
        filename=file,
        span=Span(Position(1, 1), Position(1, 2)),
        fix=Fix(applicability, "use `tf.print`", ()),
    )


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    (tmp_path / "project" / "train.py").write_text("old\n", encoding="utf-8")
    return tmp_path / "project"


@pytest.fixture
def answers(project: Path, monkeypatch: pytest.MonkeyPatch) -> list[Ran]:
    """What runs of the copy answer, in turn; each must find the code that it is asked to run."""
    given: list[Ran] = []
    codes: Iterator[str] = iter(["new\n", "old\n"])

    def again(request: Request, *, folder: Path) -> Ran:
        assert request == REQUEST
        assert (folder / "train.py").read_text(encoding="utf-8") == next(codes)
        return given.pop(0)

    monkeypatch.setattr(trial, "run_again", again)
    return given


def fix(files: Sequence[Path]) -> Fixed:
    for file in files:
        file.write_text("new\n", encoding="utf-8")
    return Fixed(len(files), "the diff\n")


def attempt(*violations: Violation, unsafe: bool = False) -> FixTrial:
    return try_fixes(
        Again(ran(BEFORE, 1.0), REQUEST),
        violations,
        fix=fix,
        unsafe=unsafe,
        progress=lambda text: None,
    )


def test_fixes_that_change_no_result_hold(project: Path, answers: list[Ran]) -> None:
    answers.append(ran(AFTER, 1.0))

    tried = attempt(finding())

    assert tried == FixTrial(BEFORE, False, fixes=1, diff="the diff\n", after=AFTER, calls=1)
    assert tried.holds
    assert (project / "train.py").read_text(encoding="utf-8") == "old\n"


def test_fixes_that_change_results_do_not_hold(answers: list[Ran]) -> None:
    answers += [ran(AFTER, 2.0), ran(BEFORE, 1.0)]

    tried = attempt(finding())

    assert (tried.holds, tried.differing) == (False, ("step: call 1: differs by 50 %",))


def test_results_that_vary_from_run_to_run_say_nothing(answers: list[Ran]) -> None:
    answers += [ran(AFTER, 2.0), ran(BEFORE, 3.0)]

    tried = attempt(finding())

    assert (tried.holds, tried.differing, tried.varying) == (True, (), ("step",))


def test_a_script_that_ends_otherwise_does_not_hold(answers: list[Ran]) -> None:
    answers.append(ran(AFTER, 1.0, status=1, error="TypeError: no"))

    tried = attempt(finding())

    assert (tried.holds, tried.failed) == (False, "the script ended otherwise: TypeError: no")


@pytest.mark.parametrize(
    ("found", "why"),
    [
        ([], "no finding of this folder has a fix"),
        ([finding(safe=False)], "no finding has a safe fix; 1 with --unsafe-fixes"),
        ([finding("../lib/model.py")], "no finding of this folder has a fix"),
    ],
)
def test_without_fixes_nothing_runs(project: Path, found: list[Violation], why: str) -> None:
    assert attempt(*found) == replace(FixTrial(BEFORE, False), failed=why)


def test_a_process_that_ends_without_an_answer_is_told(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def again(request: Request, *, folder: Path) -> Ran:
        raise ChildProcessError("ended with exit -9: it said nothing")

    monkeypatch.setattr(trial, "run_again", again)

    tried = attempt(finding(safe=False), unsafe=True)

    assert (tried.after, tried.failed) == (None, "ended with exit -9: it said nothing")
