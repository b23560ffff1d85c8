from __future__ import annotations

from pathlib import Path

from tfcheck.cli.docs import render_page

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"


def test_the_page_of_the_command_line_is_up_to_date() -> None:
    # `python -m tfcheck.cli.docs > docs/cli.md` writes it.
    assert PAGE.read_text(encoding="utf-8") == render_page()
