from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from tfcheck.profile import measure as measuring
from tfcheck.profile.analyse import Group
from tfcheck.profile.measure import Mismatch, measure, measure_all
from tfcheck.profile.model import Agreement, Comparison, FunctionKey, Interval
from tfcheck.profile.recording import CallTotals
from tfcheck.profile.samples import Sample, SampleStore
from tfcheck_runtime.events import Site

SITE = Site("train.py", 41, "<module>")
KEY = FunctionKey("step", "train.py", 12)


class FakeVariable:
    """A variable that remembers what it was assigned."""

    def __init__(self, value: float) -> None:
        self.value = np.asarray(value)

    def numpy(self) -> Any:
        return self.value

    def assign(self, value: Any) -> None:
        self.value = np.asarray(value)


class FakeClock:
    """A clock that stands still until told otherwise."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class FakeFunction:
    """A Function whose Python takes three times as long as its graph, on a fake clock."""

    def __init__(
        self, body: Callable[..., object], *variables: FakeVariable, seconds: float = 1.0
    ) -> None:
        self.seconds = seconds
        self.body = body
        self.variables = variables
        self.clock = FakeClock()
        self.eager = False

    def get_concrete_function(self, *_: object, **__: object) -> Any:
        return self

    def __call__(self, *args: object, **kwargs: object) -> object:
        self.clock.now += self.seconds * (3.0 if self.eager else 1.0)
        return self.body(*args, **kwargs)


class FakeBackend:
    """Lets the functions in the list run eagerly when it is told so."""

    def __init__(self) -> None:
        self.functions: list[FakeFunction] = []

    @contextmanager
    def eagerly(self) -> Iterator[None]:
        for function in self.functions:
            function.eager = True
        yield
        for function in self.functions:
            function.eager = False


BACKEND: Any = FakeBackend()


@pytest.fixture
def config() -> list[FakeFunction]:
    BACKEND.functions.clear()
    return BACKEND.functions


def group(*calls: CallTotals) -> Group:
    return Group(KEY, (1,), (), (), calls, ())


def calls(trace: int, number: int) -> CallTotals:
    return CallTotals(1, trace, SITE, number, 0, 1.0, 0.5)


def store(function: FakeFunction, *args: object, traces: int = 1) -> SampleStore:
    samples = SampleStore()
    for trace in range(1, traces + 1):
        samples.offer(Sample(1, trace, function, args, {}), code=KEY)
    return samples


def test_graph_and_eager_are_timed_in_turn(config: list[FakeFunction]) -> None:
    function = FakeFunction(lambda x: x * 2)
    config.append(function)

    result = measure(
        group(calls(1, 10)), store(function, np.ones(3)), clock=function.clock, backend=BACKEND
    )

    assert isinstance(result, Comparison)
    assert (result.graph.median_s, result.eager.median_s) == (1.0, 3.0)
    assert result.speedup == Interval(3.0, 3.0, 3.0)
    assert result.agrees == Agreement(0.0, 0.0)
    assert result.graph.runs == measuring.FEWEST_ROUNDS


def test_variables_are_as_the_program_left_them(config: list[FakeFunction]) -> None:
    variable = FakeVariable(7.0)
    seen: list[float] = []

    def body() -> object:
        seen.append(float(variable.value))
        variable.assign(variable.value + 1)
        return variable.value

    function = FakeFunction(body, variable)
    config.append(function)

    measure(group(calls(1, 10)), store(function), clock=function.clock, backend=BACKEND)

    assert float(variable.value) == 7.0
    assert set(seen) == {7.0}


def test_results_that_differ_are_measured(config: list[FakeFunction]) -> None:
    function = FakeFunction(lambda: np.array([1.0, 2.0 + (0.5 if function.eager else 0.0)]))
    config.append(function)

    result = measure(group(calls(1, 1)), store(function), clock=function.clock, backend=BACKEND)

    assert isinstance(result, Comparison)
    assert result.agrees == Agreement(0.5, 0.2)


def test_results_of_other_shapes_are_not_compared(config: list[FakeFunction]) -> None:
    function = FakeFunction(lambda: np.ones(2 if function.eager else 3))
    config.append(function)

    result = measure(group(calls(1, 1)), store(function), clock=function.clock, backend=BACKEND)

    assert result == Mismatch("the graph returns shape (3,), eager (2,)", steady=True)


def test_results_that_change_from_call_to_call_are_told_from_those_that_do_not(
    config: list[FakeFunction],
) -> None:
    numbers = iter(range(100))
    function = FakeFunction(lambda: np.array([1.0 + next(numbers)]))
    config.append(function)

    result = measure(group(calls(1, 1)), store(function), clock=function.clock, backend=BACKEND)

    assert isinstance(result, Comparison)
    assert not result.agrees.steady


def test_what_cancels_to_nothing_has_no_digits_to_agree_on(config: list[FakeFunction]) -> None:
    function = FakeFunction(lambda: np.array([100.0, 2e-7 if function.eager else 1e-7]))
    config.append(function)

    result = measure(group(calls(1, 1)), store(function), clock=function.clock, backend=BACKEND)

    assert isinstance(result, Comparison)
    assert result.agrees == Agreement(pytest.approx(1e-7), pytest.approx(1e-9))


def test_output_of_repeated_calls_is_dropped(
    config: list[FakeFunction], capsys: pytest.CaptureFixture[str]
) -> None:
    function = FakeFunction(lambda: print("again"))
    config.append(function)

    measure(group(calls(1, 1)), store(function), clock=function.clock, backend=BACKEND)

    assert capsys.readouterr() == ("", "")


def test_an_exception_in_a_repeated_call_is_the_reason(config: list[FakeFunction]) -> None:
    def body() -> object:
        raise ValueError("no data")

    function = FakeFunction(body)
    config.append(function)

    result = measure(group(calls(1, 1)), store(function), clock=function.clock, backend=BACKEND)

    assert result == "repeating a call raised ValueError: no data"


def test_a_call_that_takes_too_long_is_given_up(
    config: list[FakeFunction], monkeypatch: pytest.MonkeyPatch
) -> None:
    def forever() -> object:
        while True:
            pass

    function = FakeFunction(forever)
    config.append(function)
    monkeypatch.setattr(measuring, "LONGEST", 0.05)

    result = measure(group(calls(1, 1)), store(function), clock=function.clock, backend=BACKEND)

    assert result == "one call took more than 0.05 s"


def test_iterators_are_not_consumed(config: list[FakeFunction]) -> None:
    function = FakeFunction(next)
    config.append(function)

    result = measure(
        group(calls(1, 1)), store(function, iter([1])), clock=function.clock, backend=BACKEND
    )

    assert result == "takes an iterator"


def test_a_function_that_only_others_call_is_not_compared() -> None:
    assert measure(group(), SampleStore(), backend=BACKEND) == "only called from other Functions"


def test_calls_that_all_failed_are_not_repeated() -> None:
    failed = CallTotals(1, 1, SITE, 2, 2, 1.0, 0.5)

    assert measure(group(failed), SampleStore(), backend=BACKEND) == "no call succeeded"


def test_calls_whose_inputs_had_no_room_are_not_repeated() -> None:
    assert measure(group(calls(1, 2)), SampleStore(), backend=BACKEND) == "no inputs were kept"


def test_the_traces_with_most_calls_are_taken(config: list[FakeFunction]) -> None:
    function = FakeFunction(lambda: None, seconds=1e-6)
    config.append(function)
    served = [calls(trace, trace) for trace in range(1, 10)]

    result = measure(
        group(*served), store(function, traces=9), clock=function.clock, backend=BACKEND
    )

    assert isinstance(result, Comparison)
    assert result.graph.runs == 100 * measuring.MOST_SIGNATURES


def test_slow_calls_are_few(config: list[FakeFunction]) -> None:
    function = FakeFunction(lambda: None)
    config.append(function)

    result = measure(
        group(calls(1, 1), calls(2, 1)),
        store(function, traces=2),
        clock=function.clock,
        backend=BACKEND,
    )

    assert isinstance(result, Comparison)
    assert result.graph.runs == measuring.FEWEST_ROUNDS


def test_an_interrupt_leaves_out_the_rest(config: list[FakeFunction]) -> None:
    def body() -> object:
        raise KeyboardInterrupt

    function = FakeFunction(body)
    config.append(function)
    other = Group(FunctionKey("other", "train.py", 30), (1,), (), (), (calls(1, 1),), ())

    measured = measure_all(
        [group(calls(1, 1)), other],
        store(function),
        backend=BACKEND,
        blocked={},
        progress=lambda _: None,
    )

    assert list(measured.values()) == ["interrupted", "interrupted"]


def test_blocked_functions_are_not_called(config: list[FakeFunction]) -> None:
    function = FakeFunction(lambda: 1 / 0)
    config.append(function)
    progress: list[str] = []

    measured = measure_all(
        [group(calls(1, 1))],
        store(function),
        backend=BACKEND,
        blocked={KEY: "prints"},
        progress=progress.append,
    )

    assert measured == {KEY: "prints"}
    assert progress == [""]
