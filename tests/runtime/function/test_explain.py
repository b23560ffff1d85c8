"""Why a call traced: the leaf that differs from the nearest trace."""

from __future__ import annotations

from typing import Any

import pytest

from tfcheck_runtime import events
from tfcheck_runtime.api import root as tf
from tfcheck_runtime.events import Cause, CauseKind


def causes_of(*calls: tuple[Any, ...]) -> tuple[Cause, ...]:
    """The causes of the last trace of a fresh Function called like this."""
    seen: list[events.Traced] = []

    def f(x: Any, *rest: Any) -> Any:
        return tf.constant(0)

    function = tf.function(f)
    with events.subscribed(lambda e: seen.append(e) if isinstance(e, events.Traced) else None):
        for call in calls:
            function(*call)
    return seen[-1].causes


FLOATS, INTS = tf.zeros([2]), tf.zeros([2], tf.int32)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (
            FLOATS, INTS,
            Cause(CauseKind.DTYPE, "x", "TensorSpec(shape=(2,), dtype=tf.float32, name=None)",
                  "TensorSpec(shape=(2,), dtype=tf.int32, name=None)"),
        ),
        (
            FLOATS, tf.zeros([3]),
            Cause(CauseKind.SHAPE, "x", "TensorSpec(shape=(2,), dtype=tf.float32, name=None)",
                  "TensorSpec(shape=(3,), dtype=tf.float32, name=None)"),
        ),
        (
            FLOATS, tf.zeros([]),
            Cause(CauseKind.RANK, "x", "TensorSpec(shape=(2,), dtype=tf.float32, name=None)",
                  "TensorSpec(shape=(), dtype=tf.float32, name=None)"),
        ),
        (1, 2, Cause(CauseKind.PYTHON_VALUE, "x", "Literal[1]", "Literal[2]")),
        (
            [1], [1, 2],
            Cause(CauseKind.STRUCTURE, "x", "List[Literal[1]]", "List[Literal[1], Literal[2]]"),
        ),
        (
            {"a": [1, 2]}, {"a": [1, 3]},
            Cause(CauseKind.PYTHON_VALUE, "x['a'][1]", "Literal[2]", "Literal[3]"),
        ),
        (
            1, FLOATS,
            Cause(CauseKind.STRUCTURE, "x", "Literal[1]",
                  "TensorSpec(shape=(2,), dtype=tf.float32, name=None)"),
        ),
    ],
)  # fmt: skip
def test_the_leaf_that_differs_is_named(before: Any, after: Any, expected: Cause) -> None:
    assert causes_of((before,), (after,)) == (expected,)


def test_the_nearest_trace_is_compared() -> None:
    assert [c.argument for c in causes_of((1, 2), (5, 6), (1, 3))] == ["rest_0"]


class Thing:
    """Compared by identity."""


def test_another_object_is_told_from_one_that_is_gone() -> None:
    seen: list[events.Traced] = []
    f = tf.function(lambda x: tf.constant(0))
    kept = Thing()

    with events.subscribed(lambda e: seen.append(e) if isinstance(e, events.Traced) else None):
        f(Thing())
        f(kept)
        f(Thing())

    assert [e.causes[0].kind for e in seen[1:]] == [CauseKind.DEAD_REFERENCE, CauseKind.OBJECT]


def test_the_first_trace_and_the_same_code_wrapped_again_are_told_apart() -> None:
    seen: list[CauseKind] = []

    def listen(event: events.Event) -> None:
        if isinstance(event, events.Traced):
            seen.extend(c.kind for c in event.causes)

    with events.subscribed(listen):
        for _ in range(2):
            tf.function(lambda: tf.constant(0))()

    assert seen == [CauseKind.FIRST_TRACE, CauseKind.NEW_FUNCTION]
