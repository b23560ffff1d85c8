"""Samples where a program spends its time, and for what, line by line of the user's code."""

from __future__ import annotations

import os
import sysconfig
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple, TypeAlias

from pyinstrument import Profiler

from tfcheck.profile.model import HotLine, Place
from tfcheck.profile.recording import shorten
from tfcheck_runtime.site import is_hidden_file

INTERVAL = 0.002
"""Seconds between samples."""
MOST_LINES = 50

Records: TypeAlias = Sequence[tuple[Sequence[str], float]]
"""Stacks as pyinstrument writes them, outermost frame first, with the seconds they stand for."""


class Frame(NamedTuple):
    """A function that was running, at a line."""

    function: str
    file: str
    line: int


class Sampler:
    """Samples the main thread while a context is open."""

    def __init__(self) -> None:
        self.records: Records = ()

    @contextmanager
    def running(self) -> Iterator[None]:
        """Sample inside."""
        # One program, one thread: what pyinstrument does about async frames is not needed.
        profiler = Profiler(interval=INTERVAL, async_mode="disabled")
        profiler.start()
        try:
            yield
        finally:
            self.records = tuple(profiler.stop().frame_records)

    def lines(self, root: str) -> tuple[HotLine, ...]:
        """What `hot_lines` says of the samples."""
        return hot_lines(self.records, root=root)


def hot_lines(records: Records, *, root: str) -> tuple[HotLine, ...]:
    """The lines of the user's that took most time; files inside `root` are named from there."""
    spent: dict[Frame, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for stack, seconds in records:
        frames = [_frame(each) for each in stack]
        place = next((each for each in reversed(frames) if _is_users(each.file)), None)
        if place is not None:
            spent[place][_what(frames, place)] += seconds
    lines = (_line(place, seconds, root) for place, seconds in spent.items())
    return tuple(sorted(lines, key=lambda each: -each.seconds))[:MOST_LINES]


def _frame(text: str) -> Frame:
    identity, _, attributes = text.partition("\x01")
    function, file, line = [*identity.split("\x00"), "", "0"][:3]
    for each in attributes.split("\x01"):
        # `l12` is the line that was running; the other one is where the function begins.
        if each.startswith("l") and each[1:].isdigit():
            line = each[1:]
    return Frame(function, file, int(line) if line.isdigit() else 0)


_LIBRARIES = tuple(
    folder + os.sep
    for folder in dict.fromkeys(sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib"))
)


def _is_users(file: str) -> bool:
    if not file or file.startswith("<") or is_hidden_file(file):
        return False
    packages = f"{os.sep}site-packages{os.sep}"
    return packages not in file and not file.startswith(_LIBRARIES)


_WHATS: Sequence[tuple[str, str, str]] = (
    ("tracing", "/tfcheck_runtime/function/tracer.py", "_run"),
    ("tracing", "/polymorphic_function/tracing_compilation.py", "_create_concrete_function"),
    ("building", "/tfcheck_runtime/function/running.py", "_build"),
    ("executing", "/tfcheck_runtime/execute/executable.py", ""),
    ("executing", "/tfcheck_runtime/execute/steps.py", ""),
    ("executing", "/polymorphic_function/concrete_function.py", "_call_flat"),
)
"""What a run is at, by the files and functions that do it, in the order in which they count."""


def _what(frames: Sequence[Frame], place: Frame) -> str:
    named = {(each.file.replace(os.sep, "/"), each.function) for each in frames}
    for what, file, function in _WHATS:
        if any(path.endswith(file) and function in {"", name} for path, name in named):
            return what
    inner = frames[len(frames) - 1 - frames[::-1].index(place) + 1 :]
    return "eager" if any(is_hidden_file(each.file) for each in inner) else "python"


def _line(place: Frame, seconds: dict[str, float], root: str) -> HotLine:
    return HotLine(
        Place(shorten(place.file, root), place.line),
        place.function,
        sum(seconds.values()),
        tracing_s=seconds["tracing"],
        building_s=seconds["building"],
        executing_s=seconds["executing"],
        eager_s=seconds["eager"],
    )
