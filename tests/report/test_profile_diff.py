from __future__ import annotations

from dataclasses import replace

from tfcheck.profile.model import Interval, Place, Profile, Retrace
from tfcheck.report.profile_diff import render_diff


def test_a_profile_is_the_same_as_itself(profile: Profile) -> None:
    lines = render_diff(profile, profile, colour=False).splitlines()

    assert lines[0] == "src/train.py: 41 traces, 412 calls, 81 % → 81 % of the run in tracing"
    assert [" ".join(line.split()) for line in lines[2:]] == [
        "Function calls traces retraces nodes constant bytes speed-up",
        "train_step (src/train.py) 400 38 37 20 64 5.9× same",
        "augment (src/train.py) 10 2 0 0 0 0.93× same",
        "predict (src/train.py) 2 1 0 0 0 – same",
    ]


def test_what_changed_is_shown_before_and_after(profile: Profile) -> None:
    step, augment, _ = profile.functions
    assert augment.comparison is not None
    better = replace(step, traces=2, causes=(), key=replace(step.key, line=15))
    faster = replace(augment.comparison, speedup=Interval(3.0, 2.5, 3.5))
    cause = Retrace("shape", "x", "a", "b", 1, 0.1, Place("src/train.py", 50), "TFC105")
    after = replace(
        profile,
        totals=replace(profile.totals, traces=5),
        functions=(better, replace(augment, comparison=faster, causes=(cause,))),
    )

    lines = render_diff(profile, after, colour=False).splitlines()

    assert lines[0] == "src/train.py: 41 → 5 traces, 412 calls, 81 % → 81 % of the run in tracing"
    assert [" ".join(line.split()) for line in lines[3:]] == [
        "train_step (src/train.py) 400 38 → 2 37 → 0 20 64 5.9× fewer retraces",
        "augment (src/train.py) 10 2 0 → 1 0 0 0.93× → 3.0× more retraces, faster",
        "predict (src/train.py) 2 → – 1 → – 0 → – 0 → – 0 → – – gone",
        "",
        "New causes of retraces",
        "augment: 1 trace from `x` at src/train.py:50",
    ]


def test_new_functions_are_named(profile: Profile) -> None:
    before = replace(profile, functions=profile.functions[1:])

    lines = render_diff(before, profile, colour=False).splitlines()

    assert lines[3].split()[-1] == "new"


def test_hostile_names_cannot_drive_a_terminal(profile: Profile) -> None:
    step = profile.functions[0]
    hostile = replace(profile, functions=(replace(step, key=replace(step.key, name="\x1b[2J")),))

    assert "\x1b" not in render_diff(hostile, hostile, colour=False)
