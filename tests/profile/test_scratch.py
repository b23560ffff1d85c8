from __future__ import annotations

from pathlib import Path

import pytest

from tfcheck.profile import scratch
from tfcheck.profile.scratch import scratch_copy


def test_small_files_are_copied_and_large_ones_linked(tmp_path: Path) -> None:
    folder, copy = tmp_path / "project", tmp_path / "copy"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "train.py").write_text("x = 1\n", encoding="utf-8")
    (folder / "data.bin").write_bytes(bytes(scratch.LARGEST + 1))

    scratch_copy(folder, copy)

    assert (copy / "data.bin").is_symlink()
    (copy / "src" / "train.py").write_text("x = 2\n", encoding="utf-8")
    assert (folder / "src" / "train.py").read_text(encoding="utf-8") == "x = 1\n"


def test_environments_and_hidden_folders_are_linked_and_caches_left_out(tmp_path: Path) -> None:
    folder, copy = tmp_path / "project", tmp_path / "copy"
    for name in ("env", ".git", "__pycache__"):
        (folder / name).mkdir(parents=True)
    (folder / "env" / "pyvenv.cfg").write_text("", encoding="utf-8")

    scratch_copy(folder, copy)

    assert {each.name: each.is_symlink() for each in copy.iterdir()} == {"env": True, ".git": True}


def test_links_lead_where_they_led(tmp_path: Path) -> None:
    folder, copy = tmp_path / "project", tmp_path / "copy"
    folder.mkdir()
    (tmp_path / "data").mkdir()
    (folder / "data").symlink_to("../data")
    (folder / "gone").symlink_to("nowhere")

    scratch_copy(folder, copy)

    assert (copy / "data").resolve() == (tmp_path / "data").resolve()
    assert not (copy / "gone").exists()


def test_what_is_more_than_enough_is_linked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, copy = tmp_path / "project", tmp_path / "copy"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.txt").write_text("", encoding="utf-8")
    monkeypatch.setattr(scratch, "MOST_FILES", 2)

    scratch_copy(folder, copy)

    assert [each.name for each in sorted(copy.iterdir()) if each.is_symlink()] == ["2.txt"]
