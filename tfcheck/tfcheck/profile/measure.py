"""Graph against eager: makes recorded calls again, both ways, and compares time and results."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from tfcheck.profile.analyse import Group
from tfcheck.profile.backend import Backend
from tfcheck.profile.bootstrap import interval, timing, weighted_medians
from tfcheck.profile.model import AGREE, Agreement, Comparison, FunctionKey
from tfcheck.profile.replay import Array, MismatchError, Replay, agreement, muted
from tfcheck.profile.samples import Sample, SampleStore, leaves
from tfcheck.profile.stopping import StoppedError
from tfcheck.profile.time_limit import TooSlowError, time_limit

SECONDS = 0.6
"""About how long the timed calls of one Function take together."""
LONGEST = 5.0
"""A call that takes longer is given up."""
MOST_SIGNATURES = 4
FEWEST_ROUNDS = 3
MOST_ROUNDS = 100

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Graph and eager return things that cannot be compared number by number."""

    text: str
    steady: bool
    """Whether each gives the same result when it is called again."""


Measurement = Comparison | Mismatch | str
"""What was measured, or why nothing was."""


@dataclass(frozen=True, slots=True)
class _Series:
    """Seconds of the timed calls of one sample, and how often the program made such calls."""

    graph: list[float]
    eager: list[float]
    weight: int
    agrees: Agreement


def measure(
    group: Group,
    samples: SampleStore,
    *,
    backend: Backend,
    clock: Clock = time.perf_counter,
) -> Measurement:
    """Compare graph and eager on the inputs that the program used most."""
    chosen = most_used(group, samples)
    if not chosen:
        return _why_not(group)
    if any(_is_iterator(leaf) for sample, _ in chosen for leaf in leaves(sample.args)):
        return "takes an iterator"
    try:
        with muted():
            series = _time_all(chosen, backend, clock=clock)
    except TooSlowError as limit:
        return f"one call took {limit}"
    except MismatchError as mismatch:
        return Mismatch(str(mismatch), mismatch.steady)
    except (KeyboardInterrupt, StoppedError):
        return "interrupted"
    # The Function is the user's code and may raise anything when it runs once more.
    except Exception as error:
        return f"repeating a call raised {type(error).__name__}: {error}"
    return _compare(series)


def _why_not(group: Group) -> str:
    if not group.calls:
        return "only called from other Functions"
    succeeded = any(each.calls > each.failed for each in group.calls if each.trace)
    return "no inputs were kept" if succeeded else "no call succeeded"


def most_used(group: Group, samples: SampleStore) -> list[tuple[Sample, int]]:
    """Samples of the traces that served most calls, with the number of calls."""
    calls: dict[tuple[int, int], int] = {}
    for total in group.calls:
        key = (total.function, total.trace)
        calls[key] = calls.get(key, 0) + total.calls - total.failed
    known = samples.samples
    kept = [(known[key], number) for key, number in calls.items() if key in known]
    return sorted(kept, key=lambda pair: (-pair[1], pair[0].trace))[:MOST_SIGNATURES]


def _is_iterator(leaf: object) -> bool:
    return hasattr(leaf, "__next__")


def _time_all(
    chosen: Sequence[tuple[Sample, int]], backend: Backend, *, clock: Clock
) -> list[_Series]:
    """The samples in turn, until their time is up: calls that take seconds are few."""
    series: list[_Series] = []
    share = SECONDS / len(chosen)
    start = clock()
    for sample, weight in chosen:
        if not series or clock() - start < SECONDS:
            replay = Replay(sample, backend.eagerly)
            series.append(_time(replay, weight=weight, seconds=share, clock=clock))
    return series


def _time(replay: Replay, *, weight: int, seconds: float, clock: Clock) -> _Series:
    try:
        agrees, warm_up = _warm_up(replay, clock=clock)
        rounds = int(min(MOST_ROUNDS, max(FEWEST_ROUNDS, seconds / max(warm_up, 1e-9))))
        graph, eager = _rounds(replay, rounds, clock=clock)
    finally:
        replay.restore()
    return _Series(graph, eager, weight, agrees)


def _warm_up(replay: Replay, *, clock: Clock) -> tuple[Agreement, float]:
    """Make both calls once; how their results agree and how long they took."""
    with time_limit(LONGEST):
        agrees = _agreement(replay)
        start = clock()
        replay.prepare()()
        with replay.eagerly():
            replay.prepare()()
        return agrees, clock() - start


def _agreement(replay: Replay) -> Agreement:
    graph, eager = _both(replay)
    try:
        agrees = agreement(graph, eager)
    except MismatchError as error:
        raise MismatchError(str(error), steady=_is_steady(replay, graph, eager)) from error
    if agrees.max_rel <= AGREE:
        return agrees
    return replace(agrees, steady=_is_steady(replay, graph, eager))


def _both(replay: Replay) -> tuple[list[Array], list[Array]]:
    graph = replay.results(replay.prepare())
    with replay.eagerly():
        return graph, replay.results(replay.prepare())


def _is_steady(replay: Replay, graph: list[Array], eager: list[Array]) -> bool:
    again = _both(replay)
    try:
        differences = [agreement(graph, again[0]), agreement(eager, again[1])]
    except MismatchError:
        return False
    return all(each.max_rel <= AGREE for each in differences)


def _rounds(replay: Replay, rounds: int, *, clock: Clock) -> tuple[list[float], list[float]]:
    """Seconds of graph and eager calls, made in turn so that drift hits both alike."""
    graph: list[float] = []
    eager: list[float] = []
    collecting = gc.isenabled()
    gc.disable()
    try:
        for _ in range(rounds):
            graph.append(_seconds(replay.prepare(), clock))
            with replay.eagerly():
                eager.append(_seconds(replay.prepare(), clock))
    finally:
        if collecting:
            gc.enable()
    return graph, eager


def _seconds(call: Callable[[], object], clock: Clock) -> float:
    start = clock()
    call()
    return clock() - start


def _compare(series: Sequence[_Series]) -> Comparison:
    weights = [each.weight for each in series]
    graph = weighted_medians([each.graph for each in series], weights)
    eager = weighted_medians([each.eager for each in series], weights)
    runs = sum(len(each.graph) for each in series)
    return Comparison(
        graph=timing(graph, runs=runs),
        eager=timing(eager, runs=runs),
        speedup=interval(eager / graph),
        agrees=Agreement(
            max_abs=max(each.agrees.max_abs for each in series),
            max_rel=max(each.agrees.max_rel for each in series),
            steady=all(each.agrees.steady for each in series),
        ),
    )


def measure_all(
    groups: Sequence[Group],
    samples: SampleStore,
    *,
    backend: Backend,
    blocked: Mapping[FunctionKey, str],
    progress: Callable[[str], None],
) -> dict[FunctionKey, Measurement]:
    """Measure every Function that may be repeated; Ctrl-C leaves the rest out."""
    measured: dict[FunctionKey, Measurement] = {}
    interrupted = False
    for group in groups:
        reason = blocked.get(group.key) or ("interrupted" if interrupted else None)
        if reason is None:
            progress(f"comparing graph and eager: {group.key.name}")
        measured[group.key] = reason or measure(group, samples, backend=backend)
        interrupted = interrupted or measured[group.key] == "interrupted"
    progress("")
    return measured
