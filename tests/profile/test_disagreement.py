from __future__ import annotations

import pytest

from tfcheck.diagnostics import Confidence, Position, Severity, Span, Violation
from tfcheck.profile.disagreement import UNKNOWN, UNSTEADY, disagreement
from tfcheck.profile.measure import Measurement, Mismatch
from tfcheck.profile.model import (
    Agreement,
    Comparison,
    Disagreement,
    FunctionKey,
    Interval,
    Timing,
)
from tfcheck.profile.sources import Body, Sources

KEY = FunctionKey("f", "a.py", 10)
SOURCES = Sources({"a.py": (Body(10, 11, 14),)})


def compared(max_rel: float, *, steady: bool = True) -> Comparison:
    timing = Timing(1.0, 1.0, 1.0, 10)
    agrees = Agreement(max_rel, max_rel, steady)
    return Comparison(timing, timing, Interval(1.0, 1.0, 1.0), agrees)


def finding(code: str, row: int) -> Violation:
    span = Span(Position(row, 1), Position(row, 9))
    return Violation(code, "slug", f"says {code}", Severity.ERROR, Confidence.HIGH, "a.py", span)


def found(measurement: Measurement, *violations: Violation) -> Disagreement | None:
    return disagreement(KEY, measurement, violations=violations, sources=SOURCES)


@pytest.mark.parametrize("measurement", ["prints (a.py:12)", compared(0.0), compared(1e-4)])
def test_results_that_agree_or_were_not_compared_are_no_disagreement(
    measurement: Measurement,
) -> None:
    assert found(measurement) is None


def test_the_likeliest_finding_in_the_function_is_the_reason() -> None:
    result = found(compared(0.25), finding("TFC302", 12), finding("TFC201", 13))

    text = "results of graph and eager differ by up to 25 %"
    assert result == Disagreement(text, "says TFC201 (a.py:13)", "TFC201")


def test_findings_elsewhere_or_of_another_kind_are_no_reason() -> None:
    result = found(compared(0.25), finding("TFC201", 40), finding("TFC105", 12))

    text = "results of graph and eager differ by up to 25 %"
    assert result == Disagreement(text, UNKNOWN, None)


def test_results_that_change_each_time_have_a_reason_of_their_own() -> None:
    result = found(compared(float("inf"), steady=False))

    text = "results of graph and eager differ by up to any amount"
    assert result == Disagreement(text, UNSTEADY, None)


def test_results_of_other_shapes_disagree() -> None:
    result = found(Mismatch("the graph returns shape (3,), eager (2,)", steady=True))

    assert result == Disagreement("the graph returns shape (3,), eager (2,)", UNKNOWN, None)
