"""The pages for contributors, followed to the letter on a copy of the tree."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest
from pages import DOCS, follow

ROOT = DOCS.parent
LEFT_OUT = shutil.ignore_patterns(
    ".*", "__pycache__", "build", "dist", "site", "*.egg-info", "node_modules"
)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="bash")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the tree, as a fresh clone has it."""
    copy = tmp_path / "tfcheck"
    shutil.copytree(ROOT, copy, ignore=LEFT_OUT)
    return copy


@pytest.mark.parametrize("name", ["adding-a-rule.md", "adding-an-op.md"])
def test_a_page_for_contributors_leads_to_what_it_promises(name: str, tree: Path) -> None:
    roots = os.pathsep.join(str(tree / root) for root in ("tfcheck", "rules", "runtime"))

    mismatches = follow(DOCS / "contributing" / name, tree, {"PYTHONPATH": roots})

    assert mismatches == []
