from __future__ import annotations

from pathlib import Path

from tfcheck.cli import api_docs
from tfcheck.cli.docs import render_page

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"
API_PAGE = PAGE.with_name("api.md")


def test_the_page_of_the_command_line_is_up_to_date() -> None:
    # `python -m tfcheck.cli.docs > docs/cli.md` writes it.
    assert PAGE.read_text(encoding="utf-8") == render_page()


def test_the_page_of_the_python_interface_is_up_to_date() -> None:
    # `python -m tfcheck.cli.api_docs > docs/api.md` writes it.
    assert API_PAGE.read_text(encoding="utf-8") == api_docs.render_page()
