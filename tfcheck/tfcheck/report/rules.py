"""What is known of the rules, as pages, lists and JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from tfcheck.lint.registry import RuleInfo
from tfcheck.report.precision import Measured


def render_page(rule: RuleInfo) -> str:
    """One rule: what it flags, why that matters, bad and good code."""
    fix = f"fix: {rule.fix}" if rule.fix else "no fix"
    head = f"{rule.code} {rule.name}\n{rule.summary}\n\n"
    facts = f"{rule.severity}, confidence {rule.confidence}, {fix}, since {rule.since}\n"
    sections = (f"\n{title}:\n{_indented(text)}\n" for title, text in rule.sections)
    return f"{head}{facts}{''.join(sections)}\n{rule.url}\n"


def _indented(text: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in text.splitlines())


def render_markdown(rule: RuleInfo, measured: Measured | None = None) -> str:
    """One rule as a page of the documentation; sections of code are fenced.

    `measured` are the verdicts on its findings, where somebody has read them.
    """
    fix = f"fix: {rule.fix}" if rule.fix else "no fix"
    facts = f"{rule.severity}, confidence {rule.confidence}, {fix}, since {rule.since}"
    head = f"# {rule.code} {rule.name}\n\n{rule.summary}\n\n*{facts}*\n"
    if measured is not None:
        head += f"\nPrecision: {measured.told()}\n"
    return head + "".join(_markdown_section(title, text) for title, text in rule.sections)


def _markdown_section(title: str, text: str) -> str:
    if title in ("Bad", "Good", "Becomes"):
        text = f"```python\n{text.strip()}\n```"
    return f"\n## {title}\n\n{text.strip()}\n"


def render_index(rules: Sequence[RuleInfo]) -> str:
    """The list of all rules as a page of the documentation."""
    rows = "".join(
        f"| [{rule.code}]({rule.name}.md) | {rule.name} | {rule.severity} | {rule.fix or ''} |"
        f" {rule.summary} |\n"
        for rule in rules
    )
    return f"# Rules\n\n| code | name | severity | fix | flags |\n|---|---|---|---|---|\n{rows}"


def render_list(rules: Sequence[RuleInfo]) -> str:
    """All rules, one a line."""
    width = max((len(rule.name) for rule in rules), default=0)
    return "".join(f"{rule.code}  {rule.name:{width}}  {rule.summary}\n" for rule in rules)


def render_records(rules: Sequence[RuleInfo], *, single: bool) -> str:
    """A list of objects, or one object for a `single` rule."""
    records = [_record(rule) for rule in rules]
    return json.dumps(records[0] if single else records, indent=2, ensure_ascii=False) + "\n"


def _record(rule: RuleInfo) -> dict[str, object]:
    sections = [{"title": title, "text": text} for title, text in rule.sections]
    return {**asdict(rule), "sections": sections}
