"""Lint findings as test results that CI services read: a finding is a test that failed."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from tfcheck.diagnostics import LintResult, Violation
from tfcheck.report.concise import place
from tfcheck.report.observed import observed_note
from tfcheck.report.text import printable


def render_junit(result: LintResult) -> str:
    """One suite; without findings it has one test that passed."""
    number = len(result.violations)
    counts = {"tests": str(max(number, 1)), "failures": str(number)}
    root = ElementTree.Element("testsuites", counts)
    suite = ElementTree.SubElement(
        root, "testsuite", {"name": "tfcheck", **counts, "time": f"{result.seconds:.3f}"}
    )
    for violation in result.violations:
        _case(suite, violation)
    if not number:
        ElementTree.SubElement(suite, "testcase", {"classname": "tfcheck", "name": "lint"})
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{_text(root)}\n'


def _text(root: ElementTree.Element) -> str:
    return ElementTree.tostring(root, encoding="unicode")


def _case(suite: ElementTree.Element, violation: Violation) -> None:
    name = f"{violation.code} {place(violation)}"
    case = ElementTree.SubElement(
        suite, "testcase", {"classname": _legal(violation.filename), "name": _legal(name)}
    )
    failure = {"message": _legal(violation.message), "type": violation.severity.value}
    ElementTree.SubElement(case, "failure", failure).text = _legal(
        f"{place(violation)}: {violation.code} {violation.message}{observed_note(violation)}"
    )


def _legal(text: str) -> str:
    """`text` without what XML has no way to write, such as most control characters."""
    return re.sub("[\ufffe\uffff]", "\ufffd", printable(text))
