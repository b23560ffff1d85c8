"""What people said of findings on public code."""

from pathlib import Path

import pytest

from tfcheck.errors import InputError
from tfcheck.report.precision import Measured, count_verdicts, read_verdicts

VERDICTS = Path(__file__).parents[2] / "fixtures" / "precision.json"


def test_verdicts_are_counted_by_rule() -> None:
    records = [
        {"rule": "TFC301", "verdict": "true"},
        {"rule": "TFC301", "verdict": "intended"},
        {"rule": "TFC101", "verdict": "false"},
    ]

    found = count_verdicts(records)

    assert found == {"TFC101": Measured(0, 0, 1), "TFC301": Measured(1, 1, 0)}
    assert found["TFC301"].share == 0.5
    assert found["TFC301"].told() == "1 of 2 findings on public code were true, 1 intended."


def test_an_unknown_verdict_says_which_there_are() -> None:
    with pytest.raises(InputError, match="expected one of true, intended, false"):
        count_verdicts([{"rule": "TFC301", "verdict": "maybe"}])


def test_two_hundred_findings_were_read() -> None:
    measured = read_verdicts(VERDICTS)

    assert sum(rule.total for rule in measured.values()) >= 200
