"""Limits that a run must keep: counts, which repeat exactly, before ratios of times."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import TypeAlias

from tfcheck.diagnostics import Evidence
from tfcheck.profile.compare import Pair, constant_bytes, is_slower, nodes, pairs, speedup
from tfcheck.profile.model import FunctionProfile, Gate, Profile
from tfcheck.profile.settings import ProfileSettings

TOLERANCE = 0.1
"""The regression that is let pass unless told otherwise."""
DISAGREEMENT = "disagreement"
"""What `fail-on` calls graph and eager having different results."""


def check(
    profile: Profile,
    settings: ProfileSettings,
    *,
    fail_on: Mapping[str, Collection[str]],
    baseline: Profile | None,
) -> tuple[Gate, ...]:
    """All gates that are asked for; `fail_on` has the codes behind each name that was given."""
    tolerance = TOLERANCE if settings.max_regression is None else settings.max_regression
    return (
        *_counts(profile, settings),
        *_ratios(profile, settings),
        *_failing(profile, fail_on),
        *(_regressions(baseline, profile, tolerance=tolerance) if baseline else ()),
    )


def _counts(profile: Profile, settings: ProfileSettings) -> Iterator[Gate]:
    if settings.max_traces is not None:
        traces = profile.totals.traces
        most = max(profile.functions, key=lambda each: each.traces, default=None)
        text = f"most are of {_name(most)} ({most.traces})" if most else ""
        yield _gate(
            "max-traces", settings.max_traces, traces, ok=traces <= settings.max_traces, text=text
        )
    limit = settings.max_retraces_per_function
    if limit is not None:
        worst = max(profile.functions, key=lambda each: each.retraces, default=None)
        retraces = worst.retraces if worst else 0
        yield _gate(
            "max-retraces-per-function",
            limit,
            retraces,
            ok=retraces <= limit,
            text=_retraces(worst),
        )


def _retraces(function: FunctionProfile | None) -> str:
    if function is None or not function.causes:
        return ""
    cause = function.causes[0]
    what = f"`{cause.argument}`" if cause.argument else cause.kind
    return f"{_name(function)}: {cause.count} from {what} at {cause.site.file}:{cause.site.line}"


def _ratios(profile: Profile, settings: ProfileSettings) -> Iterator[Gate]:
    least = settings.min_speedup
    if least is not None:
        known = [(each, interval) for each in profile.functions if (interval := speedup(each))]
        slow = [(each, interval) for each, interval in known if interval.high < least]
        slowest = min((interval.median for _, interval in known), default=None)
        value = "nothing compared" if slowest is None else f"{slowest:.2f}×"
        text = ", ".join(
            f"{_name(each)} {interval.low:.2f}–{interval.high:.2f}×" for each, interval in slow
        )
        yield Gate("min-speedup", f"{least:g}×", value, not slow, text)
    most = settings.max_trace_share
    if most is not None:
        totals = profile.totals
        share = (totals.tracing_s + totals.building_s) / totals.wall_s if totals.wall_s else 0.0
        text = f"{totals.tracing_s + totals.building_s:.2g} s of {totals.wall_s:.2g} s"
        yield _gate("max-trace-share", _percent(most), _percent(share), ok=share <= most, text=text)


def _failing(profile: Profile, fail_on: Mapping[str, Collection[str]]) -> Iterator[Gate]:
    for name, codes in fail_on.items():
        places = list(dict.fromkeys(_places(profile, codes)))
        text = ", ".join(places[:3]) + (", …" if len(places) > 3 else "")
        yield _gate(f"fail-on {name}", 0, len(places), ok=not places, text=text)


def _places(profile: Profile, codes: Collection[str]) -> Iterator[str]:
    """Where the run proved a finding of the rules, or showed what they are about."""
    for finding in profile.findings:
        violation = finding.violation
        if violation.code in codes and finding.evidence is Evidence.PROVEN:
            yield f"{violation.filename}:{violation.span.start.row}"
    for function in profile.functions:
        if DISAGREEMENT in codes and function.disagreement:
            yield _name(function)
        for cause in function.causes:
            if cause.rule in codes:
                yield f"{cause.site.file}:{cause.site.line}"


_Count: TypeAlias = Callable[[FunctionProfile], int]

_COUNTED: tuple[tuple[str, _Count], ...] = (
    ("traces", lambda function: function.traces),
    ("retraces", lambda function: function.retraces),
    ("graph nodes", nodes),
    ("constant bytes", constant_bytes),
)


def _regressions(baseline: Profile, profile: Profile, *, tolerance: float) -> Iterator[Gate]:
    both = pairs(baseline, profile)
    for name, count in _COUNTED:
        worse = list(_more(both, count, tolerance=tolerance))
        text = ", ".join(worse[:3])
        yield _gate(
            f"baseline {name}",
            f"+{_percent(tolerance)}",
            _functions(worse),
            ok=not worse,
            text=text,
        )
    slower = list(_slower(both, tolerance=tolerance))
    yield _gate(
        "baseline speed-up",
        f"-{_percent(tolerance)}",
        _functions(slower),
        ok=not slower,
        text=", ".join(slower[:3]),
    )


def _more(both: Iterable[Pair], count: _Count, *, tolerance: float) -> Iterator[str]:
    for pair in both:
        if pair.before is None or pair.after is None:
            continue
        before, after = count(pair.before), count(pair.after)
        if after > before * (1.0 + tolerance):
            yield f"{pair.name} ({pair.file}) {before} → {after}"


def _slower(both: Iterable[Pair], *, tolerance: float) -> Iterator[str]:
    for pair in both:
        before, after = speedup(pair.before), speedup(pair.after)
        if before and after and is_slower(before, after, tolerance=tolerance):
            yield f"{pair.name} ({pair.file}) {before.median:.2f}× → {after.median:.2f}×"


def _functions(worse: list[str]) -> str:
    return "none" if not worse else f"{len(worse)} Function{'s' if len(worse) > 1 else ''}"


def _gate(name: str, limit: object, value: object, *, ok: bool, text: str) -> Gate:
    return Gate(name, str(limit), str(value), ok, "" if ok else text)


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def _name(function: FunctionProfile | None) -> str:
    return f"{function.key.name} ({function.key.file}:{function.key.line})" if function else ""
