"""Which files are not the user's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tfcheck_runtime import site


def test_files_are_hidden_once_however_often_that_is_asked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(site, "_hidden", site._hidden)

    for _ in range(3):
        site.hide_frames_of(str(tmp_path))

    assert site._hidden.count(f"{tmp_path}/") == 1
    assert site.is_hidden_file(str(tmp_path / "main.py"))
    assert not site.is_hidden_file(f"{tmp_path}_other/main.py")
