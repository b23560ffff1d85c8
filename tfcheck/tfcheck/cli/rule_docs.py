"""Writes docs/rules/, a page a rule: `python -m tfcheck.cli.rule_docs`."""

from __future__ import annotations

from pathlib import Path

from tfcheck.lint.registry import describe_rules
from tfcheck.report.precision import read_verdicts
from tfcheck.report.rules import render_index, render_markdown

VERDICTS = Path("fixtures/precision.json")
"""What people said of findings on public code; seen from the root of the repository."""


def render_pages(verdicts: Path = VERDICTS) -> dict[str, str]:
    """File names and contents of all pages, with what was measured in `verdicts`."""
    rules = describe_rules()
    measured = read_verdicts(verdicts)
    pages = {f"{rule.name}.md": render_markdown(rule, measured.get(rule.code)) for rule in rules}
    return {"README.md": render_index(rules), **pages}


def write_pages(folder: Path) -> None:
    """Write all pages into `folder` and remove those of rules that are gone."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = render_pages()
    for old in folder.glob("*.md"):
        if old.name not in pages:
            old.unlink()
    for name, text in pages.items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_pages(Path("docs/rules"))
