from __future__ import annotations

from tfcheck.profile.bootstrap import interval, timing, weighted_medians
from tfcheck.profile.model import Interval, Timing


def test_equal_measurements_have_no_spread() -> None:
    medians = weighted_medians([[2.0, 2.0, 2.0]], [1])

    assert interval(medians) == Interval(2.0, 2.0, 2.0)


def test_series_count_by_their_weight() -> None:
    medians = weighted_medians([[1.0, 1.0], [5.0, 5.0]], [3, 1])

    assert timing(medians, runs=4) == Timing(2.0, 2.0, 2.0, 4)


def test_an_outlier_widens_the_interval_and_leaves_the_median() -> None:
    result = interval(weighted_medians([[1.0, 1.0, 1.0, 9.0]], [1]))

    assert (result.median, result.low) == (1.0, 1.0)
    assert result.high > 1.0


def test_the_same_measurements_give_the_same_interval() -> None:
    runs = [[1.0, 1.2, 0.9, 1.4, 1.1]]

    first = interval(weighted_medians(runs, [1]))
    second = interval(weighted_medians(runs, [1]))

    assert first == second
