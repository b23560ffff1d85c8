from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tfcheck.errors import InputError
from tfcheck.profile.model import (
    Action,
    FunctionKey,
    Interval,
    Profile,
    Script,
    Totals,
    Verdict,
)
from tfcheck.report.profile_data import render_profile_json
from tfcheck.report.profile_load import load_profile
from tfcheck.report.profile_terminal import render_profile

SCREEN = Path(__file__).parent / "screens" / "profile.txt"


def test_the_terminal_shows_totals_then_actions_then_the_table_then_causes(
    profile: Profile,
) -> None:
    text = render_profile(profile, colour=False)

    assert text == SCREEN.read_text(encoding="utf-8")


def test_a_run_without_functions_says_so(profile: Profile) -> None:
    totals = Totals(1.0, 0.0, 0.0, 0.0, 1.0, 0, 0)
    empty = replace(profile, functions=(), findings=(), totals=totals, eager_calls=3)
    empty = replace(empty, gates=(), trial=None, hot_lines=())

    assert render_profile(empty, colour=False) == (
        "src/train.py: no tf.function was called as a graph (3 ran eagerly); 1.0 s\n"
        "\n"
        "Device: CPU, onnxruntime 1.31.0.\n"
    )


def test_a_script_that_failed_is_reported_with_what_it_did(profile: Profile) -> None:
    script = Script("src/train.py", ("src/train.py",), 1, "ValueError: bad \x1b")

    lines = render_profile(replace(profile, script=script), colour=False).splitlines()

    assert lines[1] == "ended by ValueError: bad \\x1b (exit 1)"


def test_nothing_to_do_is_said_with_the_speed_up(profile: Profile) -> None:
    verdict = Verdict(Action.KEEP, "graphs of train_step are 5.9× faster than eager", "", 0.0)
    good = replace(profile.functions[0], traces=1, causes=(), verdict=verdict)

    lines = render_profile(
        replace(profile, functions=(good,), findings=()), colour=False
    ).splitlines()

    assert lines[2] == "Nothing to gain: at most 1 trace a Function, graphs 5.9× as fast as eager."


def test_results_that_differ_are_named(profile: Profile) -> None:
    lines = render_profile(profile, colour=False).splitlines()

    assert lines[2:4] == [
        "1  augment: results of graph and eager differ by up to 25 %  [TFC201]",
        "   likely reason: `rate` was rebound",
    ]
    assert lines[-1].endswith(" Results of graph and eager DIFFER: augment.")


def test_a_run_that_was_cut_short_says_so(profile: Profile) -> None:
    partial = replace(profile, partial="it was told to end (SIGTERM)")

    lines = render_profile(partial, colour=False).splitlines()

    assert lines[1] == ("cut short: it was told to end (SIGTERM); this is what happened until then")


def test_functions_of_one_name_are_told_apart(profile: Profile) -> None:
    predict = profile.functions[2]
    other = replace(predict, key=FunctionKey("predict", "src/other.py", 3), instances=4)

    text = render_profile(replace(profile, functions=(predict, other)), colour=False)

    assert "predict (src/train.py:70) " in text
    assert "predict (src/other.py:3) ×4 " in text


def test_json_is_the_documented_shape(profile: Profile) -> None:
    record = json.loads(render_profile_json(profile, urls={}))

    assert list(record) == [
        "schema",
        "version",
        "tool",
        "backend",
        "device",
        "script",
        "totals",
        "partial",
        "functions",
        "findings",
        "timeline",
        "sources",
        "gates",
        "hot_lines",
        "fixes",
    ]
    assert record["version"] == 1
    assert record["functions"][0]["causes"][0] == {
        "kind": "python-value",
        "argument": "epoch",
        "before": "Literal[0]",
        "after": "Literal[1], Literal[2], …",
        "count": 36,
        "cost_s": 3.9,
        "site": {"file": "src/train.py", "line": 41},
        "rule": "TFC101",
    }
    assert record["functions"][2]["graph"] is None
    assert record["functions"][2]["not_compared"] == "prints (src/train.py:77)"
    assert record["findings"][0]["evidence"] == "proven"


def test_json_has_null_for_what_has_no_bound(profile: Profile) -> None:
    endless = replace(profile.functions[0], break_even=Interval(10.0, 5.0, float("inf")))

    record = json.loads(render_profile_json(replace(profile, functions=(endless,)), urls={}))

    assert record["functions"][0]["break_even_calls"] == {"median": 10.0, "low": 5.0, "high": None}


def test_a_profile_is_the_same_after_saving_and_loading(profile: Profile) -> None:
    bare = tuple(
        replace(each, violation=replace(each.violation, hint=None)) for each in profile.findings
    )
    saved = replace(profile, findings=bare)

    assert load_profile(render_profile_json(saved, urls={})) == saved


def test_a_profile_of_another_version_is_refused() -> None:
    with pytest.raises(InputError, match=r"^profile of version 2, expected 1$"):
        load_profile('{"version": 2}')


def test_something_else_is_no_profile() -> None:
    with pytest.raises(InputError, match=r"^not a profile of tfcheck: KeyError: 'version'$"):
        load_profile("{}")
