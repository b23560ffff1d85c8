"""What a release holds: the version of its tag, every file of the packages, and nothing else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from email.message import Message
from email.parser import Parser
from importlib.util import find_spec
from pathlib import Path

import pytest
from trees import copy_tree, make_repository

PACKAGES = {
    "tfcheck": "tfcheck/tfcheck",
    "tfcheck_rules": "rules/tfcheck_rules",
    "tfcheck_runtime": "runtime/tfcheck_runtime",
}
BUILT = "tfcheck/tfcheck/_version.py"
"""The only file of the packages that is made by the build."""

pytestmark = [
    pytest.mark.skipif(shutil.which("git") is None, reason="needs git"),
    pytest.mark.skipif(find_spec("hatch_vcs") is None, reason="needs hatch-vcs"),
]


@dataclass(frozen=True, slots=True)
class Release:
    """Version 1.2.3, built as a release is: the wheel out of the unpacked sdist."""

    tree: Path
    sdist: Path
    unpacked: Path
    wheel: Path

    def sdist_files(self) -> set[str]:
        """Their names as seen from the root of the project."""
        return files(self.unpacked)

    def wheel_files(self) -> set[str]:
        return set(zipfile.ZipFile(self.wheel).namelist())

    def metadata(self) -> Message:
        (name,) = (each for each in self.wheel_files() if each.endswith(".dist-info/METADATA"))
        return Parser().parsestr(zipfile.ZipFile(self.wheel).read(name).decode())


def build(tree: Path, kind: str, target: Path) -> Path:
    """Build a tree by the build back end alone, so that nothing is downloaded."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", kind, "--directory", target],
        cwd=tree,
        check=True,
        capture_output=True,
    )
    (built,) = target.glob("*.tar.gz" if kind == "sdist" else "*.whl")
    return built


def files(folder: Path) -> set[str]:
    return {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}


def version_told_by(roots: list[Path]) -> str:
    """What `tfcheck --version` says of the packages in some folders."""
    path = os.pathsep.join(map(str, roots))
    ran = subprocess.run(
        [sys.executable, "-m", "tfcheck", "--version"],
        cwd=roots[0].parent,
        env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        check=True,
        capture_output=True,
        text=True,
    )
    return ran.stdout.strip()


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    folder = tmp_path_factory.mktemp("release")
    tree = copy_tree(folder / "tree")
    make_repository(tree, tag="v1.2.3")
    sdist = build(tree, "sdist", folder / "sdist")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder / "unpacked", filter="data")
    (unpacked,) = (folder / "unpacked").iterdir()
    wheel = build(unpacked, "wheel", folder / "wheel")
    return Release(tree, sdist, unpacked, wheel)


def test_the_version_is_that_of_the_tag(release: Release, tmp_path: Path) -> None:
    zipfile.ZipFile(release.wheel).extractall(tmp_path / "installed")

    assert release.sdist.name == "tfcheck-1.2.3.tar.gz"
    assert release.wheel.name == "tfcheck-1.2.3-py3-none-any.whl"
    assert release.metadata()["Version"] == "1.2.3"
    assert version_told_by([tmp_path / "installed"]) == "tfcheck 1.2.3"


def test_a_commit_after_the_tag_is_on_the_way_to_the_next_version(tmp_path: Path) -> None:
    tree = copy_tree(tmp_path / "tree")
    make_repository(tree, tag="v1.2.3")
    (tree / "README.md").write_text("# Changed\n")
    commit = make_repository(tree)

    wheel = build(tree, "wheel", tmp_path / "wheel")

    version = wheel.name.split("-")[1]
    assert version.startswith("1.2.4.dev1+g")
    assert commit.startswith(version.partition("+g")[2])


def test_sources_without_git_can_be_run_and_built(tmp_path: Path) -> None:
    tree = copy_tree(tmp_path / "tree")

    told = version_told_by([tree / Path(folder).parent for folder in PACKAGES.values()])
    wheel = build(tree, "wheel", tmp_path / "wheel")

    assert told == "tfcheck 0.0"
    assert wheel.name == "tfcheck-0.0-py3-none-any.whl"


def test_an_archive_of_a_tag_knows_its_version(release: Release, tmp_path: Path) -> None:
    subprocess.run(
        ["git", "archive", "--output", tmp_path / "tree.tar", "v1.2.3"],
        cwd=release.tree,
        check=True,
    )
    with tarfile.open(tmp_path / "tree.tar") as archive:
        archive.extractall(tmp_path / "tree", filter="data")

    wheel = build(tmp_path / "tree", "wheel", tmp_path / "wheel")

    assert wheel.name == "tfcheck-1.2.3-py3-none-any.whl"


def test_the_wheel_holds_every_file_of_the_packages_and_no_other(release: Release) -> None:
    expected = {
        f"{name}/{file}"
        for name, folder in PACKAGES.items()
        for file in files(release.unpacked / folder)
    }
    about = {name for name in release.wheel_files() if ".dist-info/" in name}

    assert release.wheel_files() - about == expected
    assert {f"{name}/py.typed" for name in PACKAGES} <= expected
    assert {name.partition(".dist-info/")[2] for name in about} == {
        "METADATA",
        "RECORD",
        "WHEEL",
        "entry_points.txt",
        "licenses/LICENSE",
    }


def test_the_sdist_holds_the_tree_with_its_tests(release: Release) -> None:
    tree = {name for name in files(release.tree) if not name.startswith(".git/")}

    assert release.sdist_files() == tree | {BUILT, "PKG-INFO"}


def test_the_wheel_says_what_it_needs(release: Release) -> None:
    metadata = release.metadata()
    needed = [each for each in metadata.get_all("Requires-Dist", []) if "extra ==" not in each]

    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert {each.partition(">=")[0] for each in needed} == {"libcst", "pathspec", "rich", "typer"}
    assert [each for each in needed if ">=" not in each] == []


def test_an_index_would_take_both(release: Release) -> None:
    pytest.importorskip("twine", reason="needs the extra `dev`")

    command = [sys.executable, "-m", "twine", "--no-color", "check", "--strict"]
    checked = subprocess.run(
        [*command, release.sdist, release.wheel],
        check=False,
        capture_output=True,
        text=True,
    )

    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert checked.stdout.count("PASSED") == 2
