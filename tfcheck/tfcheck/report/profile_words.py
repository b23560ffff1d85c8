"""What all reports of a profile say in the same words; user text in them is as it came."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from tfcheck.diagnostics import Evidence
from tfcheck.profile.model import (
    Action,
    Comparison,
    Finding,
    FunctionProfile,
    HotLine,
    Interval,
    OpCost,
    Profile,
    Timing,
    Verdict,
)
from tfcheck.report.text import counted, percent, ratio, seconds, spread

MOST_ADVICE = 5
WORTH_SAYING = 0.01
"""Leaving eager what costs a smaller share of the run is no advice."""


@dataclass(frozen=True, slots=True)
class Advice:
    """One thing to do, with what it is about and what it would have saved."""

    text: str
    cure: str
    note: str
    """The rule about it, such as `TFC101, proven`; empty when there is none."""


def headline(profile: Profile) -> str:
    """The run in one sentence."""
    totals = profile.totals
    name = profile.script.path
    if not profile.functions:
        eager = f" ({profile.eager_calls} ran eagerly)" if profile.eager_calls else ""
        return f"{name}: no tf.function was called as a graph{eager}; {seconds(totals.wall_s)}"
    overhead = totals.tracing_s + totals.building_s
    return (
        f"{name}: {counted(len(profile.functions), 'Function')}, {counted(totals.calls, 'call')},"
        f" {counted(totals.traces, 'trace')}; {seconds(totals.wall_s)}, of which tracing"
        f" {seconds(totals.tracing_s)} and building {seconds(totals.building_s)}"
        f" ({percent(overhead, totals.wall_s)}), running {seconds(totals.running_s)},"
        f" Python {seconds(totals.python_s)}"
    )


def ending(profile: Profile) -> list[str]:
    """How the script ended, unless it ended well."""
    script = profile.script
    if profile.partial is not None:
        return [f"cut short: {profile.partial}; this is what happened until then"]
    if script.error is not None:
        return [f"ended by {_one_line(script.error)} (exit {script.exit})"]
    return [f"ended with exit {script.exit}"] if script.exit else []


def _one_line(error: str) -> str:
    """The line of an error that says what it is."""
    lines = [line.strip() for line in error.splitlines() if line.strip()] or [""]
    # AutoGraph of TensorFlow tells the way there first.
    return lines[-1] if lines[0].endswith(": in user code:") else lines[0]


def advice(profile: Profile) -> list[Advice]:
    """What to do: first where results are wrong, then in the order of seconds saved."""
    verdicts = [each.verdict for each in profile.functions if each.verdict]
    to_do = [each for each in verdicts if _is_to_do(each, profile.totals.wall_s)]
    ranked = sorted(to_do, key=lambda each: -each.saves_s)
    return [*_wrong(profile), *map(_advised, ranked)][:MOST_ADVICE]


def _wrong(profile: Profile) -> Iterator[Advice]:
    for function in profile.functions:
        found = function.disagreement
        if found is not None:
            text = f"{function.key.name}: {found.text}"
            yield Advice(text, f"likely reason: {found.reason}", found.rule or "")


def _is_to_do(verdict: Verdict, wall_s: float) -> bool:
    if verdict.action is Action.LEAVE_EAGER:
        return verdict.saves_s >= WORTH_SAYING * wall_s
    return verdict.action is Action.FIX_RETRACES


def _advised(verdict: Verdict) -> Advice:
    rule = verdict.rule or ""
    note = f"{rule}, proven" if verdict.found else rule
    return Advice(f"{verdict.text} and cost {seconds(verdict.saves_s)}", verdict.cure, note)


def nothing_to_do(profile: Profile) -> str | None:
    """The sentence for a run without advice; None when nothing was compared."""
    compared = [each.comparison.speedup.median for each in profile.functions if each.comparison]
    if not compared:
        return None
    traces = max(each.traces for each in profile.functions)
    least, most = ratio(min(compared)), ratio(max(compared))
    factor = f"{least}×" if least == most else f"{least}–{most}×"
    return (
        f"Nothing to gain: at most {counted(traces, 'trace')} a Function,"
        f" graphs {factor} as fast as eager."
    )


def function_names(profile: Profile) -> list[str]:
    """A name for each Function in its order, with its place where the name is not enough."""
    names = Counter(each.key.name for each in profile.functions)
    return [_name(each, unique=names[each.key.name] == 1) for each in profile.functions]


def _name(function: FunctionProfile, *, unique: bool) -> str:
    key = function.key
    name = key.name if unique else f"{key.name} ({key.file}:{key.line})"
    return f"{name} ×{function.instances}" if function.instances > 1 else name


def comparison_cells(function: FunctionProfile) -> tuple[str, ...]:
    """Time of a graph call and of an eager one, the speed-up and when it pays off.

    One cell with the reason where nothing was compared.
    """
    comparison = function.comparison
    if comparison is None:
        return (f"not compared: {function.not_compared or ''}",)
    graph, eager = _timing(comparison.graph), _timing(comparison.eager)
    return (graph, eager, speedup_text(comparison), _pays_off(function.break_even))


def _timing(timing: Timing) -> str:
    return spread(timing.median_s, (timing.high_s - timing.low_s) / 2)


def speedup_text(comparison: Comparison) -> str:
    """The factor with its interval, or that there is none."""
    speedup = comparison.speedup
    if speedup.low <= 1.0 <= speedup.high:
        return "no difference"
    return f"{ratio(speedup.median)}× ({ratio(speedup.low)}–{ratio(speedup.high)})"


def _pays_off(break_even: Interval | None) -> str:
    if break_even is None:
        return "never: leave it eager"
    low, high = math.ceil(break_even.low), math.ceil(break_even.high)
    calls = "1 call" if high == 1 else f"{low}–{high} calls" if low != high else f"{low} calls"
    return f"{calls} a trace"


def hot_parts(line: HotLine) -> str:
    """What the time of a line went into, the dearest first: `tracing 2.9 s, Python 0.3 s`."""
    parts = (
        ("tracing", line.tracing_s),
        ("building", line.building_s),
        ("graphs", line.executing_s),
        ("ops and dispatch", line.eager_s),
        ("Python", line.python_s),
    )
    told = [(name, spent) for name, spent in parts if spent >= WORTH_SAYING * line.seconds]
    ranked = sorted(told, key=lambda part: -part[1])
    return ", ".join(f"{name} {seconds(spent)}" for name, spent in ranked)


def op_name(cost: OpCost) -> str:
    """`MatMul`, or `MatMul (FusedGemm)` where the kernel is called otherwise."""
    if not cost.op or cost.op == cost.kernel:
        return cost.kernel
    return f"{cost.op} ({cost.kernel})"


def op_place(cost: OpCost) -> str:
    """The line that made it; empty when that is not known."""
    return f"{cost.place.file}:{cost.place.line}" if cost.place else ""


def proven(profile: Profile) -> list[Finding]:
    """The findings that the run proved."""
    return [each for each in profile.findings if each.evidence is Evidence.PROVEN]


def other_findings(profile: Profile) -> str | None:
    """How many findings the run did not prove, and why; None when there are none."""
    numbers = Counter(each.evidence for each in profile.findings)
    rest = [
        f"{numbers[evidence]} {words}"
        for evidence, words in (
            (Evidence.NOT_SEEN, "whose effect this run did not show"),
            (Evidence.NOT_REACHED, "in code that did not run"),
            (Evidence.CONTRADICTED, "that this run contradicts"),
        )
        if numbers[evidence]
    ]
    if not rest:
        return None
    first = "Other findings" if numbers[Evidence.PROVEN] else "Findings"
    return f"{first} of tfcheck lint: {', '.join(rest)}."


def finding_seen(finding: Finding) -> str:
    """What the run showed of a finding, with its cost."""
    cost = f", {seconds(finding.cost_s)}" if finding.cost_s else ""
    return f"{finding.seen}{cost}"


def closing(profile: Profile) -> str:
    """What the times are of, and whether results agree."""
    device = profile.device
    return f"Device: {device.name}, {device.engine}.{_agreement(profile)}"


def _agreement(profile: Profile) -> str:
    compared = [each.comparison.agrees.max_rel for each in profile.functions if each.comparison]
    names = [each.key.name for each in profile.functions if each.disagreement]
    if names:
        return f" Results of graph and eager DIFFER: {', '.join(names)}."
    if not compared:
        return ""
    largest = max(compared)
    if largest == 0.0:
        return " Results of graph and eager are equal."
    return f" Results of graph and eager agree to 1e{math.ceil(math.log10(largest))}."
