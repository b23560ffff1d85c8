"""Runs a program once more in a process of its own, and compares what came of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from tfcheck.profile.analyse import totals
from tfcheck.profile.backend import choose
from tfcheck.profile.collect import Collected, collect
from tfcheck.profile.model import RunCost
from tfcheck.profile.program import Program, load_module, load_script
from tfcheck.profile.results import ResultLog, Results, pack, unpack
from tfcheck.profile.samples import SampleStore
from tfcheck.profile.settings import BackendName

_BOOT = """\
import sys
sys.path[0] = sys.argv.pop()
from tfcheck.profile.rerun import main
main()
"""
"""Python puts the current folder in front, where files of the user's could be taken for ours."""


@dataclass(frozen=True, slots=True)
class Request:
    """What to run."""

    name: str
    arguments: tuple[str, ...]
    is_module: bool
    backend: str
    timeout: float | None = None


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of a run."""

    status: int
    error: str | None
    """Why it did not come to its end."""
    cost: RunCost
    results: Results


@dataclass(frozen=True, slots=True)
class Again:
    """A run that is over, and what repeats it."""

    before: Ran
    request: Request


def request_of(program: Program, *, backend: BackendName, timeout: float | None) -> Request:
    """What runs `program` again."""
    is_module = program.spec is not None
    return Request(program.name, program.argv[1:], is_module, backend.value, timeout)


def ran(collected: Collected, results: Results) -> Ran:
    """A run of this process."""
    outcome, recording = collected.outcome, collected.recording
    whole = totals(recording)
    cost = RunCost(whole.wall_s, whole.tracing_s + whole.building_s, whole.traces, whole.calls)
    return Ran(outcome.status, outcome.stopped or outcome.error, cost, results)


def run_again(request: Request, *, folder: Path) -> Ran:
    """Run in `folder`; what the program prints is dropped.

    Raises:
        ChildProcessError: the process ended without an answer; says with what last words.
    """
    with tempfile.TemporaryDirectory(prefix="tfcheck-rerun-") as exchange:
        place = Path(exchange)
        (place / "empty").mkdir()
        (place / "request.json").write_text(json.dumps(asdict(request)), encoding="utf-8")
        ended = subprocess.run(
            [sys.executable, "-c", _BOOT, exchange, str(place / "empty")],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="backslashreplace",
            check=False,
        )
        answer = place / "answer.json"
        if not answer.exists():
            words = ended.stderr.strip().splitlines()[-1:] or ["it said nothing"]
            raise ChildProcessError(f"ended with exit {ended.returncode}: {words[0]}")
        record = json.loads(answer.read_text(encoding="utf-8"))
        results = unpack((place / "results.npz").read_bytes())
    return Ran(record["status"], record["error"], RunCost(**record["cost"]), results)


def main() -> None:
    """What the process does: `sys.argv` has the folder for questions and answers."""
    exchange = Path(sys.argv[1])
    record = json.loads((exchange / "request.json").read_text(encoding="utf-8"))
    request = Request(**{**record, "arguments": tuple(record["arguments"])})
    backend = choose(BackendName(request.backend))
    load = load_module if request.is_module else load_script
    log = ResultLog()

    def answer(collected: Collected) -> int:
        done = ran(collected, log.results)
        (exchange / "results.npz").write_bytes(pack(done.results))
        record = {"status": done.status, "error": done.error, "cost": asdict(done.cost)}
        (exchange / "answer.json").write_text(json.dumps(record), encoding="utf-8")
        return done.status

    collected = collect(
        load(request.name, request.arguments),
        backend=backend,
        samples=SampleStore(most_bytes=0),
        also=log,
        timeout=request.timeout,
        cut_short=answer,
    )
    status = answer(collected)
    # The program's threads may be left over: nobody waits for them.
    sys.stderr.flush()
    os._exit(status)
