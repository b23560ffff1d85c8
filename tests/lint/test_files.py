"""Which files a run looks at."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tfcheck.config import Overrides, Settings
from tfcheck.diagnostics import FileProblem
from tfcheck.errors import InputError
from tfcheck.lint.files import discover


def tree(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")


def found(root: Path, *given: str, **settings: object) -> list[str]:
    chosen = Settings(root=root, **settings)  # type: ignore[arg-type]  # fields by name
    paths = discover([root / name for name in given] or [root], chosen).files
    return [path.relative_to(root).as_posix() for path in paths]


def test_modules_and_notebooks_are_found_in_order_of_name(tmp_path: Path) -> None:
    tree(tmp_path, "b.py", "a.ipynb", "sub/c.py", "types.pyi", "notes.txt", "a/z.py")

    assert found(tmp_path) == ["a.ipynb", "b.py", "a/z.py", "sub/c.py"]


def test_folders_that_hold_no_own_code_are_left_out(tmp_path: Path) -> None:
    tree(tmp_path, "a.py", ".venv/lib/x.py", "build/y.py", "src/node_modules/z.py")

    assert found(tmp_path) == ["a.py"]


def test_a_project_below_an_excluded_name_is_searched(tmp_path: Path) -> None:
    root = tmp_path / "build" / "project"
    tree(root, "a.py", "dist/b.py")

    assert found(root) == ["a.py"]


def test_exclude_takes_names_paths_and_globs(tmp_path: Path) -> None:
    tree(tmp_path, "a.py", "old/b.py", "src/gen_c.py", "src/old/d.py", "src/e.py")

    assert found(tmp_path, extend_exclude=("old", "gen_*.py")) == ["a.py", "src/e.py"]
    assert found(tmp_path, extend_exclude=("src/old",)) == [
        "a.py",
        "old/b.py",
        "src/e.py",
        "src/gen_c.py",
    ]
    assert found(tmp_path, "src", extend_exclude=("src/old",)) == ["src/e.py", "src/gen_c.py"]


def test_gitignore_files_of_all_levels_hold(tmp_path: Path) -> None:
    tree(tmp_path, "a.py", "out/b.py", "src/c.py", "src/d.py")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("out/\n")
    (tmp_path / "src" / ".gitignore").write_text("d.py\n")

    assert found(tmp_path) == ["a.py", "src/c.py"]
    assert found(tmp_path, "src") == ["src/c.py"]
    assert found(tmp_path, respect_gitignore=False) == ["a.py", "out/b.py", "src/c.py", "src/d.py"]


def test_named_files_are_taken_whatever_is_excluded(tmp_path: Path) -> None:
    tree(tmp_path, "old/a.py", "script")

    assert found(tmp_path, "old/a.py", "script", extend_exclude=("old",)) == ["old/a.py", "script"]


def test_force_exclude_leaves_out_named_files_too(tmp_path: Path) -> None:
    tree(tmp_path, "old/a.py", "b.py")

    assert found(tmp_path, "old/a.py", "b.py", extend_exclude=("old",), force_exclude=True) == [
        "b.py"
    ]


def test_links_that_lead_back_are_followed_once(tmp_path: Path) -> None:
    tree(tmp_path, "src/a.py")
    (tmp_path / "src" / "loop").symlink_to(tmp_path / "src")

    assert found(tmp_path) == ["src/a.py"]


def test_a_file_named_twice_is_checked_once(tmp_path: Path) -> None:
    tree(tmp_path, "a.py")

    assert found(tmp_path, "a.py", ".", "a.py") == ["a.py"]


def test_a_missing_path_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        discover([tmp_path / "missing.py"], Settings(root=tmp_path))

    assert str(error.value) == f"{tmp_path}/missing.py: no such file or folder"


def test_a_folder_that_cannot_be_searched_does_not_stop_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree(tmp_path, "a.py", "locked/b.py", "z/c.py")
    scandir = os.scandir

    def guarded(path: Path) -> object:
        if path.name == "locked":
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", guarded)

    found = discover([tmp_path], Settings(root=tmp_path))

    assert found.files == (tmp_path / "a.py", tmp_path / "z/c.py")
    assert found.problems == (
        FileProblem(f"{tmp_path}/locked", "cannot be searched: Permission denied"),
    )


def test_each_folder_has_the_closest_settings(tmp_path: Path) -> None:
    tree(tmp_path, "a.py", "inner/b.py", "inner/skip/c.py", "inner/deep/d.py", "skip/e.py")
    (tmp_path / "inner" / "tfcheck.toml").write_text('exclude = ["skip"]\nselect = ["TFC1"]\n')
    (tmp_path / "inner" / "deep" / "pyproject.toml").write_text(
        '[tool.tfcheck]\nselect = ["TFC2"]\n'
    )
    outer = Settings(root=tmp_path, exclude=(), overrides=Overrides())

    result = discover([tmp_path], outer)

    names = [path.relative_to(tmp_path).as_posix() for path in result.files]
    assert names == ["a.py", "inner/b.py", "inner/deep/d.py", "skip/e.py"]
    assert [_selected(result.settings.at(path)) for path in result.files] == [
        [],
        ["TFC1"],
        ["TFC2"],
        [],
    ]
    alone = discover([tmp_path / "inner" / "deep" / "d.py"], outer)
    assert _selected(alone.settings.at(tmp_path / "inner" / "deep" / "d.py")) == ["TFC2"]


def test_options_go_before_the_settings_of_every_folder(tmp_path: Path) -> None:
    tree(tmp_path, "inner/b.py")
    (tmp_path / "inner" / "tfcheck.toml").write_text('select = ["TFC1"]\n')

    outer = Settings(root=tmp_path, overrides=Overrides(select=["TFC3"]))
    result = discover([tmp_path], outer)
    without = discover([tmp_path], Settings(root=tmp_path))

    assert _selected(result.settings.at(tmp_path / "inner" / "b.py")) == ["TFC3"]
    assert without.settings.inner == ()


def _selected(settings: Settings) -> list[str]:
    return [each.text for each in settings.select]
