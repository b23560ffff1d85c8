from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from tfcheck.profile.analyse import Group
from tfcheck.profile.call_keys import read_key
from tfcheck.profile.model import FunctionKey, Policy
from tfcheck.profile.policies import policies
from tfcheck_runtime.events import Built, Cause, CauseKind, Site, Traced

SITE = Site("train.py", 41, "<module>")


def function(x: object, y: object = 0) -> None:
    """What the calls are of."""


def traced(trace: int, *, number: int = 1, kind: CauseKind = CauseKind.SHAPE) -> Traced:
    cause = Cause(kind, "", "", "")
    return Traced(number, trace, "", (cause,), SITE, 0.0, 0.75, 1, 0, None, None)


def played(calls: Sequence[tuple[object, ...]], *, unseen: int = 0) -> tuple[Policy, ...]:
    """The policies for calls that made one trace each, which took a second."""
    count = len(calls)
    built = tuple(Built(1, i, 0.0, 0.25, 1, 1, 1, ()) for i in range(1, count + 1))
    traces = tuple(traced(i) for i in range(1, count + 1 + unseen))
    group = Group(FunctionKey("f", "train.py", 1), (1,), traces, built, (), ())
    keys = {(1, i): read_key(function, call, {}) for i, call in enumerate(calls, start=1)}
    return policies(group, keys)


def zeros(*shape: int) -> object:
    return np.zeros(shape, np.float32)


def test_numbers_as_tensors_make_one_trace() -> None:
    result = played([(zeros(2), 1), (zeros(2), 2), (zeros(2), 3)])

    signature = "input_signature=[tf.TensorSpec([2], tf.float32), tf.TensorSpec([], tf.int32)]"
    assert result == (
        Policy("tensor-for-literal", "pass `y` as a tensor", 1, pytest.approx(2.0)),
        Policy("input-signature", f"declare it with `{signature}`", 1, pytest.approx(2.0)),
    )


def test_integers_and_floats_make_tensors_of_two_kinds() -> None:
    result = played([(1,), (2,), (0.5,), (0.25,)])

    assert result == (Policy("tensor-for-literal", "pass `x` as a tensor", 2, pytest.approx(2.0)),)


def test_flags_are_meant_to_choose_a_trace() -> None:
    result = played([(zeros(2), True), (zeros(2), False)])

    assert [each.name for each in result] == ["input-signature"]


def test_relaxed_shapes_trace_twice() -> None:
    result = played([(zeros(size, 4),) for size in (5, 9, 12, 33)])

    assert [(each.name, each.traces, each.saves_s) for each in result] == [
        ("input-signature", 1, pytest.approx(3.0)),
        ("relaxed-shapes", 2, pytest.approx(2.0)),
        ("padding-buckets", 3, pytest.approx(1.0)),
    ]


def test_traces_that_no_call_asked_for_are_made_all_the_same() -> None:
    result = played([(zeros(2), 1), (zeros(2), 2)], unseen=1)

    assert result[0].traces == 2


def test_one_trace_leaves_nothing_to_spare() -> None:
    assert played([(zeros(2), 1)]) == ()


def test_objects_have_no_policy() -> None:
    assert played([(object(),), (object(),)]) == ()


def test_functions_that_are_made_again_would_share_their_traces() -> None:
    traces = tuple(traced(1, number=i, kind=CauseKind.NEW_FUNCTION) for i in (1, 2, 3))
    group = Group(FunctionKey("f", "train.py", 1), (1, 2, 3), traces, (), (), ())
    keys = {(i, 1): read_key(function, (zeros(2),), {}) for i in (1, 2, 3)}

    result = policies(group, keys)

    text = "make the Function, or the object it is a method of, once"
    assert result == (Policy("one-function", text, 1, pytest.approx(1.5)),)


def test_numbers_and_shapes_that_vary_together_take_both_cures() -> None:
    result = played([(zeros(size), size) for size in (3, 5, 7, 9)])

    both = next(each for each in result if each.name == "tensors-and-relaxed-shapes")
    assert both == Policy(
        "tensors-and-relaxed-shapes",
        "pass `y` as a tensor and declare it with `reduce_retracing=True`",
        2,
        pytest.approx(2.0),
    )
    assert "relaxed-shapes" not in {each.name for each in result}
