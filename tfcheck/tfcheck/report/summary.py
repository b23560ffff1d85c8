"""The last line of a lint report: what was found, and in how much code."""

from __future__ import annotations

from collections import Counter

from tfcheck.diagnostics import Applicability, LintResult, Severity
from tfcheck.report.observed import observed_summary
from tfcheck.report.text import counted

LOOKED_FOR = "tf.function, Dataset.map and its kin, Keras call and train_step"


def summarise(result: LintResult) -> str:
    """One sentence or two, with what `--fix` could do."""
    files = counted(result.files, "file")
    place = f"in {files}, {result.traced_files} with traced code, {result.seconds:.1f} s."
    fixed = f"{result.fixed} fixed. " if result.fixed else ""
    if result.violations:
        seen = observed_summary(result.violations)
        return f"{fixed}{_findings(result)} {place}{_fixable(result)}{seen}"
    if result.traced_files or not result.files:
        return f"{fixed}No findings {place}"
    return (
        f"{fixed}No findings: no traced code in {files} (looked for {LOOKED_FOR}),"
        f" {result.seconds:.1f} s."
    )


def _findings(result: LintResult) -> str:
    severities = Counter(violation.severity for violation in result.violations)
    parts = [_severity(severities[each], each) for each in Severity if severities[each]]
    return f"{counted(len(result.violations), 'finding')} ({', '.join(parts)})"


def _severity(number: int, severity: Severity) -> str:
    return f"{number} info" if severity is Severity.INFO else counted(number, severity)


def _fixable(result: LintResult) -> str:
    kinds = Counter(each.fix.applicability for each in result.violations if each.fix)
    parts = []
    if kinds[Applicability.SAFE]:
        parts.append(f"{kinds[Applicability.SAFE]} fixable")
    if kinds[Applicability.UNSAFE]:
        parts.append(f"{kinds[Applicability.UNSAFE]} with --unsafe-fixes")
    return f" {', '.join(parts)}." if parts else ""
