"""Events of a run → what each Function cost and why it was traced again."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from tfcheck.profile.model import (
    CallSite,
    FunctionKey,
    FunctionProfile,
    Place,
    Retrace,
    Signature,
    Totals,
)
from tfcheck.profile.recording import CallTotals, Recording
from tfcheck_runtime.events import Built, CauseKind, FunctionCreated, SideEffect, Traced

RULES: Mapping[CauseKind, str] = {
    CauseKind.PYTHON_VALUE: "TFC101",
    CauseKind.STRUCTURE: "TFC102",
    CauseKind.NEW_FUNCTION: "TFC103",
    CauseKind.OBJECT: "TFC104",
    CauseKind.DEAD_REFERENCE: "TFC104",
    CauseKind.RANK: "TFC105",
    CauseKind.SHAPE: "TFC105",
    CauseKind.DTYPE: "TFC106",
}
"""The rule that finds a cause without running."""

UNAVOIDABLE = frozenset({CauseKind.FIRST_TRACE, CauseKind.VARIABLE_CREATION})
"""Traces that every good program makes too."""

SHOWN_VALUES = 3
"""How many different values of an argument are listed."""


@dataclass(frozen=True, slots=True)
class Group:
    """All Function objects made of one piece of code, with their events."""

    key: FunctionKey
    functions: tuple[int, ...]
    traced: tuple[Traced, ...]
    built: tuple[Built, ...]
    calls: tuple[CallTotals, ...]
    side_effects: tuple[SideEffect, ...]


def group(recording: Recording) -> tuple[Group, ...]:
    """The events by piece of code, in the order in which the Functions were made."""
    members: dict[FunctionKey, list[FunctionCreated]] = defaultdict(list)
    for created in recording.created:
        site = created.definition
        members[FunctionKey(created.name, site.file, site.line)].append(created)
    return tuple(_group(key, created, recording=recording) for key, created in members.items())


def _group(key: FunctionKey, created: Sequence[FunctionCreated], *, recording: Recording) -> Group:
    numbers = {each.function for each in created}
    return Group(
        key=key,
        functions=tuple(sorted(numbers)),
        traced=tuple(each for each in recording.traced if each.function in numbers),
        built=tuple(each for each in recording.built if each.function in numbers),
        calls=tuple(each for each in recording.calls if each.function in numbers),
        side_effects=tuple(each for each in recording.side_effects if each.function in numbers),
    )


def totals(recording: Recording) -> Totals:
    """Where the time went; a trace inside another is part of the outer one."""
    tracing = sum(each.seconds for each in recording.traced if each.inside is None)
    building = sum(each.seconds for each in recording.built)
    running = sum(each.running_seconds for each in recording.calls)
    wall = recording.wall_seconds
    return Totals(
        wall_s=wall,
        tracing_s=tracing,
        building_s=building,
        running_s=running,
        # Threads can be busy for longer than the clock ran.
        python_s=max(0.0, wall - tracing - building - running),
        calls=sum(each.calls for each in recording.calls),
        traces=len(recording.traced),
    )


def analyse(groups: Iterable[Group], *, rules: Container[str]) -> tuple[FunctionProfile, ...]:
    """What was observed of each Function that was traced or called, the dearest first.

    `rules` are the codes that are installed: causes name no other.
    """
    profiles = [_profile(each, rules) for each in groups if each.traced or each.calls]
    return tuple(sorted(profiles, key=lambda each: -(each.trace_s + each.build_s + each.run_s)))


def _profile(group: Group, rules: Container[str]) -> FunctionProfile:
    failures = {each.failed for each in group.traced if each.failed}
    return FunctionProfile(
        key=group.key,
        # The Function of a class, of which each instance has its own, is never called itself.
        instances=len(_used(group)),
        calls=sum(each.calls for each in group.calls),
        traces=len(group.traced),
        trace_s=sum(each.seconds for each in group.traced),
        build_s=sum(each.seconds for each in group.built),
        run_s=sum(each.running_seconds for each in group.calls),
        signatures=_signatures(group),
        causes=tuple(
            cause if cause.rule in rules else replace(cause, rule=None) for cause in _causes(group)
        ),
        failures=tuple(sorted(failures)),
        first_call_s=_first_call(group.calls),
        sites=_sites(group),
    )


def _used(group: Group) -> set[int]:
    return {each.function for each in group.traced} | {each.function for each in group.calls}


def _first_call(calls: Sequence[CallTotals]) -> float | None:
    if not calls:
        return None
    return min(calls, key=lambda each: each.first_start).first_seconds


def _signatures(group: Group) -> tuple[Signature, ...]:
    built = {(each.function, each.trace): each for each in group.built}
    calls: dict[tuple[int, int], list[CallTotals]] = defaultdict(list)
    for total in group.calls:
        calls[total.function, total.trace].append(total)
    return tuple(
        _signature(
            each,
            built=built.get((each.function, each.trace)),
            calls=calls[each.function, each.trace],
        )
        for each in group.traced
    )


def _signature(traced: Traced, *, built: Built | None, calls: Sequence[CallTotals]) -> Signature:
    return Signature(
        text=brief(traced.signature),
        calls=sum(each.calls for each in calls),
        trace_s=traced.seconds,
        build_s=built.seconds if built else 0.0,
        nodes=traced.nodes,
        constant_bytes=traced.constant_bytes,
        built_nodes=built.nodes_after if built else 0,
        host_steps=built.host_steps if built else (),
        first_call_s=_first_call(calls),
    )


def costs(group: Group) -> dict[tuple[int, int], float]:
    """Seconds of tracing and building, by Function and trace."""
    seconds: dict[tuple[int, int], float] = defaultdict(float)
    for traced in group.traced:
        seconds[traced.function, traced.trace] += traced.seconds
    for built in group.built:
        seconds[built.function, built.trace] += built.seconds
    return seconds


def _sites(group: Group) -> tuple[CallSite, ...]:
    """What the calls from each line cost, and the traces that were made for them."""
    cost = costs(group)
    traced: dict[Place, list[Traced]] = defaultdict(list)
    for each in group.traced:
        traced[Place(each.site.file, each.site.line)].append(each)
    called: dict[Place, list[CallTotals]] = defaultdict(list)
    for total in group.calls:
        called[Place(total.site.file, total.site.line)].append(total)
    sites = [
        CallSite(
            place=place,
            calls=sum(each.calls for each in called[place]),
            running_s=sum(each.running_seconds for each in called[place]),
            traces=len(traced[place]),
            tracing_s=sum(cost[each.function, each.trace] for each in traced[place]),
        )
        for place in dict.fromkeys([*called, *traced])
    ]
    return tuple(sorted(sites, key=lambda each: -(each.running_s + each.tracing_s)))


def _causes(group: Group) -> tuple[Retrace, ...]:
    """The traces by what made them necessary, where that could have been avoided."""
    cost = costs(group)
    alike: dict[tuple[object, ...], list[Traced]] = defaultdict(list)
    for each in group.traced:
        if each.causes and each.causes[0].kind not in UNAVOIDABLE:
            alike[_key(each)].append(each)
    causes = [_retrace(traces, cost) for traces in alike.values()]
    return tuple(sorted(causes, key=lambda cause: (-cause.cost_s, -cause.count)))


def _key(traced: Traced) -> tuple[object, ...]:
    """What must be equal for two traces to have the same cause: all that differed, and where."""
    differed = tuple((cause.kind, cause.argument) for cause in traced.causes)
    return (differed, traced.site.file, traced.site.line)


def _retrace(traces: Sequence[Traced], cost: Mapping[tuple[int, int], float]) -> Retrace:
    first = traces[0]
    kind = first.causes[0].kind
    return Retrace(
        kind=kind.value,
        argument=", ".join(cause.argument for cause in first.causes),
        before=", ".join(brief(cause.before) for cause in first.causes),
        after=_values(traces),
        count=len(traces),
        cost_s=sum(cost[each.function, each.trace] for each in traces),
        site=Place(first.site.file, first.site.line),
        rule=RULES.get(kind),
    )


def _values(traces: Sequence[Traced]) -> str:
    """What the argument became, each value once."""
    values = dict.fromkeys(
        ", ".join(brief(cause.after) for cause in each.causes) for each in traces
    )
    shown = list(values)[:SHOWN_VALUES]
    return ", ".join([*shown, "…"] if len(values) > SHOWN_VALUES else shown)


def brief(trace_type: str) -> str:
    """A trace type with tensors as `float32[32, 784]`, and objects without their address."""
    return _OBJECT.sub(_brief_object, _SPEC.sub(_brief_spec, trace_type))


_OBJECT = re.compile(r"Weakref\[<weakref at \w+; (?:to '([^']+)' at \w+(?: \((.*?)\))?|dead)>\]")
_SPEC = re.compile(r"TensorSpec\(shape=(\([^)]*\)|<unknown>), dtype=tf\.(\w+), name=[^)]*\)")


def _brief_object(match: re.Match[str]) -> str:
    kind, name = match.groups()
    if kind is None:
        return "object that is gone"
    return f"{kind} {name}" if name else f"{kind} object"


def _brief_spec(match: re.Match[str]) -> str:
    shape, dtype = match.groups()
    # The rank is unknown, or the shape a tuple of one with its comma.
    sizes = "..." if shape == "<unknown>" else shape[1:-1].removesuffix(",")
    return f"{dtype}[{sizes}]"
