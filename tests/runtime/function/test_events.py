"""What Functions tell whoever listens."""

from __future__ import annotations

from typing import Any

import pytest

from tfcheck_runtime import events
from tfcheck_runtime.api import root as tf
from tfcheck_runtime.events import CauseKind
from tfcheck_runtime.function.function import run_functions_eagerly


@pytest.fixture
def seen() -> Any:
    """The events of a test."""
    found: list[events.Event] = []
    with events.subscribed(found.append):
        yield found


def names(found: list[events.Event]) -> list[str]:
    """The kinds of events in order."""
    return [type(e).__name__ for e in found]


def test_a_first_call_is_told_from_the_wrapping_to_the_result(seen: list[Any]) -> None:
    f = tf.function(lambda x: x * 2.0)
    f(tf.constant(1.0))
    f(tf.constant(1.0))

    created, traced, built, called, again = seen
    assert names(seen) == ["FunctionCreated", "Traced", "Built", "Called", "Called"]
    assert {e.function for e in seen} == {created.function}
    assert (traced.trace, traced.signature, traced.nodes, traced.failed) == (
        1, "(x: TensorSpec(shape=(), dtype=tf.float32, name=None))", 4, None,
    )  # fmt: skip
    assert (built.trace, built.regions, built.host_steps) == (1, 1, ())
    assert (called.trace, again.trace) == (1, 1)
    assert called.callee is again.callee is f
    assert (called.args, called.kwargs, called.site.file) == ((tf.constant(1.0),), {}, __file__)
    assert 0 < called.running_seconds < called.seconds
    assert called.start <= traced.start <= built.start <= again.start


def test_an_inner_trace_names_the_function_it_happened_in(seen: list[Any]) -> None:
    inner = tf.function(lambda x: x)
    outer = tf.function(lambda x: inner(x))
    outer(tf.constant(1.0))

    traced = [e for e in seen if isinstance(e, events.Traced)]
    called = [e for e in seen if isinstance(e, events.Called)]
    assert traced[0].inside == traced[1].function
    assert traced[1].inside is None
    assert [e.callee for e in called] == [outer]


def test_a_trace_that_creates_variables_is_followed_by_another(seen: list[Any]) -> None:
    kept: list[Any] = []

    @tf.function(autograph=False)
    def f() -> Any:
        if not kept:
            kept.append(tf.Variable(1.0))
        return kept[0].read_value()

    f()

    traced = [e for e in seen if isinstance(e, events.Traced)]
    effects = [e for e in seen if isinstance(e, events.SideEffect)]
    assert [c.kind for e in traced for c in e.causes] == [
        CauseKind.FIRST_TRACE,
        CauseKind.VARIABLE_CREATION,
    ]
    assert [(e.kind, e.trace) for e in effects] == [("variable-creation", 1)]


def test_a_failed_trace_and_call_name_the_error(seen: list[Any]) -> None:
    @tf.function(autograph=False)
    def f() -> Any:
        raise KeyError("no")

    with pytest.raises(KeyError):
        f()

    assert names(seen) == ["FunctionCreated", "Traced", "Called"]
    assert [e.failed for e in seen[1:]] == ["KeyError", "KeyError"]
    assert seen[2].trace == 0


def test_eager_runs_are_told_apart(seen: list[Any]) -> None:
    f = tf.function(lambda: tf.constant(0))
    run_functions_eagerly(True)
    try:
        f()
    finally:
        run_functions_eagerly(False)

    assert names(seen) == ["FunctionCreated", "EagerlyRun"]


def test_large_constants_are_counted(seen: list[Any]) -> None:
    f = tf.function(lambda: tf.constant([0.0] * 1000))
    f()

    traced = next(e for e in seen if isinstance(e, events.Traced))
    assert traced.constant_bytes == 4000
