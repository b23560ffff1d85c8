"""Reads a profile that was saved as JSON, version 1."""

from __future__ import annotations

import json
from typing import Any, TypeAlias

from tfcheck.diagnostics import (
    Applicability,
    Confidence,
    Edit,
    Evidence,
    Fix,
    Position,
    Severity,
    Span,
    TracedStep,
    Violation,
)
from tfcheck.errors import InputError
from tfcheck.profile.model import (
    VERSION,
    Action,
    Agreement,
    CallSite,
    Comparison,
    Device,
    Disagreement,
    Excerpt,
    Finding,
    FixTrial,
    FunctionKey,
    FunctionProfile,
    Gate,
    HotLine,
    Interval,
    OpCost,
    Place,
    Policy,
    Profile,
    Retrace,
    RunCost,
    Script,
    Signature,
    Slice,
    SliceKind,
    Timeline,
    Timing,
    Totals,
    Verdict,
)

Record: TypeAlias = dict[str, Any]  # JSON: what is in it is known by its names only


def load_profile(text: str) -> Profile:
    """The profile in `text`; hints and related places of findings are not part of the format.

    Raises:
        InputError: it is no profile, or one of another version.
    """
    try:
        record = json.loads(text)
        if record["version"] != VERSION:
            raise InputError(f"profile of version {record['version']}, expected {VERSION}")
        return _profile(record)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise InputError(f"not a profile of tfcheck: {type(error).__name__}: {error}") from error


def _profile(record: Record) -> Profile:
    totals = dict(record["totals"])
    return Profile(
        eager_calls=totals.pop("eager_calls"),
        tool=record["tool"],
        script=_script(record["script"]),
        device=Device(**record["device"]),
        totals=Totals(**totals),
        functions=tuple(_function(each) for each in record["functions"]),
        findings=tuple(_finding(each) for each in record["findings"]),
        backend=record["backend"],
        partial=record["partial"],
        timeline=_timeline(record["timeline"]),
        sources=tuple(
            Excerpt(each["file"], each["first"], tuple(each["lines"])) for each in record["sources"]
        ),
        gates=tuple(Gate(**each) for each in record["gates"]),
        hot_lines=tuple(
            HotLine(**{**each, "place": Place(**each["place"])})
            for each in record.get("hot_lines", ())
        ),
        trial=_trial(record["fixes"]) if record.get("fixes") else None,
    )


def _script(record: Record) -> Script:
    places = tuple(Place(**each) for each in record.get("places", ()))
    return Script(record["path"], tuple(record["argv"]), record["exit"], record["error"], places)


def _function(record: Record) -> FunctionProfile:
    return FunctionProfile(
        key=FunctionKey(record["name"], record["file"], record["line"]),
        instances=record["instances"],
        calls=record["calls"],
        traces=record["traces"],
        trace_s=record["tracing_s"],
        build_s=record["building_s"],
        run_s=record["running_s"],
        signatures=tuple(
            Signature(**{**each, "host_steps": tuple(each["host_steps"])})
            for each in record["signatures"]
        ),
        causes=tuple(
            Retrace(**{**each, "site": Place(**each["site"])}) for each in record["causes"]
        ),
        failures=tuple(record["failures"]),
        comparison=_comparison(record),
        not_compared=record["not_compared"],
        break_even=_interval(record["break_even_calls"]) if record["break_even_calls"] else None,
        verdict=_verdict(record["verdict"]) if record["verdict"] else None,
        suggested_signature=record["suggested_signature"],
        first_call_s=record["first_call_s"],
        sites=tuple(_call_site(each) for each in record["call_sites"]),
        policies=tuple(Policy(**each) for each in record["policies"]),
        disagreement=Disagreement(**record["disagreement"]) if record["disagreement"] else None,
        ops=tuple(_op(each) for each in record.get("ops", ())),
    )


def _op(record: Record) -> OpCost:
    return OpCost(**{**record, "place": Place(**record["place"]) if record["place"] else None})


def _call_site(record: Record) -> CallSite:
    counts = {name: record[name] for name in ("calls", "running_s", "traces", "tracing_s")}
    return CallSite(Place(record["file"], record["line"]), **counts)


def _trial(record: Record) -> FixTrial:
    known = {name: value for name, value in record.items() if name != "holds"}
    costs = {name: RunCost(**record[name]) for name in ("before", "after") if record[name]}
    lists = {name: tuple(record[name]) for name in ("differing", "varying")}
    return FixTrial(**{**known, **costs, **lists, "max_rel": _number(record["max_rel"])})


def _timeline(record: Record) -> Timeline:
    slices = tuple(Slice(**{**each, "kind": SliceKind(each["kind"])}) for each in record["slices"])
    return Timeline(slices, record["call_stride"])


def _comparison(record: Record) -> Comparison | None:
    if record["graph"] is None:
        return None
    agrees = record["agrees"]
    return Comparison(
        graph=Timing(**record["graph"]),
        eager=Timing(**record["eager"]),
        speedup=_interval(record["speedup"]),
        agrees=Agreement(_number(agrees["max_abs"]), _number(agrees["max_rel"]), agrees["steady"]),
    )


def _interval(record: Record) -> Interval:
    return Interval(*(_number(record[name]) for name in ("median", "low", "high")))


def _number(value: float | None) -> float:
    return float("inf") if value is None else value


def _verdict(record: Record) -> Verdict:
    return Verdict(**{**record, "action": Action(record["action"])})


def _finding(record: Record) -> Finding:
    violation = Violation(
        code=record["code"],
        name=record["name"],
        message=record["message"],
        severity=Severity(record["severity"]),
        confidence=Confidence(record["confidence"]),
        filename=record["filename"],
        span=_span(record),
        cell=record["cell"],
        traced=tuple(TracedStep(**each) for each in record["traced"]),
        fix=_fix(record["fix"]) if record["fix"] else None,
    )
    return Finding(violation, Evidence(record["evidence"]), record["cost_s"], record["seen"])


def _span(record: Record) -> Span:
    return Span(Position(**record["location"]), Position(**record["end_location"]))


def _fix(record: Record) -> Fix:
    edits = tuple(Edit(_span(each), each["content"]) for each in record["edits"])
    return Fix(Applicability(record["applicability"]), record["message"], edits)
