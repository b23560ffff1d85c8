"""The page in a real browser, where there is one."""

from __future__ import annotations

import html
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tfcheck.profile.model import Profile
from tfcheck.report.page import render_page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--dump-dom",
)
ACT = """\
{
const said = [];
const table = document.querySelector("table.sortable");
const first = () => table.tBodies[0].rows[0].cells[0].textContent;
const header = table.tHead.rows[0].cells[2].querySelector("button");
header.click(); said.push(first());
header.click(); said.push(first());
said.push(table.tHead.rows[0].cells[2].getAttribute("aria-sort"));
const theme = document.querySelector("header button");
theme.click(); theme.click();
said.push(document.documentElement.dataset.theme);
const fold = document.querySelector("details:not([open]) summary");
fold.click(); said.push(String(fold.parentNode.open));
said.push(String(document.documentElement.scrollWidth <= innerWidth));
document.title = said.join("|");
}
"""

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")


def titled(page: str, folder: Path, *flags: str) -> str:
    """The title of the page once its scripts have run."""
    file = folder / "page.html"
    file.write_text(page, encoding="utf-8")
    ended = subprocess.run(
        [str(CHROMIUM), *FLAGS, f"--user-data-dir={folder / 'data'}", *flags, file.as_uri()],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    found = re.search("<title>(.*?)</title>", ended.stdout)
    assert found is not None
    return html.unescape(found[1])


def test_tables_sort_themes_change_and_foldouts_open(profile: Profile, tmp_path: Path) -> None:
    page = render_page(profile, urls={})
    # The policy would not let the test's own script run.
    open_page = re.sub("<meta http-equiv=[^>]*>", "", page)
    acting = open_page.replace("</body>", f"<script>{ACT}</script></body>")

    title = titled(acting, tmp_path, "--window-size=500,900")

    assert title == "train_step|predict|ascending|dark|true|true"


def test_scripts_that_are_not_ours_do_not_run(profile: Profile, tmp_path: Path) -> None:
    page = render_page(profile, urls={})
    injected = page.replace("</body>", "<script>document.title = 'owned'</script></body>")

    assert titled(injected, tmp_path) == "tfcheck: src/train.py"
