from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import tfcheck_runtime as tf
from tfcheck.profile import results
from tfcheck.profile.results import ResultLog, compare, pack, unpack
from tfcheck_runtime.events import Called, Site


def called(result: Any, *, name: str = "f", trace: int = 1, failed: str | None = None) -> Called:
    callee = SimpleNamespace(name=name)
    site = Site("train.py", 1, "<module>")
    return Called(1, trace, site, 0.0, 0.1, 0.1, callee, (), {}, failed, result)


def logged(*values: Any) -> dict[str, Any]:
    log = ResultLog()
    for value in values:
        log(called(value))
    return log.results


def test_results_are_kept_leaf_by_leaf() -> None:
    value = {"loss": tf.constant(2.0), "parts": [tf.constant([1, 2]), 3], "none": None}

    ((loss, parts, number),) = logged(value)["f"]

    assert (loss, parts.tolist(), number) == (2.0, [1, 2], 3)


def test_calls_that_failed_or_ran_eagerly_are_not_kept() -> None:
    log = ResultLog()

    log(called(1, failed="ValueError"))
    log(called(1, trace=0))

    assert log.results == {}


def test_results_are_kept_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "MOST_CALLS", 2)

    assert len(logged(1, 2, 3)["f"]) == 2


def test_what_was_packed_comes_back() -> None:
    kept = logged(tf.constant([1.5, 2.5]), [tf.constant(["a", "bc"]), tf.constant(True)], None)

    again = unpack(pack(kept))

    assert [[each.tolist() for each in call] for call in again["f"]] == [
        [[1.5, 2.5]],
        [[b"a", b"bc"], True],
        [],
    ]


def test_equal_runs_do_not_differ() -> None:
    one = logged(np.float32(1.0), np.float32(2.0))

    compared = compare(one, logged(np.float32(1.0), np.float32(2.0000002)))

    assert (compared.calls, dict(compared.differing)) == (2, {})
    assert 0.0 < compared.max_rel < 1e-6


@pytest.mark.parametrize(
    ("after", "text"),
    [
        ([np.float32(1.0), np.float32(2.5)], "call 2: differs by 20 %"),
        ([np.float32(1.0), np.ones(2)], "call 2: other shapes or values"),
        ([np.float32(1.0)], "2 calls before, 1 after"),
    ],
)
def test_what_differs_is_named(after: list[Any], text: str) -> None:
    compared = compare(logged(np.float32(1.0), np.float32(2.0)), logged(*after))

    assert compared.differing == {"f": text}
