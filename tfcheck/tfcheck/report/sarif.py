"""Lint findings as SARIF 2.1.0.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TypeAlias

from tfcheck import __version__
from tfcheck.diagnostics import Fix, LintResult, Severity, Span, Violation
from tfcheck.lint.registry import RuleInfo
from tfcheck.report.identity import fingerprints, uri
from tfcheck.report.observed import told

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
HOME = "https://github.com/tfcheck/tfcheck"

Object: TypeAlias = dict[str, object]

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_PRECISIONS = {"high": "very-high", "medium": "high", "low": "medium"}


def render_sarif(result: LintResult, *, rules: Sequence[RuleInfo]) -> str:
    """One run; of `rules` those that found something are described."""
    found = {each.code for each in result.violations}
    described = [rule for rule in rules if rule.code in found]
    order = {rule.code: index for index, rule in enumerate(described)}
    names = fingerprints(result.violations)
    run: Object = {
        "tool": {
            "driver": {
                "name": "tfcheck",
                "version": __version__,
                "informationUri": HOME,
                "rules": [_rule(rule) for rule in described],
            }
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(result)],
        "results": [
            _result(each, name, index=order.get(each.code))
            for each, name in zip(result.violations, names, strict=True)
        ],
    }
    document = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _rule(rule: RuleInfo) -> Object:
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "helpUri": rule.url,
        "defaultConfiguration": {"level": _LEVELS[Severity(rule.severity)]},
        "properties": {"tags": [rule.group], "precision": _PRECISIONS[rule.confidence]},
    }


def _invocation(result: LintResult) -> Object:
    unread = [(each.filename, each.message) for each in result.problems]
    faults = [(each.filename, each.summary) for each in result.internal]
    return {
        "executionSuccessful": not faults,
        "toolExecutionNotifications": [
            {
                "level": "error",
                "message": {"text": message},
                "locations": [{"physicalLocation": {"artifactLocation": {"uri": uri(file)}}}],
            }
            for file, message in [*unread, *faults]
        ],
    }


def _result(violation: Violation, name: str, *, index: int | None) -> Object:
    hint = f"\nCure: {violation.hint}" if violation.hint else ""
    return {
        "ruleId": violation.code,
        # A finding of the engine itself, such as a syntax error, may have no rule.
        **({} if index is None else {"ruleIndex": index}),
        "level": _LEVELS[violation.severity],
        "message": {"text": f"{told(violation)}{hint}"},
        "locations": [_location(violation)],
        "relatedLocations": _related(violation),
        "partialFingerprints": {"tfcheck/v1": name},
        "fixes": _fixes(violation.fix, violation),
    }


def _location(violation: Violation) -> Object:
    place: Object = {"artifactLocation": {"uri": uri(violation.filename)}}
    if violation.cell is None:
        place["region"] = _region(violation.span)
    return {"physicalLocation": place}


def _region(span: Span) -> Object:
    return {
        "startLine": span.start.row,
        "startColumn": span.start.column,
        "endLine": span.end.row,
        "endColumn": span.end.column,
    }


def _related(violation: Violation) -> list[Object]:
    if violation.cell is not None:
        return []
    steps = [
        (f"traced: {step.reason}", step.filename, {"startLine": step.row})
        for step in violation.traced
    ]
    others = [(each.message, each.filename, _region(each.span)) for each in violation.related]
    return [
        {
            "id": number,
            "message": {"text": message},
            "physicalLocation": {"artifactLocation": {"uri": uri(file)}, "region": region},
        }
        for number, (message, file, region) in enumerate([*steps, *others], start=1)
    ]


def _fixes(fix: Fix | None, violation: Violation) -> list[Object]:
    # Rows of a notebook's cell are no rows of its file.
    if fix is None or violation.cell is not None:
        return []
    change = {
        "artifactLocation": {"uri": uri(violation.filename)},
        "replacements": [
            {"deletedRegion": _region(each.span), "insertedContent": {"text": each.content}}
            for each in fix.edits
        ],
    }
    return [{"description": {"text": fix.message}, "artifactChanges": [change]}]
