from __future__ import annotations

from dataclasses import replace

import pytest

from tfcheck.profile.judge import break_even, judge
from tfcheck.profile.measure import Mismatch
from tfcheck.profile.model import (
    Action,
    Agreement,
    Comparison,
    FunctionKey,
    FunctionProfile,
    Interval,
    Place,
    Policy,
    Retrace,
    Signature,
    Timing,
    Verdict,
)


def profile(
    *, calls: int = 400, traces: int = 1, causes: tuple[Retrace, ...] = ()
) -> FunctionProfile:
    return FunctionProfile(
        key=FunctionKey("step", "train.py", 12),
        instances=1,
        calls=calls,
        traces=traces,
        trace_s=0.08 * traces,
        build_s=0.02 * traces,
        run_s=0.8,
        causes=causes,
    )


def comparison(*, graph: float, eager: float, spread: float = 0.0) -> Comparison:
    factor = eager / graph
    return Comparison(
        graph=Timing(graph, graph, graph, 50),
        eager=Timing(eager, eager, eager, 50),
        speedup=Interval(factor, factor - spread, factor + spread),
        agrees=Agreement(0.0, 0.0),
    )


RETRACE = Retrace(
    kind="python-value",
    argument="epoch",
    before="Literal[0]",
    after="Literal[1]",
    count=36,
    cost_s=3.9,
    site=Place("train.py", 41),
    rule="TFC101",
)


def test_break_even_is_the_cost_of_a_trace_through_what_a_call_gains() -> None:
    result = break_even(profile(traces=2), comparison(graph=0.002, eager=0.012))

    assert result == Interval(pytest.approx(10), pytest.approx(10), pytest.approx(10))


def test_a_speed_up_that_may_be_none_never_breaks_even() -> None:
    result = break_even(profile(), comparison(graph=0.002, eager=0.0021, spread=0.1))

    assert result is None


def test_costly_retraces_are_what_to_fix() -> None:
    judged = judge(
        profile(traces=38, causes=(RETRACE,)), comparison(graph=0.002, eager=0.012), wall_s=5.1
    )

    assert judged.verdict == Verdict(
        Action.FIX_RETRACES,
        "36 of 38 traces of step come from `epoch` (Python value) at train.py:41",
        "pass a tensor: one trace then serves every value",
        3.9,
        rule="TFC101",
    )


def test_a_graph_that_is_no_faster_is_left_eager() -> None:
    judged = judge(profile(), comparison(graph=0.002, eager=0.0021, spread=0.1), wall_s=5.1)

    assert judged.verdict == Verdict(
        Action.LEAVE_EAGER,
        "the graph of step is no faster than eager:"
        " its time goes into ops that are as fast one by one",
        "leave it eager",
        pytest.approx(0.1),
    )


def test_a_graph_that_is_slower_costs_each_call_too() -> None:
    judged = judge(profile(), comparison(graph=0.002, eager=0.001), wall_s=5.1)

    assert judged.verdict == Verdict(
        Action.LEAVE_EAGER,
        "the graph of step is slower than eager:"
        " its time goes into ops that are as fast one by one",
        "leave it eager",
        pytest.approx(0.5),
    )


@pytest.mark.parametrize(
    ("signature", "reason"),
    [
        (
            Signature("(x)", 400, 0.1, 0.0, 40, 0, host_steps=("PyFunc", "Print", "PyFunc")),
            "Print, PyFunc run on the host, one by one",
        ),
        (
            Signature("(x)", 400, 0.1, 0.0, 3, 0),
            "it does so little that a call costs about as much",
        ),
    ],
)
def test_a_graph_that_is_no_faster_says_why(signature: Signature, reason: str) -> None:
    slow = replace(profile(), signatures=(signature,))

    judged = judge(slow, comparison(graph=0.002, eager=0.002), wall_s=5.1)

    assert judged.verdict is not None
    assert judged.verdict.text == f"the graph of step is no faster than eager: {reason}"


def test_a_cure_that_would_not_help_gives_way_to_one_that_does() -> None:
    policy = Policy("input-signature", "declare it with `s`", 1, 3.9)
    relaxed = replace(
        profile(traces=2, causes=(replace(RETRACE, kind="shape"),)), policies=(policy,)
    )

    judged = judge(relaxed, "prints", wall_s=5.1)

    assert judged.verdict is not None
    assert judged.verdict.cure == "declare it with `s` → 1 trace instead of 2 (replayed)"


def test_a_fast_graph_is_kept() -> None:
    judged = judge(profile(), comparison(graph=0.002, eager=0.012), wall_s=5.1)

    assert judged.verdict == Verdict(
        Action.KEEP, "graphs of step are 6.0× faster than eager", "", 0.0
    )


def test_too_few_calls_to_pay_are_said() -> None:
    judged = judge(profile(calls=3), comparison(graph=0.002, eager=0.012), wall_s=5.1)

    assert judged.verdict == Verdict(
        Action.KEEP, "step pays off after 10 calls; this run made 3", "", 0.0
    )


def test_a_cure_says_what_the_recorded_calls_would_have_made() -> None:
    known = replace(
        profile(traces=38, causes=(RETRACE,)),
        policies=(Policy("tensor-for-literal", "pass `epoch` as a tensor", 2, 3.8),),
    )

    judged = judge(known, comparison(graph=0.002, eager=0.012), wall_s=5.1)

    assert judged.verdict is not None
    assert judged.verdict.cure == (
        "pass a tensor: one trace then serves every value → 2 traces instead of 38 (replayed)"
    )


def test_results_that_cannot_be_compared_say_why() -> None:
    judged = judge(profile(), Mismatch("the graph returns 2 values", steady=True), wall_s=5.1)

    assert judged.not_compared == "results differ: the graph returns 2 values"


def test_what_was_not_compared_says_why() -> None:
    judged = judge(profile(), "prints (train.py:77)", wall_s=5.1)

    assert judged.not_compared == "prints (train.py:77)"
    assert judged.verdict == Verdict(
        Action.UNDECIDED, "not compared: prints (train.py:77)", "", 0.0
    )


def test_one_cheap_retrace_is_not_worth_a_change() -> None:
    cheap = Retrace("shape", "x", "a", "b", 1, 0.01, Place("train.py", 41), "TFC105")

    judged = judge(profile(traces=2, causes=(cheap,)), "prints", wall_s=5.1)

    assert judged.verdict == Verdict(Action.UNDECIDED, "not compared: prints", "", 0.0)
