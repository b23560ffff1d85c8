"""Every example on the pages, made and run as the page says."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from pages import DOCS, blocks_of, follow

OWN_TESTS = {"rules", "contributing"}
"""Folders whose pages are followed by tests of their own."""

PAGES = [
    page
    for page in sorted(DOCS.rglob("*.md"))
    if page.parent.name not in OWN_TESTS and any(block.is_followed for block in blocks_of(page))
]

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="bash"),
    pytest.mark.skipif(find_spec("tensorflow") is not None, reason="pages show runs without it"),
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_every_command_says_what_the_page_shows(page: Path, tmp_path: Path) -> None:
    assert follow(page, tmp_path, {}) == []


def test_there_are_pages_to_follow() -> None:
    assert {"tutorial.md", "index.md"} <= {page.name for page in PAGES}
