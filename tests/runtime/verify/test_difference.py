"""Distances between results."""

import numpy as np
import pytest

from tfcheck_runtime.verify.difference import difference

INF, NAN = float("inf"), float("nan")


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ([1.0, 2.0], [1.0, 2.0], 0.0),
        ([1.0, 4.0], [1.0, 5.0], 0.25),
        ([1e-9, 4.0], [0.0, 4.0], 2.5e-10),
        ([NAN, INF], [NAN, INF], 0.0),
        ([NAN, 1.0], [0.0, 1.0], INF),
        ([INF], [-INF], INF),
        ([], [], 0.0),
        ([0.0], [0.0, 0.0], INF),
    ],
)
def test_floats_differ_through_the_size_of_the_whole(first, second, expected):
    assert difference(np.array(first), np.array(second)) == pytest.approx(expected)


@pytest.mark.parametrize(("second", "expected"), [([1, 2], 0.0), ([1, 3], INF)])
def test_integers_are_equal_or_not(second, expected):
    assert difference(np.array([1, 2]), np.array(second)) == expected


def test_texts_are_equal_or_not():
    text = np.array([b"a"], object)

    assert difference(text, text.copy()) == 0.0
    assert difference(text, np.array([b"b"], object)) == INF
