"""Lint findings as Markdown for the summary of a CI job."""

from __future__ import annotations

from collections.abc import Mapping

from tfcheck.diagnostics import LintResult, Violation
from tfcheck.report.concise import place
from tfcheck.report.markdown import (
    markdown_code,
    markdown_prose,
    markdown_text,
    table,
    within_summary,
)
from tfcheck.report.observed import observed_note
from tfcheck.report.summary import summarise


def render_lint_markdown(result: LintResult, *, urls: Mapping[str, str]) -> str:
    """The summary, then a table; `urls` maps rule codes to their pages."""
    lines = [f"### tfcheck lint\n\n{markdown_text(summarise(result))}"]
    if result.violations:
        rows = [_row(each, urls.get(each.code)) for each in result.violations]
        lines += ["", *table(("where", "rule", "", "finding"), rows)]
    return within_summary("\n".join(lines) + "\n")


def _row(violation: Violation, url: str | None) -> tuple[str, ...]:
    code = f"[{violation.code}](<{url}>)" if url else violation.code
    hint = f"; {violation.hint}" if violation.hint else ""
    finding = markdown_prose(f"{violation.message}{observed_note(violation)}{hint}")
    return (markdown_code(place(violation)), code, violation.severity.value, finding)
