"""The examples of every rule: what must be flagged is, what must be silent is, fixes fix."""

from __future__ import annotations

from pathlib import Path

import pytest

from tfcheck.lint.registry import load_rules
from tfcheck.lint.rule import Rule
from tfcheck.testing import (
    Example,
    docstring_examples,
    example,
    fixed,
    page_examples,
    reported_rows,
    run,
)

RULES = load_rules()
PAGES = Path(__file__).parent
EXAMPLES = [
    pytest.param(given, id=f"{rule.slug()}-{title}")
    for rule in RULES
    for title, given in docstring_examples(rule).items()
]
CORNERS = [
    pytest.param(given, id=f"{rule.slug()}-{number}")
    for rule in RULES
    if (PAGES / f"{rule.slug()}.md").exists()
    for number, given in enumerate(page_examples(rule, PAGES / f"{rule.slug()}.md"), start=1)
]
FIXABLE = [pytest.param(rule, id=rule.slug()) for rule in RULES if rule.fix is not None]


@pytest.mark.parametrize("given", [*EXAMPLES, *CORNERS])
def test_exactly_the_marked_lines_are_flagged(given: Example) -> None:
    outcome = run(given)

    assert outcome.internal == ()
    assert tuple(violation.span.start.row for violation in outcome.violations) == given.rows


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.slug())
def test_bad_has_marks_and_what_follows_has_none(rule: type[Rule]) -> None:
    examples = docstring_examples(rule)

    after = examples.get("Becomes") or examples["Good"]

    assert examples["Bad"].rows != ()
    assert after.rows == ()


@pytest.mark.parametrize("rule", FIXABLE)
def test_fixing_the_bad_example_gives_the_good_one(rule: type[Rule]) -> None:
    examples = docstring_examples(rule)

    result = fixed(examples["Bad"])

    assert result == (examples.get("Becomes") or examples["Good"]).source


@pytest.mark.parametrize("given", [*EXAMPLES, *CORNERS])
def test_fixing_twice_changes_no_more_than_fixing_once(given: Example) -> None:
    once = fixed(given)

    twice = fixed(example(given.code, once))

    assert twice == once


@pytest.mark.parametrize("given", [*EXAMPLES, *CORNERS])
def test_windows_line_ends_change_no_finding(given: Example) -> None:
    crlf = Example(given.code, given.source.replace("\n", "\r\n"), given.rows)

    assert reported_rows(crlf) == given.rows


@pytest.mark.parametrize("given", [*EXAMPLES, *CORNERS])
def test_names_that_are_not_ascii_change_no_finding(given: Example) -> None:
    translated = given.source.replace("step", "schritt_ä")

    assert reported_rows(Example(given.code, translated, given.rows)) == given.rows
