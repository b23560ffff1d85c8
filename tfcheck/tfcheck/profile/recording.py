"""What one run of a program told: its events, with calls summed up per trace and call site."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePath

from tfcheck.profile.call_keys import CallKey
from tfcheck.profile.model import SliceKind
from tfcheck_runtime.events import Built, FunctionCreated, SideEffect, Site, Traced


@dataclass(frozen=True, slots=True)
class CallTotals:
    """All calls from one line that one trace served."""

    function: int
    trace: int
    """0 when no trace was made, because the call failed before or ran eagerly."""
    site: Site
    calls: int
    failed: int
    seconds: float
    running_seconds: float
    first_start: float = 0.0
    """When the first of them began, on the clock of the events."""
    first_seconds: float = 0.0
    """How long the first of them took, tracing and building included."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A trace, a build or a call, and when it happened in which thread."""

    kind: SliceKind
    function: int
    trace: int
    start: float
    seconds: float
    thread: int


@dataclass(frozen=True, slots=True)
class Recording:
    """A whole run; nothing in it refers to live objects."""

    wall_seconds: float
    start: float = 0.0
    """When the run began, on the clock of the events."""
    created: tuple[FunctionCreated, ...] = ()
    traced: tuple[Traced, ...] = ()
    built: tuple[Built, ...] = ()
    side_effects: tuple[SideEffect, ...] = ()
    calls: tuple[CallTotals, ...] = ()
    eager_calls: int = 0
    """Calls that ran as plain Python under `run_functions_eagerly(True)`."""
    occurrences: tuple[Occurrence, ...] = ()
    call_stride: int = 1
    """`occurrences` has each n-th call."""
    keys: Mapping[tuple[int, int], CallKey] = field(default_factory=dict)
    """What the first call of each trace was given, by Function and trace."""


def relative_to(recording: Recording, root: str) -> Recording:
    """The recording with files inside `root` named from there."""

    def near(site: Site) -> Site:
        return replace(site, file=shorten(site.file, root))

    return replace(
        recording,
        created=tuple(
            replace(each, definition=near(each.definition), created_at=near(each.created_at))
            for each in recording.created
        ),
        traced=tuple(replace(each, site=near(each.site)) for each in recording.traced),
        side_effects=tuple(replace(each, site=near(each.site)) for each in recording.side_effects),
        calls=tuple(replace(each, site=near(each.site)) for each in recording.calls),
    )


def shorten(file: str, root: str) -> str:
    """`file` from `root` when it lies inside, with forward slashes."""
    path = PurePath(file)
    return (path.relative_to(root) if path.is_relative_to(root) else path).as_posix()
