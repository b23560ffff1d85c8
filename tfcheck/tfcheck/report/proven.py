"""What a run proved, as findings for services that annotate lines."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence

from tfcheck.diagnostics import (
    Confidence,
    Evidence,
    LintResult,
    Observation,
    Position,
    Severity,
    Span,
    Violation,
)
from tfcheck.lint.registry import RuleInfo
from tfcheck.profile.evidence import ALSO, observed
from tfcheck.profile.judge import what_differs
from tfcheck.profile.model import FunctionProfile, Profile, Retrace
from tfcheck.report.text import counted


def proven_result(profile: Profile, rules: Sequence[RuleInfo]) -> LintResult:
    """The findings that the run proved, and its retraces that the static pass did not find."""
    found = [observed(each) for each in profile.findings if each.evidence is Evidence.PROVEN]
    known = {(each.code, each.filename, each.span.start.row) for each in found}
    unfound = list(_retraces(profile, {rule.code: rule for rule in rules}, known))
    files = {each.filename for each in [*found, *unfound]}
    return LintResult(
        violations=(*found, *unfound),
        files=len(files),
        traced_files=len(files),
        seconds=profile.totals.wall_s,
    )


def _retraces(
    profile: Profile, rules: Mapping[str, RuleInfo], known: Container[tuple[str, str, int]]
) -> Iterator[Violation]:
    for function in profile.functions:
        for cause in function.causes:
            codes = [cause.rule or "", *ALSO.get(cause.kind, ())]
            told = any((code, cause.site.file, cause.site.line) in known for code in codes)
            rule = rules.get(cause.rule or "")
            if rule is not None and not told:
                yield _violation(function, cause, rule)


def _violation(function: FunctionProfile, cause: Retrace, rule: RuleInfo) -> Violation:
    change = f": {cause.before} → {cause.after}" if cause.argument else ""
    start = Position(cause.site.line, 1)
    return Violation(
        code=rule.code,
        name=rule.name,
        message=f"`{function.key.name}` is traced again here for {what_differs(cause)}{change}",
        severity=Severity(rule.severity),
        # It is no guess: it happened.
        confidence=Confidence.HIGH,
        filename=cause.site.file,
        span=Span(start, start),
        observed=Observation(Evidence.PROVEN, cause.cost_s, counted(cause.count, "trace")),
    )
