"""Links of all pages lead somewhere, on GitHub and on the site."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
OURS = "https://github.com/tfcheck/tfcheck/blob/main/"
PLACES = ["docs/**/*.md", "*.md", "*/README.md", ".github/**/*.md"]
PAGES = sorted(page for place in PLACES for page in ROOT.glob(place))
WRITTEN_BY_MEASURING = DOCS / "benchmarks.md"
"""A page that a run on a quiet machine writes, and that may not be there yet."""
_CODE = re.compile(r"^(`{3,}).*?^\1$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def links(page: Path) -> Iterator[str]:
    return iter(_LINK.findall(_CODE.sub("code", page.read_text(encoding="utf-8"))))


def anchors(page: Path) -> set[str]:
    """The anchors that both GitHub and the site give to headings."""
    text = re.sub(r"^(`{3,}).*?^\1$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    plain = [re.sub(r"[^\w\- ]", "", title.lower()) for title in _HEADING.findall(text)]
    return {title.strip().replace(" ", "-") for title in plain}


def target(page: Path, link: str) -> Path | None:
    """The file a link means; None for pages of others."""
    address = link.partition("#")[0]
    if address.startswith(OURS):
        return ROOT / address.removeprefix(OURS)
    if re.match(r"[a-z]+:", address):
        return None
    return (page.parent / address).resolve() if address else page


def broken(page: Path) -> Iterator[str]:
    for link in links(page):
        file, anchor = target(page, link), link.partition("#")[2]
        if file is None:
            continue
        if file == WRITTEN_BY_MEASURING:
            continue
        if not file.exists():
            yield f"{link}: no such file"
        elif anchor and anchor not in anchors(file):
            yield f"{link}: no such heading"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_to_a_file_of_ours_leads_to_it(page: Path) -> None:
    assert list(broken(page)) == []


@pytest.mark.parametrize(
    "page", sorted(DOCS.rglob("*.md")), ids=lambda page: page.relative_to(DOCS).as_posix()
)
def test_pages_of_the_site_name_other_files_by_their_address(page: Path) -> None:
    files = [(link, target(page, link)) for link in links(page) if not link.startswith(OURS)]

    outside = [link for link, file in files if file is not None and not file.is_relative_to(DOCS)]

    assert outside == []
