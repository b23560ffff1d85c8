"""One profiling run from beginning to end: collect, analyse, measure, judge, join."""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tfcheck import __version__
from tfcheck.diagnostics import Violation
from tfcheck.profile.analyse import Group, analyse, group, totals
from tfcheck.profile.backend import Backend
from tfcheck.profile.call_keys import CallKey
from tfcheck.profile.collect import Collected, collect
from tfcheck.profile.disagreement import disagreement
from tfcheck.profile.evidence import join, mark_found
from tfcheck.profile.excerpts import excerpts
from tfcheck.profile.judge import judge
from tfcheck.profile.measure import Measurement, measure_all
from tfcheck.profile.model import FunctionKey, FunctionProfile, Profile, Script
from tfcheck.profile.op_costs import op_costs
from tfcheck.profile.policies import policies
from tfcheck.profile.program import Program
from tfcheck.profile.recording import Recording, relative_to, shorten
from tfcheck.profile.rerun import Again, ran, request_of
from tfcheck.profile.results import ResultLog
from tfcheck.profile.samples import MOST_BYTES, SampleStore
from tfcheck.profile.sources import Sources, read_bodies, read_source
from tfcheck.profile.stopping import sigterm_raises
from tfcheck.profile.suggest import suggest_signature
from tfcheck.profile.timeline import timeline
from tfcheck.profile.unrepeatable import blocked

if TYPE_CHECKING:  # it loads pyinstrument
    from tfcheck.profile.hot_lines import Sampler

Lint = Callable[[Sequence[Path]], Sequence[Violation]]
"""The static pass over some files; file names as given."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What a run needs from outside."""

    lint: Lint
    backend: Backend
    """What the program runs on."""
    rules: Container[str]
    """The codes that are installed."""
    progress: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run may take, and may repeat."""

    timeout: float | None = None
    """Seconds for the program; none by default."""
    most_bytes: int = MOST_BYTES
    """What the inputs that are kept to repeat calls with may take."""
    replay_unsafe: bool = False
    """Repeat calls that have side effects, too."""
    ops: bool = False
    """Time the ops of graphs; on the embedded runtime."""
    hot_lines: bool = False
    """Sample where the program spends its time."""
    keep_results: bool = False
    """Keep what calls return, to compare it with that of another run."""


@dataclass(frozen=True, slots=True)
class Profiled:
    """What profiling a program brought."""

    profile: Profile
    again: Again | None = None
    """To run it again with changes; None where results were not kept, or it was cut short."""


@dataclass(frozen=True, slots=True)
class _Run:
    """What came of running the program, and the source it is made of."""

    program: Program
    collected: Collected
    recording: Recording
    """The one that was collected, with short names of files."""
    groups: tuple[Group, ...]
    violations: Sequence[Violation]
    texts: Mapping[str, str]
    sources: Sources


def profile_program(
    program: Program, *, tools: Tools, limits: Limits, cut_short: Callable[[Profile], int]
) -> Profiled:
    """Run `program` and say what its Functions cost.

    `cut_short` gets the report of a program that ends its process without ado, and answers with
    the status to end with.
    """
    root = os.getcwd()
    log = ResultLog() if limits.keep_results else None
    sampler = _sampler() if limits.hot_lines else None
    collected = collect(
        program,
        backend=tools.backend,
        samples=SampleStore(most_bytes=limits.most_bytes),
        also=log,
        sampler=sampler,
        timeout=limits.timeout,
        cut_short=lambda early: cut_short(_unmeasured(_read(program, early, root, tools), tools)),
    )
    run = _read(program, collected, root, tools)
    if collected.outcome.stopped is not None:
        return Profiled(_unmeasured(run, tools))
    measured = _measured(run, tools, replay_unsafe=limits.replay_unsafe)
    profile = _report(run, tools, measured)
    if sampler is not None:
        profile = replace(profile, hot_lines=sampler.lines(root))
    if limits.ops:
        profile = _with_ops(profile, run, tools, measured)
    if log is None:
        return Profiled(profile)
    request = request_of(program, backend=tools.backend.name, timeout=limits.timeout)
    return Profiled(profile, Again(ran(collected, log.results), request))


def _read(program: Program, collected: Collected, root: str, tools: Tools) -> _Run:
    recording = relative_to(collected.recording, root)
    groups = group(recording)
    files = _files(shorten(program.file, root), groups)
    texts = {file.as_posix(): read_source(file) for file in files}
    return _Run(
        program=program,
        collected=collected,
        recording=recording,
        groups=groups,
        violations=tools.lint(files),
        texts=texts,
        sources=Sources({file: read_bodies(text) for file, text in texts.items()}),
    )


def _measured(run: _Run, tools: Tools, *, replay_unsafe: bool) -> dict[FunctionKey, Measurement]:
    reasons = blocked(run.groups, run.violations, sources=run.sources)
    with sigterm_raises():
        return measure_all(
            run.groups,
            run.collected.samples,
            backend=tools.backend,
            blocked={} if replay_unsafe else reasons,
            progress=tools.progress,
        )


def _sampler() -> Sampler:
    # pyinstrument is loaded by those who sample only.
    from tfcheck.profile.hot_lines import Sampler

    return Sampler()


def _with_ops(
    profile: Profile, run: _Run, tools: Tools, measured: Mapping[FunctionKey, Measurement]
) -> Profile:
    costs = op_costs(
        run.groups,
        run.collected.samples,
        backend=tools.backend,
        measured=measured,
        root=os.getcwd(),
        progress=tools.progress,
    )
    functions = (replace(each, ops=costs.get(each.key, ())) for each in profile.functions)
    return replace(profile, functions=tuple(functions))


def _unmeasured(run: _Run, tools: Tools) -> Profile:
    measured: dict[FunctionKey, Measurement] = {
        each.key: "the run was cut short" for each in run.groups
    }
    return _report(run, tools, measured)


def _report(run: _Run, tools: Tools, measured: Mapping[FunctionKey, Measurement]) -> Profile:
    outcome = run.collected.outcome
    root = os.getcwd()
    places = tuple(replace(each, file=shorten(each.file, root)) for each in outcome.places)
    script = Script(run.program.name, run.program.argv, outcome.status, outcome.error, places)
    judged = tuple(
        _judged(each, run, measured[each.key]) for each in analyse(run.groups, rules=tools.rules)
    )
    findings = join(judged, run.violations, sources=run.sources, script=script)
    functions = mark_found(judged, findings, sources=run.sources)
    lines = {file: text.splitlines() for file, text in run.texts.items()}
    return Profile(
        tool=f"tfcheck {__version__}",
        script=script,
        device=tools.backend.device(),
        totals=totals(run.recording),
        functions=functions,
        findings=findings,
        eager_calls=run.recording.eager_calls,
        backend=tools.backend.name.value,
        partial=outcome.stopped,
        timeline=timeline(run.recording, run.groups, functions),
        sources=excerpts(functions, findings, sources=run.sources, texts=lines),
    )


def _judged(profile: FunctionProfile, run: _Run, measurement: Measurement) -> FunctionProfile:
    found = next(each for each in run.groups if each.key == profile.key)
    keys = run.recording.keys
    known = replace(
        profile,
        policies=policies(found, keys),
        suggested_signature=_suggested(profile, found, keys),
        disagreement=disagreement(
            profile.key, measurement, violations=run.violations, sources=run.sources
        ),
    )
    return judge(known, measurement, wall_s=run.recording.wall_seconds)


def _suggested(
    profile: FunctionProfile, group: Group, keys: Mapping[tuple[int, int], CallKey]
) -> str | None:
    if not any(cause.argument for cause in profile.causes):
        return None
    return suggest_signature([key for pair, key in keys.items() if pair[0] in group.functions])


def _files(script: str, groups: Sequence[Group]) -> list[Path]:
    """The script and the files of the user's own that define Functions."""
    files = dict.fromkeys([script, *(each.key.file for each in groups)])
    installed = f"{os.sep}site-packages{os.sep}"
    return [Path(file) for file in files if os.path.isfile(file) and installed not in file]
