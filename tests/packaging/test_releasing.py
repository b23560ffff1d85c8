"""What leads from a tag to a release, as far as it can be tried without publishing."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from trees import ROOT

WORKFLOWS = ROOT / ".github" / "workflows"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def workflow(name: str) -> dict[str, Any]:
    file = WORKFLOWS / name
    if not file.exists():
        pytest.skip("an sdist has no workflows")
    # YAML 1.1 reads the key `on` as a truth value.
    return {str(k): v for k, v in yaml.safe_load(file.read_text(encoding="utf-8")).items()}


def pythons_of_nox() -> list[str]:
    tree = ast.parse((ROOT / "noxfile.py").read_text(encoding="utf-8"))
    (value,) = (
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "PYTHONS"
    )
    return list(ast.literal_eval(value))


def test_the_matrix_has_the_pythons_that_the_project_promises() -> None:
    promised = [
        each.rpartition(" ")[2]
        for each in PROJECT["classifiers"]
        if re.search(r":: Python :: 3\.\d+$", each)
    ]

    assert pythons_of_nox() == promised
    assert PROJECT["requires-python"] == f">={promised[0]}"


def test_every_session_of_the_matrix_runs_in_ci() -> None:
    sessions = workflow("check.yml")["jobs"]["tests"]["strategy"]["matrix"]["session"]

    assert sessions == [*(f"latest-{each}" for each in pythons_of_nox()), "lowest"]


def test_only_tags_are_released_and_only_the_publishing_job_can_publish() -> None:
    release = workflow("release.yml")
    jobs = release["jobs"]

    assert release["True"] == {"push": {"tags": ["v*"]}}
    assert release["permissions"] == {}
    assert [name for name, job in jobs.items() if "id-token" in job["permissions"]] == ["publish"]
    assert jobs["publish"]["needs"] == ["build", "try"]
    assert "password" not in str(jobs)


@pytest.mark.parametrize("name", ["check.yml", "release.yml"])
def test_no_workflow_lets_an_event_into_its_scripts(name: str) -> None:
    steps = [step for job in workflow(name)["jobs"].values() for step in job["steps"]]

    assert [step["run"] for step in steps if "${{" in step.get("run", "")] == []


@pytest.mark.skipif(sys.platform == "win32", reason="bash")
class TestNotes:
    """`.ci/notes VERSION`, in a tree with a changelog of two versions."""

    @pytest.fixture
    def tree(self, tmp_path: Path) -> Path:
        script = ROOT / ".ci" / "notes"
        if not script.exists():
            pytest.skip("an sdist has no scripts of CI")
        (tmp_path / ".ci").mkdir()
        shutil.copy(script, tmp_path / ".ci")
        (tmp_path / "CHANGELOG.md").write_text(
            "# Changelog\n\n## 1.1.0 (2026-02-01)\n\n- New.\n\n## 1.0.0 (2026-01-01)\n\n- Old.\n"
        )
        return tmp_path

    def notes(self, tree: Path, version: str) -> subprocess.CompletedProcess[str]:
        command = [tree / ".ci" / "notes", version]
        return subprocess.run(command, check=False, capture_output=True, text=True)

    def test_they_are_the_part_of_that_version(self, tree: Path) -> None:
        assert self.notes(tree, "1.1.0").stdout.strip() == "- New."
        assert self.notes(tree, "1.0.0").stdout.strip() == "- Old."

    def test_a_version_that_nobody_described_is_not_released(self, tree: Path) -> None:
        ended = self.notes(tree, "1.1")

        assert (ended.returncode, ended.stderr) == (1, "CHANGELOG.md says nothing about 1.1\n")
