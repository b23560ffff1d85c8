"""What all tests share."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache that no other test and no user sees."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("TFCHECK_CACHE_DIR", str(folder))
    return folder
