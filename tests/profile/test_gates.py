from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from tfcheck.diagnostics import Confidence, Position, Severity, Span, Violation
from tfcheck.profile.gates import check
from tfcheck.profile.model import (
    Agreement,
    Comparison,
    Device,
    Disagreement,
    Evidence,
    Finding,
    FunctionKey,
    FunctionProfile,
    Gate,
    Interval,
    Place,
    Profile,
    Retrace,
    Script,
    Signature,
    Timing,
    Totals,
)
from tfcheck.profile.settings import ProfileSettings

CAUSE = Retrace("python-value", "n", "1", "2", 3, 0.3, Place("a.py", 9), "TFC101")


def function(name: str = "f", *, traces: int = 4, speedup: float = 2.0) -> FunctionProfile:
    timing = Timing(1.0, 1.0, 1.0, 10)
    interval = Interval(speedup, speedup - 0.2, speedup + 0.2)
    return FunctionProfile(
        key=FunctionKey(name, "a.py", 1),
        instances=1,
        calls=10,
        traces=traces,
        trace_s=0.4,
        build_s=0.1,
        run_s=0.2,
        signatures=(Signature("", 10, 0.4, 0.1, nodes=100, constant_bytes=1000),),
        causes=(CAUSE,),
        comparison=Comparison(timing, timing, interval, Agreement(0.0, 0.0)),
    )


def profile(*functions: FunctionProfile, findings: tuple[Finding, ...] = ()) -> Profile:
    traces = sum(each.traces for each in functions)
    return Profile(
        tool="tfcheck",
        script=Script("a.py", ("a.py",), 0, None),
        device=Device("CPU", "onnxruntime"),
        totals=Totals(2.0, 0.4, 0.1, 0.2, 1.3, 10, traces),
        functions=functions,
        findings=findings,
    )


def checked(
    run: Profile,
    *,
    fail_on: Mapping[str, tuple[str, ...]] | None = None,
    baseline: Profile | None = None,
    **limits: object,
) -> tuple[Gate, ...]:
    settings = ProfileSettings(**limits)  # type: ignore[arg-type]  # what the test says
    return check(run, settings, fail_on=fail_on or {}, baseline=baseline)


def test_without_limits_there_are_no_gates() -> None:
    assert checked(profile(function())) == ()


@pytest.mark.parametrize(
    ("limits", "gate"),
    [
        ({"max_traces": 4}, Gate("max-traces", "4", "4", True, "")),
        ({"max_traces": 3}, Gate("max-traces", "3", "4", False, "most are of f (a.py:1) (4)")),
        (
            {"max_retraces_per_function": 3},
            Gate("max-retraces-per-function", "3", "3", True, ""),
        ),
        (
            {"max_retraces_per_function": 2},
            Gate("max-retraces-per-function", "2", "3", False, "f (a.py:1): 3 from `n` at a.py:9"),
        ),
        # The interval is 1.8 to 2.2: 2.1 may be met.
        ({"min_speedup": 2.1}, Gate("min-speedup", "2.1×", "2.00×", True, "")),
        (
            {"min_speedup": 2.3},
            Gate("min-speedup", "2.3×", "2.00×", False, "f (a.py:1) 1.80–2.20×"),
        ),
        ({"max_trace_share": 0.25}, Gate("max-trace-share", "25 %", "25 %", True, "")),
        (
            {"max_trace_share": 0.2},
            Gate("max-trace-share", "20 %", "25 %", False, "0.5 s of 2 s"),
        ),
    ],
)
def test_a_limit_is_kept_or_not(limits: dict[str, object], gate: Gate) -> None:
    assert checked(profile(function()), **limits) == (gate,)


def test_a_run_without_functions_keeps_all_limits() -> None:
    gates = checked(profile(), max_traces=0, max_retraces_per_function=0, min_speedup=2.0)

    assert [(gate.value, gate.ok) for gate in gates] == [
        ("0", True),
        ("0", True),
        ("nothing compared", True),
    ]


def violation(code: str) -> Violation:
    span = Span(Position(5, 1), Position(5, 9))
    return Violation(code, "slug", "says", Severity.ERROR, Confidence.HIGH, "a.py", span)


def test_rules_fail_where_the_run_showed_what_they_are_about() -> None:
    findings = (
        Finding(violation("TFC301"), Evidence.PROVEN, 0.0),
        Finding(violation("TFC302"), Evidence.NOT_SEEN, 0.0),
    )
    wrong = replace(function(), disagreement=Disagreement("differ", "unknown", None))

    gates = checked(
        profile(wrong, findings=findings),
        fail_on={
            "TFC1": ("TFC101", "TFC102"),
            "python-print": ("TFC301",),
            "TFC302": ("TFC302",),
            "disagreement": ("disagreement",),
        },
    )

    assert gates == (
        Gate("fail-on TFC1", "0", "1", False, "a.py:9"),
        Gate("fail-on python-print", "0", "1", False, "a.py:5"),
        Gate("fail-on TFC302", "0", "0", True, ""),
        Gate("fail-on disagreement", "0", "1", False, "f (a.py:1)"),
    )


def test_a_run_like_the_baseline_is_no_regression() -> None:
    run = profile(function())

    gates = checked(run, baseline=run)

    assert [(gate.name, gate.value, gate.ok) for gate in gates] == [
        ("baseline traces", "none", True),
        ("baseline retraces", "none", True),
        ("baseline graph nodes", "none", True),
        ("baseline constant bytes", "none", True),
        ("baseline speed-up", "none", True),
    ]


def test_more_traces_than_the_baseline_fail() -> None:
    gates = checked(profile(function(traces=6)), baseline=profile(function()))

    assert gates[0] == Gate("baseline traces", "+10 %", "1 Function", False, "f (a.py) 4 → 6")


def test_what_is_within_the_regression_that_is_let_pass_is_kept() -> None:
    gates = checked(profile(function(traces=6)), baseline=profile(function()), max_regression=0.5)

    assert gates[0] == Gate("baseline traces", "+50 %", "none", True, "")


@pytest.mark.parametrize(("speedup", "ok"), [(1.6, True), (1.3, False)])
def test_a_speed_up_fails_when_even_its_best_is_below_the_worst_from_before(
    speedup: float, ok: bool
) -> None:
    gates = checked(profile(function(speedup=speedup)), baseline=profile(function()))

    assert (gates[-1].name, gates[-1].ok) == ("baseline speed-up", ok)


def test_functions_that_the_baseline_lacks_are_new() -> None:
    gates = checked(profile(function("g")), baseline=profile(function("f")))

    assert all(gate.ok for gate in gates)
