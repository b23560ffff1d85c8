"""A profile for people at a terminal: totals, what to do, the table, the causes."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from tfcheck.profile.model import Finding, FunctionProfile, Gate, Profile
from tfcheck.report.columns import line_up
from tfcheck.report.profile_words import (
    advice,
    closing,
    comparison_cells,
    ending,
    finding_seen,
    function_names,
    headline,
    hot_parts,
    nothing_to_do,
    op_name,
    op_place,
    other_findings,
    proven,
)
from tfcheck.report.terminal import to_string
from tfcheck.report.text import counted, percent, printable, seconds
from tfcheck.report.trial_words import trial_rows, trial_verdict

MOST_CAUSES = 5
MOST_POLICIES = 3
MOST_OPS = 5
MOST_LINES = 5

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
_RIGHT = (False, True, True, True, False, False, False, False)


def render_profile(profile: Profile, *, colour: bool) -> str:
    """The report of a run."""
    blocks = [
        [Text(printable(headline(profile)), style="bold"), *_ending(profile)],
        list(_advice(profile)),
        list(_table(profile)),
        *(list(_retraces(each)) for each in profile.functions),
        *(list(_ops(each)) for each in profile.functions),
        list(_hot_lines(profile)),
        list(_findings(profile)),
        list(_gates(profile)),
        list(_trial(profile)),
        [Text(printable(closing(profile)))],
    ]
    lines: list[Text] = []
    for block in filter(None, blocks):
        lines.extend([Text(), *block] if lines else block)
    return to_string(lines, colour=colour)


def _ending(profile: Profile) -> Iterator[Text]:
    for line in ending(profile):
        yield Text(printable(line), style="red")


def _advice(profile: Profile) -> Iterator[Text]:
    advised = advice(profile)
    nothing = None if advised else nothing_to_do(profile)
    if nothing is not None:
        yield Text(nothing, style="green")
    for number, each in enumerate(advised, start=1):
        note = f"  [{each.note}]" if each.note else ""
        yield Text.assemble((f"{number}  ", "bold"), printable(each.text), (note, "yellow"))
        yield Text(f"   {printable(each.cure)}")


def _table(profile: Profile) -> Iterator[Text]:
    if not profile.functions:
        return
    names = function_names(profile)
    rows: list[tuple[str, ...]] = [_TABLE]
    rows += [_row(name, each) for name, each in zip(names, profile.functions, strict=True)]
    heading, *lines = line_up(rows, right=_RIGHT)
    yield Text(heading, style="bold")
    yield from map(Text, lines)


def _row(name: str, function: FunctionProfile) -> tuple[str, ...]:
    trace = seconds(function.trace_s + function.build_s)
    cells = (name, str(function.calls), str(function.traces), trace, *comparison_cells(function))
    return tuple(map(printable, cells))


def _retraces(function: FunctionProfile) -> Iterator[Text]:
    if not function.causes:
        return
    yield Text(f"Retraces of {printable(function.key.name)}", style="bold")
    rows = [
        (
            str(cause.count),
            printable(cause.argument) or cause.kind,
            printable(f"{cause.before} → {cause.after}" if cause.argument else cause.after),
            printable(f"{cause.site.file}:{cause.site.line}"),
            seconds(cause.cost_s),
            cause.rule or "",
        )
        for cause in function.causes[:MOST_CAUSES]
    ]
    for line in line_up(rows, right=(True, False, False, False, True, False)):
        yield Text(f"  {line}")
    left = function.causes[MOST_CAUSES:]
    if left:
        traces = counted(sum(cause.count for cause in left), "trace")
        cost = seconds(sum(cause.cost_s for cause in left))
        yield Text(f"  {traces} more for {counted(len(left), 'other cause')}: {cost}")
    yield from _policies(function)


def _policies(function: FunctionProfile) -> Iterator[Text]:
    rows = [
        (counted(each.traces, "trace"), f"saves {seconds(each.saves_s)}", printable(each.text))
        for each in function.policies[:MOST_POLICIES]
    ]
    if rows:
        yield Text("  The recorded calls played again:")
    for line in line_up(rows, right=(True, False, False)):
        yield Text(f"  {line}")


def _ops(function: FunctionProfile) -> Iterator[Text]:
    if not function.ops:
        return
    whole = sum(each.seconds for each in function.ops)
    yield Text(f"Ops of {printable(function.key.name)}, in a call", style="bold")
    rows = [
        (
            percent(each.seconds, whole),
            seconds(each.seconds),
            printable(op_name(each)),
            f"×{each.count:.3g}",
            printable(op_place(each)),
        )
        for each in function.ops[:MOST_OPS]
    ]
    for line in line_up(rows, right=(True, True, False, True, False)):
        yield Text(f"  {line}")
    left = function.ops[MOST_OPS:]
    if left:
        rest = sum(each.seconds for each in left)
        yield Text(f"  {percent(rest, whole)} in {counted(len(left), 'other')}: {seconds(rest)}")


def _hot_lines(profile: Profile) -> Iterator[Text]:
    if not profile.hot_lines:
        return
    yield Text("Where the run spent its time (sampled)", style="bold")
    rows = [
        (
            percent(each.seconds, profile.totals.wall_s),
            seconds(each.seconds),
            printable(f"{each.place.file}:{each.place.line}"),
            printable(each.function),
            hot_parts(each),
        )
        for each in profile.hot_lines[:MOST_LINES]
    ]
    for line in line_up(rows, right=(True, True, False, False, False)):
        yield Text(f"  {line}")


def _findings(profile: Profile) -> Iterator[Text]:
    found = proven(profile)
    if found:
        yield Text("Findings that this run proved", style="bold")
    for each in found:
        yield Text(f"  {_finding(each)}")
    rest = other_findings(profile)
    if rest is not None:
        yield Text(rest)


def _finding(finding: Finding) -> str:
    violation = finding.violation
    start = violation.span.start
    place = f"{violation.filename}:{start.row}:{start.column}"
    return printable(f"{place} {violation.code} {violation.message} ({finding_seen(finding)})")


def _trial(profile: Profile) -> Iterator[Text]:
    trial = profile.trial
    if trial is None:
        return
    broken = trial.after is not None and not trial.holds
    yield Text(printable(trial_verdict(trial)), style="bold red" if broken else "bold")
    rows = [("", "before", "after"), *trial_rows(trial)] if trial.after else []
    for line in line_up(rows, right=(False, True, True)):
        yield Text(f"  {line}")
    if trial.diff:
        yield Text()
    for line in trial.diff.splitlines():
        yield Text(f"  {printable(line)}", style=_DIFF_STYLES.get(line[:1], ""))


_DIFF_STYLES = {"+": "green", "-": "red"}


def _gates(profile: Profile) -> Iterator[Text]:
    if not profile.gates:
        return
    failed = sum(not gate.ok for gate in profile.gates)
    heading = f"{failed} of {counted(len(profile.gates), 'gate')} failed" if failed else "Gates"
    yield Text(heading, style="bold red" if failed else "bold")
    rows = [_gate(gate) for gate in profile.gates]
    for line, gate in zip(line_up(rows, right=(False,) * 5), profile.gates, strict=True):
        yield Text(f"  {line}", style="" if gate.ok else "red")


def _gate(gate: Gate) -> tuple[str, ...]:
    verdict = "ok" if gate.ok else "FAILED"
    return tuple(map(printable, (verdict, gate.name, gate.value, f"limit {gate.limit}", gate.text)))
