from __future__ import annotations

import sysconfig
import time

import pytest

import tfcheck_runtime
from tfcheck.profile.hot_lines import Sampler, hot_lines
from tfcheck.profile.model import HotLine, Place

RUNTIME = tfcheck_runtime.__file__.removesuffix("/__init__.py")
STANDARD = sysconfig.get_paths()["stdlib"]


def frame(function: str, file: str, line: int, *, begins: int = 1) -> str:
    return f"{function}\x00{file}\x00{begins}\x01l{line}\x01c0"


MAIN = frame("<module>", "/work/train.py", 41)
STEP = frame("step", "/work/train.py", 12)
TRACER = frame("_run", f"{RUNTIME}/function/tracer.py", 90)
BUILDER = frame("_build", f"{RUNTIME}/function/running.py", 50)
RUNNER = frame("run", f"{RUNTIME}/execute/executable.py", 50)
KERNEL = frame("add", f"{RUNTIME}/ops/math/arithmetic.py", 5)


def test_time_belongs_to_the_innermost_line_of_the_users() -> None:
    records = [
        ([MAIN, TRACER, STEP, KERNEL], 1.0),
        ([MAIN, TRACER], 0.5),
        ([MAIN, BUILDER], 0.25),
        ([MAIN, RUNNER], 0.125),
        ([MAIN, KERNEL], 0.0625),
        ([MAIN, frame("dumps", f"{STANDARD}/json/__init__.py", 9)], 2.0),
    ]

    lines = hot_lines(records, root="/work")

    assert lines == (
        HotLine(Place("train.py", 41), "<module>", 2.9375, 0.5, 0.25, 0.125, 0.0625),
        HotLine(Place("train.py", 12), "step", 1.0, 1.0, 0.0, 0.0, 0.0),
    )
    assert lines[0].python_s == 2.0


@pytest.mark.parametrize(
    "stack",
    [
        [],
        ["MainThread\x00<thread>\x00140064757664640"],
        [frame("get", "/env/lib/python3.11/site-packages/requests/api.py", 3)],
        [frame("<lambda>", "<string>", 1)],
        ["print\x00<built-in>\x000"],
    ],
)
def test_time_outside_of_the_users_code_has_no_line(stack: list[str]) -> None:
    assert hot_lines([(stack, 1.0)], root="/work") == ()


def test_a_program_is_sampled_while_it_runs() -> None:
    sampler = Sampler()

    with sampler.running():
        end = time.perf_counter() + 0.2
        while time.perf_counter() < end:
            pass

    (line, *_) = sampler.lines("/")
    assert line.function == "test_a_program_is_sampled_while_it_runs"
    assert line.python_s > 0.05
