from __future__ import annotations

import pytest

from tfcheck.report.columns import line_up
from tfcheck.report.text import counted, percent, printable, ratio, seconds, spread


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.0, "0 s"),
        (4.2e-7, "0.42 µs"),
        (0.00042, "420 µs"),
        (0.0019, "1.9 ms"),
        (0.00999, "10 ms"),
        (0.0112, "11 ms"),
        (3.9, "3.9 s"),
        (41.2, "41 s"),
    ],
)
def test_durations_have_a_unit_and_two_digits(value: float, expected: str) -> None:
    assert seconds(value) == expected


def test_an_interval_has_the_unit_and_the_decimals_of_its_median() -> None:
    assert [spread(0.0112, 0.0006), spread(0.00042, 0.00002), spread(0.0019, 0.0001)] == [
        "11.2 ms ±0.6",
        "420 µs ±20",
        "1.9 ms ±0.1",
    ]


def test_nouns_agree_with_their_number() -> None:
    assert [counted(0, "call"), counted(1, "call"), counted(2, "call")] == [
        "0 calls",
        "1 call",
        "2 calls",
    ]


def test_a_share_of_nothing_is_nothing() -> None:
    assert [percent(1, 4), percent(1, 0)] == ["25 %", "0 %"]


def test_factors_have_two_digits() -> None:
    assert [ratio(0.5), ratio(5.94), ratio(59.4)] == ["0.50", "5.9", "59"]


def test_letters_of_all_scripts_stay() -> None:
    assert printable("naïve 名 → ×") == "naïve 名 → ×"


def test_controls_and_lone_surrogates_are_escaped() -> None:
    assert printable("a\x1b\n\x9b\u2028\udc80") == "a\\x1b\\n\\x9b\\u2028\\udc80"


def test_a_short_row_runs_over_the_columns_that_are_left() -> None:
    rows = [("name", "n", "x"), ("f", "10", "y"), ("g", "not compared: prints")]

    assert line_up(rows, right=(False, True, False)) == [
        "name   n  x",
        "f     10  y",
        "g     not compared: prints",
    ]
