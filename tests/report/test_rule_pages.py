from __future__ import annotations

import json

import pytest

from tfcheck.lint.registry import RuleInfo
from tfcheck.report.rules import render_list, render_page, render_records


@pytest.fixture
def rule() -> RuleInfo:
    return RuleInfo(
        code="TFC301",
        name="python-print",
        group="side_effects",
        severity="warning",
        confidence="high",
        since="0.1",
        fix="safe",
        summary="`print` runs only while tracing.",
        sections=(("Why", "One line a trace."), ("Bad", "def f():\n\n    print()  # TFC301")),
        url="https://example.org/TFC301",
    )


def test_the_page_of_a_rule_has_its_facts_and_its_sections(rule: RuleInfo) -> None:
    assert render_page(rule) == (
        "TFC301 python-print\n"
        "`print` runs only while tracing.\n"
        "\n"
        "warning, confidence high, fix: safe, since 0.1\n"
        "\n"
        "Why:\n"
        "    One line a trace.\n"
        "\n"
        "Bad:\n"
        "    def f():\n"
        "\n"
        "        print()  # TFC301\n"
        "\n"
        "https://example.org/TFC301\n"
    )


def test_the_list_of_rules_has_one_a_line(rule: RuleInfo) -> None:
    assert render_list([rule, rule]) == 2 * (
        "TFC301  python-print  `print` runs only while tracing.\n"
    )


def test_the_json_of_a_rule_has_all_that_is_known(rule: RuleInfo) -> None:
    assert json.loads(render_records([rule], single=True)) == {
        "code": "TFC301",
        "name": "python-print",
        "group": "side_effects",
        "severity": "warning",
        "confidence": "high",
        "since": "0.1",
        "fix": "safe",
        "summary": "`print` runs only while tracing.",
        "sections": [
            {"title": "Why", "text": "One line a trace."},
            {"title": "Bad", "text": "def f():\n\n    print()  # TFC301"},
        ],
        "url": "https://example.org/TFC301",
    }


def test_the_json_of_all_rules_is_a_list(rule: RuleInfo) -> None:
    records = json.loads(render_records([rule], single=False))

    assert [record["code"] for record in records] == ["TFC301"]
