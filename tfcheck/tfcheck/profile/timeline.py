"""Orders what happened in a run along its clock."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tfcheck.profile.analyse import Group
from tfcheck.profile.model import FunctionKey, FunctionProfile, Slice, SliceKind, Timeline
from tfcheck.profile.recording import Occurrence, Recording

MOST_TRACES = 4000
"""Traces and builds beyond are left out, the shortest first."""


def timeline(
    recording: Recording, groups: Iterable[Group], functions: Sequence[FunctionProfile]
) -> Timeline:
    """The slices of the run in the order in which they began."""
    order = {each.key: index for index, each in enumerate(functions)}
    threads: dict[int, int] = {}
    places = _places(groups, order)
    known = [each for each in _kept(recording.occurrences) if each.function in places]
    slices = tuple(
        _slice(
            each,
            place=places[each.function],
            start=recording.start,
            thread=threads.setdefault(each.thread, len(threads)),
        )
        for each in sorted(known, key=lambda each: (each.start, -each.seconds))
    )
    return Timeline(slices, recording.call_stride)


def _places(
    groups: Iterable[Group], order: dict[FunctionKey, int]
) -> dict[int, tuple[int, dict[int, int]]]:
    """For each Function object its index in the profile, and that of each of its traces."""
    places: dict[int, tuple[int, dict[int, int]]] = {}
    for group in groups:
        if group.key not in order:
            continue
        for number in group.functions:
            places[number] = (order[group.key], {})
        for index, traced in enumerate(group.traced):
            places[traced.function][1][traced.trace] = index
    return places


def _kept(occurrences: Sequence[Occurrence]) -> list[Occurrence]:
    calls = [each for each in occurrences if each.kind is SliceKind.CALL]
    others = [each for each in occurrences if each.kind is not SliceKind.CALL]
    return [*calls, *sorted(others, key=lambda each: -each.seconds)[:MOST_TRACES]]


def _slice(
    each: Occurrence, *, place: tuple[int, dict[int, int]], start: float, thread: int
) -> Slice:
    function, signatures = place
    return Slice(
        kind=each.kind,
        function=function,
        signature=signatures.get(each.trace),
        # Tenths of a microsecond: clocks tell no more, and files are shorter.
        start_s=round(each.start - start, 7),
        seconds=round(each.seconds, 7),
        thread=thread,
    )
