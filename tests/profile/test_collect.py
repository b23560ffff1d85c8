from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tfcheck.profile.collect import Collected, collect
from tfcheck.profile.model import Place
from tfcheck.profile.program import Outcome, load_script

EMIT = """\
import os, sys, threading, time
from tfcheck_runtime import events
site = events.Site(__file__, 5, "f")
def call():
    events.emit(events.Called(1, 1, site, 0.0, 0.2, 0.1, None, (), {}, None))
call()
"""

Collect = Callable[[str], Collected]


@pytest.fixture
def collected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Collect:
    """Runs a script that tells of one call and then does what the test says."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    monkeypatch.setattr(sys, "argv", sys.argv)
    monkeypatch.setattr(sys, "path", list(sys.path))

    def run(then: str) -> Collected:
        Path("script.py").write_text(EMIT + then, encoding="utf-8")
        return collect(load_script("script.py", ()))

    return run


@pytest.mark.parametrize(
    ("then", "outcome"),
    [
        ("pass", Outcome(0, None)),
        ("raise ValueError('bad')", Outcome(1, "ValueError: bad")),
        ("raise ValueError", Outcome(1, "ValueError")),
        ("sys.exit(3)", Outcome(3, None)),
        ("sys.exit(259)", Outcome(3, None)),
        ("sys.exit('no data')", Outcome(1, None)),
        ("raise KeyboardInterrupt", Outcome(130, "KeyboardInterrupt")),
        ("raise BaseException('odd')", Outcome(1, "BaseException: odd")),
        ("os.chdir('/')", Outcome(0, None)),
        ("sys.stdout = None", Outcome(0, None)),
    ],
)
def test_whatever_ends_the_script_its_calls_are_recorded(
    collected: Collect, then: str, outcome: Outcome
) -> None:
    folder, streams = os.getcwd(), (sys.stdout, sys.stderr)

    result = collected(then)

    lines = (Place(os.path.join(folder, "script.py"), 7),) if "raise" in then else ()
    assert result.outcome == replace(outcome, places=lines)
    assert [each.calls for each in result.recording.calls] == [1]
    assert (os.getcwd(), (sys.stdout, sys.stderr)) == (folder, streams)


def test_calls_from_threads_that_outlive_the_script_are_recorded(collected: Collect) -> None:
    result = collected("threading.Thread(target=lambda: (time.sleep(0.05), call())).start()")

    assert [each.calls for each in result.recording.calls] == [2]


def test_what_comes_after_the_run_is_not_recorded(collected: Collect) -> None:
    result = collected("")

    sys.modules["__main__"].__dict__["call"]()

    assert [each.calls for each in result.recording.calls] == [1]


@pytest.mark.skipif(sys.platform == "win32", reason="forks")
def test_only_the_parent_of_a_fork_reports(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import atexit, os\natexit.register(print, 'bye')\nif os.fork():\n    os.wait()\n",
        encoding="utf-8",
    )
    program = (
        "import sys\nfrom tfcheck.profile.collect import collect\n"
        "from tfcheck.profile.program import load_script\n"
        "print(collect(load_script(sys.argv[1], ())).outcome.status, flush=True)"
    )

    ran = subprocess.run(
        [sys.executable, "-c", program, str(script)], capture_output=True, text=True, check=True
    )

    assert ran.stdout.splitlines() == ["bye", "0", "bye"]


def test_a_script_that_closes_its_output_leaves_it_usable(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import sys\nprint('script')\nsys.stdout.close()\n", encoding="utf-8")
    program = (
        "import sys\nfrom tfcheck.profile.collect import collect\n"
        "from tfcheck.profile.program import load_script\n"
        "collect(load_script(sys.argv[1], ()))\nprint('report')"
    )

    ran = subprocess.run(
        [sys.executable, "-c", program, str(script)], capture_output=True, text=True, check=True
    )

    assert ran.stdout.splitlines() == ["script", "report"]


def test_a_time_out_ends_the_script_and_not_the_recording(collected: Collect) -> None:
    Path("script.py").write_text(EMIT + "time.sleep(30)\n", encoding="utf-8")

    result = collect(load_script("script.py", ()), timeout=0.2)

    assert result.outcome == Outcome(124, None, "it ran for more than 0.2 s (--timeout)")
    assert [each.calls for each in result.recording.calls] == [1]


def test_what_ends_the_process_at_once_is_handed_out_first(
    collected: Collect, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Collected] = []
    left: list[int] = []
    monkeypatch.setattr(os, "_exit", left.append)
    Path("script.py").write_text(EMIT + "os._exit(3)\n", encoding="utf-8")

    def cut_short(early: Collected) -> int:
        seen.append(early)
        return 4

    collect(load_script("script.py", ()), cut_short=cut_short)

    (early,) = seen
    assert left == [4]
    assert early.outcome == Outcome(3, None, "it called os._exit(3)")
    assert [each.calls for each in early.recording.calls] == [1]
