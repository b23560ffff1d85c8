from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PROGRAMS = Path(__file__).parents[2] / "fixtures" / "programs"

Tfcheck = Callable[..., Any]
Script = Callable[[str], None]

FUNCTION = """\
import sys
import tensorflow as tf

@tf.function
def f(x):
    return x + 1

f(tf.constant(1))
"""


def spawn(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """`tfcheck profile` in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "tfcheck", "profile", *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.fixture
def script(tmp_path: Path) -> Callable[[str], None]:
    """Writes a script that calls a Function once and then does what the test says."""

    def write(then: str) -> None:
        (tmp_path / "script.py").write_text(FUNCTION + then, encoding="utf-8")

    return write


@pytest.fixture(scope="module")
def training(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The training script of the fixtures, profiled: what was printed, and the JSON."""
    file = tmp_path_factory.mktemp("profile") / "profile.json"
    ended = spawn("--json", str(file), "train_step.py", cwd=PROGRAMS)
    return ended, json.loads(file.read_text(encoding="utf-8"))


def test_the_output_of_the_script_comes_first(training: Any) -> None:
    ended, _ = training

    expected = (PROGRAMS / "train_step.out").read_text(encoding="utf-8")
    assert ended.returncode == 0
    assert ended.stdout.startswith(expected + "\ntrain_step.py: 2 Functions, 33 calls, 31 traces; ")


def test_the_cause_of_retraces_is_an_argument_at_a_line(training: Any) -> None:
    _, record = training
    step = record["functions"][0]

    (cause,) = step["causes"]
    assert (step["name"], step["calls"], step["traces"]) == ("train_step", 30, 30)
    assert {name: cause[name] for name in cause if name != "cost_s"} == {
        "kind": "python-value",
        "argument": "step",
        "before": "Literal[0]",
        "after": "Literal[1], Literal[2], Literal[3], …",
        "count": 29,
        "site": {"file": "train_step.py", "line": 35},
        "rule": "TFC101",
    }


def test_graph_and_eager_are_compared_on_what_the_script_used(training: Any) -> None:
    _, record = training
    step, evaluate = record["functions"]

    assert step["not_compared"] is None
    assert step["speedup"]["low"] <= step["speedup"]["median"] <= step["speedup"]["high"]
    assert step["agrees"]["max_rel"] < 1e-4
    assert evaluate["not_compared"] == "prints (train_step.py:29)"


def test_the_verdict_is_what_to_change(training: Any) -> None:
    _, record = training
    verdict = record["functions"][0]["verdict"]

    del verdict["saves_s"]
    assert verdict == {
        "action": "fix-retraces",
        "text": "29 of 30 traces of train_step come from `step` (Python value) at train_step.py:35",
        "cure": "pass a tensor: one trace then serves every value → 1 trace instead of 30"
        " (replayed)",
        "rule": "TFC101",
        "found": True,
    }


def test_findings_that_the_run_proved_come_with_what_it_showed(training: Any) -> None:
    _, record = training

    proven = [
        (each["code"], each["location"]["row"], each["seen"])
        for each in record["findings"]
        if each["code"] in {"TFC101", "TFC301"}
    ]
    assert proven == [("TFC101", 35, "29 traces"), ("TFC301", 29, "ran in 1 of 3 calls")]


def test_the_times_are_parts_of_the_whole(training: Any) -> None:
    _, record = training
    totals = record["totals"]

    parts = [totals[name] for name in ("tracing_s", "building_s", "running_s", "python_s")]
    assert all(part > 0 for part in parts)
    assert sum(parts) == pytest.approx(totals["wall_s"])


@pytest.mark.parametrize(
    ("then", "status", "line"),
    [
        ("raise ValueError('bad')", 1, "ended by ValueError: bad (exit 1)"),
        ("sys.exit(3)", 3, "ended with exit 3"),
        ("raise KeyboardInterrupt", 130, "ended by KeyboardInterrupt (exit 130)"),
    ],
)
def test_a_script_that_fails_is_reported_and_its_status_kept(
    tfcheck: Tfcheck, script: Script, embedding: None, then: str, status: int, line: str
) -> None:
    script(then)

    ended = tfcheck("profile", "script.py")

    assert ended.status == status
    assert ended.out.splitlines()[1].startswith("script.py: 1 Function, 1 call, 1 trace; ")
    assert ended.out.splitlines()[2] == line


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize(
    ("then", "status", "line"),
    [
        ("import os; os._exit(5)", 5, "cut short: it called os._exit(5); "),
        (
            "import os, signal; os.kill(os.getpid(), signal.SIGTERM)",
            143,
            "cut short: it was told to end (SIGTERM); ",
        ),
        (
            "import threading, time; threading.Thread(target=time.sleep, args=[60]).start();"
            "import os, signal; os.kill(os.getpid(), signal.SIGTERM)",
            143,
            "cut short: it was told to end (SIGTERM); ",
        ),
    ],
    ids=["_exit", "SIGTERM", "a thread goes on"],
)
def test_a_script_that_does_not_end_by_itself_is_reported(
    script: Script, tmp_path: Path, then: str, status: int, line: str
) -> None:
    script(then)

    ended = spawn("--json", "out.json", "script.py", cwd=tmp_path)

    record = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert ended.returncode == status
    assert ended.stdout.splitlines()[2].startswith(line)
    assert (record["script"]["exit"], record["functions"][0]["calls"]) == (status, 1)


@pytest.mark.skipif(sys.platform == "win32", reason="forks")
def test_a_fork_that_ends_leaves_the_report_to_its_parent(script: Script, tmp_path: Path) -> None:
    script("import os\nif os.fork() == 0:\n    sys.exit(4)\nprint(os.wait()[1] >> 8)")

    ended = spawn("script.py", cwd=tmp_path)

    assert ended.returncode == 0
    assert ended.stdout.startswith("4\n\nscript.py: 1 Function, 1 call, 1 trace; ")
    assert ended.stdout.count("script.py: ") == 1


def test_a_report_that_cannot_be_written_is_still_shown(
    tfcheck: Tfcheck, script: Script, embedding: None
) -> None:
    script("")

    ended = tfcheck("profile", "--json", "no/profile.json", "script.py")

    assert ended.status == 2
    assert ended.err.endswith("profile.json: No such file or directory; the report is above\n")
    assert "script.py: 1 Function, 1 call, 1 trace; " in ended.out


def test_a_script_without_functions_is_reported(
    tfcheck: Tfcheck, tmp_path: Path, embedding: None
) -> None:
    (tmp_path / "script.py").write_text("print('done')", encoding="utf-8")

    ended = tfcheck("profile", "script.py")

    assert ended.status == 0
    assert ended.out.startswith("done\n\nscript.py: no tf.function was called as a graph; ")


def test_a_method_is_compared_though_nobody_keeps_its_object(
    tfcheck: Tfcheck, tmp_path: Path, embedding: None
) -> None:
    (tmp_path / "script.py").write_text(
        """\
import tensorflow as tf

class Model:
    def __init__(self):
        self.weight = tf.Variable(2.0)

    @tf.function
    def call(self, x):
        return x * self.weight

def main():
    model = Model()
    model.call(tf.constant(1.0))

main()
""",
        encoding="utf-8",
    )

    ended = tfcheck("profile", "--json", "out.json", "script.py")

    record = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert ended.status == 0
    assert record["functions"][0]["not_compared"] is None
    assert record["functions"][0]["agrees"] == {"max_abs": 0.0, "max_rel": 0.0, "steady": True}


def test_the_runtime_is_asked_for_in_one_line(tmp_path: Path) -> None:
    program = (
        "import sys, importlib.util as u; find = u.find_spec;"
        "u.find_spec = lambda name, *a: None if name == 'onnxruntime' else find(name, *a);"
        "from tfcheck.cli.main import main;"
        "print([main([verb, 'a.py:f']) for verb in ('run', 'profile', 'export')])"
    )

    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert ended.stdout == "[<ExitCode.USAGE: 2>, <ExitCode.USAGE: 2>, <ExitCode.USAGE: 2>]\n"
    assert ended.stderr.splitlines() == [
        f"error: {verb} needs the runtime: pip install 'tfcheck[profile]'"
        for verb in ("run", "profile", "export")
    ]


def test_fixes_are_confirmed_by_a_run_of_a_copy(tmp_path: Path) -> None:
    source = (PROGRAMS / "train_step.py").read_text(encoding="utf-8")
    (tmp_path / "train.py").write_text(source, encoding="utf-8")

    ended = spawn("--confirm-fixes", "--json", "profile.json", "train.py", cwd=tmp_path)

    fixes = json.loads((tmp_path / "profile.json").read_text(encoding="utf-8"))["fixes"]
    assert ended.returncode == 0
    assert "\n1 fix confirmed: the results of 33 calls are equal\n" in ended.stdout
    assert '\n  +    tf.print("loss:", loss)\n' in ended.stdout
    assert (fixes["holds"], fixes["fixes"], fixes["calls"]) == (True, 1, 33)
    assert (tmp_path / "train.py").read_text(encoding="utf-8") == source


def test_fixes_that_break_the_script_fail(tmp_path: Path) -> None:
    source = (
        "import tensorflow as tf\nrates = [0.1, 0.2, 0.3, 0.4, 0.5]\n"
        "@tf.function\ndef scale(x, n):\n    return x * rates[n]\n"
        "for n in range(5):\n    scale(tf.constant(1.0), n)\n"
    )
    (tmp_path / "train.py").write_text(source, encoding="utf-8")

    ended = spawn("--confirm-fixes", "--unsafe-fixes", "train.py", cwd=tmp_path)

    assert ended.returncode == 1
    assert "\n1 fix NOT confirmed: the script ended otherwise: TypeError" in ended.stdout


def test_unsafe_fixes_that_hold_are_confirmed(tmp_path: Path) -> None:
    source = (PROGRAMS / "train_step.py").read_text(encoding="utf-8")
    (tmp_path / "train.py").write_text(source, encoding="utf-8")

    ended = spawn("--confirm-fixes", "--unsafe-fixes", "train.py", cwd=tmp_path)

    assert ended.returncode == 0
    assert "\n2 fixes confirmed: the results of 33 calls agree to 1e-" in ended.stdout


def test_ops_are_timed_where_that_is_asked_for(tmp_path: Path, script: Script) -> None:
    script("")

    ended = spawn("--ops", "--backend", "onnx", "--json", "profile.json", "script.py", cwd=tmp_path)

    (function,) = json.loads((tmp_path / "profile.json").read_text(encoding="utf-8"))["functions"]
    (op,) = function["ops"]
    assert (op["op"], op["kernel"], op["device"], op["count"]) == ("AddV2", "Add", "CPU", 1.0)
    assert op["place"] == {"file": "script.py", "line": 6}
    assert "\nOps of f, in a call\n" in ended.stdout
