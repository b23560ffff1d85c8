from __future__ import annotations

import gc
import weakref
from types import SimpleNamespace

import numpy as np

from tfcheck.profile.model import SliceKind
from tfcheck.profile.recorder import MOST_CALLS, Recorder
from tfcheck.profile.recording import CallTotals
from tfcheck.profile.samples import MOST_TRACES, Sample, SampleStore, snapshot
from tfcheck_runtime.events import Called, FunctionCreated, Site, Traced

SITE = Site("train.py", 41, "<module>")


def called(trace: int, *args: object, failed: str | None = None) -> Called:
    return Called(
        function=1,
        trace=trace,
        site=SITE,
        start=0.0,
        seconds=0.5,
        running_seconds=0.25,
        callee=None,
        args=args,
        kwargs={},
        failed=failed,
    )


def test_calls_of_one_trace_at_one_line_are_summed_up() -> None:
    recorder = Recorder()

    for failed in (None, None, "ValueError"):
        recorder(called(1, failed=failed))

    assert recorder.recording(2.0).calls == (
        CallTotals(
            function=1,
            trace=1,
            site=SITE,
            calls=3,
            failed=1,
            seconds=1.5,
            running_seconds=0.75,
            first_start=0.0,
            first_seconds=0.5,
        ),
    )


def test_only_the_first_inputs_of_a_trace_are_kept() -> None:
    recorder = Recorder()

    for number in (1.0, 2.0):
        recorder(called(1, number))

    assert recorder.samples.samples[1, 1].args == (1.0,)


def test_later_inputs_are_not_kept_alive() -> None:
    class Thing:
        pass

    recorder = Recorder()
    recorder(called(1, Thing()))
    later = Thing()
    alive = weakref.ref(later)

    recorder(called(1, later))
    del later
    gc.collect()

    assert alive() is None


def test_inputs_of_failed_calls_are_not_kept() -> None:
    recorder = Recorder()

    recorder(called(1, 1.0, failed="ValueError"))

    assert recorder.samples.samples == {}


def test_arrays_and_containers_are_kept_as_they_were() -> None:
    array = np.zeros(2)
    given = [array, {"a": array}]

    kept = snapshot(given)
    array += 1
    given.append(array)

    assert isinstance(kept, list)
    assert len(kept) == 2
    assert kept[1]["a"].tolist() == [0.0, 0.0]


def test_the_number_of_kept_inputs_is_bounded() -> None:
    store = SampleStore()

    for trace in range(MOST_TRACES + 10):
        store.offer(Sample(1, trace, None, (), {}), code=None)

    assert len(store.samples) == MOST_TRACES


def test_the_size_of_kept_inputs_is_bounded() -> None:
    store = SampleStore(bytes=256 * 2**20 - 100)

    store.offer(Sample(1, 1, None, (np.zeros(1000),), {}), code=None)

    assert store.samples == {}


def test_few_functions_of_the_same_code_are_kept() -> None:
    store = SampleStore()

    for function in range(10):
        store.offer(Sample(function, 1, None, (), {}), code="model.py:3")
    store.offer(Sample(10, 1, None, (), {}), code="other.py:3")

    assert list(store.samples) == [(0, 1), (1, 1), (2, 1), (3, 1), (10, 1)]


def test_the_object_of_a_method_is_kept_with_its_inputs() -> None:
    class Model:
        def step(self) -> None:
            pass

    model = Model()
    recorder = Recorder()

    recorder(called(1)._replace(callee=SimpleNamespace(python_function=model.step)))

    assert recorder.samples.samples[1, 1].owner is model


def test_single_calls_are_thinned_out_evenly() -> None:
    recorder = Recorder()

    for number in range(3 * MOST_CALLS):
        recorder(called(1)._replace(start=float(number)))

    recording = recorder.recording(1.0)
    starts = [each.start for each in recording.occurrences]
    assert recording.call_stride == 4
    assert starts == [4.0 * i for i in range(len(starts))]
    assert {each.kind for each in recording.occurrences} == {SliceKind.CALL}


def test_a_function_that_was_made_before_is_known_by_its_calls() -> None:
    def step(x: object) -> object:
        return x

    recorder = Recorder()
    callee = SimpleNamespace(name="step", python_function=step)

    recorder(called(1, 5)._replace(callee=callee))

    line = step.__code__.co_firstlineno
    site = Site(__file__, line, "step")
    assert recorder.recording(1.0).created == (FunctionCreated(1, "step", site, site, 0.0),)


def test_an_inner_function_that_was_made_before_has_no_name() -> None:
    recorder = Recorder()

    recorder(Traced(7, 1, "()", (), SITE, 0.5, 0.1, 3, 0, 1, None))

    assert recorder.recording(1.0).created == (
        FunctionCreated(7, "(inner Function)", SITE, SITE, 0.5),
    )


def test_what_decides_about_a_trace_is_kept_of_each() -> None:
    recorder = Recorder()

    for trace in (1, 2, 2):
        recorder(called(trace, trace))

    keys = recorder.recording(1.0).keys
    assert {pair: key[0].value for pair, key in keys.items()} == {(1, 1): "1", (1, 2): "2"}
