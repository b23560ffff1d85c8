"""How long `tfcheck lint` takes, as ratios against others over the same files in the same run.

    python tests/bench/lint_speed.py FOLDER [FOLDER ...] [--repeat 3]

Cold and warm runs over the folders are compared with ruff and flake8, where they are installed;
five changed files with `python -c 'import libcst, typer'`, which a pre-commit hook cannot beat.
Times are those of the processor, the smallest of all repetitions.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

TFCHECK = [sys.executable, "-m", "tfcheck", "lint", "--exit-zero", "--output", "concise"]
RUFF = ["ruff", "check", "--no-cache", "--isolated", "--quiet", "--exit-zero", "--select", "F,E,B"]
FLAKE8 = ["flake8", "--isolated", "--exit-zero"]
LINES = 300

TRACED = """
@tf.function
def step_{n}(x, y):
    scale = tf.reduce_sum(x * {n}.0)
    if scale > 1.0:
        y = y / scale
    return helper_{n}(x, y)


def helper_{n}(x, y):
    total = x + y
    for i in tf.range(3):
        total += tf.cast(i, x.dtype)
    return total
"""
PLAIN = """
def step_{n}(rows, limit={n}):
    found = []
    for row in rows:
        if row.value > limit:
            found.append(row)
    return sorted(found, key=lambda row: row.name)


class Table{n}:
    def __init__(self, rows):
        self.rows = list(rows)
        self.size = len(self.rows)

    def first(self):
        return self.rows[0] if self.rows else None
"""


@dataclass(frozen=True)
class Cost:
    """What a command took."""

    cpu: float
    wall: float
    megabytes: int
    """Of the largest of its processes."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    print(f"{'what':44} {'cpu s':>7} {'wall s':>7} {'MB':>5}  ratio of cpu times")
    with tempfile.TemporaryDirectory() as scratch:
        _five_files(Path(scratch), options.repeat)
        if options.folders:
            _folders([str(folder) for folder in options.folders], Path(scratch), options.repeat)


def _five_files(scratch: Path, repeat: int) -> None:
    base = _least([sys.executable, "-c", "import libcst, typer"], repeat=repeat)
    _show("python -c 'import libcst, typer'", base)
    for name, piece, head in (
        ("five files with traced code", TRACED, "import tensorflow as tf\n"),
        ("five files without", PLAIN, "import os\n"),
    ):
        files = list(_write_files(scratch / name.replace(" ", "_"), piece, head))
        cost = _least([*TFCHECK, *files], repeat=repeat, cache=scratch, cold=True)
        _show(name, cost, against={"import": base})


def _write_files(folder: Path, piece: str, head: str) -> Iterator[str]:
    folder.mkdir()
    for number in range(5):
        text = head
        count = 0
        while text.count("\n") < LINES:
            text += piece.format(n=number * 100 + count)
            count += 1
        path = folder / f"file_{number}.py"
        path.write_text(text)
        yield str(path)


def _folders(folders: Sequence[str], scratch: Path, repeat: int) -> None:
    peers: dict[str, Cost] = {}
    for name, command in (("ruff", RUFF), ("flake8", FLAKE8)):
        program = _find(command[0])
        if program is not None:
            # flake8 takes minutes where the others take seconds.
            count = 1 if name == "flake8" else repeat
            peers[name] = _least([program, *command[1:], *folders], repeat=count)
            _show(name, peers[name])
    cold = _least([*TFCHECK, *folders], repeat=repeat, cache=scratch, cold=True)
    _show("tfcheck, cold", cold, against=peers)
    warm = _least([*TFCHECK, *folders], repeat=repeat, cache=scratch, cold=False)
    _show("tfcheck, warm", warm, against=peers)


def _find(program: str) -> str | None:
    beside = Path(sys.executable).with_name(program)
    return str(beside) if beside.exists() else shutil.which(program)


def _least(
    command: Sequence[str], *, repeat: int, cache: Path | None = None, cold: bool = False
) -> Cost:
    """The smallest cost of some runs, each with an empty cache when `cold`."""
    environment = dict(os.environ)
    costs: list[Cost] = []
    for _ in range(repeat):
        if cache is not None:
            folder = cache / "cache"
            if cold:
                shutil.rmtree(folder, ignore_errors=True)
            environment["TFCHECK_CACHE_DIR"] = str(folder)
        costs.append(_run(command, environment))
    return min(costs, key=lambda cost: cost.cpu)


def _run(command: Sequence[str], environment: dict[str, str]) -> Cost:
    started = time.perf_counter()
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, env=environment, stdout=errors, stderr=errors)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.perf_counter() - started
        if process.returncode not in {0, 2}:
            errors.seek(0)
            sys.exit(f"{command[0]} ended with {process.returncode}:\n{errors.read()[-2000:]!r}")
    return Cost(used.ru_utime + used.ru_stime, wall, used.ru_maxrss // 1024)


def _show(name: str, cost: Cost, against: dict[str, Cost] | None = None) -> None:
    ratios = (f"{cost.cpu / other.cpu:.2f}x {peer}" for peer, other in (against or {}).items())
    print(f"{name:44} {cost.cpu:7.2f} {cost.wall:7.2f} {cost.megabytes:5}  {', '.join(ratios)}")


if __name__ == "__main__":
    main()
