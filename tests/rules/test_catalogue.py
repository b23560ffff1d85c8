"""What holds for all rules: codes, names, pages."""

from __future__ import annotations

import importlib
import re
from collections import Counter
from pathlib import Path

import pytest

from tfcheck.diagnostics import Applicability
from tfcheck.lint.registry import describe_rules, load_rules, parse_page
from tfcheck.lint.rule import Rule

GROUPS = {
    "0": "checking",
    "1": "retracing",
    "2": "captures",
    "3": "side_effects",
    "4": "state",
    "5": "control_flow",
    "6": "tensors",
    "7": "usage",
}
SECTIONS = ["Why", "Bad", "Good", "Becomes", "Not flagged", "Fix safety", "See"]
RULES = [pytest.param(rule, id=rule.slug()) for rule in load_rules()]
PAGES = Path(__file__).parent


@pytest.mark.parametrize("rule", RULES)
def test_code_lies_in_the_hundred_of_its_folder(rule: type[Rule]) -> None:
    group = rule.__module__.split(".")[-2]

    assert re.fullmatch(r"TFC[0-7]\d\d", rule.code)
    assert GROUPS[rule.code[3]] == group


@pytest.mark.parametrize("rule", RULES)
def test_slug_file_and_class_have_one_name(rule: type[Rule]) -> None:
    file = rule.__module__.split(".")[-1]

    assert rule.slug().replace("-", "_") == file


@pytest.mark.parametrize("rule", RULES)
def test_page_has_its_sections_in_order(rule: type[Rule]) -> None:
    titles = [title for title, _ in parse_page(rule).sections]

    assert titles == [title for title in SECTIONS if title in titles]
    assert {"Why", "Bad"} < set(titles)
    assert ("Becomes" in titles) != ("Good" in titles)


@pytest.mark.parametrize("rule", RULES)
def test_summary_is_one_short_sentence(rule: type[Rule]) -> None:
    summary = parse_page(rule).summary

    assert len(summary) <= 72
    assert summary.endswith(".")


@pytest.mark.parametrize("rule", RULES)
def test_fix_and_its_safety_are_told_together(rule: type[Rule]) -> None:
    titles = [title for title, _ in parse_page(rule).sections]

    assert ("Becomes" in titles) == (rule.fix is not None)
    assert rule.fix is not Applicability.UNSAFE or "Fix safety" in titles


@pytest.mark.parametrize("rule", RULES)
def test_since_is_a_release(rule: type[Rule]) -> None:
    assert re.fullmatch(r"\d+\.\d+(\.\d+)?", rule.since)


@pytest.mark.parametrize("rule", RULES)
def test_rule_file_is_short(rule: type[Rule]) -> None:
    file = importlib.import_module(rule.__module__).__file__

    assert len(Path(file or "").read_text(encoding="utf-8").splitlines()) <= 200


def test_summaries_are_all_different() -> None:
    counts = Counter(info.summary for info in describe_rules())

    assert [summary for summary, count in counts.items() if count > 1] == []


def test_every_page_of_corner_cases_belongs_to_a_rule() -> None:
    pages = {page.stem for page in PAGES.glob("*.md")}

    assert pages - {info.name for info in describe_rules()} == set()
