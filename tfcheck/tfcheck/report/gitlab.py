"""Lint findings as a code quality report of GitLab.

https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
"""

from __future__ import annotations

import json
from pathlib import PurePath

from tfcheck.diagnostics import LintResult, Severity, Violation
from tfcheck.report.identity import fingerprints
from tfcheck.report.observed import told

_SEVERITIES = {Severity.ERROR: "critical", Severity.WARNING: "major", Severity.INFO: "minor"}


def render_gitlab(result: LintResult) -> str:
    """A list of objects."""
    names = fingerprints(result.violations)
    records = [_issue(*pair) for pair in zip(result.violations, names, strict=True)]
    return json.dumps(records, indent=2, ensure_ascii=False) + "\n"


def _issue(violation: Violation, name: str) -> dict[str, object]:
    span = violation.span
    # Rows of a notebook's cell are no rows of its file, but there must be one.
    first, last = (span.start.row, span.end.row) if violation.cell is None else (1, 1)
    return {
        "description": f"{violation.code} {told(violation)}",
        "check_name": violation.code,
        "fingerprint": name,
        "severity": _SEVERITIES[violation.severity],
        "location": {
            "path": PurePath(violation.filename).as_posix(),
            "lines": {"begin": first, "end": last},
        },
    }
