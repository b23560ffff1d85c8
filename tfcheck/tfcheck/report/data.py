"""Lint findings as JSON, with the field names that ruff's users know."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NotRequired, TypedDict

from tfcheck.diagnostics import Fix, LintResult, Position, Span, TracedStep, Violation


class PositionRecord(TypedDict):
    """A place: row and column from 1."""

    row: int
    column: int


class StepRecord(TypedDict):
    """One link of the chain that says why a function counts as traced."""

    reason: str
    filename: str
    row: int


class EditRecord(TypedDict):
    """Replace the text between the two places by `content`."""

    content: str
    location: PositionRecord
    end_location: PositionRecord


class FixRecord(TypedDict):
    """Edits that belong together."""

    applicability: str
    message: str
    edits: list[EditRecord]


class ViolationRecord(TypedDict):
    """One finding."""

    code: str
    name: str
    message: str
    severity: str
    confidence: str
    filename: str
    cell: int | None
    location: PositionRecord
    end_location: PositionRecord
    traced: list[StepRecord]
    fix: FixRecord | None
    url: str | None
    evidence: NotRequired[str]
    """This and what follows: only where the findings were joined with a run."""
    cost_s: NotRequired[float]
    seen: NotRequired[str]


def render_json(result: LintResult, *, urls: Mapping[str, str]) -> str:
    """A list of objects; `urls` maps rule codes to their pages."""
    records = [violation_record(each, url=urls.get(each.code)) for each in result.violations]
    return json.dumps(records, indent=2, ensure_ascii=False) + "\n"


def render_jsonl(result: LintResult, *, urls: Mapping[str, str]) -> str:
    """One object a line, for programs that read while we write."""
    records = (violation_record(each, url=urls.get(each.code)) for each in result.violations)
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def violation_record(violation: Violation, *, url: str | None) -> ViolationRecord:
    """A finding as plain data."""
    record: ViolationRecord = {
        "code": violation.code,
        "name": violation.name,
        "message": violation.message,
        "severity": violation.severity.value,
        "confidence": violation.confidence.value,
        "filename": violation.filename,
        "cell": violation.cell,
        "location": _position(violation.span.start),
        "end_location": _position(violation.span.end),
        "traced": [_step(each) for each in violation.traced],
        "fix": _fix(violation.fix) if violation.fix else None,
        "url": url,
    }
    if violation.observed is not None:
        observation = violation.observed
        record["evidence"] = observation.evidence.value
        record["cost_s"] = observation.cost_s
        record["seen"] = observation.seen
    return record


def _position(position: Position) -> PositionRecord:
    return {"row": position.row, "column": position.column}


def _step(step: TracedStep) -> StepRecord:
    return {"reason": step.reason, "filename": step.filename, "row": step.row}


def _fix(fix: Fix) -> FixRecord:
    return {
        "applicability": fix.applicability.value,
        "message": fix.message,
        "edits": [_edit(each.span, each.content) for each in fix.edits],
    }


def _edit(span: Span, content: str) -> EditRecord:
    return {
        "content": content,
        "location": _position(span.start),
        "end_location": _position(span.end),
    }
