"""What to do about each Function, and what it would have saved in this run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tfcheck.profile.measure import Measurement, Mismatch
from tfcheck.profile.model import (
    Action,
    Comparison,
    FunctionProfile,
    Interval,
    Retrace,
    Verdict,
)
from tfcheck_runtime.events import CauseKind

WORTH_SAYING = 0.01
"""Causes that cost a smaller share of the run and are fewer than `MANY` are not worth a change."""
MANY = 5

_CURES: Mapping[str, str] = {
    CauseKind.PYTHON_VALUE: "pass a tensor: one trace then serves every value",
    CauseKind.STRUCTURE: "pass containers of one structure: stack or pad what varies",
    CauseKind.NEW_FUNCTION: "make it once, outside of what is repeated; methods have one an object",
    CauseKind.OBJECT: "pass the same object each time, or the tensors it holds",
    CauseKind.DEAD_REFERENCE: "keep the object alive and pass it again, or the tensors it holds",
    CauseKind.RANK: "pass tensors of one rank: reshape before the call",
    CauseKind.SHAPE: "pad or drop_remainder, or leave the dimension open: reduce_retracing=True",
    CauseKind.DTYPE: "cast to one dtype before the call",
    CauseKind.VARIABLE: "pass the same variables in the same places",
    CauseKind.CONTEXT: "call it from one place and device",
}

_POLICIES: Mapping[str, str] = {
    CauseKind.PYTHON_VALUE: "tensor-for-literal",
    CauseKind.SHAPE: "relaxed-shapes",
    CauseKind.NEW_FUNCTION: "one-function",
}
"""The policy that plays a cure."""

_WHATS: Mapping[str, str] = {
    CauseKind.PYTHON_VALUE: "Python value",
    CauseKind.STRUCTURE: "container",
    CauseKind.OBJECT: "Python object",
    CauseKind.DEAD_REFERENCE: "Python object that is gone",
    CauseKind.RANK: "rank",
    CauseKind.SHAPE: "shape",
    CauseKind.DTYPE: "dtype",
    CauseKind.VARIABLE: "variable",
}


def judge(profile: FunctionProfile, measurement: Measurement, *, wall_s: float) -> FunctionProfile:
    """`profile` with its comparison, break-even and verdict."""
    if isinstance(measurement, str):
        compared = replace(profile, not_compared=measurement)
    elif isinstance(measurement, Mismatch):
        compared = replace(profile, not_compared=f"results differ: {measurement.text}")
    else:
        even = break_even(profile, measurement)
        compared = replace(profile, comparison=measurement, break_even=even)
    return replace(compared, verdict=_verdict(compared, wall_s))


def break_even(profile: FunctionProfile, comparison: Comparison) -> Interval | None:
    """Calls after which one trace has paid for itself; None when it never does."""
    if not profile.traces or comparison.speedup.low <= 1.0:
        return None
    trace = (profile.trace_s + profile.build_s) / profile.traces
    graph, eager = comparison.graph.median_s, comparison.eager.median_s
    # The interval of the speed-up counts what graph and eager runs share.
    gains = [graph * (factor - 1) for factor in (comparison.speedup.high, comparison.speedup.low)]
    return Interval(trace / (eager - graph), trace / gains[0], trace / gains[1])


def _verdict(profile: FunctionProfile, wall_s: float) -> Verdict:
    verdicts = [_fix(profile, cause) for cause in _worth_saying(profile, wall_s)[:1]]
    if profile.comparison is not None:
        verdicts.append(_compared(profile, profile.comparison))
    if verdicts:
        return max(verdicts, key=lambda verdict: verdict.saves_s)
    return Verdict(Action.UNDECIDED, f"not compared: {profile.not_compared}", "", 0.0)


def _worth_saying(profile: FunctionProfile, wall_s: float) -> list[Retrace]:
    least = WORTH_SAYING * wall_s
    return [cause for cause in profile.causes if cause.cost_s >= least or cause.count >= MANY]


def _fix(profile: FunctionProfile, cause: Retrace) -> Verdict:
    site = f"{cause.site.file}:{cause.site.line}"
    traces = f"{cause.count} of {profile.traces} traces of {profile.key.name}"
    come = "comes" if cause.count == 1 else "come"
    return Verdict(
        Action.FIX_RETRACES,
        f"{traces} {come} from {what_differs(cause)} at {site}",
        _cure(profile, cause),
        cause.cost_s,
        rule=cause.rule,
    )


def _cure(profile: FunctionProfile, cause: Retrace) -> str:
    cure = _CURES.get(cause.kind, "")
    wanted = _POLICIES.get(cause.kind)
    if wanted is None or not profile.policies:
        return cure
    played = {policy.name: policy for policy in profile.policies}
    if wanted in played:
        policy = played[wanted]
    else:
        # The usual cure would not have helped, for example as it is declared already.
        policy = profile.policies[0]
        cure = policy.text
    noun = "trace" if policy.traces == 1 else "traces"
    return f"{cure} → {policy.traces} {noun} instead of {profile.traces} (replayed)"


def what_differs(cause: Retrace) -> str:
    """What made the traces necessary, in a few words."""
    if cause.kind == CauseKind.NEW_FUNCTION:
        return "making the Function again"
    if cause.kind == CauseKind.CONTEXT:
        return "calls in another context"
    if not cause.argument:
        return "calls with other parameters"
    return f"`{cause.argument}` ({_WHATS.get(cause.kind, cause.kind)})"


FEW_NODES = 6
"""Nodes, inputs and outputs included, that take less time than a call of their graph."""


def _why_no_faster(profile: FunctionProfile) -> str:
    """What keeps the graph that served most calls from being faster."""
    most = max(profile.signatures, key=lambda each: each.calls, default=None)
    if most is not None and most.host_steps:
        return f"{', '.join(sorted(set(most.host_steps)))} run on the host, one by one"
    if most is not None and most.nodes <= FEW_NODES:
        return "it does so little that a call costs about as much"
    return "its time goes into ops that are as fast one by one"


def _compared(profile: FunctionProfile, comparison: Comparison) -> Verdict:
    name = profile.key.name
    trace = profile.trace_s + profile.build_s
    gain = comparison.eager.median_s - comparison.graph.median_s
    if comparison.speedup.low <= 1.0:
        slower = comparison.speedup.high < 1.0
        how = "slower than eager" if slower else "no faster than eager"
        saves = trace - (gain * profile.calls if slower else 0.0)
        text = f"the graph of {name} is {how}: {_why_no_faster(profile)}"
        return Verdict(Action.LEAVE_EAGER, text, "leave it eager", saves)
    calls = profile.break_even.median * profile.traces if profile.break_even else 0.0
    if profile.calls < calls:
        text = f"{name} pays off after {calls:.0f} calls; this run made {profile.calls}"
        return Verdict(Action.KEEP, text, "", 0.0)
    factor = comparison.speedup.median
    return Verdict(Action.KEEP, f"graphs of {name} are {factor:.1f}× faster than eager", "", 0.0)
