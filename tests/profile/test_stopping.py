from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tfcheck.profile.stopping import StoppedError, stoppable

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals")


def nothing(_reason: str, status: int) -> int:
    return status


def test_a_time_out_wakes_what_sleeps() -> None:
    before = signal.getsignal(signal.SIGTERM)

    with (
        pytest.raises(StoppedError) as raised,
        stoppable(timeout=0.05, last_resort=nothing),
    ):
        time.sleep(30)

    assert (raised.value.reason, raised.value.status) == (
        "it ran for more than 0.05 s (--timeout)",
        124,
    )
    assert signal.getsignal(signal.SIGTERM) == before


def test_sigterm_is_told_from_a_time_out() -> None:
    with (
        pytest.raises(StoppedError) as raised,
        stoppable(timeout=60, last_resort=nothing),
    ):
        signal.raise_signal(signal.SIGTERM)

    assert (raised.value.reason, raised.value.status) == ("it was told to end (SIGTERM)", 143)


def test_what_is_in_time_is_left_alone() -> None:
    leave = os._exit

    with stoppable(timeout=60, last_resort=nothing):
        replaced = os._exit

    assert replaced is not leave
    assert os._exit is leave


def test_other_threads_run_without_signals() -> None:
    seen: list[str] = []

    def run() -> None:
        with stoppable(timeout=0.01, last_resort=nothing):
            seen.append("ran")

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()

    assert seen == ["ran"]


PROGRAM = """\
import os, sys, time
from tfcheck.profile import stopping
stopping.GRACE = 0.2
def last_resort(reason, status):
    print(reason, flush=True)
    return status + 1
with stopping.stoppable(timeout={timeout}, last_resort=last_resort):
"""


def run(tmp_path: Path, body: str, *, timeout: float | None = None) -> tuple[int, str]:
    script = tmp_path / "program.py"
    script.write_text(PROGRAM.format(timeout=timeout) + body, encoding="utf-8")
    ended = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=False, timeout=60
    )
    return ended.returncode, ended.stdout


def test_exit_reports_first(tmp_path: Path) -> None:
    assert run(tmp_path, "    os._exit(3)\n") == (4, "it called os._exit(3)\n")


def test_the_exit_of_a_fork_reports_nothing(tmp_path: Path) -> None:
    body = (
        "    pid = os.fork()\n    if not pid: os._exit(3)\n    print(os.waitpid(pid, 0)[1] >> 8)\n"
    )

    assert run(tmp_path, body) == (0, "3\n")


def test_a_program_that_catches_everything_is_reported_from_outside(tmp_path: Path) -> None:
    body = "    while True:\n        try: time.sleep(9)\n        except BaseException: pass\n"

    assert run(tmp_path, body, timeout=0.1) == (125, "it ran for more than 0.1 s (--timeout)\n")


def test_a_fork_that_is_told_to_end_does(tmp_path: Path) -> None:
    body = (
        "    read, write = os.pipe()\n"
        "    pid = os.fork()\n"
        "    if not pid:\n"
        "        os.write(write, b'.')\n"
        "        time.sleep(30)\n"
        "    elif os.read(read, 1):\n"
        "        os.kill(pid, 15)\n"
        "        print(os.waitpid(pid, 0)[1])\n"
    )

    assert run(tmp_path, body) == (0, "15\n")
