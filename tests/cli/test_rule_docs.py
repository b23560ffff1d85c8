"""The generated pages of the rules."""

from pathlib import Path

from tfcheck.cli.rule_docs import render_pages

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "rules"


def test_the_pages_of_the_rules_are_fresh() -> None:
    written = {page.name: page.read_text(encoding="utf-8") for page in FOLDER.glob("*.md")}

    assert written == render_pages(ROOT / "fixtures" / "precision.json")
