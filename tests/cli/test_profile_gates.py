"""`tfcheck profile` with gates and reports, inside the test's own process."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Tfcheck = Callable[..., Any]

SCRIPT = """\
import sys
import tensorflow as tf

@tf.function
def f(x, n):
    return x * n

for n in range(3):
    f(tf.ones([4]), n)
"""


@pytest.fixture
def script(folder: Path, embedding: None) -> Path:
    """A script with two retraces, in the current folder."""
    file = folder / "script.py"
    file.write_text(SCRIPT, encoding="utf-8")
    return file


def test_a_gate_that_fails_ends_with_one(tfcheck: Tfcheck, script: Path) -> None:
    ended = tfcheck("profile", "--max-traces", "2", script.name)

    assert ended.status == 1
    assert "1 of 1 gate failed\n  FAILED  max-traces  3  limit 2  most are of f" in ended.out


def test_gates_that_are_kept_end_with_zero(tfcheck: Tfcheck, script: Path) -> None:
    ended = tfcheck(
        "profile",
        *("--max-traces", "3", "--max-retraces-per-function", "2", "--max-trace-share", "100%"),
        *("--fail-on", "TFC102,disagreement", "--min-speedup", "0.001"),
        script.name,
    )

    assert ended.status == 0
    assert ended.out.count("\n  ok  ") == 6


def test_the_status_of_a_script_that_fails_goes_before_that_of_gates(
    tfcheck: Tfcheck, script: Path
) -> None:
    script.write_text(SCRIPT + "sys.exit(7)\n", encoding="utf-8")

    ended = tfcheck("profile", "--max-traces", "0", script.name)

    assert ended.status == 7
    assert "1 of 1 gate failed" in ended.out


def test_gates_may_stand_in_pyproject(tfcheck: Tfcheck, script: Path, folder: Path) -> None:
    (folder / "pyproject.toml").write_text(
        "[tool.tfcheck.profile]\nmax-traces = 0\nfail-on = ['TFC1']\n", encoding="utf-8"
    )

    ended = tfcheck("profile", "--max-traces", "5", script.name)

    assert ended.status == 1
    assert "  ok      max-traces    3  limit 5\n  FAILED  fail-on TFC1  1  limit 0" in ended.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--fail-on", "python-prnt"],
            "unknown rule `python-prnt`: did you mean `python-print`?",
        ),
        (["--baseline", "no.json"], "cannot read no.json: No such file or directory"),
        (
            ["--baseline", "script.py"],
            "script.py: not a profile of tfcheck: JSONDecodeError: Expecting value: line 1 column"
            " 1 (char 0)",
        ),
        (
            ["--max-trace-share", "half"],
            "--max-trace-share: expected a part such as 10% or 0.1, not 'half'",
        ),
    ],
)
def test_what_cannot_be_checked_is_said_before_the_script_runs(
    tfcheck: Tfcheck, script: Path, options: list[str], message: str
) -> None:
    ended = tfcheck("profile", *options, script.name)

    assert (ended.status, ended.out, ended.err) == (2, "", f"error: {message}\n")


def test_all_reports_at_once_and_again_from_the_saved_profile(
    tfcheck: Tfcheck, script: Path, folder: Path
) -> None:
    files = ("--html", "a.html", "--markdown", "a.md", "--trace", "a.trace")
    again = ("--html", "b.html", "--markdown", "b.md", "--trace", "b.trace")

    ended = tfcheck("profile", "--json", "a.json", *files, script.name)
    shown = tfcheck("report", "a.json")
    rendered = tfcheck("report", "a.json", *again)

    assert (ended.status, rendered.status, rendered.out) == (0, 0, "")
    assert ended.out == f"\n{shown.out}"
    for name in ("html", "md", "trace"):
        assert (folder / f"a.{name}").read_bytes() == (folder / f"b.{name}").read_bytes()


def test_a_baseline_holds_the_line(tfcheck: Tfcheck, script: Path) -> None:
    tfcheck("profile", "--json", "base.json", script.name)
    script.write_text(SCRIPT.replace("range(3)", "range(5)"), encoding="utf-8")

    # A speed-up that noise moved is not what this is about.
    ended = tfcheck(
        "profile", "--baseline", "base.json", "--max-regression", "40%", "--json", "new.json",
        script.name,
    )  # fmt: skip
    compared = tfcheck("diff", "base.json", "new.json")

    assert ended.status == 1
    assert "FAILED  baseline traces          1 Function  limit +40 %  f (script.py) 3 → 5" in (
        ended.out
    )
    assert compared.status == 0
    assert compared.out.startswith("script.py: 3 → 5 traces, 3 → 5 calls, ")


def test_side_effects_are_repeated_only_when_asked(
    tfcheck: Tfcheck, script: Path, folder: Path
) -> None:
    script.write_text(
        "import tensorflow as tf\n@tf.function\ndef f(x):\n    tf.print(x)\n    return x\n"
        "f(tf.constant(1))\n",
        encoding="utf-8",
    )

    def reason(*options: str) -> object:
        tfcheck("profile", *options, "--json", "a.json", script.name)
        return json.loads((folder / "a.json").read_text())["functions"][0]["not_compared"]

    assert reason() == "prints (script.py:4)"
    assert reason("--replay-unsafe") is None


def test_without_room_for_inputs_nothing_is_compared(
    tfcheck: Tfcheck, script: Path, folder: Path
) -> None:
    tfcheck("profile", "--max-recorded-bytes", "0", "--json", "a.json", script.name)

    (function,) = json.loads((folder / "a.json").read_text())["functions"]
    assert function["not_compared"] == "no inputs were kept"


def test_a_time_out_is_reported_with_what_happened_until_then(
    tfcheck: Tfcheck, script: Path
) -> None:
    script.write_text(SCRIPT + "import time\ntime.sleep(60)\n", encoding="utf-8")

    ended = tfcheck("profile", "--timeout", "1", script.name)

    assert ended.status == 124
    assert ended.out.splitlines()[2] == (
        "cut short: it ran for more than 1 s (--timeout); this is what happened until then"
    )
    assert "f             3       3" in ended.out


@pytest.mark.parametrize("verb", ["report", "diff"])
def test_a_profile_that_is_not_there_is_said(tfcheck: Tfcheck, folder: Path, verb: str) -> None:
    ended = tfcheck(verb, "no.json", *(["no.json"] if verb == "diff" else []))

    assert (ended.status, ended.err) == (
        2,
        "error: cannot read no.json: No such file or directory\n",
    )
