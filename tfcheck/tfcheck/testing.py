"""The examples of a rule as test cases, for the authors of rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tfcheck.config import Selector, Settings
from tfcheck.diagnostics import Confidence, Severity
from tfcheck.lint.check import check_bytes
from tfcheck.lint.files import StdinSource
from tfcheck.lint.mend import mend
from tfcheck.lint.outcome import Outcome
from tfcheck.lint.registry import find_rules, parse_page
from tfcheck.lint.rule import Rule

_MARK = re.compile(r"\s*# (?P<codes>[A-Z]+\d+(?:, [A-Z]+\d+)*)$")
_FENCE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)

FILENAME = "example.py"


@dataclass(frozen=True, slots=True)
class Example:
    """A program and the rows at which a rule must report, and at no others."""

    code: str
    source: str
    """The program without the marks."""
    rows: tuple[int, ...]
    """Rows that end in the mark `# CODE`, each as often as it has the code."""


def example(code: str, marked: str) -> Example:
    """Read the marks of one rule out of a program."""
    lines: list[str] = []
    rows: list[int] = []
    for row, line in enumerate(marked.splitlines(), start=1):
        found = _MARK.search(line)
        codes = found["codes"].split(", ") if found is not None else []
        rows += [row] * codes.count(code)
        lines.append(line[: found.start()] if found is not None else line)
    return Example(code, "\n".join(lines) + "\n", tuple(rows))


def docstring_examples(rule: type[Rule]) -> dict[str, Example]:
    """The programs in the docstring of a rule, by section: `Bad` and `Good` or `Becomes`."""
    page = parse_page(rule)
    found = {title: page.section(title) for title in ("Bad", "Good", "Becomes")}
    return {title: example(rule.code, text) for title, text in found.items() if text is not None}


def page_examples(rule: type[Rule], page: Path) -> Iterator[Example]:
    """The `python` blocks of a Markdown page of corner cases."""
    for block in _FENCE.findall(page.read_text(encoding="utf-8")):
        yield example(rule.code, block)


def run(given: Example) -> Outcome:
    """Check a program with the one rule of the example."""
    content = given.source.encode()
    return check_bytes(content, filename=FILENAME, settings=_settings(given.code))


def reported_rows(given: Example) -> tuple[int, ...]:
    """The rows at which the rule reports."""
    return tuple(violation.span.start.row for violation in run(given).violations)


def fixed(given: Example) -> str:
    """The program after all fixes of the rule, unsafe ones included."""
    source = StdinSource(given.source.encode(), FILENAME)
    mended = mend(source, settings=_settings(given.code), unsafe=True)
    return mended.content.decode()


def _settings(code: str) -> Settings:
    (rule,) = find_rules(code)
    # Whether a suppression is of use only shows when the rules it names run.
    whole = rule.check_ignore is not Rule.check_ignore
    selected = (Selector("ALL" if whole else code, "the example"),)
    return Settings(select=selected, severity=Severity.INFO, confidence=Confidence.LOW)
