"""Writes docs/rules/, a page a rule: `python -m tfcheck.cli.rule_docs`."""

from __future__ import annotations

from pathlib import Path

from tfcheck.lint.registry import describe_rules
from tfcheck.report.rules import render_index, render_markdown


def render_pages() -> dict[str, str]:
    """File names and contents of all pages."""
    rules = describe_rules()
    pages = {f"{rule.name}.md": render_markdown(rule) for rule in rules}
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
