"""The site as a browser gets it."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

pytest.importorskip("material", reason="needs the extra `docs`")
ROOT = Path(__file__).parents[2]
LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src"}
LINKED = {"stylesheet", "preconnect", "preload", "icon", "dns-prefetch", "modulepreload"}


class Requests(HTMLParser):
    """Collects what a page makes a browser load."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in LOADED:
            self.addresses.append(given.get(LOADED[tag]) or "")
        elif tag == "link" and LINKED & set((given.get("rel") or "").split()):
            self.addresses.append(given.get("href") or "")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as CI builds it; a warning is an error."""
    folder = tmp_path_factory.mktemp("site")
    subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    return folder


def test_no_page_loads_anything_from_elsewhere(site: Path) -> None:
    outside: set[str] = set()
    for page in site.rglob("*.html"):
        requests = Requests()
        requests.feed(page.read_text(encoding="utf-8"))
        outside |= {each for each in requests.addresses if re.match(r"(https?:)?//", each)}

    assert outside == set()


def test_no_page_asks_a_service_about_the_repository(site: Path) -> None:
    asking = [
        page.name
        for page in site.rglob("*.html")
        if 'data-md-component="source"' in page.read_text(encoding="utf-8")
    ]

    assert asking == []


def test_every_page_is_on_the_site_and_in_its_search(site: Path) -> None:
    pages = {
        page.relative_to(ROOT / "docs").with_suffix("").as_posix()
        for page in (ROOT / "docs").rglob("*.md")
    }
    index = (site / "search" / "search_index.json").read_text(encoding="utf-8")

    ordinary = {page for page in pages if page.split("/")[-1] not in {"index", "README"}}

    assert [page for page in ordinary if not (site / page / "index.html").is_file()] == []
    assert [page for page in ordinary if f'"location":"{page}/"' not in index] == []
