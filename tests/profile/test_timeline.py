from __future__ import annotations

import pytest

from tfcheck.profile import timeline as module
from tfcheck.profile.analyse import Group
from tfcheck.profile.model import FunctionKey, FunctionProfile, Slice, SliceKind, Timeline
from tfcheck.profile.recording import Occurrence, Recording
from tfcheck.profile.timeline import timeline
from tfcheck_runtime.events import Site, Traced

SITE = Site("a.py", 3, "<module>")
KEY = FunctionKey("f", "a.py", 1)
FUNCTION = FunctionProfile(KEY, 1, 1, 2, 0.1, 0.1, 0.1)


def group(*traces: int) -> Group:
    traced = tuple(Traced(1, i, "", (), SITE, 0.0, 0.1, 1, 0, None, None) for i in traces)
    return Group(KEY, (1,), traced, (), (), ())


def recording(*occurrences: Occurrence) -> Recording:
    return Recording(5.0, start=100.0, occurrences=occurrences, call_stride=2)


def test_slices_begin_with_the_run_and_name_their_signature() -> None:
    events = recording(
        Occurrence(SliceKind.TRACE, 1, 2, 102.0, 0.5, 77),
        Occurrence(SliceKind.CALL, 1, 2, 102.0, 0.75, 77),
        Occurrence(SliceKind.CALL, 1, 0, 101.0, 0.25, 99),
    )

    assert timeline(events, [group(1, 2)], [FUNCTION]) == Timeline(
        (
            Slice(SliceKind.CALL, 0, None, 1.0, 0.25, 0),
            Slice(SliceKind.CALL, 0, 1, 2.0, 0.75, 1),
            Slice(SliceKind.TRACE, 0, 1, 2.0, 0.5, 1),
        ),
        call_stride=2,
    )


def test_functions_without_a_profile_are_left_out() -> None:
    events = recording(Occurrence(SliceKind.CALL, 1, 1, 102.0, 0.5, 77))

    assert timeline(events, [group(1)], []) == Timeline((), call_stride=2)


def test_the_longest_traces_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_TRACES", 1)
    events = recording(
        Occurrence(SliceKind.TRACE, 1, 1, 101.0, 0.5, 7),
        Occurrence(SliceKind.TRACE, 1, 2, 102.0, 0.75, 7),
    )

    result = timeline(events, [group(1, 2)], [FUNCTION])

    assert [each.signature for each in result.slices] == [1]
