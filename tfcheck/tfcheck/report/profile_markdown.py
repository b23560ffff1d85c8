"""A profile as Markdown for the summary of a CI job."""

from __future__ import annotations

import html
from collections.abc import Iterator

from tfcheck.profile.model import Finding, FunctionProfile, Profile
from tfcheck.report.markdown import (
    markdown_code,
    markdown_prose,
    markdown_text,
    table,
    within_summary,
)
from tfcheck.report.profile_words import (
    advice,
    closing,
    comparison_cells,
    ending,
    finding_seen,
    function_names,
    headline,
    nothing_to_do,
    other_findings,
    proven,
)
from tfcheck.report.text import printable, seconds
from tfcheck.report.trial_words import trial_rows, trial_verdict

_TABLE = (
    "Function",
    "calls",
    "traces",
    "trace",
    "graph/call",
    "eager/call",
    "speed-up",
    "pays off after",
)


def render_profile_markdown(profile: Profile) -> str:
    """The report of a run, cut at a line when it is too long."""
    blocks = [
        [f"### {markdown_text(headline(profile))}"],
        [markdown_text(line) for line in ending(profile)],
        list(_gates(profile)),
        list(_advice(profile)),
        list(_functions(profile)),
        *(list(_retraces(each)) for each in profile.functions),
        list(_findings(profile)),
        list(_trial(profile)),
        [markdown_text(closing(profile))],
    ]
    return within_summary("\n\n".join("\n".join(block) for block in blocks if block) + "\n")


def _gates(profile: Profile) -> Iterator[str]:
    if profile.gates:
        rows = [
            (
                "ok" if gate.ok else "**failed**",
                *map(markdown_text, (gate.name, gate.value, gate.limit, gate.text)),
            )
            for gate in profile.gates
        ]
        yield from table(("", "gate", "value", "limit", "where"), rows)


def _advice(profile: Profile) -> Iterator[str]:
    advised = advice(profile)
    nothing = None if advised else nothing_to_do(profile)
    if nothing is not None:
        yield nothing
    for number, each in enumerate(advised, start=1):
        note = f" ({markdown_text(each.note)})" if each.note else ""
        yield f"{number}. **{markdown_prose(each.text)}**{note}\\"
        yield f"   {markdown_prose(each.cure)}"


def _functions(profile: Profile) -> Iterator[str]:
    if not profile.functions:
        return
    names = function_names(profile)
    rows = [
        (
            markdown_code(name),
            str(each.calls),
            str(each.traces),
            seconds(each.trace_s + each.build_s),
            *map(markdown_text, comparison_cells(each)),
        )
        for name, each in zip(names, profile.functions, strict=True)
    ]
    yield from table(_TABLE, rows)


def _retraces(function: FunctionProfile) -> Iterator[str]:
    if not function.causes:
        return
    # No Markdown in a block of HTML.
    name = html.escape(printable(function.key.name))
    yield f"<details><summary>Retraces of {name}: {function.retraces}</summary>\n"
    rows = [
        (
            str(cause.count),
            markdown_code(cause.argument) or cause.kind,
            markdown_code(f"{cause.before} → {cause.after}" if cause.argument else cause.after),
            markdown_code(f"{cause.site.file}:{cause.site.line}"),
            seconds(cause.cost_s),
            cause.rule or "",
        )
        for cause in function.causes
    ]
    yield from table(("traces", "argument", "change", "called at", "cost", "rule"), rows)
    if function.policies:
        yield ""
    for policy in function.policies:
        what = f"traces: {policy.traces}, saves {seconds(policy.saves_s)}"
        yield f"- {markdown_prose(policy.text)} ({what})"
    yield "\n</details>"


def _findings(profile: Profile) -> Iterator[str]:
    rows = [_finding(each) for each in proven(profile)]
    if rows:
        yield from table(("proven by this run", "", "", "seen"), rows)
    rest = other_findings(profile)
    if rest is not None:
        yield f"\n{rest}" if rows else rest


def _trial(profile: Profile) -> Iterator[str]:
    trial = profile.trial
    if trial is not None:
        yield f"{markdown_text(trial_verdict(trial))}\n"
        yield from table(("with the fixes", "before", "after"), list(trial_rows(trial)))


def _finding(finding: Finding) -> tuple[str, ...]:
    violation = finding.violation
    return (
        markdown_code(f"{violation.filename}:{violation.span.start.row}"),
        violation.code,
        markdown_prose(violation.message),
        markdown_text(finding_seen(finding)),
    )
