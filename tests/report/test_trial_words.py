from __future__ import annotations

from dataclasses import replace

import pytest

from tfcheck.profile.model import FixTrial, RunCost
from tfcheck.report.trial_words import trial_rows, trial_verdict

COST = RunCost(2.0, 1.0, 30, 33)
HELD = FixTrial(COST, unsafe=False, fixes=2, after=RunCost(1.5, 0.5, 3, 33), calls=33)


@pytest.mark.parametrize(
    ("trial", "text"),
    [
        (HELD, "2 fixes confirmed: the results of 33 calls are equal"),
        (replace(HELD, max_rel=8e-7), "2 fixes confirmed: the results of 33 calls agree to 1e-6"),
        (
            replace(HELD, calls=0),
            "2 fixes confirmed: the script ends as before (no results of Functions to compare)",
        ),
        (
            replace(HELD, varying=("policy",)),
            "2 fixes confirmed: what can be compared is the same"
            " (policy: results vary from run to run)",
        ),
        (
            replace(HELD, fixes=1, differing=("step: call 1: differs by 5 %",)),
            "1 fix changes results: step: call 1: differs by 5 %",
        ),
        (
            replace(HELD, failed="the script ended otherwise: exit 1"),
            "2 fixes NOT confirmed: the script ended otherwise: exit 1",
        ),
        (
            FixTrial(COST, unsafe=False, failed="interrupted"),
            "Fixes not confirmed: interrupted",
        ),
    ],
)
def test_the_verdict_is_one_sentence(trial: FixTrial, text: str) -> None:
    assert trial_verdict(trial) == text


def test_counts_and_times_stand_side_by_side() -> None:
    assert list(trial_rows(HELD)) == [
        ("traces", "30", "3"),
        ("tracing and building", "1.0 s", "500 ms"),
        ("whole run", "2.0 s", "1.5 s"),
    ]
