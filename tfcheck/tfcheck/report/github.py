"""Lint findings as commands that make GitHub annotate the lines of a change.

https://docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

from tfcheck.diagnostics import LintResult, Severity, Violation
from tfcheck.report.observed import told
from tfcheck.report.summary import summarise
from tfcheck.report.text import printable

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def render_github(result: LintResult) -> str:
    """One command a finding, then the summary for the log."""
    return "\n".join([*map(_command, result.violations), summarise(result)]) + "\n"


def _command(violation: Violation) -> str:
    properties: dict[str, object] = {"title": f"{violation.code} {violation.name}"}
    properties["file"] = violation.filename
    span = violation.span
    if violation.cell is None:
        properties |= {"line": span.start.row, "endLine": span.end.row}
        # Columns are for a single line only.
        if span.start.row == span.end.row:
            properties |= {"col": span.start.column, "endColumn": span.end.column}
    listed = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items())
    hint = f"; {violation.hint}" if violation.hint else ""
    message = f"{told(violation)}{hint}"
    return f"::{_COMMANDS[violation.severity]} {listed}::{_data(message)}"


def _data(text: str) -> str:
    # The log is a terminal; a line break would begin another command.
    return printable(text).replace("%", "%25")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
