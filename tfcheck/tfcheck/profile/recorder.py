"""Listens to the runtime while a program runs; only stores."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Mapping

from tfcheck.profile.call_keys import CallKey, read_key
from tfcheck.profile.model import SliceKind
from tfcheck.profile.recording import CallTotals, Occurrence, Recording
from tfcheck.profile.samples import Sample, SampleStore
from tfcheck_runtime.events import (
    Built,
    Called,
    EagerlyRun,
    Event,
    FunctionCreated,
    SideEffect,
    Site,
    Traced,
)

MOST_CALLS = 2000
"""Single calls that are kept; when there are more, every second one is dropped again and again."""

_Key = tuple[int, int, int]
"""Function, trace and the identity of the site."""


class _Sum:
    """A running total, changed in place: a frozen record per call would cost more than the call."""

    __slots__ = ("calls", "failed", "first", "running_seconds", "seconds")

    def __init__(self, first: tuple[Site, float, float]) -> None:
        self.first = first
        """The site, start and seconds of the first call: not the event, which holds arguments."""
        self.calls = 0
        self.failed = 0
        self.seconds = 0.0
        self.running_seconds = 0.0


class Recorder:
    """A listener for `tfcheck_runtime.events`; memory grows with traces, not with calls."""

    def __init__(self, samples: SampleStore | None = None) -> None:
        self.samples = samples if samples is not None else SampleStore()
        self._keys: dict[tuple[int, int], CallKey] = {}
        self._created: dict[int, FunctionCreated] = {}
        self._traced: list[Traced] = []
        self._built: list[Built] = []
        self._side_effects: list[SideEffect] = []
        self._sums: dict[_Key, _Sum] = {}
        self._eager_calls = 0
        self._occurrences: list[Occurrence] = []
        self._calls: list[Occurrence] = []
        self._stride = 1
        self._until_next = 1
        self._lock = threading.RLock()  # a signal handler may call a Function while we store

    def __call__(self, event: Event) -> None:
        """Take one event, from any thread."""
        with self._lock:
            if type(event) is not Called:
                self._other(event)
                return
            # All at once: an attribute takes as long to look up as all of them to unpack.
            function, trace, site, start, seconds, running, _, _, _, failed, _ = event
            # Sites are made once for each line; should one be made again, sums are added up.
            key = (function, trace, id(site))
            total = self._sums.get(key)
            if total is None:
                total = self._sums[key] = _Sum((site, start, seconds))
                self._keep(event)
            total.calls += 1
            total.seconds += seconds
            total.running_seconds += running
            if failed is not None:
                total.failed += 1
            self._until_next -= 1
            if not self._until_next:
                self._keep_call(event)

    def _keep_call(self, event: Called) -> None:
        self._calls.append(_occurrence(SliceKind.CALL, event))
        if len(self._calls) > MOST_CALLS:
            # The last is one of those that stay, so that the next comes a stride after it.
            del self._calls[1::2]
            self._stride *= 2
        self._until_next = self._stride

    def _keep(self, event: Called) -> None:
        trace = (event.function, event.trace)
        if event.function not in self._created and event.callee is not None:
            self._created[event.function] = _made_before(event)
        if event.failed is not None or event.trace == 0 or trace in self._keys:
            return
        function = getattr(event.callee, "python_function", None)
        self._keys[trace] = read_key(function, event.args, event.kwargs)
        sample = Sample(
            event.function, event.trace, event.callee, event.args, event.kwargs, _owner(function)
        )
        created = self._created.get(event.function)
        self.samples.offer(sample, code=created.definition if created else None)

    def _other(self, event: Event) -> None:
        match event:
            case FunctionCreated():
                self._created[event.function] = event
            case Traced():
                self._traced.append(event)
                self._occurrences.append(_occurrence(SliceKind.TRACE, event))
            case Built():
                self._built.append(event)
                self._occurrences.append(_occurrence(SliceKind.BUILD, event))
            case SideEffect():
                self._side_effects.append(event)
            case EagerlyRun():
                self._eager_calls += 1

    def recording(self, wall_seconds: float, *, start: float = 0.0) -> Recording:
        """Everything heard so far."""
        with self._lock:
            inner = {each.function: each for each in reversed(self._traced)}
            unknown = {n: _unseen(each) for n, each in inner.items() if n not in self._created}
            return Recording(
                wall_seconds=wall_seconds,
                start=start,
                created=(*self._created.values(), *unknown.values()),
                traced=tuple(self._traced),
                built=tuple(self._built),
                side_effects=tuple(self._side_effects),
                calls=tuple(_by_line(self._sums)),
                eager_calls=self._eager_calls,
                occurrences=(*self._occurrences, *self._calls),
                call_stride=self._stride,
                keys=dict(self._keys),
            )


def _owner(function: object) -> object:
    """The object whose method a Function is; None if it is none's."""
    while function is not None:
        owner = getattr(function, "__self__", None)
        if owner is not None:
            # TensorFlow binds methods to a stand-in with a weak reference.
            return getattr(owner, "target", owner) if _is_stand_in(owner) else owner
        function = getattr(function, "__wrapped__", None)
    return None


def _is_stand_in(owner: object) -> bool:
    return type(owner).__name__ == "TfMethodTarget"


def _occurrence(kind: SliceKind, event: Called | Traced | Built) -> Occurrence:
    thread = threading.get_ident()
    return Occurrence(kind, event.function, event.trace, event.start, event.seconds, thread)


def _made_before(event: Called) -> FunctionCreated:
    """The record of a Function that was made before anybody listened."""
    function = getattr(event.callee, "python_function", None)
    name = getattr(event.callee, "name", "")
    code = getattr(inspect.unwrap(function), "__code__", None) if callable(function) else None
    site = Site(code.co_filename, code.co_firstlineno, name) if code else event.site
    return FunctionCreated(event.function, name, site, site, event.start)


def _unseen(traced: Traced) -> FunctionCreated:
    """The record of such a Function that only others call: nothing tells its name."""
    site = traced.site
    return FunctionCreated(traced.function, "(inner Function)", site, site, traced.start)


def _by_line(sums: Mapping[_Key, _Sum]) -> list[CallTotals]:
    """One record for each Function, trace and line, in their order."""
    lines: dict[tuple[int, int, str, int], _Sum] = {}
    for (function, trace, _), each in sums.items():
        site = each.first[0]
        known = lines.setdefault((function, trace, site.file, site.line), _Sum(each.first))
        known.calls += each.calls
        known.failed += each.failed
        known.seconds += each.seconds
        known.running_seconds += each.running_seconds
    return [_totals(key[0], key[1], lines[key]) for key in sorted(lines)]


def _totals(function: int, trace: int, total: _Sum) -> CallTotals:
    site, start, seconds = total.first
    return CallTotals(
        function=function,
        trace=trace,
        site=site,
        calls=total.calls,
        failed=total.failed,
        seconds=total.seconds,
        running_seconds=total.running_seconds,
        first_start=start,
        first_seconds=seconds,
    )
