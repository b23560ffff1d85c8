"""The pages for contributors, followed to the letter on a copy of the tree."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from pages import DOCS, follow
from trees import copy_tree

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="bash")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return copy_tree(tmp_path / "tfcheck")


@pytest.mark.parametrize("name", ["adding-a-rule.md", "adding-an-op.md"])
def test_a_page_for_contributors_leads_to_what_it_promises(name: str, tree: Path) -> None:
    roots = os.pathsep.join(str(tree / root) for root in ("tfcheck", "rules", "runtime"))

    mismatches = follow(DOCS / "contributing" / name, tree, {"PYTHONPATH": roots})

    assert mismatches == []
