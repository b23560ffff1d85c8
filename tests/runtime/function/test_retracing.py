"""The warning about too many traces."""

from __future__ import annotations

import logging

import pytest

from tfcheck_runtime.api import root as tf


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    """How often was traced, by each warning."""
    return [
        r.getMessage().partition(" calls")[0]
        for r in caplog.records
        if "triggered tf.function retracing" in r.getMessage()
    ]


def test_the_fifth_and_sixth_trace_warn(caplog: pytest.LogCaptureFixture) -> None:
    f = tf.function(lambda x: tf.constant(0))
    for i in range(9):
        f(i)

    assert warnings(caplog) == ["5 out of the last 5", "6 out of the last 6"]
    assert {r.name for r in caplog.records} == {"tensorflow"}


def test_the_warning_says_what_changed_and_where(caplog: pytest.LogCaptureFixture) -> None:
    f = tf.function(lambda x, n: tf.constant(0))
    for i in range(5):
        f(1.0, i)

    (record,) = (r for r in caplog.records if r.levelno == logging.WARNING)
    assert f"for the call at {__file__}:" in record.getMessage()
    assert "differs in `n`: Literal[4], before Literal[3]" in record.getMessage()


def test_traces_far_apart_do_not_warn(caplog: pytest.LogCaptureFixture) -> None:
    f = tf.function(lambda x: tf.constant(0))
    for i in range(20):
        f(i)
        for _ in range(4):
            f(0)

    assert warnings(caplog) == []


def test_functions_made_at_one_place_are_counted_together(caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(5):
        tf.function(lambda: tf.constant(0))()

    assert warnings(caplog) == ["5 out of the last 5"]
