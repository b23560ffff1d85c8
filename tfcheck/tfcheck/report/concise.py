"""Lint findings as compilers print them: one line each."""

from __future__ import annotations

from tfcheck.diagnostics import LintResult, Violation
from tfcheck.report.observed import observed_note
from tfcheck.report.summary import summarise
from tfcheck.report.text import printable


def render_concise(result: LintResult) -> str:
    """One line a finding, then the summary."""
    lines = [
        printable(f"{place(each)}: {each.code} {each.message}{observed_note(each)}")
        for each in result.violations
    ]
    return "\n".join([*lines, summarise(result)]) + "\n"


def place(violation: Violation) -> str:
    """`train.py:41:23`, or `train.ipynb:cell 3:4:1` in a notebook."""
    cell = f"cell {violation.cell}:" if violation.cell is not None else ""
    start = violation.span.start
    return f"{printable(violation.filename)}:{cell}{start.row}:{start.column}"
