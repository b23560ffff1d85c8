"""Joins what the static pass found with what a run showed; needs no runtime itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from tfcheck.diagnostics import Evidence, Observation, Violation
from tfcheck.profile.model import Finding, FunctionProfile, Place, Retrace, Script
from tfcheck.profile.sources import Body, Sources, concerns

TRACE_TIME_ONLY = frozenset(
    {"TFC301", "TFC302", "TFC303", "TFC304", "TFC305", "TFC306", "TFC307", "TFC308"}
)
"""Findings about Python that runs in each trace and not in each call."""

ALSO: Mapping[str, frozenset[str]] = {
    "new-function": frozenset({"TFC107", "TFC110", "TFC111"}),
    "dead-reference": frozenset({"TFC110"}),
}
"""Findings that a cause proves besides the one it names: what made the Function or object anew."""

VARYING = frozenset({"TFC101", "TFC102", "TFC104", "TFC105", "TFC106"})
"""Findings that calls from a line differ in a way that traces again."""

RAISING = frozenset({"TFC401", "TFC501", "TFC502", "TFC504", "TFC506", "TFC511", "TFC601"})
"""Findings about code that cannot be traced, or not called twice."""

ENDING = RAISING | {
    "TFC108", "TFC110", "TFC402", "TFC403", "TFC404", "TFC508", "TFC509", "TFC510", "TFC512",
    "TFC602", "TFC603",
}  # fmt: skip
"""Findings that say an error will come from their line."""


def join(
    functions: Sequence[FunctionProfile],
    violations: Iterable[Violation],
    *,
    sources: Sources,
    script: Script | None = None,
) -> tuple[Finding, ...]:
    """Every finding with its evidence, the dearest first; `script` is how the run ended."""
    findings = [_finding(each, functions, sources=sources, script=script) for each in violations]
    order = list(Evidence)
    return tuple(sorted(findings, key=lambda each: (order.index(each.evidence), -each.cost_s)))


def observed(finding: Finding) -> Violation:
    """The violation of a finding with what the run showed of it."""
    observation = Observation(finding.evidence, finding.cost_s, finding.seen)
    return replace(finding.violation, observed=observation)


def _finding(
    violation: Violation,
    functions: Sequence[FunctionProfile],
    *,
    sources: Sources,
    script: Script | None,
) -> Finding:
    concerned = [each for each in functions if _touches(violation, each, sources)]
    proofs = [c for each in concerned for c in each.causes if _is_about(violation, c)]
    if proofs:
        count = sum(cause.count for cause in proofs)
        seen = "1 trace" if count == 1 else f"{count} traces"
        return Finding(violation, Evidence.PROVEN, sum(cause.cost_s for cause in proofs), seen)
    if script is not None and _ended(violation, script, is_concerned=bool(concerned)):
        return Finding(violation, Evidence.PROVEN, 0.0, "ended the script")
    for profile in concerned:
        if profile.disagreement and violation.message in profile.disagreement.reason:
            return Finding(violation, Evidence.PROVEN, 0.0, profile.disagreement.text)
        if _was_skipped(violation, profile, sources.body(profile.key)):
            seen = f"ran in {profile.traces} of {profile.calls} calls"
            return Finding(violation, Evidence.PROVEN, 0.0, seen)
    against = _contradiction(violation, concerned, sources)
    if against is not None:
        return Finding(violation, Evidence.CONTRADICTED, 0.0, against)
    reached = any(each.traces for each in concerned)
    return Finding(violation, Evidence.NOT_SEEN if reached else Evidence.NOT_REACHED, 0.0)


def _ended(violation: Violation, script: Script, *, is_concerned: bool) -> bool:
    """Whether the error that ended the script is the one a finding speaks of.

    The runtime's errors name the hazard; TensorFlow's and Python's have the line only.
    """
    if script.error is None:
        return False
    if is_concerned and f"[{violation.name}]" in script.error:
        return True
    return violation.code in ENDING and any(_in_rows(violation, each) for each in script.places)


def _is_about(violation: Violation, cause: Retrace) -> bool:
    return violation.code == cause.rule or violation.code in ALSO.get(cause.kind, ())


def _contradiction(
    violation: Violation, concerned: Sequence[FunctionProfile], sources: Sources
) -> str | None:
    """What shows that the effect of a finding does not come about; None when nothing does."""
    if violation.code in VARYING:
        sites = [site for each in concerned for site in each.sites]
        calls = sum(site.calls for site in sites if _in_rows(violation, site.place))
        return f"{calls} calls from here, none traced again for it" if calls > 1 else None
    if violation.code not in RAISING:
        return None
    row = violation.span.start.row
    for each in concerned:
        body = sources.body(each.key)
        sound = each.traces and each.calls > 1 and not each.failures
        if sound and violation.filename == each.key.file and body.always_runs(row):
            return f"{each.key.name} was traced and called {each.calls} times without the error"
    return None


def _was_skipped(violation: Violation, profile: FunctionProfile, body: Body) -> bool:
    """Whether calls ran the graph without the Python statement that was found."""
    if violation.code not in TRACE_TIME_ONLY or violation.filename != profile.key.file:
        return False
    row = violation.span.start.row
    return not profile.failures and profile.traces < profile.calls and body.always_runs(row)


def mark_found(
    functions: Iterable[FunctionProfile], findings: Sequence[Finding], *, sources: Sources
) -> tuple[FunctionProfile, ...]:
    """The profiles, with a note at verdicts that the static pass came to as well."""
    return tuple(_marked(each, findings, sources) for each in functions)


def _marked(
    profile: FunctionProfile, findings: Sequence[Finding], sources: Sources
) -> FunctionProfile:
    verdict = profile.verdict
    if verdict is None or verdict.rule is None:
        return profile
    kinds = {cause.kind for cause in profile.causes if cause.rule == verdict.rule}
    alike = {verdict.rule}.union(*(ALSO.get(kind, ()) for kind in kinds))
    proven = [
        each.violation.code
        for each in findings
        if each.evidence is Evidence.PROVEN
        and each.violation.code in alike
        and _touches(each.violation, profile, sources)
    ]
    if not proven:
        return profile
    # The rule that found it says what it is better than the one that might have.
    rule = verdict.rule if verdict.rule in proven else proven[0]
    return replace(profile, verdict=replace(verdict, rule=rule, found=True))


def _touches(violation: Violation, profile: FunctionProfile, sources: Sources) -> bool:
    if concerns(violation, profile.key, sources.body(profile.key)):
        return True
    return any(_is_site(violation, cause) for cause in profile.causes)


def _is_site(violation: Violation, cause: Retrace) -> bool:
    return _in_rows(violation, cause.site)


def _in_rows(violation: Violation, place: Place) -> bool:
    rows = range(violation.span.start.row, violation.span.end.row + 1)
    return violation.filename == place.file and place.line in rows
