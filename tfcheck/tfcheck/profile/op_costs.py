"""What the graphs of Functions spend their time on, on the embedded runtime."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import cast

from tfcheck.profile.analyse import Group
from tfcheck.profile.backend import Backend
from tfcheck.profile.measure import Measurement, most_used
from tfcheck.profile.model import Comparison, FunctionKey, OpCost, Place
from tfcheck.profile.recording import shorten
from tfcheck.profile.replay import Replay, muted
from tfcheck.profile.samples import SampleStore
from tfcheck_runtime.execute.kernel_times import KernelTime
from tfcheck_runtime.function.concrete import ConcreteFunction
from tfcheck_runtime.function.op_times import op_times

RUNS = 20
"""Recorded calls of each Function."""


def op_costs(
    groups: Sequence[Group],
    samples: SampleStore,
    *,
    backend: Backend,
    measured: Mapping[FunctionKey, Measurement],
    root: str,
    progress: Callable[[str], None],
) -> dict[FunctionKey, tuple[OpCost, ...]]:
    """The ops of each Function that was compared, in the trace that served most of its calls.

    Files inside `root` are named from there.
    """
    costs: dict[FunctionKey, tuple[OpCost, ...]] = {}
    for group in groups:
        # What could be repeated for the comparison can be repeated here.
        if not isinstance(measured[group.key], Comparison):
            continue
        progress(f"timing ops: {group.key.name}")
        sample, _ = most_used(group, samples)[0]
        replay = Replay(sample, backend.eagerly)
        concrete = cast(ConcreteFunction, replay.concrete)
        try:
            with muted():
                times = op_times(concrete, replay.call_trace, runs=RUNS)
        finally:
            replay.restore()
        costs[group.key] = tuple(_costs(times, root))
    progress("")
    return costs


def _costs(times: Iterable[KernelTime], root: str) -> Iterable[OpCost]:
    for each in times:
        site = each.site
        place = None if site is None else Place(shorten(site.file, root), site.line)
        count, seconds = each.count / RUNS, each.seconds / RUNS
        yield OpCost(each.op, each.kernel, each.device, place, count, seconds)
