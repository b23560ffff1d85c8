from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from tfcheck.diagnostics import (
    Confidence,
    Evidence,
    Position,
    Severity,
    Span,
    TracedStep,
    Violation,
)
from tfcheck.profile.analyse import RULES, analyse, group
from tfcheck.profile.evidence import join, mark_found
from tfcheck.profile.model import (
    Action,
    Disagreement,
    Finding,
    FunctionKey,
    Place,
    Script,
    Verdict,
)
from tfcheck.profile.recording import Recording
from tfcheck.profile.sources import Body, Sources, read_bodies
from tfcheck.profile.unrepeatable import blocked

Load = Callable[[str], Recording]
SOURCES = Sources({"train.py": (Body(12, 13, 28), Body(30, 31, 36), Body(60, 61, 70))})


def violation(code: str, row: int, *traced: int) -> Violation:
    return Violation(
        code=code,
        name="slug",
        message="message",
        severity=Severity.WARNING,
        confidence=Confidence.HIGH,
        filename="train.py",
        span=Span(Position(row, 5), Position(row, 10)),
        traced=tuple(TracedStep("decorated @tf.function", "train.py", each) for each in traced),
    )


def ended(error: str, *places: Place) -> Script:
    return Script("train.py", ("train.py",), 1, error, places)


def test_functions_begin_at_their_first_decorator() -> None:
    source = "@a\n@b\ndef f():\n    def g():\n        pass\n    return g\n"

    bodies = read_bodies(source)

    assert [(each.first, each.definition, each.last) for each in bodies] == [(1, 3, 6), (4, 4, 5)]


def test_statements_that_always_run_are_known() -> None:
    source = """\
def f(x):
    print(
        1)
    with a:
        print(2)
    if x:
        print(3)
        return
    print(4)
"""

    (body,) = read_bodies(source)

    assert [row for row in range(1, 11) if body.always_runs(row)] == [2, 3, 5, 6]


def test_the_cases_of_a_match_need_not_run() -> None:
    source = """\
def f(x):
    match x:
        case 1:
            print(1)
    while x: print(2)
"""

    (body,) = read_bodies(source)

    assert [row for row in range(1, 7) if body.always_runs(row)] == [2]


def test_a_file_that_does_not_parse_has_no_functions() -> None:
    assert read_bodies("def f(:\n") == ()


def test_a_retrace_proves_the_finding_at_its_call_site(recorded: Load) -> None:
    functions = analyse(group(recorded("python_ints")), rules=RULES.values())
    found = violation("TFC101", 41)

    (finding,) = join(functions, [found], sources=SOURCES)

    assert finding == Finding(found, Evidence.PROVEN, pytest.approx(2.5), "2 traces")


def test_a_finding_in_a_function_that_ran_without_the_effect_is_not_seen(recorded: Load) -> None:
    functions = analyse(group(recorded("python_ints")), rules=RULES.values())

    (finding,) = join(functions, [violation("TFC501", 15, 13)], sources=SOURCES)

    assert finding.evidence is Evidence.NOT_SEEN


def test_python_that_most_calls_skipped_proves_the_finding(recorded: Load) -> None:
    functions = analyse(group(recorded("python_ints")), rules=RULES.values())
    sources = Sources({"train.py": (Body(12, 13, 28, always=((15, 15),)),)})
    always, sometimes = violation("TFC301", 15, 13), violation("TFC301", 17, 13)

    findings = join(functions, [always, sometimes], sources=sources)

    assert findings == (
        Finding(always, Evidence.PROVEN, 0.0, "ran in 4 of 300 calls"),
        Finding(sometimes, Evidence.NOT_SEEN, 0.0),
    )


def test_a_verdict_says_that_the_static_pass_came_to_it_too(recorded: Load) -> None:
    verdict = Verdict(Action.FIX_RETRACES, "text", "cure", 2.5, rule="TFC101")
    functions = [
        replace(each, verdict=verdict)
        for each in analyse(group(recorded("python_ints")), rules=RULES.values())
    ]
    findings = join(functions, [violation("TFC101", 41)], sources=SOURCES)

    marked = mark_found(functions, findings, sources=SOURCES)

    assert [(each.key.name, each.verdict and each.verdict.found) for each in marked] == [
        ("train_step", True),
        ("augment", False),
    ]


def test_a_finding_in_a_function_that_did_not_run_is_not_reached(recorded: Load) -> None:
    functions = analyse(group(recorded("python_ints")), rules=RULES.values())

    (finding,) = join(functions, [violation("TFC301", 65, 61)], sources=SOURCES)

    assert finding.evidence is Evidence.NOT_REACHED


def test_an_error_that_names_the_hazard_proves_it(recorded: Load) -> None:
    functions = analyse(group(recorded("python_ints")), rules=RULES.values())
    found = violation("TFC401", 15, 13)
    elsewhere = violation("TFC401", 65, 61)

    findings = join(
        functions, [found, elsewhere], sources=SOURCES, script=ended("ValueError: made one [slug]")
    )

    assert [each.evidence for each in findings] == [Evidence.PROVEN, Evidence.NOT_REACHED]


def test_an_error_from_the_line_of_a_finding_that_announces_one_proves_it() -> None:
    announced, other_line = violation("TFC510", 15), violation("TFC510", 16)
    of_retracing = violation("TFC101", 15)

    findings = join(
        (),
        [announced, other_line, of_retracing],
        sources=SOURCES,
        script=ended(
            "TypeError: unsupported operand", Place("train.py", 90), Place("train.py", 15)
        ),
    )

    assert [(each.violation, each.evidence, each.seen) for each in findings] == [
        (announced, Evidence.PROVEN, "ended the script"),
        (other_line, Evidence.NOT_REACHED, ""),
        (of_retracing, Evidence.NOT_REACHED, ""),
    ]


def test_proven_findings_come_first(recorded: Load) -> None:
    functions = analyse(group(recorded("python_ints")), rules=RULES.values())
    violations = [violation("TFC301", 65, 61), violation("TFC101", 41)]

    findings = join(functions, violations, sources=SOURCES)

    assert [each.violation.code for each in findings] == ["TFC101", "TFC301"]


def test_a_function_that_prints_is_not_repeated(recorded: Load) -> None:
    groups = group(recorded("python_ints"))

    reasons = blocked(groups, [], sources=SOURCES)

    assert reasons == {FunctionKey("augment", "train.py", 30): "prints (train.py:32)"}


def test_a_function_with_a_found_side_effect_is_not_repeated(recorded: Load) -> None:
    groups = group(recorded("python_ints"))
    # In a helper that is traced because train_step calls it.
    helper = violation("TFC302", 80, 20)

    reasons = blocked(groups, [helper], sources=SOURCES)

    assert reasons[FunctionKey("train_step", "train.py", 12)] == (
        "changes a container outside (train.py:80)"
    )


def test_a_finding_that_explains_a_disagreement_is_proven(recorded: Load) -> None:
    (step, *_) = analyse(group(recorded("python_ints")), rules=RULES.values())
    differs = Disagreement("results differ", "message (train.py:20)", "TFC201")

    (finding,) = join(
        [replace(step, disagreement=differs)], [violation("TFC201", 20)], sources=SOURCES
    )

    assert (finding.evidence, finding.seen) == (Evidence.PROVEN, "results differ")


def test_calls_that_never_traced_again_contradict_a_finding(recorded: Load) -> None:
    functions = analyse(group(recorded("python_ints")), rules=RULES.values())

    (finding,) = join(functions, [violation("TFC106", 41)], sources=SOURCES)

    assert (finding.evidence, finding.seen) == (
        Evidence.CONTRADICTED,
        "300 calls from here, none traced again for it",
    )


def test_calls_without_an_error_contradict_a_finding_that_there_must_be_one(recorded: Load) -> None:
    functions = analyse(group(recorded("python_ints")), rules=RULES.values())
    sources = Sources({"train.py": (Body(12, 13, 28, always=((15, 15),)),)})
    always, sometimes = violation("TFC401", 15, 13), violation("TFC401", 17, 13)

    findings = join(functions, [always, sometimes], sources=sources)

    assert [(each.violation, each.evidence, each.seen) for each in findings] == [
        (sometimes, Evidence.NOT_SEEN, ""),
        (
            always,
            Evidence.CONTRADICTED,
            "train_step was traced and called 300 times without the error",
        ),
    ]


def test_a_verdict_names_the_rule_that_found_why_a_function_was_made_again(recorded: Load) -> None:
    (step, *_) = analyse(group(recorded("python_ints")), rules=RULES.values())
    cause = replace(step.causes[0], kind="new-function", rule="TFC103")
    made = replace(
        step,
        causes=(cause,),
        verdict=Verdict(Action.FIX_RETRACES, "text", "cure", 2.5, rule="TFC103"),
    )
    findings = join([made], [violation("TFC107", 41)], sources=SOURCES)

    (marked,) = mark_found([made], findings, sources=SOURCES)

    assert marked.verdict is not None
    assert (marked.verdict.rule, marked.verdict.found) == ("TFC107", True)
