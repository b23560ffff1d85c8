from __future__ import annotations

from collections.abc import Callable

import pytest

from tfcheck.profile.analyse import RULES, analyse, brief, group, totals
from tfcheck.profile.model import CallSite, FunctionKey, Place, Retrace, Signature, Totals
from tfcheck.profile.recording import Recording

Load = Callable[[str], Recording]


def test_totals_split_the_run_into_tracing_building_running_and_python(recorded: Load) -> None:
    recording = recorded("python_ints")

    result = totals(recording)

    assert result == Totals(
        wall_s=5.1,
        tracing_s=pytest.approx(2.15),
        building_s=pytest.approx(0.55),
        running_s=pytest.approx(0.605),
        python_s=pytest.approx(1.795),
        calls=310,
        traces=5,
    )


def test_traces_with_the_same_cause_are_counted_together(recorded: Load) -> None:
    profile = analyse(group(recorded("python_ints")), rules=RULES.values())[0]

    assert profile.causes == (
        Retrace(
            kind="python-value",
            argument="epoch",
            before="Literal[0]",
            after="Literal[1], Literal[2]",
            count=2,
            cost_s=pytest.approx(2.5),
            site=Place("train.py", 41),
            rule="TFC101",
        ),
        Retrace(
            kind="shape",
            argument="batch",
            before="float32[32, 784]",
            after="float32[17, 784]",
            count=1,
            cost_s=pytest.approx(0.03),
            site=Place("train.py", 41),
            rule="TFC105",
        ),
    )


def test_functions_come_in_the_order_of_their_cost(recorded: Load) -> None:
    profiles = analyse(group(recorded("python_ints")), rules=RULES.values())

    assert [(each.key.name, each.calls, each.traces) for each in profiles] == [
        ("train_step", 300, 4),
        ("augment", 10, 1),
    ]


def test_each_signature_has_its_calls_and_its_cost(recorded: Load) -> None:
    profile = analyse(group(recorded("python_ints")), rules=RULES.values())[0]

    assert profile.signatures[1] == Signature(
        text="(batch: float32[32, 784], epoch: Literal[1])",
        calls=100,
        trace_s=1.0,
        build_s=0.5,
        nodes=20,
        constant_bytes=64,
        built_nodes=14,
        first_call_s=0.004,
    )


def test_each_line_that_calls_has_its_calls_and_its_traces(recorded: Load) -> None:
    profile = analyse(group(recorded("python_ints")), rules=RULES.values())[0]

    assert profile.sites == (
        CallSite(
            Place("train.py", 41),
            calls=300,
            running_s=pytest.approx(0.6),
            traces=4,
            tracing_s=pytest.approx(2.68),
        ),
    )


def test_functions_made_of_the_same_code_are_one_row(recorded: Load) -> None:
    (profile,) = analyse(group(recorded("rewrapped")), rules=RULES.values())

    assert (profile.key, profile.instances, profile.calls, profile.traces, profile.retraces) == (
        FunctionKey("f", "loop.py", 4),
        3,
        3,
        3,
        2,
    )
    assert [(each.kind, each.count, each.rule) for each in profile.causes] == [
        ("new-function", 2, "TFC103")
    ]


def test_exceptions_of_tracing_are_named(recorded: Load) -> None:
    (profile,) = analyse(group(recorded("rewrapped")), rules=RULES.values())

    assert profile.failures == ("ValueError",)


def test_only_installed_rules_are_named(recorded: Load) -> None:
    profile = analyse(group(recorded("python_ints")), rules={"TFC101"})[0]

    assert [each.rule for each in profile.causes] == ["TFC101", None]


def test_a_run_without_functions_has_no_profiles() -> None:
    recording = Recording(wall_seconds=1.0)

    assert analyse(group(recording), rules=RULES.values()) == ()
    assert totals(recording) == Totals(1.0, 0, 0, 0, 1.0, 0, 0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("TensorSpec(shape=(32, 784), dtype=tf.float32, name=None)", "float32[32, 784]"),
        ("TensorSpec(shape=(3,), dtype=tf.int32, name='x')", "int32[3]"),
        ("TensorSpec(shape=(), dtype=tf.bool, name=None)", "bool[]"),
        ("TensorSpec(shape=<unknown>, dtype=tf.string, name=None)", "string[...]"),
        ("(x: TensorSpec(shape=(None, 2), dtype=tf.float32, name=None))", "(x: float32[None, 2])"),
        ("Weakref[<weakref at 0x7f10; to 'Model' at 0x7f20>]", "Model object"),
        ("Weakref[<weakref at 0x7f10; to 'function' at 0x7f20 (<lambda>)>]", "function <lambda>"),
        ("Weakref[<weakref at 0x7f10; dead>]", "object that is gone"),
        ("Literal[1]", "Literal[1]"),
    ],
)
def test_tensors_in_trace_types_are_shown_briefly(text: str, expected: str) -> None:
    assert brief(text) == expected
