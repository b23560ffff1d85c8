"""A profile as JSON, version 1, and back."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict

from tfcheck.profile.evidence import observed
from tfcheck.profile.model import (
    VERSION,
    CallSite,
    Comparison,
    Finding,
    FixTrial,
    FunctionProfile,
    Interval,
    Profile,
    Retrace,
    Signature,
    Slice,
    Timing,
)
from tfcheck.report.data import ViolationRecord, violation_record

SCHEMA = "https://github.com/tfcheck/tfcheck/blob/main/docs/profile-1.json"


def render_profile_json(profile: Profile, *, urls: Mapping[str, str]) -> str:
    """The whole profile; `urls` maps rule codes to their pages."""
    return json.dumps(profile_record(profile, urls=urls), indent=2, ensure_ascii=False) + "\n"


def profile_record(profile: Profile, *, urls: Mapping[str, str]) -> dict[str, object]:
    """The profile as plain data."""
    script, totals = profile.script, profile.totals
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "tool": profile.tool,
        "backend": profile.backend,
        "device": {"name": profile.device.name, "engine": profile.device.engine},
        "script": {
            "path": script.path,
            "argv": list(script.argv),
            "exit": script.exit,
            "error": script.error,
            "places": [{"file": each.file, "line": each.line} for each in script.places],
        },
        "totals": {
            "wall_s": totals.wall_s,
            "tracing_s": totals.tracing_s,
            "building_s": totals.building_s,
            "running_s": totals.running_s,
            "python_s": totals.python_s,
            "calls": totals.calls,
            "traces": totals.traces,
            "eager_calls": profile.eager_calls,
        },
        "partial": profile.partial,
        "functions": [_function(each) for each in profile.functions],
        "findings": [_finding(each, urls) for each in profile.findings],
        "timeline": {
            "call_stride": profile.timeline.call_stride,
            "slices": [_slice(each) for each in profile.timeline.slices],
        },
        "sources": [
            {"file": each.file, "first": each.first, "lines": list(each.lines)}
            for each in profile.sources
        ],
        "gates": [asdict(each) for each in profile.gates],
        "hot_lines": [asdict(each) for each in profile.hot_lines],
        "fixes": _trial(profile.trial) if profile.trial else None,
    }


def _function(function: FunctionProfile) -> dict[str, object]:
    return {
        "name": function.key.name,
        "file": function.key.file,
        "line": function.key.line,
        "instances": function.instances,
        "calls": function.calls,
        "traces": function.traces,
        "tracing_s": function.trace_s,
        "building_s": function.build_s,
        "running_s": function.run_s,
        "first_call_s": function.first_call_s,
        "signatures": [_signature(each) for each in function.signatures],
        "causes": [_cause(each) for each in function.causes],
        "failures": list(function.failures),
        **_comparison(function.comparison),
        "break_even_calls": _interval(function.break_even),
        "not_compared": function.not_compared,
        "verdict": _verdict(function),
        "suggested_signature": function.suggested_signature,
        "call_sites": [_call_site(each) for each in function.sites],
        "policies": [asdict(each) for each in function.policies],
        "disagreement": asdict(function.disagreement) if function.disagreement else None,
        "ops": [asdict(each) for each in function.ops],
    }


def _signature(signature: Signature) -> dict[str, object]:
    return {
        "text": signature.text,
        "calls": signature.calls,
        "trace_s": signature.trace_s,
        "build_s": signature.build_s,
        "nodes": signature.nodes,
        "constant_bytes": signature.constant_bytes,
        "built_nodes": signature.built_nodes,
        "host_steps": list(signature.host_steps),
        "first_call_s": signature.first_call_s,
    }


def _call_site(site: CallSite) -> dict[str, object]:
    return {
        "file": site.place.file,
        "line": site.place.line,
        "calls": site.calls,
        "running_s": site.running_s,
        "traces": site.traces,
        "tracing_s": site.tracing_s,
    }


def _cause(cause: Retrace) -> dict[str, object]:
    return {
        "kind": cause.kind,
        "argument": cause.argument,
        "before": cause.before,
        "after": cause.after,
        "count": cause.count,
        "cost_s": cause.cost_s,
        "site": {"file": cause.site.file, "line": cause.site.line},
        "rule": cause.rule,
    }


def _comparison(comparison: Comparison | None) -> dict[str, object]:
    if comparison is None:
        return {"graph": None, "eager": None, "speedup": None, "agrees": None}
    agrees = comparison.agrees
    return {
        "graph": _timing(comparison.graph),
        "eager": _timing(comparison.eager),
        "speedup": _interval(comparison.speedup),
        "agrees": {
            "max_abs": _number(agrees.max_abs),
            "max_rel": _number(agrees.max_rel),
            "steady": agrees.steady,
        },
    }


def _timing(timing: Timing) -> dict[str, object]:
    return {
        "median_s": timing.median_s,
        "low_s": timing.low_s,
        "high_s": timing.high_s,
        "runs": timing.runs,
    }


def _interval(interval: Interval | None) -> dict[str, object] | None:
    if interval is None:
        return None
    return {
        "median": _number(interval.median),
        "low": _number(interval.low),
        "high": _number(interval.high),
    }


def _number(value: float) -> float | None:
    """JSON has no infinity: null stands for a value without bound."""
    return value if math.isfinite(value) else None


def _verdict(function: FunctionProfile) -> dict[str, object] | None:
    verdict = function.verdict
    if verdict is None:
        return None
    return {
        "action": verdict.action.value,
        "text": verdict.text,
        "cure": verdict.cure,
        "saves_s": verdict.saves_s,
        "rule": verdict.rule,
        "found": verdict.found,
    }


def _finding(finding: Finding, urls: Mapping[str, str]) -> ViolationRecord:
    return violation_record(observed(finding), url=urls.get(finding.violation.code))


def _trial(trial: FixTrial) -> dict[str, object]:
    return {
        **asdict(trial),
        "max_rel": _number(trial.max_rel),
        "differing": list(trial.differing),
        "varying": list(trial.varying),
        "holds": trial.holds,
    }


def _slice(each: Slice) -> dict[str, object]:
    return {
        "kind": each.kind.value,
        "function": each.function,
        "signature": each.signature,
        "start_s": each.start_s,
        "seconds": each.seconds,
        "thread": each.thread,
    }
