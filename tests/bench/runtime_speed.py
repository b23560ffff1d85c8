"""How fast the runtime is, as ratios against others on the same workloads in the same run.

    python tests/bench/runtime_speed.py --tensorflow PYTHON [--write docs/benchmarks.md]

PYTHON is an interpreter that has TensorFlow. Workers with the runtime and with TensorFlow (plain,
and compiled by XLA) take turns, so that whatever else the machine does falls on all of them; what
is shown is the median of the ratios of the rounds, and the middle half of them.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workloads import WORKLOADS

HERE = Path(__file__).parent
ROUND_SECONDS = 0.05
BUDGETS = {
    "one_op": {"onnxruntime": 2.0, "tf.function": 1 / 10},
    "elementwise_60": {"onnxruntime": 1.3, "tf.function": 1 / 4},
    "scalar_loop_1000": {"onnxruntime": 1.2, "tf.function": 1 / 1.5},
    "mlp_step": {"tf.function": 1 / 1.5},
    "mlp_first_call": {"tf.function": 1.0},
    "conv_forward": {"tf.function": 1.1},
}
"""What our time may be, as a multiple of the other's."""


class Worker:
    """A process that times calls on request."""

    def __init__(self, python: str, kind: str) -> None:
        self._process = subprocess.Popen(
            [python, str(HERE / "worker.py"), kind],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if kind == "tfcheck" else subprocess.DEVNULL,
            text=True,
            env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
        )

    def ask(self, **request: Any) -> dict[str, Any]:
        """Send a request and wait for the answer."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


@dataclass
class Contender:
    """One way to run a workload."""

    name: str
    worker: Worker
    call: str = "function"
    times: int = 1

    def seconds(self) -> float:
        """Of one call, over a round."""
        return float(self.worker.ask(run=self.call, times=self.times)["seconds"])

    def settle(self) -> None:
        """Find how many calls make a round."""
        while self.times < 10_000:
            took = self.seconds() * self.times
            if took >= ROUND_SECONDS / 2:
                return
            self.times = min(
                10_000, max(self.times + 1, int(self.times * ROUND_SECONDS / max(took, 1e-6)))
            )


def main() -> None:
    """Measure, print and perhaps write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--tensorflow", help="an interpreter with TensorFlow")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", nargs="*", choices=list(WORKLOADS), default=list(WORKLOADS))
    parser.add_argument("--write", type=Path, help="the page to write")
    options = parser.parse_args()
    lines = [
        "| workload | one call | onnxruntime alone | tf.function | tf.function, XLA | budget |",
        "|---|---|---|---|---|---|",
    ]
    for line in lines:
        print(line)
    for name in options.only:
        lines.append(_row(name, options.tensorflow, options.rounds))
        print(lines[-1], flush=True)
    if options.write is not None:
        options.write.write_text(_page(lines), encoding="utf-8")


def _row(name: str, tensorflow: str | None, rounds: int) -> str:
    ours = Worker(sys.executable, "tfcheck")
    workers = [ours]
    loaded = ours.ask(load=name, options={}, raw=True)
    if "error" in loaded:
        return f"| {_title(name)} | {loaded['error']} | | | | |"
    contenders = [Contender("tfcheck", ours)]
    if "raw" in loaded["calls"]:
        contenders.append(Contender("onnxruntime", ours, "raw"))
    notes: dict[str, str] = {}
    for label, settings in (("tf.function", {}), ("XLA", {"jit_compile": True})):
        if tensorflow is None or (label == "XLA" and name in {"eager_chain"}):
            continue
        worker = Worker(tensorflow, "tensorflow")
        workers.append(worker)
        answer = worker.ask(load=name, options=settings, raw=False)
        if "error" in answer:
            notes[label] = "fails"
        else:
            contenders.append(Contender(label, worker))
    for contender in contenders:
        contender.settle()
    times: dict[str, list[float]] = {contender.name: [] for contender in contenders}
    for _ in range(rounds):
        for contender in contenders:
            times[contender.name].append(contender.seconds())
    for worker in workers:
        worker.close()
    ratios = {
        label: [mine / other for mine, other in zip(times["tfcheck"], others, strict=True)]
        for label, others in times.items()
    }
    cells = [
        notes.get(label, _ratio(ratios.get(label)))
        for label in ("onnxruntime", "tf.function", "XLA")
    ]
    ours_took = _time(statistics.median(times["tfcheck"]))
    return f"| {' | '.join([_title(name), ours_took, *cells, _verdict(name, ratios)])} |"


def _title(name: str) -> str:
    return (WORKLOADS[name].__doc__ or name).strip().rstrip(".")


def _ratio(ratios: list[float] | None) -> str:
    if ratios is None:
        return ""
    low, middle, high = statistics.quantiles(ratios, n=4)
    return f"{middle:.2g}× ({low:.2g}–{high:.2g})"


def _verdict(name: str, ratios: dict[str, list[float]]) -> str:
    parts = []
    for label, most in BUDGETS.get(name, {}).items():
        if label in ratios:
            met = statistics.median(ratios[label]) <= most
            parts.append(f"{label} ≤ {most:.2g}×: {'met' if met else '**missed**'}")
    return "; ".join(parts)


def _time(seconds: float) -> str:
    for factor, unit in ((1.0, "s"), (1e3, "ms"), (1e6, "µs")):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def _page(table: list[str]) -> str:
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count()
    return "\n".join(
        [
            "# Benchmarks",
            "",
            "Our time as a multiple of the other's, in the same run: below 1× we are faster.",
            f"Median of the rounds with the middle half of them, on {cores} cores.",
            "Written by `python tests/bench/runtime_speed.py --tensorflow PYTHON --write"
            " docs/benchmarks.md`; the times of one call are there to give a size, and the CUDA"
            " path has not been run on a GPU yet.",
            "",
            *table,
            "",
        ]
    )


if __name__ == "__main__":
    main()
